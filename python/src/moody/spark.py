"""Palettes on Spark 3.5 and 4: ``of_shards`` for tar shards, ``of_uris`` for single files, ``with_palette`` for bytes
in a column.

    from moody import spark as moody

    shards = spark.createDataFrame([("s3://bucket/0001.tar",)], ["uri"])
    moody.of_shards(shards, "uri").write.parquet("palettes")
"""

import decimal
import tarfile

import pyarrow as pa

from .streams import Palettes
from .records import SCHEMA

_COLUMNS = (
    "path string, pathBytes binary, size bigint, mtimeNs bigint, contentHash string, algorithm smallint, "
    "count smallint, mode string, ignore array<string>, background string, width int, height int, taken string, "
    "day int, offset smallint, dateSource string, latitude double, longitude double, camera string, "
    "rating smallint, colors array<struct<hex: string, share: double, name: string, displayP3: string>>, notes array<string>, "
    "pictureHash string, thumbnail binary, error string, errorKind string")


def of_shards(frame, column, palettes=None):
    """Palettes of all photos in tar shards: the fast way, as the bytes do not pass through the JVM.

    :param frame: a DataFrame with one URI of a tar file per row (a path, ``file://``, ``s3://``, ``hdfs://``, ...).
    :param column: the name of its column.
    :returns: a DataFrame of :data:`records.SCHEMA`; ``path`` is ``SHARD/MEMBER``.
    """
    finder = palettes or Palettes()

    def photos(batches):
        for uri in _values(batches, column):
            with _open(uri) as stream, tarfile.open(fileobj=stream, mode="r|*") as tar:
                for member in tar:
                    if member.isreg():
                        mtime = member.pax_headers.get("mtime")
                        yield f"{uri}/{member.name}", _nanoseconds(mtime or member.mtime), tar.extractfile(member).read()

    return frame.select(column).mapInArrow(lambda batches: finder.run(photos(batches)), _COLUMNS)


def of_uris(frame, column, palettes=None):
    """Palettes of single photos by their URIs, opened where the task runs. A photo that cannot be opened has a row with
    the ``errorKind`` ``unavailable``."""
    finder = palettes or Palettes()

    def photos(batches):
        for uri in _values(batches, column):
            try:
                with _open(uri) as stream:
                    yield uri, _mtime(uri), stream.read()
            except (OSError, ValueError, TypeError) as error:
                # Not there, or no URI at all.
                yield uri or "", 0, error

    return frame.select(column).mapInArrow(lambda batches: finder.run(photos(batches)), _COLUMNS)


def with_palette(frame, column, key="path", palettes=None, mtime=None):
    """Adds a struct column ``palette`` to photos whose bytes are in a column, as ``spark.read.format("binaryFile")``
    gives them.

    :param key: the column with the photo's name.
    :param mtime: a timestamp column with the file's time, for photos that say no date of their own; None for 1970.
    """
    finder = palettes or Palettes()
    kept = [field for field in frame.schema.fields if field.name != column]
    columns = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in kept)

    def add(batches):
        for batch in batches:
            names = batch.column(key).to_pylist()
            times = [0] * len(names)
            if mtime:
                times = [time or 0 for time in batch.column(mtime).cast(pa.timestamp("ns", "UTC")).cast(pa.int64()).to_pylist()]
            contents = (value.as_buffer() for value in batch.column(column))
            found = pa.Table.from_batches(finder.run(zip(names, times, contents)), SCHEMA).combine_chunks()
            palette = pa.StructArray.from_arrays(
                [chunked.combine_chunks() for chunked in found.columns], fields=list(SCHEMA))
            others = [batch.column(field.name) for field in kept]
            yield pa.RecordBatch.from_arrays(others + [palette], [field.name for field in kept] + ["palette"])

    return frame.mapInArrow(add, f"{columns}, palette struct<{_COLUMNS}>")


def _values(batches, column):
    for batch in batches:
        yield from batch.column(column).to_pylist()


def _open(uri):
    from pyarrow import fs

    if "://" not in uri and not uri.startswith("file:"):
        return open(uri, "rb")
    if uri.startswith("file:"):
        return open("/" + uri[len("file:"):].lstrip("/"), "rb")
    system, path = fs.FileSystem.from_uri(uri.replace("s3a://", "s3://", 1))
    return system.open_input_stream(path)


def _mtime(uri):
    import os

    from pyarrow import fs

    if "://" not in uri or uri.startswith("file:"):
        path = "/" + uri[len("file:"):].lstrip("/") if uri.startswith("file:") else uri
        return os.stat(path).st_mtime_ns
    system, path = fs.FileSystem.from_uri(uri.replace("s3a://", "s3://", 1))
    return system.get_file_info(path).mtime_ns or 0


def _nanoseconds(text):
    return int(decimal.Decimal(str(text)).scaleb(9).to_integral_value(decimal.ROUND_FLOOR))
