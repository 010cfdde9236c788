"""Writing the journal: what happens at all tables is on disk before any browser is told.

There is one file for all tables, so that one commit is enough for everything since the last one. While it
runs, the next entries are collected.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from cardlog.pipelines.storage import journal
from cardlog.pipelines.storage.journal import JournalError, JournalFile, TableChange
from cardlog.web.play.background import say
from cardlog.web.play.event_json import dumped

RETRY_SECONDS: Final = 1.0
END_SECONDS: Final = 5.0
"""How long a stopping server waits for a disk that takes no data; nobody has seen what is not on it."""

Entry = dict[str, Any]


class Journal:
    """The journal in a folder, which is made with the first entry. Raises JournalError if another server has
    it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = JournalFile(folder) if journal.exists(folder) else None
        self._queue: asyncio.Queue[TableChange | Callable[[], None]] = asyncio.Queue()
        self._idle = True
        self._worker = ThreadPoolExecutor(1, "journal")
        self._task: asyncio.Task[None] | None = None

    def read(self) -> dict[str, list[str]]:
        """The entries of each table as JSON, in order."""
        return self._file.entries() if self._file else {}

    # ------------------------------------------------------------ writing

    def add(self, table_id: str, *entries: Entry) -> None:
        """Queue entries of a table to be written."""
        self._queue.put_nowait(TableChange(table_id, [dumped(entry) for entry in entries]))

    def replace(self, table_id: str, entries: Iterable[Entry]) -> None:
        """Queue entries to be written in place of all that the table has so far."""
        self._queue.put_nowait(TableChange(table_id, [dumped(entry) for entry in entries], is_all=True))

    def then(self, callback: Callable[[], None]) -> None:
        """Call back once everything added so far is on disk; immediately if it is."""
        if self._idle and self._queue.empty():
            callback()
        else:
            self._queue.put_nowait(callback)

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
        """Close the file, even if something is not written."""
        if self._file is not None:
            self._file.close()

    async def _run(self) -> None:
        while True:
            items = [await self._queue.get()]
            self._idle = False
            while not self._queue.empty():
                items.append(self._queue.get_nowait())
            await self._write([item for item in items if isinstance(item, TableChange)])
            self._idle = True
            for item in items:
                if not isinstance(item, TableChange):
                    item()

    async def _write(self, changes: list[TableChange]) -> None:
        while changes:
            try:
                if self._file is None:
                    self._file = JournalFile(self._folder)
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._worker, self._file.write, changes)
                return
            except (sqlite3.Error, JournalError) as error:
                say(f"moves wait, the journal can't be written: {error}")
                await asyncio.sleep(RETRY_SECONDS)
