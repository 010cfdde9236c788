"""Run long DuckDB work so that Ctrl-C and a time limit stop it within a second.

While DuckDB works in the main thread, Python handles no signals. So it works in another thread, and the main
one waits and can interrupt it.
"""

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

import duckdb

Result = TypeVar("Result")

GRACE_SECONDS: Final = 0.7
"""How long to wait for DuckDB to stop; it checks between vectors."""
RETRY_SECONDS: Final = 0.02

_left_behind: list[threading.Thread] = []


class Overdue(Exception):
    """The time limit has passed."""


def call(
    connection: duckdb.DuckDBPyConnection, work: Callable[[], Result], until: float | None = None
) -> Result:
    """The result of some work done by a connection.

    until
        Deadline, as of `time.monotonic`. Raises Overdue when it passes.
    """
    found: list[Result] = []
    failed: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        if not done.wait(None if until is None else max(0.0, until - time.monotonic())):
            raise Overdue
    except BaseException:
        _stop(connection, thread)
        raise
    thread.join()
    if failed:
        raise failed[0]
    return found[0]


def _stop(connection: duckdb.DuckDBPyConnection, thread: threading.Thread) -> None:
    """Interrupt DuckDB until it stops; it ignores an interrupt before it has started."""
    end = time.monotonic() + GRACE_SECONDS
    while thread.is_alive() and time.monotonic() < end:
        connection.interrupt()
        thread.join(RETRY_SECONDS)
    if thread.is_alive():
        _left_behind.append(thread)


def is_busy() -> bool:
    """Whether interrupted work still runs, so that the process can only be ended by force."""
    return any(thread.is_alive() for thread in _left_behind)
