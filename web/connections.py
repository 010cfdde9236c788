"""Connections of clients that send no whole request: how long and how many of them are kept, and what is said
of them.

uvicorn has no limit for these, and asyncio writes a traceback for each connection that it can't accept.
"""

import logging
import resource
import time
from asyncio import TimerHandle, Transport
from typing import Any, ClassVar, Final

from h11 import IDLE, SEND_BODY
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS: Final = 10.0
"""Time for a request to come as a whole."""
MOST_INCOMPLETE: Final = 100
"""When more requests are incomplete, further ones have only `HURRY_SECONDS`."""
HURRY_SECONDS: Final = 1.0
SPARED_FILES: Final = 200
"""Files that are not connections; if fewer can be open, half of them."""
SAME_SECONDS: Final = 60.0
"""Pause until the same message is written again."""


class Connection(H11Protocol):
    """A connection that is closed if a request does not come as a whole."""

    _incomplete: ClassVar[dict["Connection", None]] = {}
    _timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin to wait for a request; if there are too many connections, no longer for the oldest one."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > most_connections():
            longest = next(iter(self._incomplete))
            longest._stop()
            longest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take part of a request."""
        super().data_received(data)
        if self.transport.get_protocol() is not self or self.conn.their_state not in (IDLE, SEND_BODY):
            self._stop()
        elif self._timer is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        seconds = SECONDS if len(self._incomplete) < MOST_INCOMPLETE else HURRY_SECONDS
        self._incomplete[self] = None
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self) -> None:
        self._incomplete.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def most_connections() -> int:
    """How many connections are kept, so that the store's files can be opened too."""
    files, _most = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(files - SPARED_FILES, files // 2)


class Calm(logging.Filter):
    """Lets the same message pass once in `SAME_SECONDS`, and none on what only a client did wrong."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[Any, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a message is written."""
        key, now = (record.msg, str(record.exc_info and record.exc_info[1])), time.monotonic()
        self._said = {text: at for text, at in self._said.items() if now < at + SAME_SECONDS}
        if key in self._said or str(record.msg).startswith("Invalid UTF-8"):
            return False
        self._said[key] = now
        return True


def calm_down() -> None:
    """Filter the messages of uvicorn and asyncio."""
    calm = Calm()
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(calm)
