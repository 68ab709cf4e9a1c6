"""Shards, URIs and bytes in a column on a real local cluster: a row per photo, those of one ``moody extract``."""

import io
import os
import sys
import tarfile

import pytest

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession

from moody import Palettes
from moody import spark as moody_spark
from moody.records import row
from test_palettes import extracted, rows, sent


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    here = os.path.join(os.path.dirname(__file__), "..", "src")
    session = (
        SparkSession.builder.master(os.environ.get("MOODY_SPARK", "local[2]")).appName("moody")
        .config("spark.executorEnv.PYTHONPATH", os.path.abspath(here)).config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executorEnv.MOODY", os.environ.get("MOODY", ""))
        .config("spark.ui.enabled", "false").config("spark.sql.execution.arrow.maxRecordsPerBatch", "32")
        .getOrCreate())
    yield session
    session.stop()


def by_name(found):
    """Rows by the photo's name, without the parts of a path that depend on how it came."""
    all_ = {}
    for some in found:
        some = some.asDict(recursive=True) if hasattr(some, "asDict") else dict(some)
        some["thumbnail"] = bytes(some["thumbnail"]) if some["thumbnail"] is not None else None
        some["path"] = some["path"].rsplit("/", 1)[-1]
        assert some["path"] not in all_
        all_[some["path"]] = some
    return all_


def test_shards(moody, photos, spark, tmp_path):
    expected = by_name(extracted(moody, photos))
    shards = []
    for number in range(2):
        path = tmp_path / f"{number}.tar"
        with tarfile.open(path, "w") as tar:
            for name, mtime, data in sent(photos)[number::2]:
                info = tarfile.TarInfo(os.path.basename(name))
                info.size, info.mtime = len(data), mtime // 10 ** 9
                tar.addfile(info, io.BytesIO(data))
        shards.append((str(path),))
    found = moody_spark.of_shards(spark.createDataFrame(shards, ["uri"]).repartition(2), "uri").collect()
    assert by_name(found) == expected


def test_uris_and_one_that_is_gone(moody, photos, spark):
    expected = by_name(extracted(moody, photos))
    uris = [(f"file://{name}",) for name, _, _ in sent(photos)] + [("file:///nosuch/gone.jpg",)]
    found = by_name(moody_spark.of_uris(spark.createDataFrame(uris, ["uri"]).repartition(3), "uri").collect())
    assert found.pop("gone.jpg")["errorKind"] == "unavailable"
    assert found == expected


def test_bytes_in_a_column(moody, photos, spark):
    expected = by_name(extracted(moody, photos))
    frame = spark.read.format("binaryFile").load(str(photos))
    found = moody_spark.with_palette(frame, "content", mtime="modificationTime").collect()
    assert all(some["length"] == some["palette"]["size"] for some in found)
    assert by_name([some["palette"] for some in found]) == expected
