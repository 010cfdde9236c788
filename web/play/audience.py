"""Browsers that look at a table, and the views that they are sent."""

import asyncio
import re
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Final

from cardlog.web.hands import View
from cardlog.web.play.allowed import NOBODY
from cardlog.web.play.lines import dumped
from cardlog.web.play.views import Eyes

if TYPE_CHECKING:
    from cardlog.web.play.room import Room


class Browser:
    """A browser that looks at a table from a seat, from now on.

    seat
        `NOBODY` for those who only watch.
    send
        Sends a message soon.
    """

    def __init__(self, room: "Room", seat: int, send: Callable[[str], None]) -> None:
        self.room, self.seat, self.send = room, seat, send
        self._eyes = Eyes(room.plan.game, room.hand, seat)
        self._eyes.look_on()
        self._context = copy_context()  # with the language of who looks, whoever acts
        self._has_sheet = False

    @property
    def eyes(self) -> Eyes:
        """What the seat sees of the hand that is played."""
        hand, last = self.room.hand, self._eyes.hand
        if last is not hand:
            self._eyes = Eyes(self.room.plan.game, hand, self.seat)
            if last.number == hand.number:  # a choice was taken back
                self._eyes.look_on()
        return self._eyes

    def news(self) -> list[str]:
        """A view after each event that is new; if none is, the last one as it is now."""
        return self._context.run(self._news)

    def _news(self) -> list[str]:
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
        is_over = newest and eyes.hand.is_over
        choice = eyes.choice() if newest and self.seat not in room.table.away else None
        if choice is not None:
            choice["undo"] = room.is_solo and room.last_choice(self.seat) is not None
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
                "seats": room.seats(self.seat),
                "sheet": self._sheet(is_over=is_over),
                "newest": newest,
                "over": self._over(eyes) if is_over else None,
            }
        )

    def _over(self, eyes: Eyes) -> View:
        """How the hand ended."""
        hand = eyes.hand
        row = self.room.sheet.rows[-1]
        return {
            "result": self._named(eyes.result()),
            "score": row["score"],
            "hand_id": hand.hand_id if hand.number <= self.room.recorded else None,
            "match_over": row["winner"] is not None,
            "winner": row["winner"],
        }

    def _sheet(self, *, is_over: bool) -> list[View] | None:
        """The hands that were played, where the browser has not been sent them."""
        if self._has_sheet and not is_over:
            return None
        self._has_sheet = True
        recorded = self.room.recorded
        return [
            {**row, "hand_id": row["hand_id"] if row["number"] <= recorded else None}
            for row in self.room.sheet.rows
            if row["number"] < self.eyes.hand.number or is_over
        ]

    def _named(self, text: str) -> str:
        """A sentence with the names of seats instead of their numbers."""
        names = [seat["name"] if seat else "" for seat in self.room.seats(self.seat)]
        return _SEATS.sub(lambda found: " and ".join(names[int(n)] for n in found.groups() if n), text)


_SEATS: Final = re.compile(r"\b[Ss]eats? ([0-5])(?: and ([0-5]))?\b")
