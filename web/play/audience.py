"""Browsers that show a table, and the views that they are sent."""

import asyncio
import re
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Final

from cardlog.web.hands import View
from cardlog.web.play.allowed import NOBODY
from cardlog.web.play.lines import dumped
from cardlog.web.play.views import Observer

if TYPE_CHECKING:
    from cardlog.web.play.room import Room


class Browser:
    """A browser that shows a table as one seat sees it.

    seat
        `NOBODY` for those who only watch.
    send
        Queues a message.
    """

    def __init__(self, room: "Room", seat: int, send: Callable[[str], None]) -> None:
        self.room, self.seat, self.send = room, seat, send
        self._observer = Observer(room.plan.game, room.hand, seat)
        self._observer.catch_up()
        self._context = copy_context()  # with the language of this browser, whoever acts
        self._has_sheet = False

    @property
    def observer(self) -> Observer:
        """What the seat sees of the current hand."""
        hand, last = self.room.hand, self._observer.hand
        if last is not hand:
            self._observer = Observer(self.room.plan.game, hand, self.seat)
            if last.number == hand.number:  # a choice was taken back
                self._observer.catch_up()
        return self._observer

    def news(self) -> list[str]:
        """A view after each new event; if there is none, the current view."""
        return self._context.run(self._news)

    def _news(self) -> list[str]:
        observer = self.observer
        views = []
        while observer.seen < observer.hand.size:
            observer.advance()
            views.append(self.view())
        return views or [self.view()]

    def view(self) -> str:
        """The table as the seat sees it, as JSON."""
        room, observer = self.room, self.observer
        newest = observer.seen == observer.hand.size
        is_over = newest and observer.hand.is_over
        choice = observer.choice() if newest and self.seat not in room.table.away else None
        if choice is not None:
            choice["undo"] = room.is_solo and room.last_choice(self.seat) is not None
        if choice is not None and room.due is not None:
            choice["seconds"] = max(0, round(room.due - asyncio.get_running_loop().time()))
        return dumped(
            {
                "type": "view",
                "version": observer.seen,
                "hand_no": observer.hand.number,
                "seat": None if self.seat == NOBODY else self.seat,
                "hand": observer.about(),
                "step": observer.step,
                "choice": choice,
                "log": observer.log,
                "seats": room.seats(self.seat),
                "sheet": self._sheet(is_over=is_over),
                "newest": newest,
                "over": self._over(observer) if is_over else None,
            }
        )

    def _over(self, observer: Observer) -> View:
        """How the hand ended."""
        hand = observer.hand
        row = self.room.sheet.rows[-1]
        return {
            "result": self._with_names(observer.result()),
            "score": row["score"],
            "hand_id": hand.hand_id if hand.number <= self.room.recorded else None,
            "match_over": row["winner"] is not None,
            "winner": row["winner"],
        }

    def _sheet(self, *, is_over: bool) -> list[View] | None:
        """The rows of the score sheet; None if the browser has them already."""
        if self._has_sheet and not is_over:
            return None
        self._has_sheet = True
        recorded = self.room.recorded
        return [
            {**row, "hand_id": row["hand_id"] if row["number"] <= recorded else None}
            for row in self.room.sheet.rows
            if row["number"] < self.observer.hand.number or is_over
        ]

    def _with_names(self, text: str) -> str:
        """A sentence with the names of seats instead of their numbers."""
        names = [seat["name"] if seat else "" for seat in self.room.seats(self.seat)]
        return _SEATS.sub(lambda match: " and ".join(names[int(n)] for n in match.groups() if n), text)


_SEATS: Final = re.compile(r"\b[Ss]eats? ([0-5])(?: and ([0-5]))?\b")
