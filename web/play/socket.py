"""The websocket of a table: views to the browser, choices from it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Final

import msgspec
from starlette.websockets import WebSocket

from cardlog.web.access import GONE, NOT_ALLOWED
from cardlog.web.play.allowed import NOBODY
from cardlog.web.play.audience import Browser
from cardlog.web.play.lines import dumped
from cardlog.web.play.room import Room
from cardlog.web.play.seats import tidy
from cardlog.web.play.table import Refused
from cardlog.web.texts import _

NO_TABLE: Final = 4404
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

    async def listen(self, answer: Callable[[str], None]) -> None:
        """Send what there is to send, and answer messages, until the other side ends it."""
        sending = asyncio.create_task(self._run())
        try:
            while True:
                text = await self._socket.receive_text()
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
                    await self._socket.send_text(self._waiting.popleft())
                    await asyncio.sleep(0)  # when the server learns that the other side is gone

    def _is_too_fast(self) -> bool:
        """Whether more messages come than one can think of."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._at) * RATE) - 1
        self._at = now
        return self._left < 0


class At(msgspec.Struct):
    """What is said at a version of the table, made from the view of this version and number of the hand."""

    version: int
    hand_no: int


class Act(At, tag="act"):
    """A choice.

    amount
        Chips of a raise, or the number of a bid.
    """

    action: int
    amount: int | None = None


class Name(msgspec.Struct, tag="name"):
    """The name that a person wants."""

    name: str


class Why(msgspec.Struct, tag="why"):
    """Why may this card not be played?"""

    card: Annotated[str, msgspec.Meta(pattern="^[2-9TJQKAEF][CDHS45]$")]


class Hint(At, tag="hint"):
    """What would the game's adviser do at this version?"""


class Claim(At, tag="claim"):
    """All tricks that are left at this version are mine."""


class Undo(At, tag="undo"):
    """The last choice before this version is taken back."""


class Review(msgspec.Struct, tag="review"):
    """Which cards of the hand that is over cost most?"""


class Next(msgspec.Struct, tag="next"):
    """The next hand is wanted."""


class Leave(msgspec.Struct, tag="leave"):
    """The computer is to play for this seat."""


class Back(msgspec.Struct, tag="back"):
    """The seat is taken back."""


Message = Act | Name | Why | Hint | Claim | Undo | Review | Next | Leave | Back
_READ: Final = msgspec.json.Decoder(Message)


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
    browser = Browser(room, seat, line.send)
    asked: set[asyncio.Task[None]] = set()

    def refuse(refused: Refused) -> None:
        line.send(dumped({"type": "refused", "text": str(refused), "version": room.hand.size}))
        line.send(browser.view())

    async def think(message: Hint | Claim | Review) -> None:
        try:
            if isinstance(message, Review):
                hand_no = room.hand.number
                line.send(dumped({"type": "review", "hand_no": hand_no, **await room.help.review()}))
            elif isinstance(message, Claim):
                await room.help.claim(seat, (message.hand_no, message.version))
            else:
                found = await room.help.hint(seat, (message.hand_no, message.version))
                line.send(dumped({"type": "hint", **msgspec.structs.asdict(message), **found._asdict()}))
        except Refused as refused:
            refuse(refused)

    def answer(text: str) -> None:
        try:
            message = read(seat, text)
            if isinstance(message, Why):
                line.send(dumped({"type": "why", "text": room.table.why_not(seat, message.card)}))
            elif isinstance(message, Hint | Claim | Review):
                if not asked:  # one at a time
                    task = asyncio.create_task(think(message))
                    asked.add(task)
                    task.add_done_callback(asked.discard)
            else:
                take(room, seat, message)
        except Refused as refused:
            refuse(refused)

    with room.entered(browser):
        await line.listen(answer)


def read(seat: int, text: str) -> Message:
    """What a message says. Raises Refused if it makes no sense, or is not for those who only watch."""
    try:
        message = _READ.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Refused(_("This message makes no sense here: %(error)s.", error=error)) from error
    if seat == NOBODY and not isinstance(message, Next | Review):
        raise Refused(_("You have no seat at this table."))
    found: Message = message
    return found


def take(room: Room, seat: int, message: Message) -> None:
    """Do what a message asks for. Raises Refused."""
    match message:
        case Act(version, hand_no, action, amount):
            room.act(seat, (hand_no, version), action, amount)
        case Undo(version, hand_no):
            room.help.undo(seat, (hand_no, version))
        case Name(name):
            room.rename(seat, tidy(name))
        case Next():
            room.next()
        case Leave() | Back():
            room.set_away(seat, isinstance(message, Leave))
