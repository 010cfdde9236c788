"""What a person at a table may ask for: a hint, a choice taken back, a claim, and a review of the hand.

The record says of a choice whether it was helped.
"""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from cardlog.pipelines.visible import one_line
from cardlog.web.hands import View
from cardlog.web.play.background import Asked, Background, Found
from cardlog.web.play.journal import Entry
from cardlog.web.play.recording import batch_of
from cardlog.web.play.table import Marks, Refused
from cardlog.web.play.thinking import Advice, advise, adviser_of, claim, review
from cardlog.web.texts import N_, _, language

if TYPE_CHECKING:
    from cardlog.web.play.room import Room

STALE: Final = N_("The table has moved on since; here is how it is.")
Moment = tuple[int, int]
"""The version of a table: number of the hand and of its events."""


class Help:
    """The help at a table; everything it refuses it refuses by raising Refused."""

    def __init__(self, room: "Room", thinker: Background) -> None:
        self._room, self._thinker = room, thinker
        self._marked: tuple[Moment, Marks] | None = None

    def entries(self) -> list[Entry]:
        """What the journal needs to know of the next choice."""
        return [{"marked": self._marked}] if self._marked else []

    def restore(self, marked: Any) -> None:
        """Undo `entries`."""
        (number, size), marks = marked
        self._marked = (number, size), marks

    def marks(self) -> Marks:
        """What is known already of how the next choice comes about."""
        return self._marked[1] if self._marked and self._marked[0] == self._room.moment else {}

    def _mark(self, marks: Marks) -> None:
        self._marked = self._room.moment, self.marks() | marks
        self._room.note(*self.entries())

    def check_turn(self, seat: int, version: Moment) -> None:
        """Refuse what was asked for at another version, or by another seat than the one in turn."""
        if seat != self._room.table.turn or version != self._room.moment:
            raise Refused(_(STALE))

    async def hint(self, seat: int, version: Moment) -> Advice:
        """What the game's adviser would do now; that it was asked for is noted first."""
        adviser = adviser_of(self._room.table.game)
        if adviser is None:
            raise Refused(_("Nobody gives hints in this game."))
        self.check_turn(seat, version)
        self._mark({"hint": True})
        return await self._ask(advise, self._room.table.asked_of(adviser), "hint")

    def undo(self, seat: int, version: Moment) -> None:
        """Take the table back to the person's last choice."""
        room = self._room
        self.check_turn(seat, version)
        if not room.is_solo:
            raise Refused(_("A choice can be taken back only where all others are computers."))
        size = room.last_choice(seat)
        if size is None:
            raise Refused(_("You have not chosen anything yet."))
        marks = room.hand.marks(size)
        room.take_back(size)
        self._mark(marks | {"undo": True})
        room.move()

    async def claim(self, seat: int, version: Moment) -> None:
        """Play the hand out, if all tricks that are left are the side's whatever the others play. That a
        claim was wrong is noted, since it tells something of the cards."""
        room = self._room
        self.check_turn(seat, version)
        if not (room.is_solo and room.table.plays_tricks):
            raise Refused(_("Tricks can be claimed only where all others are computers."))
        if not room.table.plays_cards:
            raise Refused(_("Tricks can be claimed once cards are played."))
        played = await self._ask(claim, room.table.asked_of(""), "answer")
        self.check_turn(seat, version)
        if not played:
            self._mark({"claim": False})
            raise Refused(_("As far as can be told, the others can take one of the tricks that are left."))
        room.table.claim(played)
        room.move()

    async def review(self) -> View:
        """What the cards of the hand that is over cost."""
        room = self._room
        if not room.hand.is_over or not room.table.plays_tricks:
            raise Refused(_("There is no hand to review."))
        asked = batch_of(room.plan.game, room.table_id, room.hand), language.get()
        return await self._ask(review, asked, "review")

    async def _ask(self, work: Callable[[Asked], Found], asked: Asked, what: str) -> Found:
        try:
            return await self._thinker.ask(work, asked)
        except Exception as error:
            print(f"cardlog: there is no {what}: {one_line(repr(error))}", file=sys.stderr)
            raise Refused(_("There is no answer this time; ask again.")) from error
