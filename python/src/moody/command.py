"""Where the command is. A wheel that was built by ``scripts/wheel`` carries it."""

import os
import pathlib
import shutil
import sys


class NoCommand(RuntimeError):
    """There is no ``moody`` binary, or it cannot be started."""


def binary(command=None):
    """The path of the binary: ``command``, else ``$MOODY``, else the one of the wheel, else the one on the ``PATH``."""
    carried = pathlib.Path(__file__).parent / "bin" / "moody"
    found = command or os.environ.get("MOODY") or (str(carried) if carried.exists() else _on_path())
    if not found:
        raise NoCommand("no moody: put it on the PATH, or its path into $MOODY")
    return found


def _on_path():
    """The first one that is no script of this package, in whichever environment: those would call each other."""
    for folder in os.get_exec_path():
        found = shutil.which("moody", path=folder)
        if found and not _is_script(found):
            return found
    return None


def _is_script(path):
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return head.startswith(b"#!") and b"moody.command" in head


def main():
    """The script ``moody``: becomes the binary."""
    try:
        path = binary()
        try:
            os.execv(path, ["moody", *sys.argv[1:]])
        except OSError as error:
            raise NoCommand(f"{path}: {error.strerror}") from error
    except NoCommand as error:
        print(f"moody: {error}", file=sys.stderr)
        sys.exit(2)
