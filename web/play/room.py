"""A table with those who are connected to it: what they ask for, when the computer plays for someone, and
what each is sent once it is on disk."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, Protocol

from cardlog.schemas.events import ACTIONS, NO_AMOUNT
from cardlog.web import hands, names
from cardlog.web.hands import words
from cardlog.web.play import pinochle
from cardlog.web.play.allowed import NOBODY
from cardlog.web.play.dealing import rules_offered
from cardlog.web.play.journal import Entry, Journal
from cardlog.web.play.lines import dumped
from cardlog.web.play.recording import Finished, Recorder, text_of
from cardlog.web.play.seats import ME, Plan, Seat
from cardlog.web.play.table import Hand, Refused, Table
from cardlog.web.play.views import Eyes, View

NEXT_SECONDS: Final = 30.0
"""After a hand the next one is dealt by itself, if anybody is there."""
AWAY_SECONDS: Final = 1.5
"""Between what the computer does for a person, who may come back meanwhile."""
LOG: Final = "pinochle.txt"
"""The log of a table in Pinochle's protocol, beside its hands."""
STALE: Final = "The table has moved on since; here is how it is."


class Connection(Protocol):
    """Someone who is sent messages."""

    def send(self, text: str) -> None:
        """Send a message soon."""

    @property
    def wants_views(self) -> bool:
        """Whether views are sent; otherwise what `news` gives after something happened."""

    def news(self) -> list[str]:
        """What to send."""


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
        self.connections: dict[Connection, int] = {}
        self.listeners: list[Callable[[int], None]] = []
        self._eyes: dict[int, Eyes] = {}
        self._opening: dict[str, Any] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._deadline: tuple[tuple[int, int], float] | None = None
        self._written = 0
        self._entries: list[Entry] = []
        self._unrecorded: dict[int, list[Entry]] = {}
        self._recorded = -1
        self._texts: dict[int, tuple[str, tuple[str, str] | None]] = {}
        self._last_seats: tuple[Any, str] = (None, "")
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
            if number == self._recorded:
                hands.append({"table": self.table_id, "recorded": number})
        return [self._opened(), *hands]

    def replay(self, entry: Entry) -> None:
        """Do again what the journal says."""
        table = self.table
        if "hand" in entry:
            hand = Hand(table.game, entry["hand"], (entry["match"], entry["hand_no"]), entry["hand_id"])
            table.restore(hand, entry["dealer"], entry["events"])
            self._opening = entry["events"][0]["detail"]
            self._entries = [entry]
        elif "events" in entry:
            table.replay(entry["events"])
            self._entries.append(entry)
        elif "away" in entry:
            table.away = set(entry["away"])
        elif "name" in entry:
            self.plan.seats[entry["seat"]].name = entry["name"]
        elif "recorded" in entry:
            self._recorded = entry["recorded"]
            self._unrecorded.pop(entry["recorded"], None)
        if ("hand" in entry or "events" in entry) and self._hand.is_over:
            self._unrecorded[self._hand.number] = self._entries
            self._texts[self._hand.number] = self._text()

    def resume(self) -> None:
        """Go on after a restart."""
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
        self.connections[connection] = seat
        self._refresh()
        self._arrange()

    def leave(self, connection: Connection) -> None:
        """Send someone nothing more."""
        self.connections.pop(connection, None)
        self._refresh()
        self._arrange()

    def person_of(self, key: str) -> int | None:
        """The seat that a key belongs to."""
        found = (number for number, seat in enumerate(self.plan.seats) if seat.key and seat.key == key)
        return next(found, None)

    def host_seat(self) -> int:
        """The seat of the person who made the table, `NOBODY` if it has none."""
        found = (number for number, seat in enumerate(self.plan.seats) if seat.kind == ME)
        return next(found, NOBODY)

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
        (self.table.away.add if away else self.table.away.discard)(seat)
        self._office.journal.add({"table": self.table_id, "away": sorted(self.table.away)})
        self._deadline = None
        if not self._move():
            self._refresh()

    def _give_up(self, seat: int) -> None:
        """Let the computer act for a person, now and until it comes back."""
        if seat not in self.table.away:
            self.table.away.add(seat)
            self._office.journal.add({"table": self.table_id, "away": sorted(self.table.away)})
        self._deadline = None
        self.table.computer_acts()
        self._move()

    def rename(self, seat: int, name: str) -> None:
        """Name a person; the next hand's record has it."""
        self.plan.seats[seat].name = name
        self._office.journal.add({"table": self.table_id, "seat": seat, "name": name})
        self._refresh()

    # ------------------------------------------------------------ going on

    def _deal(self) -> None:
        hand = self.table.deal([seat.in_opening() for seat in self.plan.seats])
        dealer = self.table.dealer.dump()
        self._opening = json.loads(hand.details[0])
        self._eyes.clear()
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
            self._show()
            for listener in self.listeners:
                listener(hand.size)
        return moved or dealt

    def _text(self) -> tuple[str, tuple[str, str] | None]:
        """The hand as it is recorded, and in the table's log if it keeps one."""
        text = text_of(self.plan.game, self.table_id, self._hand)
        if not pinochle.keeps_log(self.plan):
            return text, None
        return text, (f"{self.table_id}/{LOG}", pinochle.log_of(self.plan, self.table_id, self._hand))

    def _record(self, number: int, texts: tuple[str, tuple[str, str] | None]) -> None:
        def recorded() -> None:
            self._recorded = max(self._recorded, number)
            self._unrecorded.pop(number, None)
            self._office.journal.add({"table": self.table_id, "recorded": number})
            if self._hand.number == number:
                self._refresh()

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
        if hand.is_over and not self.connections:
            self._deadline = None
            return
        if self._deadline is None or self._deadline[0] != moment:
            self._deadline = moment, loop.time() + self._pause()
        self._timer = loop.call_at(self._deadline[1], self._due, moment)

    def _pause(self) -> float:
        """Seconds until the computer acts for a person, or the next hand is dealt: at once if nobody looks at
        this one, and the match goes on."""
        if not self._hand.is_over:
            return AWAY_SECONDS if self.table.turn in self.table.away else float(self.plan.patience)
        looking = any(connection.wants_views for connection in self.connections)
        return NEXT_SECONDS if looking or self.table.dealer.match_is_over else 0.0

    def _due(self, moment: tuple[int, int]) -> None:
        hand, turn = self._hand, self.table.turn
        if moment != (hand.number, hand.size):
            return
        if hand.is_over:
            if self.connections:
                self._deal()
        elif turn is not None:
            self._give_up(turn)

    # ------------------------------------------------------------ showing

    def _show(self) -> None:
        """Send everyone each new event."""
        seats = self._tell_clients()
        for seat in seats:
            self._send(seat, self._new_views(seat))

    def _refresh(self) -> None:
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

        self._office.journal.then(send)

    def _send(self, seat: int, texts: list[str]) -> None:
        """Send messages to those who look from a seat, once all that has happened is on disk."""
        looking = (connection for connection, other in self.connections.items() if other == seat)
        targets = [connection for connection in looking if connection.wants_views]

        def send() -> None:
            for connection in targets:
                for text in texts:
                    connection.send(text)

        self._office.journal.then(send)

    def _eyes_of(self, seat: int) -> Eyes:
        if seat not in self._eyes:
            self._eyes[seat] = Eyes(self.plan.game, self._hand, seat, self._opening)
        return self._eyes[seat]

    def _new_views(self, seat: int) -> list[str]:
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
        choice = eyes.choice() if newest and seat not in self.table.away else None
        if choice is not None and self._deadline is not None:
            left = self._deadline[1] - asyncio.get_running_loop().time()
            choice["seconds"] = max(0, round(left))
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
            frozenset(self.table.away),
            tuple(seat.name for seat in self.plan.seats),
        )
        if self._last_seats[0] != key:
            seats = [self._seat(number) for number in range(len(self.plan.seats))]
            self._last_seats = key, dumped(seats)
        return self._last_seats[1]

    def _seat(self, number: int) -> View | None:
        """Who sits somewhere; None if they have left the match."""
        seat = self.plan.seats[number]
        if self._opening["players"][number] is None:
            return None
        return {
            "name": self.name_of(number),
            "kind": "human" if seat.kind == ME else seat.kind,
            "connected": number in self.connections.values(),
            "played_by_computer": number in self.table.away,
        }

    def name_of(self, number: int) -> str:
        """A seat's name, as a page may show it."""
        seat: Seat = self.plan.seats[number]
        return names.shown(seat.name, 24) if seat.name else f"Seat {number}"

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
            "score": {"of": "teams" if self.plan.game in words.TEAM_GAMES else "seats", **score},
            "hand_id": self._hand.hand_id if number <= self._recorded else None,
            "match_over": self.table.dealer.match_is_over,
        }

    def about(self) -> View:
        """The table, for a page."""
        seats = [self._seat(number) for number in range(len(self.plan.seats))]
        return {
            "id": self.table_id,
            "game": self.plan.game,
            "title": hands.title(self.plan.game),
            "rules": f"{self.plan.rules}: {rules_offered(self.plan.game)[self.plan.rules]}",
            "hand_no": self._hand.number,
            "over": self._hand.is_over,
            "seats": [v and {"name": v["name"], "kind": v["kind"]} for v in seats],
        }
