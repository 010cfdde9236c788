"""Run what DuckDB works on for long so that Ctrl-C and a time limit end it within a second.

While DuckDB works in the main thread Python hears no signal. So it works in another, and the main one
waits and can tell it to stop.
"""

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

import duckdb

Result = TypeVar("Result")

GRACE_SECONDS: Final = 0.7
"""How long to wait for DuckDB to stop; it looks whether it should between one vector and the next."""
AGAIN_SECONDS: Final = 0.02

_left_behind: list[threading.Thread] = []


class Overdue(Exception):
    """The time is over."""


def call(
    connection: duckdb.DuckDBPyConnection, work: Callable[[], Result], until: float | None = None
) -> Result:
    """What the work gives, which is done by that connection.

    until
        When it must be done, in the seconds of `time.monotonic`. Raises Overdue if it is not.
    """
    found: list[Result] = []
    failed: list[BaseException] = []
    done = threading.Event()

    def carry_out() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=carry_out, daemon=True)
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
    """Tell DuckDB to stop until it does, as it does not hear it before it has begun."""
    end = time.monotonic() + GRACE_SECONDS
    while thread.is_alive() and time.monotonic() < end:
        connection.interrupt()
        thread.join(AGAIN_SECONDS)
    if thread.is_alive():
        _left_behind.append(thread)


def is_busy() -> bool:
    """Whether something that was to stop goes on, so that the process can end only by force."""
    return any(thread.is_alive() for thread in _left_behind)
