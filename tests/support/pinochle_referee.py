"""A second opinion on hands of pinochle that are stored, by their events alone.

It shares no code with the rules under test: hands are lists of texts, and the rules are those of
docs/rules/pinochle.md, written down again. Numbers in brackets, [R3], are theirs.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cardlog.pipelines.events.batch import Batch
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_DETAIL

SEATS = 4
RANKS = "ATKQJ9"
RUN = "ATKQJ"
UNKNOWN = "??"


class Illegal(AssertionError):
    """The hand breaks a rule."""


def must(right: bool, what: str) -> None:
    """Raises Illegal unless something is right."""
    if not right:
        raise Illegal(what)


# ---------------------------------------------------------------- cards


def strength(card: str) -> int:
    """[R1] Higher is better; the ten is above the king."""
    return -RANKS.index(card[0])


def beats(card: str, best: str, trump: str | None) -> bool:
    """[R9] Whether a card that is played later takes the trick."""
    if card[1] == best[1]:
        return strength(card) > strength(best)
    return card[1] == trump


def winner(table: list[str], trump: str | None) -> int:
    """[R9] Which of the cards on the table takes the trick, counted from the lead."""
    best = 0
    for index in range(1, len(table)):
        if beats(table[index], table[best], trump):
            best = index
    return best


def legal(hand: list[str], table: list[str], trump: str | None) -> set[str]:
    """[R10] The cards that may be played."""
    if not table:
        return set(hand)
    allowed = [card for card in hand if card[1] == table[0][1]]
    allowed = allowed or [card for card in hand if card[1] == trump]
    if not allowed:
        return set(hand)
    best = table[winner(table, trump)]
    winning = [card for card in allowed if beats(card, best, trump)]
    return set(winning or allowed)


def melds(hand: list[str], trump: str | None) -> tuple[int, Counter[str]]:
    """[R7] [R8] What a hand's meld is worth, and how often each card is shown."""
    held = Counter(hand)
    points = 0
    shown: Counter[str] = Counter()

    def show(names: list[str], times: int) -> None:
        for name in names:
            shown[name] = max(shown[name], times)

    for suit in "CDHS":
        pairs = min(held["K" + suit], held["Q" + suit])
        runs = min(held[rank + suit] for rank in RUN) if suit == trump else 0
        if suit == trump:
            points += held["9" + suit]
            show(["9" + suit], held["9" + suit])
            points += {0: 4 * pairs, 1: 15 + 4 * (pairs - 1), 2: 150}[runs]
            show([rank + suit for rank in RUN], runs)
        else:
            points += 2 * pairs
        show(["K" + suit, "Q" + suit], pairs)
    for rank, worth in zip("AKQJ", (10, 8, 6, 4), strict=True):
        times = min(held[rank + suit] for suit in "CDHS")
        points += {0: 0, 1: worth, 2: 10 * worth}[times]
        show([rank + suit for suit in "CDHS"], times)
    times = min(held["JD"], held["QS"])
    points += {0: 0, 1: 4, 2: 30}[times]
    show(["JD", "QS"], times)
    return points, +shown


# ---------------------------------------------------------------- a hand


@dataclass(frozen=True)
class Event:
    """One event of a hand. amount and suit are None where there is none."""

    name: str
    seat: int
    cards: list[str]
    amount: int | None
    suit: str | None
    has_detail: bool

    @property
    def number(self) -> int:
        """The amount of an event that must have one."""
        if self.amount is None:
            raise Illegal(f"{self.name} without a number")
        return self.amount


