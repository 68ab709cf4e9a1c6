"""Palettes of photos that are files, bytes, or arrays."""

import dataclasses
import json
import os
import struct
import subprocess
import tempfile
import zlib

from .command import NoCommand, binary


class PhotoError(ValueError):
    """A photo that cannot be read: its name, and why."""


@dataclasses.dataclass(frozen=True)
class Color:
    """One color of a palette."""

    hex: str
    """sRGB, ``#rrggbb``."""
    share: float
    """Of the photo's area, 0...1."""
    oklab: tuple
    """``L``, ``a``, ``b``."""
    name: str
    """The nearest of the named colors."""

    @property
    def rgb(self):
        """Red, green and blue, 0...255."""
        return tuple(bytes.fromhex(self.hex[1:]))


@dataclasses.dataclass(frozen=True)
class Palette:
    """The dominant colors of one photo, the largest share first; iterates over them."""

    path: str
    """As the command prints it; ``-`` for bytes and arrays."""
    colors: tuple
    width: int
    """In pixels, after rotation."""
    height: int
    notes: tuple
    """What is odd about the photo."""
    error: str
    """Why it could not be read; None where it could. Then there are no colors, and the size is 0."""

    def __iter__(self):
        return iter(self.colors)

    def __len__(self):
        return len(self.colors)

    def __getitem__(self, index):
        return self.colors[index]


def palette(photo, count=5, mode=None, options=(), command=None):
    """The palette of one photo.

    :param photo: a path, the ``bytes`` of a file, or an array of shape (height, width) or (height, width, 3 or 4) of
        bytes, as NumPy and Pillow have them.
    :param count: colors, 1...32, or ``"auto"``.
    :param mode: ``"representative"`` or ``"area"``; None for the default.
    :param options: further options of ``moody extract``, such as ``["--ignore", "white"]``.
    :param command: the binary; see :func:`moody.binary`.
    :raises PhotoError: for a photo that cannot be read.
    :raises TypeError: for what is no photo.
    :raises RuntimeError: when ``moody`` refuses its options, or ends without an answer.
    """
    if isinstance(photo, (str, os.PathLike)):
        if os.path.isdir(photo):
            raise PhotoError(f"{os.fspath(photo)}: a folder: moody.palettes reads folders")
        found = list(_run(["--", _path(photo)], count, mode, options, command))
    else:
        content = bytes(photo) if isinstance(photo, (bytes, bytearray, memoryview)) else _png(photo)
        found = list(_run(["-"], count, mode, options, command, content))
    if len(found) != 1:
        raise RuntimeError(f"moody answered {len(found)} times for one photo")
    if found[0].error is not None:
        raise PhotoError(f"{found[0].path}: {found[0].error}")
    return found[0]


def palettes(paths, count=5, mode=None, options=(), command=None):
    """Yields a :class:`Palette` for each photo of ``paths``, files and folders, in the order of ``moody extract``.

    All are read by one process on all cores. A photo that cannot be read has an ``error`` and no colors. The other
    parameters are those of :func:`palette`.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    names = [os.fsencode(_path(path)) for path in paths]
    if any(b"\0" in name or not name for name in names):
        raise ValueError("a path is empty, or has a NUL")
    names = b"".join(name + b"\0" for name in names)
    if names:
        yield from _run(["-0", "--files-from", "-"], count, mode, options, command, names)


def _path(photo):
    path = os.fspath(photo)
    # A file called - is not standard input.
    return "./-" if path == "-" else path


def _run(arguments, count, mode, options, command, content=b""):
    path = binary(command)
    arguments = ["extract", "--format", "json", "-q", "-k", str(count), *(["--mode", mode] if mode else []),
                 *options, *arguments]
    # Files in place of pipes: neither side waits for the other.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        given.write(content)
        given.seek(0)
        try:
            process = subprocess.Popen([path, *arguments], stdin=given, stdout=subprocess.PIPE, stderr=said)
        except OSError as error:
            raise NoCommand(f"{path}: {error.strerror}") from error
        try:
            for line in process.stdout:
                if not line.startswith(b"{"):
                    raise RuntimeError(f"moody answered {line[:80].decode(errors='replace').strip()!r}, and no JSON")
                yield _palette(json.loads(line))
            status = process.wait()
        finally:
            # Whoever takes no more ends the process.
            process.kill()
            process.stdout.close()
            process.wait()
        # 1 says that some photos could not be read: those have their lines.
        if status not in (0, 1):
            said.seek(0)
            raise RuntimeError(f"moody ended with {status}: {said.read().decode(errors='replace').strip()}")


def _palette(record):
    colors = tuple(Color(color["hex"], color["share"], tuple(color["oklab"]), color["name"])
                   for color in record.get("colors", ()))
    return Palette(record["path"], colors, record.get("width", 0), record.get("height", 0),
                   tuple(record.get("notes", ())), record.get("error"))


def _png(array):
    """The bytes of a PNG, of anything that has the array interface."""
    if hasattr(array, "mode") and hasattr(array, "convert"):
        # An image of Pillow: numbers of a palette, inks and the like are no colors.
        if array.mode not in ("L", "RGB", "RGBA"):
            array = array.convert("RGBA" if array.mode in ("P", "PA", "LA", "La", "RGBa") else "RGB")
    interface = getattr(array, "__array_interface__", None)
    if interface is None:
        raise TypeError(f"a photo is a path, bytes, or an array of bytes, not {type(array).__name__}")
    shape = interface["shape"]
    if interface["typestr"][1:] != "u1" or len(shape) not in (2, 3) or shape[2:] not in ((), (3,), (4,)) or 0 in shape:
        raise TypeError(f"an array of shape (height, width), or (height, width, 3 or 4), of uint8, not "
                        f"{tuple(shape)} of {interface['typestr']}")
    height, width = shape[:2]
    row = width * (shape[2] if len(shape) == 3 else 1)
    content = array.tobytes()
    if len(content) != height * row:
        raise TypeError(f"an image of shape {tuple(shape)} gave {len(content)} bytes")
    kind = {(): 0, (3,): 2, (4,): 6}[tuple(shape[2:])]
    lines = b"".join(b"\0" + content[start:start + row] for start in range(0, len(content), row))
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, kind, 0, 0, 0))
            + _chunk(b"IDAT", zlib.compress(lines, 1)) + _chunk(b"IEND", b""))


def _chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
