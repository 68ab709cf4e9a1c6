"""The rows of the package are the records of one ``moody extract``; what ends a process costs that photo alone."""

import json
import stat
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from moody import Crashed, Palettes
from moody.records import batch, line, row
from moody.store import to_store


def extracted(moody, folder, *options):
    run = subprocess.run([moody, "extract", "--format", "record", *options, str(folder)], capture_output=True, text=True)
    assert run.returncode in (0, 1)
    records = [json.loads(text) for text in run.stdout.splitlines()]
    assert records[-1]["end"]
    return [row(record) for record in records[:-1]]


def sent(folder):
    return [(str(path), path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(folder.iterdir())]


def rows(batches):
    return [found for some in batches for found in some.to_pylist()]


def test_rows_are_the_records_of_one_extract(moody, photos):
    expected = extracted(moody, photos, "--thumbnails", "-k", "3")
    assert len(expected) == 6 and sum(found["error"] is not None for found in expected) == 1
    found = rows(Palettes(count=3, thumbnails=True, rows=2).run(sent(photos)))
    assert found == batch(expected).to_pylist()


def test_a_line_of_a_row_is_the_record(moody, photos):
    for found in extracted(moody, photos, "--thumbnails"):
        assert row(json.loads(line(found))) == found


def test_a_store_of_the_table_is_that_of_one_ingest(moody, photos, tmp_path):
    some = sent(photos)
    tables = list(Palettes(thumbnails=True).run(some[::-1])) + list(Palettes(thumbnails=True).run(some[:3]))
    for number, part in enumerate(tables):
        (tmp_path / "table").mkdir(exist_ok=True)
        import pyarrow as pa

        pq.write_table(pa.Table.from_batches([part]), tmp_path / "table" / f"{number}.parquet")
    assert to_store(tmp_path / "table", str(tmp_path / "two.moody")) == 0
    subprocess.run([moody, "ingest", "-q", "--store", str(tmp_path / "one.moody"), str(photos)])
    exports = [subprocess.run([moody, "export", "json", "--sort", "id:asc", "--store", str(tmp_path / name)],
                              capture_output=True).stdout for name in ("one.moody", "two.moody")]
    assert b"contentHash" in exports[0] and exports[0] == exports[1]


FAKE = """#!{python}
import io, json, os, sys, tarfile
tar = tarfile.open(fileobj=sys.stdin.buffer, mode="r|")
for member in tar:
    data = tar.extractfile(member).read()
    if data == b"poison": os.abort()
    if data == b"once" and not os.path.exists({mark!r}):
        open({mark!r}, "w").close()
        os.abort()
    print(json.dumps({{"v": 1, "path": member.name, "size": len(data), "mtimeNs": 0, "width": len(data)}}), flush=True)
print(json.dumps({{"v": 1, "end": True, "photos": 0, "failed": 0}}), flush=True)
"""


@pytest.fixture
def fake(tmp_path):
    path = tmp_path / "moody"
    path.write_text(FAKE.format(python=sys.executable, mark=str(tmp_path / "mark")))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize("places", [(0,), (7,), (3, 4), (0, 1, 2, 19)])
def test_a_photo_that_ends_the_process_is_isolated(fake, places):
    photos = [(f"p{number}.jpg", 0, b"poison" if number in places else b"x" * (number + 1)) for number in range(20)]
    photos.insert(10, ("once.jpg", 0, b"once"))
    found = rows(Palettes(command=fake).run(photos))
    assert sorted(some["path"] for some in found) == sorted(photo[0] for photo in photos)
    assert len(found) == 21
    crashed = {some["path"] for some in found if some["errorKind"] == "crashed"}
    assert crashed == {f"p{number}.jpg" for number in places}
    assert all(some["width"] == some["size"] for some in found if some["path"] not in crashed)


def test_a_photo_that_cannot_be_fetched_has_a_row(moody, photos):
    some = sent(photos)
    some.insert(1, ("s3://bucket/gone.jpg", 0, FileNotFoundError("no such key")))
    found = rows(Palettes().run(some))
    assert len(found) == 7
    assert (found[1]["path"], found[1]["errorKind"], found[1]["error"]) == (
        "s3://bucket/gone.jpg", "unavailable", "no such key")


def test_who_stops_early_leaves_no_process(moody, photos):
    finder = Palettes(rows=1)
    batches = finder.run(sent(photos) * 50)
    next(batches)
    batches.close()
    left = subprocess.run(["pgrep", "-f", "extract --tar - --format record --every-member"], capture_output=True)
    assert left.stdout == b""


def test_wrong_options_and_no_binary_are_errors(moody):
    with pytest.raises(Crashed, match="--colors|-k"):
        rows(Palettes(count=99).run([("a.jpg", 0, b"x")]))
    with pytest.raises(Crashed, match="nosuch"):
        rows(Palettes(command="/nosuch/moody").run([("a.jpg", 0, b"x")]))


def test_errors_of_the_caller_s_photos_are_the_caller_s(moody, photos):
    def broken():
        yield sent(photos)[0]
        raise ValueError("shard is gone")

    with pytest.raises(ValueError, match="shard is gone"):
        rows(Palettes().run(broken()))


def test_no_photos_start_no_process():
    assert rows(Palettes(command="/nosuch/moody").run([])) == []


def test_names_that_are_not_utf_8_keep_their_bytes(moody, photos):
    """As ``moody extract`` has them of files; ``os.fsdecode`` makes the second."""
    content = next(photos.iterdir()).read_bytes()
    found = rows(Palettes().run([(b"a\xff.jpg", 0, content), ("b\udcfe.jpg", 0, content), ("ü.jpg", 0, content)]))
    assert [each["pathBytes"] for each in found] == [b"a\xff.jpg", b"b\xfe.jpg", None]
    assert [each["path"] for each in found] == ["a\ufffd.jpg", "b\ufffd.jpg", "ü.jpg"]
    assert all(each["error"] is None for each in found)
    assert json.loads(line(found[0]))["pathBytes"] == "Yf8uanBn"
