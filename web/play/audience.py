"""Those who look at a table, and what they are sent once it is on disk."""

import asyncio
from typing import Any, Protocol

from cardlog import models
from cardlog.pipelines.visible import shown
from cardlog.schemas.events import ACTIONS, NO_AMOUNT
from cardlog.web.play.allowed import NOBODY
from cardlog.web.play.journal import Journal
from cardlog.web.play.lines import dumped
from cardlog.web.play.seats import ME, Plan
from cardlog.web.play.table import Hand, Table
from cardlog.web.play.views import Eyes, View


class Connection(Protocol):
    """Someone who is sent messages."""

    def send(self, text: str) -> None:
        """Send a message soon."""

    @property
    def wants_views(self) -> bool:
        """Whether views are sent; otherwise what `news` gives after something happened."""

    def news(self) -> list[str]:
        """What to send."""


class Audience:
    """The connections at a table.

    connections
        The seat that each looks from.
    due
        When the computer will act for the seat in turn, on the event loop's clock; None if it will not.
    recorded
        Number of the last hand that the store has, -1 before.
    """

    def __init__(self, plan: Plan, table: Table, journal: Journal) -> None:
        self._plan, self._table, self._journal = plan, table, journal
        self.connections: dict[Connection, int] = {}
        self.due: float | None = None
        self.recorded = -1
        self._eyes: dict[int, Eyes] = {}
        self._opening: dict[str, Any] = {}
        self._last_seats: tuple[Any, str] = (None, "")

    def begin(self, opening: dict[str, Any]) -> None:
        """A new hand begins."""
        self._opening = opening
        self._eyes.clear()

    @property
    def _hand(self) -> Hand:
        assert self._table.hand is not None
        return self._table.hand

    def show(self) -> None:
        """Send everyone each new event."""
        seats = self._tell_clients()
        for seat in seats:
            self._send(seat, self.new_views(seat))

    def refresh(self) -> None:
        """Send everyone the newest view."""
        for seat in self._tell_clients():
            self._eyes_of(seat).look_on()
            self._send(seat, [self.view(seat)])

    def _tell_clients(self) -> set[int]:
        """Send those who want no views what they want; returns the seats of the others."""
        for connection in self.connections:
            if not connection.wants_views:
                self.tell(connection)
        return {seat for connection, seat in self.connections.items() if connection.wants_views}

    def tell(self, connection: Connection) -> None:
        """Send someone who wants no views what is new, once it is on disk."""
        texts = connection.news()

        def send() -> None:
            for text in texts:
                connection.send(text)

        self._journal.then(send)

    def _send(self, seat: int, texts: list[str]) -> None:
        """Send messages to those who look from a seat, once all that has happened is on disk."""
        looking = (connection for connection, other in self.connections.items() if other == seat)
        targets = [connection for connection in looking if connection.wants_views]

        def send() -> None:
            for connection in targets:
                for text in texts:
                    connection.send(text)

        self._journal.then(send)

    def _eyes_of(self, seat: int) -> Eyes:
        if seat not in self._eyes:
            self._eyes[seat] = Eyes(self._plan.game, self._hand, seat, self._opening)
        return self._eyes[seat]

    def new_views(self, seat: int) -> list[str]:
        """What a seat is sent of the events it has not seen: a view after each."""
        eyes = self._eyes_of(seat)
        texts = []
        while eyes.seen < self._hand.size:
            eyes.look()
            texts.append(self.view(seat))
        return texts

    def view(self, seat: int) -> str:
        """What is seen from a seat."""
        eyes, hand = self._eyes[seat], self._hand
        newest = eyes.seen == hand.size
        choice = eyes.choice() if newest and seat not in self._table.away else None
        if choice is not None and self.due is not None:
            choice["seconds"] = max(0, round(self.due - asyncio.get_running_loop().time()))
        parts = {
            "type": '"view"',
            "version": str(eyes.seen),
            "hand_no": str(hand.number),
            "seat": "null" if seat == NOBODY else str(seat),
            "hand": eyes.about_text(),
            "step": dumped(eyes.step),
            "choice": dumped(choice),
            "log": f"[{','.join(eyes.log)}]",
            "seats": self._seats_text(),
            "newest": "true" if newest else "false",
            "over": dumped(self._over(eyes) if newest and hand.is_over else None),
        }
        return "{" + ",".join(f'"{name}":{text}' for name, text in parts.items()) + "}"

    def _seats_text(self) -> str:
        """Who sits where, as JSON."""
        key = (
            self._hand.number,
            frozenset(self.connections.values()),
            frozenset(self._table.away),
            tuple(seat.name for seat in self._plan.seats),
        )
        if self._last_seats[0] != key:
            seats = [self.seat(number) for number in range(len(self._plan.seats))]
            self._last_seats = key, dumped(seats)
        return self._last_seats[1]

    def seat(self, number: int) -> View | None:
        """Who sits somewhere; None if they have left the match."""
        seat = self._plan.seats[number]
        if self._opening["players"][number] is None:
            return None
        return {
            "name": self.name_of(number),
            "kind": "human" if seat.kind == ME else seat.kind,
            "connected": number in self.connections.values(),
            "played_by_computer": number in self._table.away,
        }

    def name_of(self, number: int) -> str:
        """A seat's name, as a page may show it."""
        seat = self._plan.seats[number]
        return shown(seat.name, 24) if seat.name else f"Seat {number}"

    def _over(self, eyes: Eyes) -> View:
        """How the hand ended."""
        number = self._hand.number
        score: View = {"hand": {}, "match": {}, "place": {}}
        for event in self._hand.events[: self._hand.size]:
            action = ACTIONS[int(event["action"])]
            if action.kind == "score" and action.name in score and event["amount"] != NO_AMOUNT:
                score[action.name][int(event["seat"])] = int(event["amount"])
        return {
            "result": eyes.about()["result"],
            "score": {"of": "teams" if models.game(self._plan.game).has_teams else "seats", **score},
            "hand_id": self._hand.hand_id if number <= self.recorded else None,
            "match_over": self._table.dealer.match_is_over,
        }
