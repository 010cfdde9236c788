"""Hands that were played come into the marts by themselves: a build runs soon after, in a process of its own.

A build takes seconds of processor time however little there is to do. So it waits a little for other hands to
end, and the pause before the next build is longer than the build took.
"""

import asyncio
import math
import sys
import time
from contextlib import suppress
from typing import Final

from cardlog.pipelines import operations
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.sql.warehouse import unbuilt_hands
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.visible import one_line
from cardlog.pipelines.upkeep.vacuum import left_behind
from cardlog.web.play.background import Background

QUIET_SECONDS: Final = 2.0
"""Pause between a hand that was stored and the build."""
REST: Final = 4.0
"""Pause after a build, as a multiple of the time it took."""
MOST_HANDS: Final = 10_000
"""More hands are not built by themselves: they were not played here, and take their time."""
NICENESS: Final = 10
"""Niceness of the process that builds."""


class Builder:
    """Builds the marts of a store after hands were stored, and on request."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wanted, self._asked = asyncio.Event(), asyncio.Event()
        self._at_work = False
        self._task: asyncio.Task[None] | None = None

    @property
    def is_coming(self) -> bool:
        """Whether a build is under way, or will be soon."""
        return self._at_work or self._wanted.is_set()

    def stored(self) -> None:
        """Hands were stored: build soon."""
        self._wanted.set()

    def ask(self) -> None:
        """Build now, however much there is to do."""
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
                text = one_line(str(for_user(error) or repr(error)))
                print(f"cardlog: the lists of the page are not up to date: {text}", file=sys.stderr)
            self._at_work = False
            await self._pause(REST * (time.monotonic() - began))

    async def _pause(self, seconds: float) -> None:
        """Wait until someone asks for a build, at most for some time."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._asked.wait(), seconds)

    async def _build(self) -> None:
        """Build, at low priority, in a process whose memory is free again afterwards."""
        process = Background(NICENESS)
        try:
            await process.run(build, self._store)
        finally:
            process.stop()
            left_behind(self._store, math.inf, dry_run=False)


def build(store: Store) -> None:
    """Build what is due. Raises DbtError if a mart failed."""
    if failed := operations.build(store).failed:
        raise DbtError(str(failed))
