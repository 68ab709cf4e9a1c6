"""One long-lived ``moody extract`` per task: photos in as a tar stream, a line per photo out."""

import base64
import itertools
import json
import subprocess
import tarfile
import threading

from .command import NoCommand, binary
from .records import batch, row


class Crashed(RuntimeError):
    """The ``moody`` process could not be started, or refused its options."""


class Palettes:
    """Finds the palettes of photos with one ``moody`` process at a time.

    :param count: colors per palette, 1...32, or ``"auto"``.
    :param mode: ``"representative"`` or ``"area"``; None for the default.
    :param thumbnails: whether each row has a small JPEG, which pages of a store need.
    :param options: further options of ``moody extract``, such as ``["--ignore", "white"]``.
    :param jobs: threads of the process. Engines run a task per core already: 1.
    :param command: path of the binary; see :func:`moody.binary`.
    :param rows: most rows per batch.
    """

    def __init__(self, count=5, mode=None, thumbnails=False, options=(), jobs=1, command=None, rows=256):
        self.arguments = ["extract", "--tar", "-", "--format", "record", "--every-member", "-q",
                          "-j", str(jobs), "-k", str(count)]
        if mode:
            self.arguments += ["--mode", mode]
        if thumbnails:
            self.arguments.append("--thumbnails")
        self.arguments += list(options)
        self.command = command
        self.rows = rows

    def run(self, photos):
        """Yields RecordBatches of :data:`records.SCHEMA`: one row per photo, in the order of ``photos``.

        A photo at which the process ends is tried again alone; when that ends, too, its row has the
        ``errorKind`` ``crashed``, and the rest goes on. Nothing is lost or doubled.

        :param photos: an iterable of ``(name, mtime in nanoseconds, bytes)``. ``bytes`` may be a ``FileError``-like
            exception instead: then the row's ``errorKind`` is ``unavailable``.
        """
        rows = self._rows(iter(photos))
        try:
            while some := list(itertools.islice(rows, self.rows)):
                yield batch(some)
        finally:
            # A consumer such as limit(10) may end early: the process ends with it.
            rows.close()

    def _rows(self, photos):
        waiting = []
        while True:
            rest = itertools.chain(waiting, photos)
            first = next(rest, None)
            if first is None:
                return
            unanswered = []
            answers = _Process(self._binary(), self.arguments).answers(itertools.chain([first], rest), unanswered)
            try:
                yield from answers
            finally:
                answers.close()
            # What was sent and not answered when the process ended: one by one from here on.
            for photo in unanswered:
                alone = []
                # Another photo may have ended the process before this one was read: two tries of its own.
                for _ in range(2):
                    alone = []
                    yield from _Process(self._binary(), self.arguments).answers(iter([photo]), alone)
                    if not alone:
                        break
                if alone:
                    yield row({"path": _text(photo[0]), "size": len(photo[2]), "mtimeNs": photo[1],
                               "error": "the process that read the photo ended twice", "errorKind": "crashed",
                               **_bytes(photo[0])})
            waiting = []
            if not unanswered:
                return

    def _binary(self):
        try:
            return binary(self.command)
        except NoCommand as error:
            raise Crashed(str(error)) from error


class _Process:
    """A process, a thread that feeds it, and the rows that come back."""

    def __init__(self, binary, arguments):
        try:
            self.process = subprocess.Popen(
                [binary, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise Crashed(f"{binary}: {error.strerror}") from error
        self.sent = []
        self.lock = threading.Lock()
        self.failure = None
        # A process that ended takes nothing more: what is left is another one's.
        self.stopped = threading.Event()

    def answers(self, photos, unanswered):
        """Yields rows; puts the photos that the process took and did not answer into ``unanswered``."""
        said = bytearray()
        threads = [threading.Thread(target=self._feed, args=(photos,), daemon=True),
                   threading.Thread(target=self._listen, args=(said,), daemon=True)]
        for thread in threads:
            thread.start()
        ended = False
        try:
            for line in self.process.stdout:
                record = json.loads(line)
                if record.get("end"):
                    ended = True
                    continue
                with self.lock:
                    photo = self.sent.pop(0)
                if isinstance(photo[2], BaseException):
                    record = {"path": _text(photo[0]), "size": 0, "mtimeNs": photo[1], "error": str(photo[2]),
                              "errorKind": "unavailable"}
                else:
                    # Names inside the stream are the caller's, but never folders or paths that tar changes.
                    record["path"] = _text(photo[0])
                record.pop("pathBytes", None)
                yield row(record | _bytes(photo[0]))
        finally:
            self.stopped.set()
            if not ended:
                self.process.kill()
            self.process.stdout.close()
            status = self.process.wait()
            for thread in threads:
                thread.join()
        if self.failure is not None:
            raise self.failure
        if not ended:
            if status == 64 or (status == 2 and not self.sent):
                raise Crashed(f"moody ended with {status}: {bytes(said).decode(errors='replace').strip()}")
            unanswered += self.sent

    def _feed(self, photos):
        pipe = self.process.stdin
        try:
            for photo in photos:
                with self.lock:
                    self.sent.append(photo)
                if self.stopped.is_set() or not self._send(pipe, photo):
                    return
        except BaseException as error:  # the caller's iterator: raised where the rows are taken
            self.failure = error
        finally:
            try:
                pipe.close()
            except OSError:
                pass

    @staticmethod
    def _send(pipe, photo):
        """False when the process has ended."""
        name, mtime, content = photo
        content = b"" if isinstance(content, BaseException) else memoryview(content)
        try:
            pipe.write(_header(name, len(content), mtime))
            pipe.write(content)
            pipe.write(bytes(-len(content) % 512))
            pipe.flush()
        except OSError:
            return False
        return True

    def _listen(self, said):
        for line in self.process.stderr:
            if len(said) < 4096:
                said += line


def _raw(name):
    """The bytes of a name; of text as ``os.fsdecode`` makes it, too."""
    return name.encode("utf-8", "surrogateescape") if isinstance(name, str) else bytes(name)


def _text(name):
    return _raw(name).decode("utf-8", "replace")


def _bytes(name):
    """The column of a name that is not UTF-8."""
    raw = _raw(name)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return {"pathBytes": base64.b64encode(raw).decode()}
    return {}


def _header(name, size, mtime):
    """A pax header: any name, times to the nanosecond."""
    # The name's last part alone says which date it may hold; a leading slash or a scheme stays out of it.
    info = tarfile.TarInfo(_text(name).rstrip("/").rsplit("/", 1)[-1] or "photo")
    info.size = size
    seconds, rest = divmod(int(mtime), 10 ** 9)
    info.mtime = seconds
    if rest or seconds < 0:
        info.pax_headers["mtime"] = f"{int(mtime) / 1e9:.9f}" if seconds < 0 else f"{seconds}.{rest:09d}"
        info.mtime = max(seconds, 0)
    return info.tobuf(tarfile.PAX_FORMAT)
