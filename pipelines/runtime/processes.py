"""Work in a process for each core of this machine: for what holds Python's lock, as readers of text do.

A worker is a separate Python that gets its work through its standard input, so it neither runs the program's
main module again nor shares its threads. It ends when its input does, and so with its parent.
"""

import gc
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, TypeVar

from cardlog.pipelines.runtime.arrow import without_pandas
from cardlog.pipelines.runtime.threads import cores

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def in_processes(work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> list[Result]:
    """The results for some pieces of work, in their order, like `threads.on_all_cores`.

    work
        A function of a module, or a partial of one, since it must be picklable.
    """
    pieces = list(pieces)
    count = min(cores(), len(pieces))
    if count < 2:
        return [work(piece) for piece in pieces]
    workers = [Worker() for _ in range(count)]
    free: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def send(piece: Piece) -> Result:
        worker = free.get()
        try:
            return worker.do(work, piece)
        finally:
            free.put(worker)

    pool = ThreadPoolExecutor(count, "work")
    try:
        return list(pool.map(send, pieces))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.end()


class Worker:
    """A process that does one piece of work after the other."""

    def __init__(self) -> None:
        # It inherits our environment and our paths for imports.
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def do(self, work: Callable[[Piece], Result], piece: Piece) -> Result:
        """The result for a piece of work. Raises what that raises, or RuntimeError if the worker was
        killed."""
        assert self._process.stdin
        assert self._process.stdout
        try:
            pickle.dump((work, piece), self._process.stdin)
            self._process.stdin.flush()
            error, result = pickle.load(self._process.stdout)
        except (EOFError, BrokenPipeError) as gone:
            raise RuntimeError(f"a worker has ended, with {self._process.wait()}") from gone
        if error is not None:
            raise error
        typed: Result = result
        return typed

    def end(self) -> None:
        """End the worker, whatever it is doing."""
        self._process.kill()
        self._process.communicate()


def main() -> None:
    """Do the work on standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and ends its workers
    gc.set_threshold(100_000)  # to look for cycles among all that readers keep took a fifth of the time
    without_pandas()
    requests, responses = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the work prints must not mix with the responses
    while True:
        try:
            work, piece = pickle.load(requests)
        except EOFError:
            return
        response: tuple[BaseException | None, Any]
        try:
            response = None, work(piece)
        except Exception as error:
            response = error, None
        try:
            pickle.dump(response, responses)
            responses.flush()
        except BrokenPipeError:  # the parent was killed in the meantime
            os._exit(0)


if __name__ == "__main__":
    main()