@dataclass
class Referee:
    """A hand so far, as the players at the table know it: what each seat holds as far as it is known, and how
    many cards more; how often each card was dealt or played; what each seat's meld is worth; the cards of the
    trick and who led to it; the last trick's taker, card and points; counters and tricks of both teams."""

    program: str
    dealer: int
    trump_before: str | None
    score_before: list[int] | None
    phase: str = "deal"
    turn: int = 0
    hands: list[list[str]] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    bids: int = 0
    high: int = 20
    declarer: int = 0
    trump: str | None = None
    melded: dict[int, int] = field(default_factory=dict)
    table: list[str] = field(default_factory=list)
    leader: int = 0
    fallen: int = 0
    last_trick: tuple[int, str, int] | None = None
    points: list[int] = field(default_factory=lambda: [0, 0])
    tricks: list[int] = field(default_factory=lambda: [0, 0])
    score: list[int] = field(default_factory=lambda: [0, 0])
    score_after: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of_opening(cls, opening: dict[str, Any]) -> "Referee":
        """The hand before its first card."""
        match, dealer = opening.get("match", {}), opening["dealer"]
        program = opening["settings"]["dialect"]
        return cls(program, dealer, match.get("trump"), match.get("score"), declarer=dealer)

    def deal(self, event: Event) -> None:
        """[R2] Twelve cards to each seat, in order."""
        must(self.phase == "deal" and event.seat == len(self.hands) and len(event.cards) == 12, "deal")
        self.hands.append([card for card in event.cards if card != UNKNOWN])
        self.unknown.append(event.cards.count(UNKNOWN))
        self.seen.update(self.hands[-1])
        if len(self.hands) == SEATS:
            self.phase, self.turn = "bid", (self.dealer + 1) % SEATS

    def bid(self, event: Event) -> None:
        """[R3] to [R5] Each seat once, from the dealer's left; 2014 does not ask a dealer who is stuck."""
        must(self.phase == "bid" and event.seat == self.turn, "bid out of turn")
        self.bids += 1
        low = event.name == "bid bid" and event.number <= self.high
        must(not low or self.program != "book", "bid too low")
        if event.name == "bid bid" and not low:
            self.high, self.declarer = event.number, event.seat
        self.turn = (self.turn + 1) % SEATS
        stuck = self.bids == SEATS - 1 and self.high == 20 and self.program != "jan2013"
        if self.bids == SEATS or stuck:
            self.phase = "name"

    def name_trump(self, event: Event) -> None:
        """[R6] The declarer names trump."""
        must(self.phase == "name" and event.seat == self.declarer, "trump by another")
        self.phase, self.trump = "meld", event.suit

    def throw_in(self, event: Event) -> None:
        """[R6] The declarer throws the hand in, and loses the bid; in 2013 it is played all the same, with
        the trump of the hand before."""
        must(self.phase == "name" and event.seat == self.declarer, "thrown in by another")
        if self.program == "jan2013":
            self.phase, self.trump = "meld", self.trump_before
        else:
            self.phase = "done"
            self.score[self.declarer % 2] = -self.high

    def meld(self, event: Event) -> None:
        """[R7] [R8] Each seat once: what it holds, or what it may hold as far as that is not known."""
        seat, shown = event.seat, Counter(event.cards)
        must(self.phase == "meld" and seat not in self.melded, "meld")
        nine = f"9{self.trump}"
        double_run = self.trump is not None and all(shown[rank + self.trump] == 2 for rank in RUN)
        if self.unknown[seat]:
            more = shown - Counter(self.hands[seat])
            if double_run:
                more[nine] = 0
            must(more.total() <= self.unknown[seat], "melds more than it holds")
        else:
            worth, right = melds(self.hands[seat], self.trump)
            if double_run:
                right[nine] = 2
            must((worth, right) == (event.number, shown), "meld")
        self.melded[seat] = event.number
        if len(self.melded) == SEATS:
            self.phase, self.turn = "play", self.declarer

    def play(self, event: Event) -> None:
        """[R9] [R10] A card of the seat in turn, one that it may play as far as its hand is known."""
        must(self.phase == "play" and event.seat == self.turn, "play out of turn")
        must(event.seat == 0 or not event.has_detail, "only the client is refused")
        must(len(event.cards) == 1, "one card")
        hand, card = self.hands[event.seat], event.cards[0]
        if not self.table:
            self.leader = event.seat
        if card not in hand:
            must(self.unknown[event.seat] > 0, "card not held")
            self.unknown[event.seat] -= 1
            hand.append(card)
            self.seen[card] += 1
        must(card in legal(hand, self.table, self.trump), "illegal card")
        hand.remove(card)
        self.table.append(card)
        self.fallen += 1
        self.turn = (self.turn + 1) % SEATS
        if len(self.table) == SEATS:
            self._end_trick()

    def _end_trick(self) -> None:
        """[R9] [R11] Its winner leads; aces, tens and kings count one, and so does the last trick."""
        best = winner(self.table, self.trump)
        self.turn = (self.leader + best) % SEATS
        value = sum(card[0] in "ATK" for card in self.table) + (self.fallen == 48)
        self.last_trick = self.turn, self.table[best], value
        self.points[self.turn % 2] += value
        self.tricks[self.turn % 2] += 1
        self.table = []
        if self.fallen == 48:
            self.phase = "done"
            self.score = [self._score(team) for team in range(2)]

    def _score(self, team: int) -> int:
        """[R12] to [R14] Meld and counters, or the bid lost; who needs a trick for the meld depends."""
        bidders = self.declarer % 2 == team
        needs_trick = self.program == "book" or (self.program == "head2014" and not bidders)
        total = self.points[team]
        if self.tricks[team] or not needs_trick:
            total += self.melded[team] + self.melded[team + 2]
        return -self.high if bidders and total < self.high else total

    def check_trick(self, event: Event) -> None:
        """What the source says of the last trick."""
        if self.last_trick is None or self.table:
            raise Illegal("trick")
        seat, card, value = self.last_trick
        must(event.seat == seat and event.cards in ([], [card]) and event.amount in (None, value), "trick")

    def check_hand_score(self, event: Event) -> None:
        """What the source says that the hand brings a team."""
        must(self.phase == "done" and event.amount == self.score[event.seat], "score of the hand")

    def check_match_score(self, event: Event) -> None:
        """What the source says that a team has after the hand."""
        must(self.phase == "done", "score before the end")
        if self.score_before is not None:
            must(self.score_before[event.seat] + self.score[event.seat] == event.number, "score")
        self.score_after[event.seat] = event.number

    def check_place(self, event: Event) -> None:
        """[R15] The bidders win with 120 points, whatever the others have."""
        bidders = self.declarer % 2
        winners = [team for team in (bidders, 1 - bidders) if self.score_after.get(team, 0) >= 120]
        must(bool(winners), "a place in a match that goes on")
        must(event.amount == (1 if event.seat % 2 == winners[0] else 2), "place")


