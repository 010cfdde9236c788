"""An original Pinochle client at a seat: it is spoken to in its server's messages, and answers in them."""

import json
from typing import Any, Final

from starlette.websockets import WebSocket

from cardlog.models.pinochle.cards import DECK_CODES
from cardlog.models.pinochle.decisions import HIGH_ACTION, NAME_ACTION, THROW_IN_ACTION
from cardlog.models.pinochle.state import BIDDING, NAMING
from cardlog.schemas import cards
from cardlog.web.play.pinochle import DIALECTS, FAREWELL, OPTIONS, Message, Speech, tell, written
from cardlog.web.play.room import Room
from cardlog.web.play.seats import tidy
from cardlog.web.play.socket import NO_TABLE, NOT_ALLOWED, Line
from cardlog.web.play.table import Hand, Refused
from cardlog.web.play.views import Eyes

_HELLO, _GAME, _PLAY = range(3)
"""What a client of 2013 is asked: what it wants, which game, and then to play."""
_KINDS: Final = [cards.text(int(code)) for code in DECK_CODES]


class Client:
    """A client at a seat.

    A hand that runs when it connects is told from its beginning, but for what its own seat did.
    """

    def __init__(self, line: Line, room: Room, seat: int) -> None:
        self._line, self._room, self._seat = line, room, seat
        self._speech = Speech(room.plan.rules, seat)
        self._asks = _HELLO if self._speech.is_old else _PLAY
        self._eyes: Eyes | None = None
        self._asked: tuple[int, int] | None = None
        self.is_leaving = False

    def send(self, text: str) -> None:
        """Send a message soon."""
        self._line.send(text)

    @property
    def wants_views(self) -> bool:
        """The servers had no views."""
        return False

    def greet(self) -> None:
        """Say what a server says first."""
        self._say(*(self._speech.menu() if self._speech.is_old else [self._table()]))

    def _table(self) -> Message:
        return self._speech.my_table(self._room.plan)

    def _say(self, *messages: Message) -> None:
        for message in messages:
            self.send(written(message))

    # ------------------------------------------------------------ what happens at the table

    @property
    def _hand(self) -> Hand:
        assert self._room.table.hand is not None
        return self._room.table.hand

    def news(self) -> list[str]:
        """What has happened since the last time, and what the client is asked for."""
        if self._asks != _PLAY:
            return []
        hand = self._hand
        if self._eyes is None or self._eyes.hand is not hand:
            self._eyes = Eyes(self._room.plan.game, hand, self._seat, hand.lines()[0]["detail"])
        said: list[Message] = []
        while self._eyes.seen < hand.size:
            self._eyes.look()
            said += self._speech.after(self._eyes)
        asked = self._speech.request(self._eyes)
        if asked is not None and self._asked != (hand.number, hand.size):
            self._asked = hand.number, hand.size
            said.append(asked)
        if hand.is_over and said and self._room.table.dealer.match_is_over and self._speech.is_old:
            self._asks = _HELLO
            said += self._speech.menu()
        return [written(message) for message in said]

    # ------------------------------------------------------------ what the client says

    def take(self, text: str) -> None:
        """Do what a message asks for; what makes no sense is ignored, as the servers do."""
        try:
            message: Any = json.loads(text)
        except (ValueError, RecursionError):
            return
        if not isinstance(message, dict) or not isinstance(message.get("Type"), str):
            return
        kind = message["Type"]
        if self._asks != _PLAY:
            self._choose_from_menu(kind, message)
        elif kind == "Name" and isinstance(message.get("Message"), str):
            self._room.rename(self._seat, tidy(message["Message"]))
        elif kind in ("Tables", "Sit") and not self._speech.is_old:
            self._say(self._table())
            self._again()
        elif kind == "Start" and not self._speech.is_old:
            self._start()
        else:
            self._answer(message)

    def _choose_from_menu(self, kind: str, message: Message) -> None:
        wish = message.get("Message")
        if self._asks == _HELLO and kind == "Hello" and wish == "quit":
            self._say(tell(FAREWELL))
            self.is_leaving = True
        elif self._asks == _HELLO and kind == "Hello" and wish in ("create", "join"):
            self._asks = _GAME
            self._say(*map(tell, OPTIONS), {"Type": "Game"})
        elif self._asks == _GAME and kind == "Game" and message.get("Option") in range(1, len(OPTIONS)):
            self._asks = _PLAY
            self._start()
            self._room.audience.tell(self)
        else:
            self._asks = _HELLO
            self.greet()

    def _start(self) -> None:
        """Deal, if a match is over; otherwise the table is being played at."""
        if self._hand.is_over:
            self._room.next()

    def _again(self) -> None:
        """Tell the hand once more."""
        self._eyes = self._asked = None
        self._room.audience.tell(self)

    def _answer(self, message: Message) -> None:
        """Carry out a choice; one that is refused is asked for again."""
        hand = self._hand
        choice = self._choice(message)
        if choice is None or self._asked != (hand.number, hand.size):
            return
        try:
            self._room.act(self._seat, self._asked, *choice)
        except Refused:
            self._asked = None
            self._room.audience.tell(self)

    def _choice(self, message: Message) -> tuple[int, int | None] | None:
        """The action that a message stands for, and the number of a high bid."""
        if self._eyes is None or message.get("Playerid", self._seat) != self._seat:
            return None
        phase, kind = self._eyes.shown["phase"], message["Type"]
        if phase == BIDDING:
            bid = message.get("Bid", 0)
            if kind != "Bid" or type(bid) is not int or bid < 0:
                return None
            return (bid, None) if bid < HIGH_ACTION else (HIGH_ACTION, bid)
        if phase == NAMING:
            suit = message.get("Trump")
            if kind == "Throwin":
                return THROW_IN_ACTION, None
            named = kind == "Trump" and isinstance(suit, str) and len(suit) == 1 and suit in cards.SUITS
            return (NAME_ACTION + cards.SUITS.index(str(suit)), None) if named else None
        card = message.get("PlayedCard")
        return (_KINDS.index(card), None) if card in _KINDS else None


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
    client = Client(line, room, seat)
    client.greet()
    with room.entered(client, seat):
        await line.listen(client.take, lambda: client.is_leaving)
