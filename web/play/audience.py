"""Those who look at a table, and the views that browsers are sent."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from cardlog import models
from cardlog.schemas.events import ACTIONS, NO_AMOUNT
from cardlog.web.hands import View
from cardlog.web.play.allowed import NOBODY
from cardlog.web.play.lines import dumped
from cardlog.web.play.table import Hand
from cardlog.web.play.views import Eyes

if TYPE_CHECKING:
    from cardlog.web.play.room import Room


class Connection(Protocol):
    """Someone who is sent messages.

    seat
        From which they look; `NOBODY` for those who only watch.
    is_browser
        Whether a person looks at the table, who wants to see the end of a hand.
    """

    seat: int
    is_browser: bool

    def send(self, text: str) -> None:
        """Send a message soon."""

    def news(self) -> list[str]:
        """What to send after something has happened at the table."""


class Onlooker:
    """Someone who sees each hand of a table from a seat.

    room
        The table.
    """

    def __init__(self, room: "Room", seat: int) -> None:
        self.room, self.seat = room, seat
        self._eyes: Eyes | None = None

    @property
    def eyes(self) -> Eyes:
        """What the seat sees of the hand that is played."""
        hand = self.room.hand
        if self._eyes is None or self._eyes.hand is not hand:
            self._eyes = Eyes(self.room.plan.game, hand, self.seat)
        return self._eyes


class Browser(Onlooker):
    """A browser that looks at a table, from now on."""

    is_browser = True

    def __init__(self, room: "Room", seat: int, send: Callable[[str], None]) -> None:
        super().__init__(room, seat)
        self.send = send
        self.eyes.look_on()

    def news(self) -> list[str]:
        """A view after each event that is new; if none is, the last one as it is now."""
        eyes = self.eyes
        texts = []
        while eyes.seen < eyes.hand.size:
            eyes.look()
            texts.append(self.view())
        return texts or [self.view()]

    def view(self) -> str:
        """What is seen from the seat."""
        room, eyes = self.room, self.eyes
        newest = eyes.seen == eyes.hand.size
        choice = eyes.choice() if newest and self.seat not in room.table.away else None
        if choice is not None and room.due is not None:
            choice["seconds"] = max(0, round(room.due - asyncio.get_running_loop().time()))
        return dumped(
            {
                "type": "view",
                "version": eyes.seen,
                "hand_no": eyes.hand.number,
                "seat": None if self.seat == NOBODY else self.seat,
                "hand": eyes.about(),
                "step": eyes.step,
                "choice": choice,
                "log": eyes.log,
                "seats": room.seats(),
                "newest": newest,
                "over": self._over(eyes) if newest and eyes.hand.is_over else None,
            }
        )

    def _over(self, eyes: Eyes) -> View:
        """How the hand ended."""
        hand = eyes.hand
        return {
            "result": eyes.result(),
            "score": score_of(hand, models.game(self.room.plan.game).has_teams),
            "hand_id": hand.hand_id if hand.number <= self.room.recorded else None,
            "match_over": self.room.table.dealer.match_is_over,
        }


def score_of(hand: Hand, has_teams: bool) -> dict[str, Any]:
    """What the events at the end of a hand say: of the hand, the match and the places, by team or seat."""
    score: dict[str, Any] = {"of": "teams" if has_teams else "seats", "hand": {}, "match": {}, "place": {}}
    for event in hand.events[: hand.size]:
        action = ACTIONS[int(event["action"])]
        if action.kind == "score" and action.name in score and event["amount"] != NO_AMOUNT:
            score[action.name][int(event["seat"])] = int(event["amount"])
    return score
