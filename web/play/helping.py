"""Help for a person at a table: a hint, taking back a choice, a claim, and a review of the hand.

The record of a choice says which help there was.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from cardlog.pipelines.text.texts import N_, _, language
from cardlog.web.hands import View
from cardlog.web.play.background import Argument, Background, Result, say
from cardlog.web.play.journal import Entry
from cardlog.web.play.recording import batch_of
from cardlog.web.play.table import Hand, Marks, Refused, Table
from cardlog.web.play.thinking import Advice, advise, adviser_of, claim, review

STALE: Final = N_("The table has moved on; this is its current state.")
Moment = tuple[int, int]
"""The version of a table: number of the hand and of its events."""


class Help:
    """The help at a table. All methods raise Refused if the rules or the moment forbid it.

    note
        Writes an entry to the journal.
    move
        Makes the table go on after a change.
    """

    def __init__(
        self, table: Table, thinker: Background, note: Callable[[Entry], None], move: Callable[[], None]
    ) -> None:
        self._table, self._thinker, self._note, self._move = table, thinker, note, move
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
        return self._marked[1] if self._marked and self._marked[0] == self._table.moment else {}

    def _mark(self, marks: Marks) -> None:
        if marks.items() <= self.marks().items():
            return
        self._marked = self._table.moment, self.marks() | marks
        self._note({"marked": self._marked})

    def check_turn(self, seat: int, version: Moment) -> None:
        """Refuse requests made at another version, or by a seat that is not in turn."""
        if seat != self._table.turn or version != self._table.moment:
            raise Refused(_(STALE))

    async def hint(self, seat: int, version: Moment) -> Advice:
        """What the game's adviser would do now; the request is noted first."""
        adviser = adviser_of(self._table.game)
        if adviser is None:
            raise Refused(_("Nobody gives hints in this game."))
        self.check_turn(seat, version)
        self._mark({"hint": True})
        return await self._think(advise, self._table.question_for(adviser), "hint")

    def undo(self, seat: int, version: Moment) -> None:
        """Take the table back to the person's last choice."""
        table = self._table
        self.check_turn(seat, version)
        if not table.is_solo:
            raise Refused(_("A choice can be taken back only where all others are computers."))
        size = table.last_choice(seat)
        if size is None:
            raise Refused(_("You have not chosen anything yet."))
        marks = table.current.marks(size)
        table.take_back(size)
        self._mark(marks | {"undo": True})
        self._move()

    async def claim(self, seat: int, version: Moment) -> None:
        """Play the hand out if the side takes all remaining tricks whatever the others play. A wrong claim is
        noted, since the answer reveals something about the cards."""
        table = self._table
        self.check_turn(seat, version)
        if not (table.is_solo and table.plays_tricks):
            raise Refused(_("Tricks can be claimed only where all others are computers."))
        if not table.plays_cards:
            raise Refused(_("Tricks can be claimed once cards are played."))
        cards = await self._think(claim, table.question_for(""), "answer")
        self.check_turn(seat, version)
        if not cards:
            self._mark({"claim": False})
            raise Refused(_("As far as can be told, the others can take one of the tricks that are left."))
        table.claim(cards)
        self._move()

    async def review(self) -> View:
        """What the cards of the finished hand cost."""
        table = self._table
        if not table.current.is_over or not table.plays_tricks:
            raise Refused(_("There is no hand to review."))
        batch = batch_of(table.game.name, "", table.current)
        return await self._think(review, (batch, language.get()), "review")

    async def _think(
        self, function: Callable[[Argument], Result], argument: Argument, product: str
    ) -> Result:
        """The result of a function in the thinking process, which is asked once at each moment, however often
        people ask; `product` is its name for the server's log."""
        hand, asked, key = self._table.current, self._asked, (product, language.get())
        if asked is None or asked[0] is not hand or asked[1] != hand.size:
            self._asked, self._answers = (hand, hand.size), {}
        if key not in self._answers:
            self._answers[key] = asyncio.create_task(self._thinker.run(function, argument))
        answer: asyncio.Task[Result] = self._answers[key]
        try:
            return await asyncio.shield(answer)
        except Exception as error:
            if self._answers.get(key) is answer:
                del self._answers[key]
                say(f"there is no {product}: {error!r}")
            raise Refused(_("There is no answer this time; ask again.")) from error
