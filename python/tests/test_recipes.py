"""The recipes for other engines give the rows of one ``moody extract``."""

import pathlib

import pytest

from moody.records import batch
from test_palettes import extracted


def expected(moody, photos):
    """By name: colors, error, and size in pixels. A recipe sends no times, which palettes do not depend on."""
    rows = batch(extracted(moody, photos)).to_pylist()
    assert len(rows) == 6 and sum(row["error"] is not None for row in rows) == 1
    return by_name(rows)


def by_name(rows):
    def colors(row):
        found = row["colors"] if row["colors"] is not None else []
        return [(color["hex"], color["share"]) for color in found]

    return {
        pathlib.Path(row["path"]).name: (colors(row), row["error"], row["width"], row["height"], row["contentHash"])
        for row in rows
    }


def test_daft(moody, photos):
    daft = pytest.importorskip("daft")
    from moody.daft import palette

    files = sorted(photos.iterdir())
    frame = daft.from_pydict({"path": [str(file) for file in files], "bytes": [file.read_bytes() for file in files]})
    found = frame.with_column("palette", palette(frame["bytes"], frame["path"])).to_pydict()["palette"]
    assert len(found) == 6 and by_name(found) == expected(moody, photos)


def test_ray(moody, photos):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    from moody.ray import Finder

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        files = ray.data.read_binary_files(str(photos), include_paths=True)
        found = files.map_batches(Finder, concurrency=1, batch_size=2).take_all()
        assert len(found) == 6 and by_name(found) == expected(moody, photos)
    finally:
        ray.shutdown()
