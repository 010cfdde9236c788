"""Work in a separate process, so that no table waits for it."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cardlog.pipelines.processes import Worker

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Background:
    """A process that calls one function after the other, started when it is first needed.

    niceness
        Added to the server's.
    """

    def __init__(self, niceness: int) -> None:
        self._niceness = niceness
        self._worker: Worker | None = None
        self._thread = ThreadPoolExecutor(1, "background")

    async def run(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """The result of a module's function, called after all earlier calls are done.

        Raises what the function raises, or RuntimeError if the process was killed.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._do, function, argument)

    def _do(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        is_new = self._worker is None
        worker = self._worker = self._worker or Worker()
        try:
            if is_new:
                worker.do(os.nice, self._niceness)
            return worker.do(function, argument)
        except RuntimeError:
            worker.end()  # the process has ended; this closes its pipes
            self._worker = None
            raise

    def stop(self) -> None:
        """Kill the process, whatever it is doing."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._worker is not None:
            self._worker.end()
