"""Palettes on Ray Data: ``ray.data.read_binary_files(uris, include_paths=True).map_batches(Finder, concurrency=4)``."""

from .streams import Palettes


class Finder:
    """A callable for ``map_batches``: columns ``bytes`` and ``path`` in, the columns of ``moody.SCHEMA`` out."""

    def __init__(self, **options):
        self.palettes = Palettes(**options)

    def __call__(self, batch):
        import pyarrow as pa

        from .records import SCHEMA

        photos = ((name, 0, bytes(content)) for name, content in zip(batch["path"], batch["bytes"]))
        return pa.Table.from_batches(self.palettes.run(photos), SCHEMA)
