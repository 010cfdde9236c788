"""Work in a process for each core of this machine: for what holds Python's lock, as readers of text do.

A worker is a Python of its own that is told what to do through its standard input, so it neither runs the
program's main module again nor shares its threads. It ends with its input, and so with its starter.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, TypeVar

from cardlog.pipelines.threads import cores

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def in_processes(work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> list[Result]:
    """The results for some pieces of work, in their order, as `threads.on_all_cores` gives them.

    work
        A function of a module, or a partial of one: what `pickle` can send.
    """
    waiting = list(pieces)
    count = min(cores(), len(waiting))
    if count < 2:
        return [work(piece) for piece in waiting]
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
        return list(pool.map(send, waiting))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.end()


class Worker:
    """A process that does one piece of work after the other."""

    def __init__(self) -> None:
        # Its environment is ours, with our paths for imports.
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def do(self, work: Callable[[Piece], Result], piece: Piece) -> Result:
        """The result for a piece of work. Raises what it raises, or RuntimeError if the worker was killed."""
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
        found: Result = result
        return found

    def end(self) -> None:
        """End the worker, whatever it does."""
        self._process.kill()
        self._process.communicate()


def main() -> None:
    """Do what standard input says until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the starter gets it too, and ends its workers
    given, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed is no answer
    while True:
        try:
            work, piece = pickle.load(given)
        except EOFError:
            return
        answer: tuple[BaseException | None, Any]
        try:
            answer = None, work(piece)
        except Exception as error:
            answer = error, None
        try:
            pickle.dump(answer, answers)
            answers.flush()
        except BrokenPipeError:  # the starter was killed meanwhile
            os._exit(0)


if __name__ == "__main__":
    main()
