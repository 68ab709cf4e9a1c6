"""A terminal: runs a command on a pseudo-terminal, answers its question, and writes what it said.

usage: terminal.py ANSWER COMMAND...     ANSWER: as Python writes a string, '' for a terminal that says nothing
Exit status: the command's; 99 when it has not ended after 30 seconds.
"""
import os
import pty
import select
import signal
import sys
import time

answer = sys.argv[1].encode().decode("unicode_escape").encode("latin-1")
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
said, end, asked = b"", time.monotonic() + 30, False
while True:
    if time.monotonic() > end:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        sys.exit(99)
    if not select.select([terminal], [], [], 1)[0]:
        continue
    try:
        data = os.read(terminal, 65536)
    except OSError:  # Nobody has the other end any more.
        break
    if not data:
        break
    said += data
    if answer and not asked and (b"\x1b[c" in said or said.endswith(b"[y/N] ")):
        asked = True
        os.write(terminal, answer)
sys.stdout.buffer.write(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
