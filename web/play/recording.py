"""Finished hands become sources in cardlog-jsonl, one file each, which are ingested like any other.

A hand's text is the same whenever it is written, so that after a crash it can be written and ingested again:
the store knows its digest. Ingesting takes a tenth of a second, whether one hand or many.
"""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import SCHEMA_VERSION
from cardlog.web.play.journal import write_new
from cardlog.web.play.lines import dumped
from cardlog.web.play.table import Hand

FOLDER: Final = "hands"
MOST_REST: Final = 10.0
"""Seconds between ingests; otherwise as long as the last one took."""
RETRY_SECONDS: Final = 5.0


def text_of(game: str, table: str, hand: Hand) -> str:
    """A hand in cardlog-jsonl."""
    lines = []
    for seq, line in enumerate(hand.lines()):
        head = {
            "game": game,
            "hand_id": hand.hand_id,
            "match_id": f"{table}-{hand.match}",
            "hand_no": hand.hand_no,
            "seq": seq,
        }
        tail = {"schema_version": SCHEMA_VERSION} if seq == 0 else {}
        lines.append(dumped(head | line | tail) + "\n")
    return "".join(lines)


class Finished(NamedTuple):
    """A hand to be recorded.

    name
        Of its file, such as ``TABLE/3.jsonl``.
    recorded
        Called on the event loop once the store has it.
    log
        The file of the table's log, and what the hand adds to it, if it has one.
    """

    name: str
    text: str
    recorded: Callable[[], None]
    log: tuple[str, str] | None = None


class Recorder:
    """Ingests finished hands into a store, by a process of its own that starts with the first one.

    folder
        Where their files are kept; the log that the store names as the source of its events.
    stored
        Called after some were ingested.
    """

    def __init__(self, store: Store, folder: Path, stored: Callable[[], None]) -> None:
        self._store, self._folder, self._stored = store, folder / FOLDER, stored
        self._queue: list[Finished] = []
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    def add(self, finished: Finished) -> None:
        """Record a hand soon."""
        self._queue.append(finished)
        self._wanted.set()

    def start(self) -> None:
        """Begin, on the running event loop."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Record what is left, if it can be; else it is recorded at the next start."""
        if self._task is not None:
            await self._record()
            self._task.cancel()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            await self._process.wait()

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            began = time.monotonic()
            done = await self._record()
            took = time.monotonic() - began
            await asyncio.sleep(min(took, MOST_REST) if done else RETRY_SECONDS)

    async def _record(self) -> bool:
        """Record all that is waiting; returns whether the store has it."""
        async with self._lock:
            waiting, self._queue = self._queue, []
            if not waiting:
                return True
            try:
                paths = await asyncio.to_thread(self._write, waiting)
                problem = await self._ingest(paths)
            except OSError as error:
                problem = str(error)
            if problem:
                print(f"cardlog: hands wait to be stored: {problem}", file=sys.stderr)
                self._queue = waiting + self._queue
                self._wanted.set()
                return False
        self._stored()
        for finished in waiting:
            finished.recorded()
            await asyncio.sleep(0)  # players come first
        return True

    def _write(self, waiting: list[Finished]) -> list[str]:
        """Write the hands' files, and the logs; returns the files' paths."""
        paths = []
        for finished in waiting:
            path = self._folder / finished.name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                if finished.log is not None:
                    append_once(self._folder / finished.log[0], finished.log[1].encode())
                write_new(path, finished.text.encode()).close()
            paths.append(str(path))
        return paths

    async def _ingest(self, paths: list[str]) -> str:
        """Have files ingested; returns what went wrong, if anything did."""
        if self._process is None or self._process.returncode is not None:
            command = [sys.executable, "-m", "cardlog.web.play.ingesting"]
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(dumped({"store": self._store.root, "paths": paths}).encode() + b"\n")
        await self._process.stdin.drain()
        answer = await self._process.stdout.readline()
        if not answer.endswith(b"\n"):
            await self._process.wait()
            return "the process that ingests them has ended"
        return answer.decode().strip()


def append_once(path: Path, text: bytes) -> None:
    """Append a hand to a log, unless it is its last one; if part of it is there, the rest."""
    with path.open("a+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - len(text)))
        end = file.read()
        there = next(length for length in range(len(text), -1, -1) if end.endswith(text[:length]))
        file.truncate(size - there)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
