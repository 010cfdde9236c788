"""Finished hands become cardlog-jsonl files, one each, which are ingested like any other source.

A hand's text is the same whenever it is written, so it can be written and ingested again after a crash: the
store knows its digest. Ingesting takes a tenth of a second, for one hand or many.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from cardlog.pipelines import operations
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export import cardlog_jsonl
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.runtime.whole import write_whole
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.names import EVENTS_FORMAT
from cardlog.web.play.background import Background
from cardlog.web.play.table import Hand

FOLDER: Final = "hands"
DATASET: Final = "play"
MOST_REST: Final = 10.0
"""Greatest pause between ingests, in seconds; it is as long as the last one took."""
RETRY_SECONDS: Final = 5.0
NICENESS: Final = 10
"""Niceness of the process that ingests."""


def batch_of(game: str, table: str, hand: Hand) -> Batch:
    """A hand as a batch."""
    return Batch(
        game,
        np.array([hand.hand_id.encode()]),
        hand.events[: hand.size],
        np.array([0, hand.size]),
        hand.details,
        np.zeros(1, np.int32),
        [f"{table}-{hand.match}"],
        np.array([hand.hand_no], np.int32),
    )


def text_of(game: str, table: str, hand: Hand) -> bytes:
    """A hand in cardlog-jsonl."""
    return bytes(cardlog_jsonl.lines(batch_of(game, table, hand)))


class Finished(NamedTuple):
    """A hand to be recorded.

    name
        Of its file, such as ``TABLE/3.jsonl``.
    recorded
        Called on the event loop once the store has it.
    """

    name: str
    text: bytes
    recorded: Callable[[], None]


class Recorder:
    """Ingests finished hands into a store, in a process that starts with the first one.

    folder
        Where their files are kept, which the store refers to as its sources.
    stored
        Called after hands were ingested.
    """

    def __init__(self, store: Store, folder: Path, stored: Callable[[], None]) -> None:
        self._store, self._folder, self._stored = store, folder / FOLDER, stored
        self._queue: list[Finished] = []
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._process = Background(NICENESS)

    def add(self, finished: Finished) -> None:
        """Queue a hand to be recorded."""
        self._queue.append(finished)
        self._wanted.set()

    def start(self) -> None:
        """Start, on the running event loop."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Try to record what is left; otherwise it is recorded after the next start."""
        if self._task is not None:
            await self._record()
            self._task.cancel()
        self._process.stop()

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            began = time.monotonic()
            done = await self._record()
            took = time.monotonic() - began
            await asyncio.sleep(min(took, MOST_REST) if done else RETRY_SECONDS)

    async def _record(self) -> bool:
        """Record all hands that wait; returns whether the store has them."""
        async with self._lock:
            waiting, self._queue = self._queue, []
            if not waiting:
                return True
            problem = await self._store_all(waiting)
            if problem:
                print(f"cardlog: hands wait to be stored: {problem}", file=sys.stderr)
                self._queue = waiting + self._queue
                self._wanted.set()
                return False
        self._stored()
        for finished in waiting:
            finished.recorded()
            await asyncio.sleep(0)  # let the tables run in between
        return True

    async def _store_all(self, waiting: list[Finished]) -> str:
        """Write the hands' files and ingest them; returns what went wrong, if anything did."""
        try:
            paths = await asyncio.to_thread(lambda: [self._write(finished) for finished in waiting])
            return await self._process.run(ingest, (self._store.root, paths))
        except (OSError, RuntimeError) as error:
            return str(error)

    def _write(self, finished: Finished) -> str:
        """Write a hand's file unless it exists; returns its path."""
        path = self._folder / finished.name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            write_whole(path, finished.text)
        return str(path)


def ingest(arguments: tuple[str, list[str]]) -> str:
    """Ingest files into a store; returns what went wrong, if anything did.

    arguments
        The store's root, and the paths.
    """
    root, paths = arguments
    try:
        operations.ingest(Store(root), paths, Reading(EVENTS_FORMAT, DATASET))
    except Exception as error:
        return str(for_user(error) or repr(error)).replace("\n", " ")
    return ""
