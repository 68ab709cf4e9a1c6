"""Color palettes of photos, found by the ``moody`` command.

    from moody_palettes import Palettes

    photos = [("a.jpg", 0, open("a.jpg", "rb").read())]
    for batch in Palettes().run(photos):
        print(batch.to_pylist())

``moody_palettes.spark``, ``.daft`` and ``.ray`` run the same on an engine. The ``moody`` binary is looked for in
``$MOODY``, then on the ``PATH``.
"""

from .palettes import Crashed, Palettes
from .records import SCHEMA

__all__ = ["Crashed", "Palettes", "SCHEMA"]
