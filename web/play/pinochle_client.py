"""An original Pinochle client at a seat: it is spoken to in its server's messages, and answers in them."""

from collections.abc import Callable
from typing import Final, Literal

import msgspec
from starlette.websockets import WebSocket

from cardlog.models.pinochle.cards import DECK_CODES
from cardlog.models.pinochle.decisions import HIGH_ACTION, NAME_ACTION, THROW_IN_ACTION
from cardlog.models.pinochle.state import BIDDING, NAMING
from cardlog.schemas import cards
from cardlog.web.access import NOT_ALLOWED
from cardlog.web.play.audience import Onlooker
from cardlog.web.play.pinochle import DIALECTS, FAREWELL, OPTIONS, Message, Speech, tell, written
from cardlog.web.play.room import Room
from cardlog.web.play.seats import tidy
from cardlog.web.play.socket import NO_TABLE, Line
from cardlog.web.play.table import Refused

_HELLO, _GAME, _PLAY = range(3)
"""What a client of 2013 is asked: what it wants, which game, and then to play."""
_KINDS: Final = [cards.text(int(code)) for code in DECK_CODES]


class Said(msgspec.Struct, rename="pascal"):
    """What a client says; each type of message has some of the fields."""

    type: str
    message: str | None = None
    option: int | None = None
    playerid: int | None = None
    bid: int = 0
    trump: Literal["C", "D", "H", "S", None] = None
    played_card: str | None = None


_READ: Final = msgspec.json.Decoder(Said)


class Client(Onlooker):
    """A client at a seat.

    A hand that runs when it connects is told from its beginning, but for what its own seat did.
    """

    is_browser = False

    def __init__(self, room: Room, seat: int, send: Callable[[str], None]) -> None:
        super().__init__(room, seat)
        self.send = send
        self._speech = Speech(room.plan.rules, seat)
        self._asks = _HELLO if self._speech.is_old else _PLAY
        self._asked: tuple[int, int] | None = None
        self.is_leaving = False

    def greet(self) -> None:
        """Say what a server says first."""
        self._say(*(self._speech.menu() if self._speech.is_old else [self._table()]))

    def _table(self) -> Message:
        return self._speech.my_table([seat.in_opening() for seat in self.room.plan.seats])

    def _say(self, *messages: Message) -> None:
        for message in messages:
            self.send(written(message))

    def news(self) -> list[str]:
        """What has happened since the last time, and what the client is asked for."""
        if self._asks != _PLAY:
            return []
        eyes, hand = self.eyes, self.room.hand
        said: list[Message] = []
        while eyes.seen < hand.size:
            eyes.look()
            said += self._speech.after(eyes)
        asked = self._speech.request(eyes)
        if asked is not None and self._asked != (hand.number, hand.size):
            self._asked = hand.number, hand.size
            said.append(asked)
        if hand.is_over and said and self.room.table.dealer.match_is_over and self._speech.is_old:
            self._asks = _HELLO
            said += self._speech.menu()
        return [written(message) for message in said]

    # ------------------------------------------------------------ what the client says

    def take(self, text: str) -> None:
        """Do what a message asks for; what makes no sense is ignored, as the servers do."""
        try:
            said = _READ.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return
        if self._asks != _PLAY:
            self._choose_from_menu(said)
        elif said.type == "Name" and said.message is not None:
            self.room.rename(self.seat, tidy(said.message))
        elif said.type in ("Tables", "Sit") and not self._speech.is_old:
            self._say(self._table())
            self._eyes = self._asked = None  # the hand is told once more
            self.room.tell(self)
        elif said.type == "Start" and not self._speech.is_old:
            self._start()
        else:
            self._answer(said)

    def _choose_from_menu(self, said: Said) -> None:
        asked = {_HELLO: "Hello", _GAME: "Game"}[self._asks] == said.type
        if asked and self._asks == _HELLO and said.message == "quit":
            self._say(tell(FAREWELL))
            self.is_leaving = True
        elif asked and self._asks == _HELLO and said.message in ("create", "join"):
            self._asks = _GAME
            self._say(*map(tell, OPTIONS), {"Type": "Game"})
        elif asked and self._asks == _GAME and said.option in range(1, len(OPTIONS)):
            self._asks = _PLAY
            self._start()
            self.room.tell(self)
        else:
            self._asks = _HELLO
            self.greet()

    def _start(self) -> None:
        """Deal, if a match is over; otherwise the table is being played at."""
        if self.room.hand.is_over:
            self.room.next()

    def _answer(self, said: Said) -> None:
        """Carry out a choice; one that is refused is asked for again."""
        hand = self.room.hand
        choice = self._choice(said)
        if choice is None or self._asked != (hand.number, hand.size):
            return
        try:
            self.room.act(self.seat, self._asked, *choice)
        except Refused:
            self._asked = None
            self.room.tell(self)

    def _choice(self, said: Said) -> tuple[int, int | None] | None:
        """The action that a message stands for, and the number of a high bid."""
        if said.playerid not in (None, self.seat):
            return None
        phase = self.eyes.shown["phase"]
        if phase == BIDDING:
            if said.type != "Bid" or said.bid < 0:
                return None
            return (said.bid, None) if said.bid < HIGH_ACTION else (HIGH_ACTION, said.bid)
        if phase == NAMING:
            if said.type == "Throwin":
                return THROW_IN_ACTION, None
            named = said.type == "Trump" and said.trump is not None
            return (NAME_ACTION + cards.SUITS.index(str(said.trump)), None) if named else None
        return (_KINDS.index(said.played_card), None) if said.played_card in _KINDS else None


async def serve(socket: WebSocket, room: Room | None, seat: int | None) -> None:
    """Answer a client's websocket at a table until it is closed."""
    await socket.accept()
    if room is None or seat is None:
        await socket.close(NO_TABLE if room is None else NOT_ALLOWED)
        return
    if room.plan.rules not in DIALECTS:
        await socket.close(NO_TABLE, f"This table is not played by the rules of {' or '.join(DIALECTS)}.")
        return
    line = Line(socket)
    client = Client(room, seat, line.send)
    client.greet()
    with room.entered(client):
        await line.listen(client.take, lambda: client.is_leaving)
