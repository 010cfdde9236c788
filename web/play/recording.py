"""Finished hands become cardlog-jsonl files, one each, which are ingested like any other source; soon after,
a build brings them into the marts. Both are done by processes of their own.

A hand's text is the same whenever it is written, so it can be written and ingested again after a crash: the
store knows its digest. Ingesting takes a tenth of a second, for one hand or many; a build takes seconds of
processor time however little there is to do. So it waits a little for other hands to end, and the pause
before the next build is longer than the build took.
"""

import asyncio
import math
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from cardlog.pipelines import operations
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export import cardlog_jsonl
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.runtime.whole import write_whole
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.sql.warehouse import unbuilt_hands
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.vacuum import left_behind
from cardlog.schemas.names import EVENTS_FORMAT
from cardlog.web.play.background import Background, say
from cardlog.web.play.table import Hand

FOLDER: Final = "hands"
DATASET: Final = "play"
MOST_REST: Final = 10.0
"""Greatest pause between ingests, in seconds; it is as long as the last one took."""
RETRY_SECONDS: Final = 5.0
QUIET_SECONDS: Final = 2.0
"""Pause between a hand that was stored and the build."""
REST: Final = 4.0
"""Pause after a build, as a multiple of the time it took."""
MOST_HANDS: Final = 10_000
"""More hands are not built by themselves: they were not played here, and take their time."""
NICENESS: Final = 10
"""Niceness of the processes that ingest and build."""


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
            try:
                paths = await asyncio.to_thread(lambda: [self._write(finished) for finished in waiting])
                problem = await self._process.run(ingest, (self._store.root, paths))
            except (OSError, RuntimeError) as error:
                problem = str(error)
            if problem:
                say(f"hands wait to be stored: {problem}")
                self._queue = waiting + self._queue
                self._wanted.set()
                return False
        self._stored()
        for finished in waiting:
            finished.recorded()
            await asyncio.sleep(0)  # let the tables run in between
        return True

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
        operations.ingest(Store(root), paths, Reading(EVENTS_FORMAT, dataset=DATASET))
    except Exception as error:
        return str(for_user(error) or repr(error))
    return ""


class Builder:
    """Builds the marts of a store after hands were stored, and on request.

    analysing
        Games whose hands are, or will soon be, analysed.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wanted, self._asked = asyncio.Event(), asyncio.Event()
        self._at_work = False
        self.analysing: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_coming(self) -> bool:
        """Whether a build is under way, or will be soon."""
        return self._at_work or self._wanted.is_set()

    def stored(self) -> None:
        """Hands were stored: build soon."""
        self._wanted.set()

    def ask(self, analyse: str = "") -> None:
        """Build now, however much there is to do, after the hands of a game were analysed if one is named."""
        self.analysing |= {analyse} - {""}
        self._asked.set()
        self._wanted.set()

    def start(self) -> None:
        """Start waiting for hands, on the running event loop."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop, together with a build that is under way; nobody sees what it has done so far."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            await self._pause(QUIET_SECONDS)
            began = time.monotonic()
            self._at_work, is_asked = True, self._asked.is_set()
            self._wanted.clear()
            self._asked.clear()
            try:
                hands = await asyncio.to_thread(unbuilt_hands, self._store)
                if is_asked or 0 < hands <= MOST_HANDS:
                    await self._build()
            except Exception as error:
                say(f"the lists of the page are not up to date: {for_user(error) or repr(error)}")
            self._at_work = False
            await self._pause(REST * (time.monotonic() - began))

    async def _pause(self, seconds: float) -> None:
        """Wait until someone asks for a build, at most for some time."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._asked.wait(), seconds)

    async def _build(self) -> None:
        """Build, at low priority, in a process whose memory is free again afterwards."""
        process, games = Background(NICENESS), sorted(self.analysing)
        try:
            await process.run(build, (self._store, games))
        finally:
            self.analysing -= set(games)
            process.stop()
            left_behind(self._store, math.inf, dry_run=False)


def build(arguments: tuple[Store, list[str]]) -> None:
    """Analyse the hands of some games, and build what is due. Raises DbtError if a mart failed."""
    store, games = arguments
    for game in games:
        operations.analyse(store, game)
    if failed := operations.build(store).failed:
        raise DbtError(str(failed))
