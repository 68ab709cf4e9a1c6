"""Color palettes of photos, found by the ``moody`` command.

    import moody

    for color in moody.palette("wall.jpg"):
        print(color.hex, color.share, color.name)

:func:`palette` takes a path, bytes, or an array; :func:`palettes` files and folders. ``moody.spark``, ``.daft`` and
``.ray`` run on an engine, and :class:`Palettes` gives Arrow batches: they need ``pyarrow`` (``pip install moody[arrow]``).
"""

from .command import NoCommand, binary
from .photos import Color, Palette, PhotoError, palette, palettes

__all__ = ["Color", "Crashed", "NoCommand", "Palette", "Palettes", "PhotoError", "SCHEMA", "binary", "palette", "palettes"]


def __getattr__(name):
    # What needs pyarrow is loaded when it is asked for.
    if name in ("Crashed", "Palettes"):
        from . import streams

        return getattr(streams, name)
    if name == "SCHEMA":
        from .records import SCHEMA

        return SCHEMA
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
