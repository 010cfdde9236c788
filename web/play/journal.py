"""The journal: what happens at all tables, as lines of JSON in one file, on disk before anybody hears of it.

There is one file for all tables, so that one `fdatasync` is enough for all that has happened since the last
one. While it runs, the next lines gather.
"""

import asyncio
import fcntl
import json
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, Final

from cardlog.schemas.errors import CardlogError
from cardlog.web.play.lines import dumped

NAME: Final = "journal.jsonl"
MOST_BYTES: Final = 64 * 2**20
"""Size from which on a journal is written anew without what is no longer needed."""
RETRY_SECONDS: Final = 1.0

Entry = dict[str, Any]


class JournalError(CardlogError):
    """The journal can't be used; the text is for the user."""


class Journal:
    """The journal in a folder, which is made when the first line is written.

    snapshot
        Gives the entries that are needed to go on from here.
    """

    def __init__(self, folder: Path, snapshot: Callable[[], Iterable[Entry]]) -> None:
        self.folder, self._snapshot = folder, snapshot
        self._file: IO[bytes] | None = None
        self._lock: IO[bytes] | None = None
        self._size = 0
        self._lines: list[str] = []
        self._waiting: list[Callable[[], None]] = []
        self._wanted = asyncio.Event()
        self._idle = True
        self._worker = ThreadPoolExecutor(1, "journal")
        self._task: asyncio.Task[None] | None = None

    # ------------------------------------------------------------ reading

    def read(self) -> list[Entry]:
        """The entries there are; a torn last line is left out. Raises JournalError."""
        path = self.folder / NAME
        if not path.exists():
            return []
        self._take_lock()
        lines = path.read_bytes().split(b"\n")
        lines.pop()  # "", or a line that was not finished, which nobody has been sent
        entries = []
        for number, line in enumerate(lines, 1):
            try:
                entries.append(json.loads(line))
            except ValueError as error:
                raise JournalError(f"{path}, line {number}: {error}") from error
        return entries

    def _take_lock(self) -> None:
        if self._lock is not None:
            return
        self._lock = (self.folder / "lock").open("ab")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise JournalError(
                f"another server has the tables in {self.folder}; end it, or name another folder by --play"
            ) from error

    # ------------------------------------------------------------ writing

    def add(self, entry: Entry) -> None:
        """Write an entry soon."""
        self._lines.append(dumped(entry))
        self._wanted.set()

    def then(self, callback: Callable[[], None]) -> None:
        """Call back once all that was added is on disk; at once if it is."""
        if self._idle and not self._lines and not self._waiting:
            callback()
            return
        self._waiting.append(callback)
        self._wanted.set()

    def start(self) -> None:
        """Begin to write, on the running event loop."""
        self._task = asyncio.create_task(self._run())

    async def drain(self) -> None:
        """Wait until all is on disk."""
        done = asyncio.Event()
        self.then(done.set)
        await done.wait()

    async def stop(self) -> None:
        """Write what is left, and close."""
        if self._task is not None:
            await self.drain()
            self._task.cancel()
        self._worker.shutdown()
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
            fresh = None
            if self._file is None or self._size > MOST_BYTES:
                fresh = [dumped(entry) for entry in self._snapshot()]  # which has these lines, too
            while lines or fresh:
                try:
                    await loop.run_in_executor(self._worker, self._write, lines, fresh)
                    break
                except OSError as error:
                    print(f"cardlog: the journal can't be written, trying again: {error}", file=sys.stderr)
                    await asyncio.sleep(RETRY_SECONDS)
            self._idle = not self._lines
            for callback in waiting:
                callback()

    def _write(self, lines: list[str], fresh: list[str] | None) -> None:
        """Append lines, or replace the journal."""
        if fresh is not None:
            self._replace(fresh)
            return
        assert self._file is not None
        data = "".join(line + "\n" for line in lines).encode()
        os.ftruncate(self._file.fileno(), self._size)  # after a failure part of it may be there
        os.pwrite(self._file.fileno(), data, self._size)
        os.fdatasync(self._file.fileno())
        self._size += len(data)

    def _replace(self, lines: list[str]) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._take_lock()
        path = self.folder / NAME
        new = path.with_suffix(".new")
        file = os.fdopen(os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "r+b", buffering=0)
        data = "".join(line + "\n" for line in lines).encode()
        os.pwrite(file.fileno(), data, 0)
        os.fsync(file.fileno())
        new.rename(path)
        sync_folder(self.folder)
        if self._file is not None:
            self._file.close()
        self._file, self._size = file, len(data)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
