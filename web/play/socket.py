"""The websocket of a table: views to the browser, choices from it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Final, Literal

import msgspec
from starlette.websockets import WebSocket

from cardlog.models.engine.visible import NOBODY
from cardlog.pipelines.text.texts import _
from cardlog.web.access import GONE
from cardlog.web.play.event_json import dumped
from cardlog.web.play.room import Room
from cardlog.web.play.seats import tidy
from cardlog.web.play.table import Refused
from cardlog.web.play.views import NO_TABLE, Browser

TOO_MUCH: Final = 1008
NOT_TEXT: Final = 1003
MOST_MESSAGE: Final = 1_000
"""Characters of a message from a browser."""
RATE, BURST = 100.0, 200.0
"""Messages per second that are read, and how many may come at once."""
MOST_WAITING: Final = 100
"""Messages that may wait for a slow browser; when there are more, they are dropped for the newest one, since
each has the whole view."""


class Connection:
    """A websocket: sends messages one after the other, and limits the rate of those it receives."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._waiting: deque[str | int] = deque()
        self._is_ended = False
        self._wanted = asyncio.Event()
        self._allowance, self._counted_at = BURST, time.monotonic()

    def send(self, text: str) -> None:
        """Queue a message."""
        if self._is_ended:
            return
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.clear()
        self._waiting.append(text)
        self._wanted.set()

    def end(self, code: int) -> None:
        """Close the connection instead of sending what is queued, and answer nothing more."""
        self._is_ended = True
        self._waiting = deque([code])
        self._wanted.set()

    async def listen(self, answer: Callable[[str], None]) -> None:
        """Send queued messages and answer received ones, until the browser closes the connection."""
        sending = asyncio.create_task(self._run())
        try:
            while True:
                text = await self._socket.receive_text()
                if self._is_ended:
                    return
                if len(text) > MOST_MESSAGE or self._is_too_fast():
                    await self._socket.close(TOO_MUCH)
                    return
                answer(text)
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
                    message = self._waiting.popleft()
                    if isinstance(message, int):
                        await self._socket.close(message)
                        return
                    await self._socket.send_text(message)
                    await asyncio.sleep(0)  # lets the server notice a closed connection

    def _is_too_fast(self) -> bool:
        """Whether messages come faster than a person could send them."""
        now = time.monotonic()
        self._allowance = min(BURST, self._allowance + (now - self._counted_at) * RATE) - 1
        self._counted_at = now
        return self._allowance < 0


class Message(msgspec.Struct):
    """A message from a browser.

    version, hand_no
        Of the view in which an act, a hint, a claim or an undo was requested.
    amount
        Chips of a raise, or the number of a bid.
    card
        Of the question why it may not be played.
    """

    type: Literal["act", "name", "why", "hint", "claim", "undo", "review", "next", "leave", "back"]
    version: int = -1
    hand_no: int = -1
    action: int = -1
    amount: int | None = None
    name: str = ""
    card: Annotated[str, msgspec.Meta(pattern="^[2-9TJQKAEF][CDHS45]$")] = ""

    @property
    def moment(self) -> tuple[int, int]:
        """The version of the table that the message refers to."""
        return self.hand_no, self.version


_READ: Final = msgspec.json.Decoder(Message)


async def serve(socket: WebSocket, room: Room | None, seat: int) -> None:
    """Answer a browser's websocket at a table until it is closed.

    seat
        The seat that it plays for; `NOBODY` may only watch.
    """
    await socket.accept()
    if room is None:
        await socket.close(NO_TABLE)
        return
    connection = Connection(socket)
    browser = Browser(seat, connection.send, connection.end)
    tasks: set[asyncio.Task[None]] = set()

    def refuse(refused: Refused) -> None:
        connection.send(dumped({"type": "refused", "text": str(refused), "version": room.hand.size}))
        room.show_again(browser)

    async def think(message: Message) -> None:
        try:
            if message.type == "review":
                hand_no = room.hand.number
                connection.send(dumped({"type": "review", "hand_no": hand_no, **await room.help.review()}))
            elif message.type == "claim":
                await room.help.claim(seat, message.moment)
            else:
                moment = {"version": message.version, "hand_no": message.hand_no}
                advice = await room.help.hint(seat, message.moment)
                connection.send(
                    dumped({"type": "hint", **moment, **advice._asdict(), "unit": _(advice.unit)})
                )
        except Refused as refused:
            refuse(refused)

    def answer(text: str) -> None:
        try:
            message = read(seat, text)
            match message.type:
                case "act":
                    room.act(seat, message.moment, message.action, message.amount)
                case "undo":
                    room.help.undo(seat, message.moment)
                case "name":
                    room.rename(seat, tidy(message.name))
                case "next":
                    room.next()
                case "leave" | "back":
                    room.set_away(seat, message.type == "leave")
                case "why":
                    connection.send(dumped({"type": "why", "text": room.table.why_not(seat, message.card)}))
                case _ if not tasks:  # one at a time
                    task = asyncio.create_task(think(message))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
        except Refused as refused:
            refuse(refused)

    room.enter(browser)
    try:
        await connection.listen(answer)
    finally:
        room.leave(browser)


def read(seat: int, text: str) -> Message:
    """A decoded message. Raises Refused if it makes no sense, or is not for those who only watch."""
    try:
        message: Message = _READ.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Refused(_("This message makes no sense here: %(error)s.", error=error)) from error
    if message.type == "why" and not message.card:
        raise Refused(_("This message makes no sense here: %(error)s.", error="no card"))
    if seat == NOBODY and message.type != "review":
        raise Refused(_("You have no seat at this table."))
    return message