JUDGES: dict[str, Callable[[Referee, Event], None]] = {
    "deal hand": Referee.deal,
    "bid bid": Referee.bid,
    "bid pass": Referee.bid,
    "bid trump": Referee.name_trump,
    "bid throw_in": Referee.throw_in,
    "meld declare": Referee.meld,
    "play card": Referee.play,
    "score trick": Referee.check_trick,
    "score hand": Referee.check_hand_score,
    "score match": Referee.check_match_score,
    "score place": Referee.check_place,
}


def judge_hand(batch: Batch, hand: int) -> str:
    """``complete`` or ``aborted``, by the events of a stored hand alone. Raises Illegal."""
    opening, *events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
    referee = Referee.of_opening(json.loads(batch.details[opening["detail"]]))
    for record in events:
        event = _event(record)
        must(event.name in JUDGES, f"{event.name} is no event of the game")
        JUDGES[event.name](referee, event)
        must(max(referee.seen.values(), default=0) <= 2, "three of a card")
    return "complete" if referee.phase == "done" else "aborted"


def _event(record: Any) -> Event:
    action, amount, suit = ACTIONS[record["action"]], int(record["amount"]), int(record["suit"])
    return Event(
        name=f"{action.kind} {action.name}",
        seat=int(record["seat"]),
        cards=[cards.text(int(card)) for card in record["cards"][: record["count"]]],
        amount=None if amount == NO_AMOUNT else amount,
        suit=None if suit < 0 else "CDHSN"[suit],
        has_detail=bool(record["detail"] != NO_DETAIL),
    )
