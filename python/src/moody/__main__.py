"""``python -m moody``: the command."""

from .command import main

main()
