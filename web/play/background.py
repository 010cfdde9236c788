"""Work in a separate process, so that no table waits for it."""

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from cardlog.pipelines.runtime.processes import Worker
from cardlog.pipelines.text.visible import one_line

Argument = TypeVar("Argument")
Result = TypeVar("Result")


IDLE_SECONDS: Final = 300.0
"""A process that nobody has needed for this long is ended."""


def say(text: str) -> None:
    """Print a message for whoever runs the server."""
    print(f"cardlog: {one_line(text)}", file=sys.stderr)


class Background:
    """A process that calls one function after the other, started when it is needed, and ended when it has
    been idle for `IDLE_SECONDS`.

    niceness
        Added to the server's.
    """

    def __init__(self, niceness: int) -> None:
        self._niceness = niceness
        self._worker: Worker | None = None
        self._thread = ThreadPoolExecutor(1, "background")
        self._idle: asyncio.TimerHandle | None = None

    async def run(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """The result of a module's function, called after all earlier calls are done.

        Raises what the function raises, or RuntimeError if the process was killed.
        """
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, self._do, function, argument)
        finally:
            self._stay()
            self._idle = loop.call_later(IDLE_SECONDS, self._thread.submit, self._end)

    def _do(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        is_new = self._worker is None
        worker = self._worker = self._worker or Worker()
        try:
            if is_new:
                worker.do(os.nice, self._niceness)
            return worker.do(function, argument)
        except RuntimeError:
            self._end()  # the process has ended; this closes its pipes
            raise

    def _stay(self) -> None:
        """Don't end the process for having been idle."""
        if self._idle is not None:
            self._idle.cancel()

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def stop(self) -> None:
        """Kill the process, whatever it is doing."""
        self._stay()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._end()
