"""Palettes on Daft: ``frame.with_column("palette", palette(frame["bytes"], frame["path"]))``."""

from .streams import Palettes


def palette(content, name, palettes=None):
    """An expression with one struct per photo, the columns of ``moody.SCHEMA``."""
    import daft

    finder = palettes or Palettes()
    fields = daft.DataType.from_arrow_type(_struct())

    @daft.udf(return_dtype=fields)
    def find(contents, names):
        photos = ((name, 0, content) for name, content in zip(names.to_pylist(), contents.to_pylist()))
        return [found for batch in finder.run(photos) for found in batch.to_pylist()]

    return find(content, name)


def _struct():
    import pyarrow as pa

    from .records import SCHEMA

    return pa.struct(list(SCHEMA))
