"""The websocket of a table: views to the browser, choices from it."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from starlette.websockets import WebSocket

from cardlog.web.access import GONE
from cardlog.web.play.allowed import NOBODY
from cardlog.web.play.lines import dumped
from cardlog.web.play.room import Room
from cardlog.web.play.seats import tidy
from cardlog.web.play.table import Refused

NO_TABLE: Final = 4404
NOT_ALLOWED: Final = 4401
TOO_MUCH: Final = 1008
NOT_TEXT: Final = 1003
MOST_MESSAGE: Final = 1_000
"""Characters of a message from a browser."""
RATE, BURST = 100.0, 200.0
"""Messages a second that are read, and how many may come at once."""
MOST_WAITING: Final = 500
"""Messages that wait for a slow browser; then all but the newest are dropped, since each has the whole
view."""


class Line:
    """A connection: sends messages one after the other, and counts those that come."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._waiting: deque[str] = deque()
        self._wanted = asyncio.Event()
        self._left, self._at = BURST, time.monotonic()

    def send(self, text: str) -> None:
        """Send a message soon."""
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.clear()
        self._waiting.append(text)
        self._wanted.set()

    @property
    def wants_views(self) -> bool:
        """A browser is sent views."""
        return True

    def news(self) -> list[str]:
        """Nothing else."""
        return []

    async def listen(self, answer: Callable[[str], None], leaving: Callable[[], bool] = bool) -> None:
        """Send what there is to send, and answer messages, until the other side or `leaving` ends it."""
        sending = asyncio.create_task(self._run())
        try:
            while not leaving():
                text = await self._socket.receive_text()
                if len(text) > MOST_MESSAGE or self._is_too_fast():
                    await self._socket.close(TOO_MUCH)
                    return
                answer(text)
            while self._waiting and not sending.done():
                await asyncio.sleep(0)
            await self._socket.close()
        except KeyError:  # a message of bytes
            await self._socket.close(NOT_TEXT)
        finally:
            sending.cancel()

    async def _run(self) -> None:
        with suppress(*GONE):
            while True:
                await self._wanted.wait()
                self._wanted.clear()
                while self._waiting:
                    await self._socket.send_text(self._waiting.popleft())
                    await asyncio.sleep(0)  # when the server learns that the other side is gone

    def _is_too_fast(self) -> bool:
        """Whether more messages come than one can think of."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._at) * RATE) - 1
        self._at = now
        return self._left < 0


async def serve(socket: WebSocket, room: Room | None, seat: int | None) -> None:
    """Answer a browser's websocket at a table until it is closed.

    seat
        The seat that it plays for; `NOBODY` may only watch, None may nothing.
    """
    await socket.accept()
    if room is None or seat is None:
        await socket.close(NO_TABLE if room is None else NOT_ALLOWED)
        return
    line = Line(socket)

    def answer(text: str) -> None:
        try:
            take(room, seat, text)
        except Refused as refused:
            version = room.table.hand.size if room.table.hand else 0
            line.send(dumped({"type": "refused", "text": str(refused), "version": version}))
            line.send(room.audience.view(seat))

    with room.entered(line, seat):
        await line.listen(answer)


def take(room: Room, seat: int, text: str) -> None:
    """Do what a message asks for. Raises Refused."""
    try:
        message: Any = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    kind = message.get("type") if isinstance(message, dict) else None
    if seat == NOBODY and kind != "next":
        raise Refused("You have no seat at this table.")
    if kind == "act":
        act(room, seat, message)
    elif kind == "next":
        room.next()
    elif kind in ("back", "leave"):
        room.set_away(seat, kind == "leave")
    elif kind == "name" and isinstance(message.get("name"), str):
        room.rename(seat, tidy(message["name"]))
    else:
        raise Refused("This message makes no sense here.")


def act(room: Room, seat: int, message: dict[str, Any]) -> None:
    """Carry out a choice. Raises Refused."""
    fields = ("version", "hand_no", "action")
    amount = message.get("amount")
    given = [message.get(name) for name in fields]
    if any(type(value) is not int for value in given) or not (amount is None or type(amount) is int):
        raise Refused("A choice needs the whole numbers version, hand_no and action.")
    version, hand_no, action = (int(message[name]) for name in fields)
    room.act(seat, (hand_no, version), action, amount)
