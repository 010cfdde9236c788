"""Work in a process of its own, so that no table waits for it."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cardlog.pipelines.processes import Worker

Asked = TypeVar("Asked")
Found = TypeVar("Found")


class Background:
    """A process that does one piece of work after the other, started when it is first needed.

    niceness
        How nice it is to others.
    """

    def __init__(self, niceness: int) -> None:
        self._niceness = niceness
        self._worker: Worker | None = None
        self._thread = ThreadPoolExecutor(1, "background")

    async def ask(self, work: Callable[[Asked], Found], asked: Asked) -> Found:
        """What a function of a module makes of something, once all that was asked earlier is done.

        Raises what it raises, or RuntimeError if the process was killed.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._do, work, asked)

    def _do(self, work: Callable[[Asked], Found], asked: Asked) -> Found:
        is_new = self._worker is None
        worker = self._worker = self._worker or Worker()
        try:
            if is_new:
                worker.do(os.nice, self._niceness)
            return worker.do(work, asked)
        except RuntimeError:
            worker.end()  # it is gone; this closes its pipes
            self._worker = None
            raise

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._worker is not None:
            self._worker.end()
