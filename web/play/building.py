"""What was played comes into the marts by itself: `cardlog build`, in a process of its own, soon after.

A build takes seconds of a processor however little there is to do, so it waits a little for other hands to
end, and the next one comes after a rest that is longer than it took.
"""

import asyncio
import signal
import sys
import time
from contextlib import suppress
from typing import Final

from cardlog.pipelines.errors import for_user
from cardlog.pipelines.sql.warehouse import unbuilt_hands
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.visible import one_line
from cardlog.schemas.errors import CardlogError

QUIET_SECONDS: Final = 2.0
"""Between a hand that was stored and the build."""
REST: Final = 4.0
"""How many times as long as it took a build waits for the next one."""
MOST_HANDS: Final = 10_000
"""Hands that are built without being asked; more than that were not played here, and take their time."""
END_SECONDS: Final = 10.0
"""How long a build may take to clean up when the server ends."""


class BuildError(CardlogError):
    """A build failed; the text is for the user."""


class Builder:
    """Builds the marts of a store when hands were stored, or when it is asked to."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wanted, self._asked = asyncio.Event(), asyncio.Event()
        self._at_work = False
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None

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
        """Begin to wait for hands, on the running event loop."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End, and a build that is under way, too; what it has made so far nobody sees."""
        if self._task is not None:
            self._task.cancel()
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGINT)
            try:
                await asyncio.wait_for(self._process.wait(), END_SECONDS)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            await self._pause(QUIET_SECONDS)
            began = time.monotonic()
            self._at_work, asked = True, self._asked.is_set()
            self._wanted.clear()
            self._asked.clear()
            try:
                hands = await asyncio.to_thread(unbuilt_hands, self._store)
                if asked or 0 < hands <= MOST_HANDS:
                    await self._build()
            except Exception as error:
                text = one_line(str(for_user(error) or repr(error)))
                print(f"cardlog: the lists of the page are not up to date: {text}", file=sys.stderr)
            self._at_work = False
            await self._pause(REST * (time.monotonic() - began))

    async def _pause(self, seconds: float) -> None:
        """Wait, unless someone asks for a build."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._asked.wait(), seconds)

    async def _build(self) -> None:
        """Build, at low priority. Raises BuildError."""
        command = ["nice", sys.executable, "-m", "cardlog", "build", "--store", self._store.root]
        self._process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl+C in the terminal is for the server, which ends the build
        )
        _, said = await self._process.communicate()
        if self._process.returncode:
            lines = said.decode("utf-8", "replace").strip().splitlines()
            raise BuildError(lines[-1] if lines else f"the build ended with {self._process.returncode}")
