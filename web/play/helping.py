"""Help for a person at a table: a hint, taking back a choice, a claim, and a review of the hand.

The record of a choice says which help there was.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from cardlog.pipelines.visible import one_line
from cardlog.web.hands import View
from cardlog.web.play.background import Argument, Background, Result
from cardlog.web.play.journal import Entry
from cardlog.web.play.recording import batch_of
from cardlog.web.play.table import Hand, Marks, Refused
from cardlog.web.play.thinking import Advice, advise, adviser_of, claim, review
from cardlog.web.texts import N_, _, language

if TYPE_CHECKING:
    from cardlog.web.play.room import Room

STALE: Final = N_("The table has moved on; this is its current state.")
Moment = tuple[int, int]
"""The version of a table: number of the hand and of its events."""


class Help:
    """The help at a table. All methods raise Refused if the rules or the moment forbid it."""

    def __init__(self, room: "Room", thinker: Background) -> None:
        self._room, self._thinker = room, thinker
        self._marked: tuple[Moment, Marks] | None = None
        self._asked: tuple[Hand, int] | None = None
        self._answers: dict[tuple[str, str], asyncio.Task[Any]] = {}

    def entries(self) -> list[Entry]:
        """The journal's entries on the next choice."""
        return [{"marked": self._marked}] if self._marked else []

    def restore(self, marked: Any) -> None:
        """Restore the marks of one of the `entries`."""
        (number, size), marks = marked
        self._marked = (number, size), marks

    def marks(self) -> Marks:
        """The help that there has been for the next choice."""
        return self._marked[1] if self._marked and self._marked[0] == self._room.moment else {}

    def _mark(self, marks: Marks) -> None:
        if marks.items() <= self.marks().items():
            return
        self._marked = self._room.moment, self.marks() | marks
        self._room.note(*self.entries())

    def check_turn(self, seat: int, version: Moment) -> None:
        """Refuse requests made at another version, or by a seat that is not in turn."""
        if seat != self._room.table.turn or version != self._room.moment:
            raise Refused(_(STALE))

    async def hint(self, seat: int, version: Moment) -> Advice:
        """What the game's adviser would do now; the request is noted first."""
        adviser = adviser_of(self._room.table.game)
        if adviser is None:
            raise Refused(_("Nobody gives hints in this game."))
        self.check_turn(seat, version)
        self._mark({"hint": True})
        return await self._think(advise, self._room.table.question_for(adviser), "hint")

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
        """Play the hand out if the side takes all remaining tricks whatever the others play. A wrong claim is
        noted, since the answer reveals something about the cards."""
        room = self._room
        self.check_turn(seat, version)
        if not (room.is_solo and room.table.plays_tricks):
            raise Refused(_("Tricks can be claimed only where all others are computers."))
        if not room.table.plays_cards:
            raise Refused(_("Tricks can be claimed once cards are played."))
        cards = await self._think(claim, room.table.question_for(""), "answer")
        self.check_turn(seat, version)
        if not cards:
            self._mark({"claim": False})
            raise Refused(_("As far as can be told, the others can take one of the tricks that are left."))
        room.table.claim(cards)
        room.move()

    async def review(self) -> View:
        """What the cards of the finished hand cost."""
        room = self._room
        if not room.hand.is_over or not room.table.plays_tricks:
            raise Refused(_("There is no hand to review."))
        batch = batch_of(room.plan.game, room.table_id, room.hand)
        return await self._think(review, (batch, language.get()), "review")

    async def _think(
        self, function: Callable[[Argument], Result], argument: Argument, product: str
    ) -> Result:
        """The result of a function in the thinking process, which is asked once at each moment, however often
        people ask; `product` is its name for the server's log."""
        now, asked, key = (self._room.hand, self._room.hand.size), self._asked, (product, language.get())
        if asked is None or asked[0] is not now[0] or asked[1] != now[1]:
            self._asked, self._answers = now, {}
        if key not in self._answers:
            self._answers[key] = asyncio.create_task(self._thinker.run(function, argument))
        answer: asyncio.Task[Result] = self._answers[key]
        try:
            return await asyncio.shield(answer)
        except Exception as error:
            if self._answers.get(key) is answer:
                del self._answers[key]
                print(f"cardlog: there is no {product}: {one_line(repr(error))}", file=sys.stderr)
            raise Refused(_("There is no answer this time; ask again.")) from error
