"""The journal: what happens at all tables, as lines of JSON in one file, on disk before any browser is told.

There is one file for all tables, so that one `fdatasync` is enough for everything since the last one. While
it runs, the next lines are collected.
"""

import asyncio
import fcntl
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final

from cardlog.schemas.errors import CardlogError
from cardlog.web.play.lines import dumped

NAME: Final = "journal.jsonl"
NEW: Final = ".new"
"""Suffix of a file that is not complete yet."""
MOST_BYTES: Final = 64 * 2**20
"""Size from which the journal is rewritten without what is no longer needed."""
RETRY_SECONDS: Final = 1.0
END_SECONDS: Final = 5.0
"""How long a stopping server waits for a disk that takes no data; nobody has seen what is not on it."""

Entry = dict[str, Any]


class JournalError(CardlogError):
    """The journal can't be used; the text is for the user."""


class Journal:
    """The journal in a folder, which is made when the first line is written.

    snapshot
        Returns the entries that are needed to resume from the current state.
    """

    def __init__(self, folder: Path, snapshot: Callable[[], Iterable[Entry]]) -> None:
        self.folder, self._snapshot = folder, snapshot
        self._file: IO[bytes] | None = None
        self._lock: IO[bytes] | None = None
        self._was_read = False
        self._size = 0
        self._asides: dict[Path, bytes] = {}
        self._lines: list[str] = []
        self._waiting: list[Callable[[], None]] = []
        self._wanted = asyncio.Event()
        self._idle = True
        self._worker = ThreadPoolExecutor(1, "journal")
        self._task: asyncio.Task[None] | None = None

    # ------------------------------------------------------------ reading

    def read(self) -> list[bytes]:
        """The lines in the file, without an incomplete last one. Raises JournalError."""
        path = self.folder / NAME
        if not path.exists():
            return []
        self._take_lock()
        lines = path.read_bytes().split(b"\n")
        lines.pop()  # "", or an incomplete line, of which nobody has been told
        self._was_read = True
        return lines

    def _take_lock(self) -> None:
        if self._lock is not None:
            return
        lock = (self.folder / "lock").open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            raise JournalError(
                f"another server has the tables in {self.folder}; end it, or name another folder by --play"
            ) from error
        self._lock = lock

    # ------------------------------------------------------------ writing

    def add(self, entry: Entry) -> None:
        """Queue an entry to be written."""
        self._lines.append(dumped(entry))
        self._wanted.set()

    def set_aside(self, name: str, lines: list[bytes]) -> Path:
        """Keep lines that can't be used in a file of their own, which is written before the journal is
        rewritten without them; returns its path. It is named by its content, so that it replaces no other
        file."""
        data = b"".join(line + b"\n" for line in lines)
        path = self.folder / f"set-aside-{name}-{blake2b(data, digest_size=4).hexdigest()}.jsonl"
        self._asides[path] = data
        self._wanted.set()
        return path

    def then(self, callback: Callable[[], None]) -> None:
        """Call back once everything added so far is on disk; immediately if it is."""
        if self._idle and not self._lines and not self._waiting:
            callback()
            return
        self._waiting.append(callback)
        self._wanted.set()

    def start(self) -> None:
        """Start writing, on the running event loop."""
        self._task = asyncio.create_task(self._run())

    async def drain(self) -> None:
        """Wait until everything is on disk."""
        done = asyncio.Event()
        self.then(done.set)
        await done.wait()

    async def finish(self) -> None:
        """Wait until everything is on disk, at most `END_SECONDS`."""
        if self._task is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.drain(), END_SECONDS)

    async def stop(self) -> None:
        """Write what is left, and close."""
        await self.finish()
        if self._task is not None:
            self._task.cancel()
        self._worker.shutdown()
        self.close()

    def close(self) -> None:
        """Close the files, even if something is not written."""
        for file in (self._file, self._lock):
            if file is not None:
                file.close()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            self._idle = False
            lines, self._lines = self._lines, []
            waiting, self._waiting = self._waiting, []
            asides, self._asides = self._asides, {}
            snapshot = None
            if self._file is None or self._size > MOST_BYTES:
                snapshot = [dumped(entry) for entry in self._snapshot()]  # includes these lines
            while lines or snapshot or asides:
                try:
                    await loop.run_in_executor(self._worker, self._write, asides, lines, snapshot)
                    break
                except (OSError, JournalError) as error:
                    print(f"cardlog: moves wait, the journal can't be written: {error}", file=sys.stderr)
                    await asyncio.sleep(RETRY_SECONDS)
            self._idle = not self._lines
            for callback in waiting:
                callback()

    def _write(self, asides: dict[Path, bytes], lines: list[str], snapshot: list[str] | None) -> None:
        """Write what is set aside; then append lines, or replace the journal by a snapshot."""
        for path, aside in asides.items():
            write_new(path, aside).close()
        if snapshot is not None:
            self._replace(snapshot)
            return
        assert self._file is not None
        data = "".join(line + "\n" for line in lines).encode()
        os.ftruncate(self._file.fileno(), self._size)  # part of the data may be there after a failure
        write_all(self._file.fileno(), data, self._size)
        os.fdatasync(self._file.fileno())
        self._size += len(data)

    def _replace(self, lines: list[str]) -> None:
        """Write a new journal beside the old one, which stays until the new one is complete."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._take_lock()
        path = self.folder / NAME
        if self._file is None and not self._was_read and path.exists():
            raise JournalError(f"another server has used {self.folder} meanwhile; start this one again")
        data = "".join(line + "\n" for line in lines).encode()
        file = write_new(path, data)
        if self._file is not None:
            self._file.close()
        self._file, self._size = file, len(data)


def write_new(path: Path, data: bytes) -> IO[bytes]:
    """Write a file under another name, sync it and rename it, so that it is never there in part. Returns it,
    open."""
    new = path.with_suffix(NEW)
    file = os.fdopen(os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "r+b", buffering=0)
    try:
        write_all(file.fileno(), data, 0)
        os.fsync(file.fileno())
        new.rename(path)
        sync_folder(path.parent)
    except BaseException:
        file.close()
        new.unlink(missing_ok=True)
        raise
    return file


def write_all(descriptor: int, data: bytes, offset: int) -> None:
    """Write data at an offset of a file; a full disk may take part of it before OSError is raised."""
    rest = memoryview(data)
    while rest:
        count = os.pwrite(descriptor, rest, offset)
        rest, offset = rest[count:], offset + count


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
