"""A table open for play: requests of people, when the computer plays for someone, and what is written
down."""

import asyncio
from typing import Final

from cardlog.models.engine.visible import NOBODY
from cardlog.pipelines.text.texts import _
from cardlog.web import hands
from cardlog.web.hands import View
from cardlog.web.play.background import Background, say
from cardlog.web.play.dealing import rules_offered
from cardlog.web.play.helping import STALE, Help
from cardlog.web.play.journal import Entry, Journal
from cardlog.web.play.recording import Finished, Recorder, text_of
from cardlog.web.play.seats import Plan
from cardlog.web.play.table import Hand, Refused, Table
from cardlog.web.play.thinking import Question, adviser_of, choose
from cardlog.web.play.views import MERGE_SECONDS, NO_TABLE, Audience, Browser, Sheet

NEXT_SECONDS: Final = 30.0
"""Seconds after a hand until the next one is dealt by itself, if anybody is there."""
AWAY_SECONDS: Final = 1.5
"""Seconds between the computer's choices for a person, who may come back in between."""


class Room:
    """A table, open for play.

    table_id
        Random; knowing it gives no access.
    audience
        The browsers that show the table.
    sheet
        The hands that were played.
    """

    def __init__(
        self, table_id: str, plan: Plan, journal: Journal, recorder: Recorder, thinker: Background
    ) -> None:
        self.table_id, self.plan = table_id, plan
        given = len(plan.start.events) if plan.start else 0
        self.table = Table(plan.game, plan.rules, plan.computers(), given=given)
        self.sheet = Sheet()
        self.audience = Audience(plan, self.table, self.sheet)
        self.used_at = 0.0
        self._journal, self._recorder, self._thinker = journal, recorder, thinker
        self._thinking: asyncio.Task[None] | None = None
        self._thinking_at: tuple[int, int] | None = None
        self.help = Help(self.table, thinker, self.note, self.move)
        self._timer: asyncio.TimerHandle | None = None
        self._showing: asyncio.TimerHandle | None = None
        self._renamed: set[int] = set()
        self._deadline: tuple[tuple[int, int], float] | None = None
        self._written = 0
        self._is_closed = False
        self._unrecorded: dict[int, Hand] = {}

    @property
    def hand(self) -> Hand:
        """The current hand, or the last one."""
        return self.table.current

    # ------------------------------------------------------------ reopening

    def snapshot(self) -> list[Entry]:
        """The journal's entries that are needed to reopen the table."""
        table = {"plan": self.plan, "away": sorted(self.table.away), "sheet": self.sheet.rows}
        needed = self._unrecorded | {self.hand.number: self.hand}
        hands = [
            {
                "hand": hand.number, "match": hand.match, "hand_no": hand.hand_no,
                "hand_id": hand.hand_id, "dealer": hand.dealer, "events": hand.lines(),
            }
            for hand in needed.values()
        ]  # fmt: skip
        recorded = [{"recorded": self.sheet.recorded}] if self.sheet.recorded >= 0 else []
        return [table, *hands, *recorded, *self.help.entries()]

    def replay(self, entry: Entry) -> None:
        """Repeat an entry of the journal. Raises ValueError if the rules forbid it, or an earlier one is
        missing."""
        table = self.table
        if "hand" in entry:
            if table.hand is not None and not table.hand.is_over:
                raise ValueError(f"the end of hand {table.hand.number} is missing")
            match = entry["match"], entry["hand_no"]
            opening = entry["events"][0]["detail"]
            hand = Hand(table.game, entry["hand"], match, entry["hand_id"], opening)
            table.restore(hand, entry["dealer"], entry["events"])
        elif "events" in entry:
            if table.hand is None or entry["from"] != table.hand.size:
                raise ValueError(f"events before number {entry['from']} are missing")
            table.replay(entry["events"])
        elif "away" in entry:
            table.away = set(entry["away"])
        elif "name" in entry:
            self.plan.seats[entry["seat"]].name = entry["name"]
        elif "marked" in entry:
            self.help.restore(entry["marked"])
        elif "undone" in entry:
            table.take_back(entry["undone"])
        elif "recorded" in entry:
            self.sheet.recorded = entry["recorded"]
            self._unrecorded.pop(entry["recorded"], None)
        self.sheet.rows = entry.get("sheet", self.sheet.rows)
        if "events" in entry and self.hand.is_over:
            self._end(self.hand)

    def _end(self, hand: Hand) -> None:
        """Add a hand that is over to the sheet and, if it is to be stored, to those that are not yet."""
        if self._is_stored:
            self._unrecorded[hand.number] = hand
        self.sheet.add(hand, self.table.dealer, is_single=self.plan.start is not None)

    def resume(self) -> None:
        """Continue after a restart."""
        self._written = self.hand.size
        for hand in self._unrecorded.values():
            self._record(hand)
        self.move()

    # ------------------------------------------------------------ who is there

    def enter(self, browser: Browser) -> None:
        """Add a browser, which is sent the current view and every later one."""
        self.audience.add(browser)
        self._arrange()
        self._send(browser, self.audience.first(browser))
        self._show()

    def show_again(self, browser: Browser) -> None:
        """Send a browser the current view."""
        self._send(browser, self.audience.current(browser))

    def _send(self, browser: Browser, text: str) -> None:
        """Send a view, once what it shows is on disk."""
        self._journal.then(lambda: browser.send(text))

    def leave(self, browser: Browser) -> None:
        """Remove a browser."""
        self.audience.remove(browser)
        self._arrange()
        self._show()

    def _show(self) -> None:
        """Show all browsers what is new: events at once, other changes soon, together."""
        if self.audience.is_behind:
            self._show_now()
        elif self._showing is None:
            self._showing = asyncio.get_running_loop().call_later(MERGE_SECONDS, self._show_now)

    def _show_now(self) -> None:
        """Send all browsers what is new, once it is on disk."""
        if self._showing is not None:
            self._showing.cancel()
            self._showing = None
        if self._renamed:
            self.note(*({"seat": seat, "name": self.plan.seats[seat].name} for seat in self._renamed))
            self._renamed.clear()
        news = self.audience.news()

        def send_all() -> None:
            for send, text in news:
                send(text)

        self._journal.then(send_all)

    def about(self, viewer: int = NOBODY) -> View:
        """The table as one seat sees it, for a page."""
        return {
            "id": self.table_id,
            "game": self.plan.game,
            "title": hands.title(self.plan.game),
            "rules": f"{self.plan.rules}: {_(rules_offered(self.plan.game)[self.plan.rules])}",
            "hand_no": self.hand.number,
            "over": self.hand.is_over,
            "idle_minutes": int((asyncio.get_running_loop().time() - self.used_at) // 60),
            "score": self.sheet.rows[-1]["score"] if self.sheet.rows else None,
            "adviser": adviser_of(self.table.game),
            "reviews": self.table.plays_tricks,
            "solo": self.table.is_solo,
            "start": self.plan.start and (self.plan.start.day or "again"),
            "seats": self.audience.seats(viewer),
        }

    # ------------------------------------------------------------ requests

    def act(self, seat: int, version: tuple[int, int], action: int, amount: int | None) -> None:
        """Carry out a choice at a version: number of the hand and of its events. Raises Refused."""
        if version != self.table.moment:
            raise Refused(_(STALE))
        if seat in self.table.away:
            raise Refused(_("The computer plays for you; take your seat back first."))
        self.table.act(seat, action, amount, self.help.marks())
        self.move()

    def note(self, *entries: Entry) -> None:
        """Write entries to the journal."""
        if not self._is_closed:
            self._journal.add(self.table_id, *entries)

    def set_away(self, seat: int, away: bool) -> None:
        """Make the computer play for a person, or the person play again."""
        if away == (seat in self.table.away):
            return
        self._note_away(seat, away)
        self._deadline = None
        self.move()

    def _note_away(self, seat: int, away: bool) -> None:
        (self.table.away.add if away else self.table.away.discard)(seat)
        self.note({"away": sorted(self.table.away)})

    def rename(self, seat: int, name: str) -> None:
        """Rename a person; the record has the new name from the next hand on."""
        self.plan.seats[seat].name = name
        self._renamed.add(seat)
        self._show()

    # ------------------------------------------------------------ progress

    @property
    def _is_stored(self) -> bool:
        """Whether finished hands are stored: all except those that are played again."""
        return self.plan.start is None or bool(self.plan.start.day)

    def next(self) -> None:
        """Deal the next hand. Raises Refused if this one is not over."""
        players, start = [seat.in_opening() for seat in self.plan.seats], self.plan.start
        if start and start.day and self.table.hand is not None:
            raise Refused(_("The deal of a day is played once at a table."))
        if self._is_closed:
            return
        hand = self.table.begin(start, players) if start else self.table.deal(players)
        self._journal.replace(self.table_id, self.snapshot())
        self._written = hand.size
        self.move()

    def move(self) -> None:
        """Make computers play on, write down what happened, and show it."""
        table, hand = self.table, self.hand
        if hand.size < self._written:  # a choice was taken back
            self.note({"undone": hand.size})
            self._written, self._thinking_at, self._deadline = hand.size, None, None
        while table.turn is not None and table.computers[table.turn] and table.computer_acts():
            pass
        if hand.size > self._written:
            events = hand.lines(self._written)
            self.note({"from": self._written, "events": events})
            self._written = hand.size
            if hand.is_over:
                self._end(hand)
                if self._is_stored:
                    self._record(hand)
        question = self.table.question
        if question is not None and self._thinking_at != self.table.moment:
            self._thinking_at = self.table.moment
            self._thinking = asyncio.create_task(self._think(question))
        self._arrange()
        self._show()

    async def _think(self, question: Question) -> None:
        """Make the computer in turn think and act, and continue."""
        try:
            action = await self._thinker.run(choose, question)
        except Exception as error:
            action = None
            say(f"{question.player} could not think: {error!r}")
        self.table.answer(action)
        self.move()

    def _record(self, hand: Hand) -> None:
        """Have a finished hand stored, once the journal has it."""

        def note_recorded() -> None:
            self.sheet.recorded = max(self.sheet.recorded, hand.number)
            self._unrecorded.pop(hand.number, None)
            self.note({"recorded": hand.number})
            if self.hand is hand:
                self._show()

        text = text_of(self.plan.game, self.table_id, hand)
        finished = Finished(f"{self.table_id}/{hand.number}.jsonl", text, note_recorded)
        self._journal.then(lambda: self._recorder.add(finished))

    @property
    def is_recorded(self) -> bool:
        """Whether all finished hands are stored."""
        return not self._unrecorded

    def close(self) -> None:
        """End all connections; nothing happens at the table any more."""
        self._is_closed = True
        self._arrange()
        if self._thinking is not None:
            self._thinking.cancel()
        for browser in self.audience.browsers:
            browser.end(NO_TABLE)

    # ------------------------------------------------------------ time

    def _arrange(self) -> None:
        """Set the timer for what is due next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        self.used_at = loop.time()
        if self._is_closed:
            return
        moment = self.table.moment
        is_finished = self.hand.is_over and not (self.audience.browsers and self.plan.start is None)
        if is_finished or self.table.question is not None:
            self._deadline = self.audience.due = None
            return
        if self._deadline is None or self._deadline[0] != moment:
            self._deadline = moment, loop.time() + self._pause()
        self.audience.due = self._deadline[1]
        self._timer = loop.call_at(self.audience.due, self._time_is_up)

    def _pause(self) -> float:
        """Seconds until the computer acts for a person, or the next hand is dealt."""
        if self.hand.is_over:
            return NEXT_SECONDS
        return AWAY_SECONDS if self.table.turn in self.table.away else float(self.plan.patience)

    def _time_is_up(self) -> None:
        """Deal the next hand, or make the computer act for a person, now and until they come back."""
        turn = self.table.turn
        if turn is None:
            self.next()
            return
        if turn not in self.table.away:
            self._note_away(turn, True)
        self._deadline = None
        self.table.computer_acts()
        self.move()
