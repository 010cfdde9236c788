"""A table open for play: what people ask for, when the computer plays for someone, what is written down."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from cardlog.web import hands
from cardlog.web.play import pinochle
from cardlog.web.play.allowed import NOBODY
from cardlog.web.play.audience import Audience, Connection
from cardlog.web.play.dealing import rules_offered
from cardlog.web.play.journal import Entry, Journal
from cardlog.web.play.recording import Finished, Recorder, text_of
from cardlog.web.play.seats import ME, Plan
from cardlog.web.play.table import Hand, Refused, Table
from cardlog.web.play.views import View

NEXT_SECONDS: Final = 30.0
"""After a hand the next one is dealt by itself, if anybody is there."""
AWAY_SECONDS: Final = 1.5
"""Between what the computer does for a person, who may come back meanwhile."""
LOG: Final = "pinochle.txt"
"""The log of a table in Pinochle's protocol, beside its hands."""
STALE: Final = "The table has moved on since; here is how it is."


class Office(NamedTuple):
    """What all rooms use."""

    journal: Journal
    recorder: Recorder


class Room:
    """A table, open for play.

    table_id
        Random; whoever knows it may do nothing with it.
    """

    def __init__(self, table_id: str, plan: Plan, office: Office) -> None:
        self.table_id, self.plan = table_id, plan
        self.table = Table(plan.game, plan.rules, plan.computers())
        self._office = office
        self.audience = Audience(plan, self.table, office.journal)
        self._timer: asyncio.TimerHandle | None = None
        self._deadline: tuple[tuple[int, int], float] | None = None
        self._written = 0
        self._entries: list[Entry] = []
        self._unrecorded: dict[int, list[Entry]] = {}
        self._texts: dict[int, tuple[str, tuple[str, str] | None]] = {}
        self.used_at = 0.0

    # ------------------------------------------------------------ beginning, and beginning again

    def open(self) -> None:
        """Deal the first hand."""
        self._office.journal.add(self._opened())
        self._deal()

    def _opened(self) -> Entry:
        return {"table": self.table_id, "plan": self.plan.dump(), "away": sorted(self.table.away)}

    def snapshot(self) -> list[Entry]:
        """The entries of the journal that are needed to go on."""
        hands = [entry for number in sorted(self._unrecorded) for entry in self._unrecorded[number]]
        number = self._hand.number
        if number not in self._unrecorded:
            hands += self._entries
            if number == self.audience.recorded:
                hands.append({"table": self.table_id, "recorded": number})
        return [self._opened(), *hands]

    def replay(self, entry: Entry) -> None:
        """Do again what the journal says. Raises ValueError if the rules forbid it, or something is missing
        before it."""
        table = self.table
        if "hand" in entry:
            if table.hand is not None and not table.hand.is_over:
                raise ValueError(f"the end of hand {table.hand.number} is missing")
            hand = Hand(table.game, entry["hand"], (entry["match"], entry["hand_no"]), entry["hand_id"])
            table.restore(hand, entry["dealer"], entry["events"])
            self.audience.begin(entry["events"][0]["detail"])
            self._entries = [entry]
        elif "events" in entry:
            if table.hand is None or entry["from"] != table.hand.size:
                raise ValueError(f"events before number {entry['from']} are missing")
            table.replay(entry["events"])
            self._entries.append(entry)
        elif "away" in entry:
            table.away = set(entry["away"])
        elif "name" in entry:
            self.plan.seats[entry["seat"]].name = entry["name"]
        elif "recorded" in entry:
            self.audience.recorded = entry["recorded"]
            self._unrecorded.pop(entry["recorded"], None)
        if ("hand" in entry or "events" in entry) and self._hand.is_over:
            self._unrecorded[self._hand.number] = self._entries
            self._texts[self._hand.number] = self._text()

    def resume(self) -> None:
        """Go on after a restart."""
        if self.table.hand is None:  # the server was killed before the first one was on disk
            self._deal()
            return
        self._written = self._hand.size
        for number in sorted(self._unrecorded):
            self._record(number, self._texts[number])
        self._texts.clear()
        self._move()

    # ------------------------------------------------------------ who is there

    @property
    def _hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand

    @contextmanager
    def entered(self, connection: Connection, seat: int) -> Iterator[None]:
        """Someone is there, for the time of a block."""
        self.enter(connection, seat)
        try:
            yield
        finally:
            self.leave(connection)

    def enter(self, connection: Connection, seat: int) -> None:
        """Send someone the newest view, and every later one."""
        self.audience.connections[connection] = seat
        self.audience.refresh()
        self._arrange()

    def leave(self, connection: Connection) -> None:
        """Send someone nothing more."""
        self.audience.connections.pop(connection, None)
        self.audience.refresh()
        self._arrange()

    def person_of(self, key: str) -> int | None:
        """The seat that a key belongs to."""
        keys = [seat.key for seat in self.plan.seats]
        return keys.index(key) if key and key in keys else None

    def host_seat(self) -> int:
        """The seat of the person who made the table, `NOBODY` if it has none."""
        kinds = [seat.kind for seat in self.plan.seats]
        return kinds.index(ME) if ME in kinds else NOBODY

    # ------------------------------------------------------------ what is asked for

    def act(self, seat: int, version: tuple[int, int], action: int, amount: int | None) -> None:
        """Carry out a choice at a version: number of the hand and of its events. Raises Refused."""
        if version != (self._hand.number, self._hand.size):
            raise Refused(STALE)
        if seat in self.table.away:
            raise Refused("The computer plays for you; take your seat back first.")
        self.table.act(seat, action, amount)
        self._move()

    def next(self) -> None:
        """Deal the next hand. Raises Refused if this one is not over."""
        if not self._hand.is_over:
            raise Refused("The hand is not over yet.")
        self._deal()

    def set_away(self, seat: int, away: bool) -> None:
        """Let the computer play for a person, or the person again."""
        if away == (seat in self.table.away):
            return
        self._note_away(seat, away)
        self._deadline = None
        if not self._move():
            self.audience.refresh()

    def _give_up(self, seat: int) -> None:
        """Let the computer act for a person, now and until it comes back."""
        if seat not in self.table.away:
            self._note_away(seat, True)
        self._deadline = None
        self.table.computer_acts()
        self._move()

    def _note_away(self, seat: int, away: bool) -> None:
        (self.table.away.add if away else self.table.away.discard)(seat)
        self._office.journal.add({"table": self.table_id, "away": sorted(self.table.away)})

    def rename(self, seat: int, name: str) -> None:
        """Name a person; the next hand's record has it."""
        self.plan.seats[seat].name = name
        self._office.journal.add({"table": self.table_id, "seat": seat, "name": name})
        self.audience.refresh()

    # ------------------------------------------------------------ going on

    def _deal(self) -> None:
        hand = self.table.deal([seat.in_opening() for seat in self.plan.seats])
        dealer = self.table.dealer.dump()
        self.audience.begin(json.loads(hand.details[0]))
        entry = {
            "table": self.table_id, "hand": hand.number, "match": hand.match, "hand_no": hand.hand_no,
            "hand_id": hand.hand_id, "dealer": dealer, "events": hand.lines(),
        }  # fmt: skip
        self._write(entry, fresh=True)
        self._move(dealt=True)

    def _write(self, entry: Entry, fresh: bool = False) -> None:
        self._entries = [entry] if fresh else [*self._entries, entry]
        self._written = self._hand.size
        self._office.journal.add(entry)

    def _move(self, dealt: bool = False) -> bool:
        """Let computers play on, write down what happened, and show it; returns whether anything did."""
        while self.table.turn is not None and self.table.computers[self.table.turn] is not None:
            self.table.computer_acts()
        hand = self._hand
        moved = hand.size > self._written
        if moved:
            self._write({"table": self.table_id, "from": self._written, "events": hand.lines(self._written)})
            if hand.is_over:
                self._unrecorded[hand.number] = self._entries
                self._record(hand.number, self._text())
        self._arrange()
        if moved or dealt:
            self.audience.show()
        return moved or dealt

    def _text(self) -> tuple[str, tuple[str, str] | None]:
        """The hand as it is recorded, and in the table's log if it keeps one."""
        text = text_of(self.plan.game, self.table_id, self._hand)
        if not pinochle.keeps_log(self.plan):
            return text, None
        return text, (f"{self.table_id}/{LOG}", pinochle.log_of(self.plan, self.table_id, self._hand))

    def _record(self, number: int, texts: tuple[str, tuple[str, str] | None]) -> None:
        def recorded() -> None:
            self.audience.recorded = max(self.audience.recorded, number)
            self._unrecorded.pop(number, None)
            self._office.journal.add({"table": self.table_id, "recorded": number})
            if self._hand.number == number:
                self.audience.refresh()

        finished = Finished(f"{self.table_id}/{number}.jsonl", texts[0], recorded, texts[1])
        self._office.journal.then(lambda: self._office.recorder.add(finished))

    # ------------------------------------------------------------ time

    def _arrange(self) -> None:
        """Set the clock for what is due next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        self.used_at = loop.time()
        hand = self._hand
        moment = hand.number, hand.size
        if hand.is_over and not self.audience.connections:
            self._deadline = self.audience.due = None
            return
        if self._deadline is None or self._deadline[0] != moment:
            self._deadline = moment, loop.time() + self._pause()
        self.audience.due = self._deadline[1]
        self._timer = loop.call_at(self._deadline[1], self._due, moment)

    def _pause(self) -> float:
        """Seconds until the computer acts for a person, or the next hand is dealt: at once if nobody looks at
        this one, and the match goes on."""
        if not self._hand.is_over:
            return AWAY_SECONDS if self.table.turn in self.table.away else float(self.plan.patience)
        looking = any(connection.wants_views for connection in self.audience.connections)
        return NEXT_SECONDS if looking or self.table.dealer.match_is_over else 0.0

    def _due(self, moment: tuple[int, int]) -> None:
        hand, turn = self._hand, self.table.turn
        if moment != (hand.number, hand.size):
            return
        if hand.is_over:
            if self.audience.connections:
                self._deal()
        elif turn is not None:
            self._give_up(turn)

    def about(self) -> View:
        """The table, for a page."""
        seats = [self.audience.seat(number) for number in range(len(self.plan.seats))]
        return {
            "id": self.table_id,
            "game": self.plan.game,
            "title": hands.title(self.plan.game),
            "rules": f"{self.plan.rules}: {rules_offered(self.plan.game)[self.plan.rules]}",
            "hand_no": self._hand.number,
            "over": self._hand.is_over,
            "seats": [v and {"name": v["name"], "kind": v["kind"]} for v in seats],
        }
