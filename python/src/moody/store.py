"""Tables of records into a store: ``moody-to-store TABLE STORE [--root PREFIX=FOLDER]``."""

import argparse
import subprocess
import sys

import pyarrow.dataset as ds

from .command import binary
from .records import line


def to_store(table, store, roots=(), command=None):
    """Imports a Parquet file or folder, or a ``pyarrow.dataset.Dataset``, into a store with ``moody import``.

    :returns: the exit status of ``moody``: 0, or 1 when some rows are no records.
    """
    dataset = table if isinstance(table, ds.Dataset) else ds.dataset(table, format="parquet")
    arguments = [binary(command), "import", "--store", store]
    for root in roots:
        arguments += ["--root", root]
    process = subprocess.Popen(arguments + ["-"], stdin=subprocess.PIPE)
    try:
        for batch in dataset.to_batches():
            for found in batch.to_pylist():
                process.stdin.write(line(found).encode() + b"\n")
        process.stdin.close()
    except BrokenPipeError:
        pass
    return process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", help="a Parquet file, or a folder of them")
    parser.add_argument("store", help="the store to make or to bring up to date")
    parser.add_argument("--root", action="append", default=[], help="PREFIX=FOLDER, as for moody import")
    arguments = parser.parse_args()
    sys.exit(to_store(arguments.table, arguments.store, arguments.root))


if __name__ == "__main__":
    main()
