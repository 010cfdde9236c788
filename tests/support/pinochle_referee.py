"""A second opinion on hands of pinochle that are stored, by their events alone.

It shares no code with the rules under test: hands are lists of texts, and the rules are those of
docs/rules/pinochle.md, written down again. Numbers in brackets, [R3], are theirs.
"""

from collections import Counter
from typing import Any

from tests.support.steps import Step, need

RANKS = "ATKQJ9"
RUN = "ATKQJ"


def beats(card: str, best: str, trump: str | None) -> bool:
    """[R1] [R9] Whether a card that is played later takes the trick; the ten is above the king."""
    if card[1] == best[1]:
        return RANKS.index(card[0]) < RANKS.index(best[0])
    return card[1] == trump


def winner(table: list[str], trump: str | None) -> int:
    """[R9] Which of the cards on the table takes the trick, counted from the lead."""
    best = 0
    for index, card in enumerate(table):
        if beats(card, table[best], trump):
            best = index
    return best


def legal(hand: list[str], table: list[str], trump: str | None) -> set[str]:
    """[R10] The cards that may be played."""
    if not table:
        return set(hand)
    allowed = [card for card in hand if card[1] == table[0][1]]
    allowed = allowed or [card for card in hand if card[1] == trump]
    best = table[winner(table, trump)]
    winning = [card for card in allowed if beats(card, best, trump)]
    return set(winning or allowed or hand)


def melds(hand: list[str], trump: str | None) -> tuple[int, Counter[str]]:
    """[R7] [R8] What a hand's meld is worth, and how often each card is shown."""
    held, shown, points = Counter(hand), Counter[str](), 0

    def times(*names: str) -> int:
        """How often the hand has all of some cards, which it then shows."""
        count = min(held[name] for name in names)
        for name in names:
            shown[name] = max(shown[name], count)
        return count

    for suit in "CDHS":
        pairs = times("K" + suit, "Q" + suit)
        if suit == trump:
            runs = times(*(rank + suit for rank in RUN))
            points += times("9" + suit) + {0: 4 * pairs, 1: 15 + 4 * (pairs - 1), 2: 150}[runs]
        else:
            points += 2 * pairs
    for rank, worth in zip("AKQJ", (10, 8, 6, 4), strict=True):
        points += {0: 0, 1: worth, 2: 10 * worth}[times(*(rank + suit for suit in "CDHS"))]
    points += {0: 0, 1: 4, 2: 30}[times("JD", "QS")]
    return points, +shown


class Referee:
    """A hand so far, as the players at the table know it: what each seat holds as far as it is known, and how
    many cards more; how often each card was dealt or played; what each seat's meld is worth; the cards of the
    trick and who led to it; the last trick's taker, card and points; counters and tricks of both teams."""

    def __init__(self, opening: dict[str, Any]) -> None:
        match = opening.get("match", {})
        self.program: str = opening["settings"]["dialect"]
        self.dealer = self.declarer = opening["dealer"]
        self.trump_before, self.score_before = match.get("trump"), match.get("score")
        self.trump: str | None = None
        self.phase, self.turn, self.bids, self.high = "deal", 0, 0, 20
        self.hands: list[list[str]] = []
        self.unknown: list[int] = []
        self.seen: Counter[str] = Counter()
        self.melded: dict[int, int] = {}
        self.table: list[str] = []
        self.leader = self.fallen = 0
        self.last_trick: tuple[int, str, int] | None = None
        self.points, self.tricks, self.score = [0, 0], [0, 0], [0, 0]
        self.score_after: dict[int, int] = {}

    def judge(self, step: Step) -> None:
        """Judge an event, and go on to the next. Raises Illegal."""
        name = step.what.replace(" ", "_")
        need(hasattr(self, name), f"{step.what} is no event of the game")
        getattr(self, name)(step)
        need(max(self.seen.values(), default=0) <= 2, "three of a card")

    def deal_hand(self, step: Step) -> None:
        """[R2] Twelve cards to each seat, in order."""
        need(self.phase == "deal" and step.seat == len(self.hands) and len(step.cards) == 12, "deal")
        self.hands.append([card for card in step.cards if card != "??"])
        self.unknown.append(step.cards.count("??"))
        self.seen.update(self.hands[-1])
        if len(self.hands) == 4:
            self.phase, self.turn = "bid", (self.dealer + 1) % 4

    def bid_bid(self, step: Step) -> None:
        """[R3] to [R5] Each seat once, from the dealer's left; 2014 does not ask a dealer who is stuck."""
        need(self.phase == "bid" and step.seat == self.turn, "bid out of turn")
        self.bids += 1
        if step.what == "bid bid":
            assert step.amount is not None
            need(step.amount > self.high or self.program != "book", "bid too low")
            if step.amount > self.high:
                self.high, self.declarer = step.amount, step.seat
        self.turn = (self.turn + 1) % 4
        stuck = self.bids == 3 and self.high == 20 and self.program != "jan2013"
        if self.bids == 4 or stuck:
            self.phase = "name"

    bid_pass = bid_bid

    def bid_trump(self, step: Step) -> None:
        """[R6] The declarer names trump."""
        need(self.phase == "name" and step.seat == self.declarer, "trump by another")
        self.phase, self.trump = "meld", step.suit

    def bid_throw_in(self, step: Step) -> None:
        """[R6] The declarer throws the hand in, and loses the bid; in 2013 it is played all the same, with
        the trump of the hand before."""
        need(self.phase == "name" and step.seat == self.declarer, "thrown in by another")
        if self.program == "jan2013":
            self.phase, self.trump = "meld", self.trump_before
        else:
            self.phase = "done"
            self.score[self.declarer % 2] = -self.high

    def meld_declare(self, step: Step) -> None:
        """[R7] [R8] Each seat once: what it holds, or what it may hold as far as that is not known."""
        seat, shown = step.seat, Counter(step.cards)
        need(self.phase == "meld" and seat not in self.melded, "meld")
        nine = f"9{self.trump}"
        double_run = self.trump is not None and all(shown[rank + self.trump] == 2 for rank in RUN)
        if self.unknown[seat]:
            more = shown - Counter(self.hands[seat])
            if double_run:
                more[nine] = 0
            need(more.total() <= self.unknown[seat], "melds more than it holds")
        else:
            worth, right = melds(self.hands[seat], self.trump)
            if double_run:
                right[nine] = 2
            need((worth, right) == (step.amount, shown), "meld")
        assert step.amount is not None
        self.melded[seat] = step.amount
        if len(self.melded) == 4:
            self.phase, self.turn = "play", self.declarer

    def play_card(self, step: Step) -> None:
        """[R9] [R10] A card of the seat in turn, one that it may play as far as its hand is known."""
        need(self.phase == "play" and step.seat == self.turn, "play out of turn")
        need(step.seat == 0 or not step.has_detail, "only the client is refused")
        hand, [card] = self.hands[step.seat], step.cards
        if not self.table:
            self.leader = step.seat
        if card not in hand:
            need(self.unknown[step.seat] > 0, "card not held")
            self.unknown[step.seat] -= 1
            hand.append(card)
            self.seen[card] += 1
        need(card in legal(hand, self.table, self.trump), "illegal card")
        hand.remove(card)
        self.table.append(card)
        self.fallen += 1
        self.turn = (self.turn + 1) % 4
        if len(self.table) == 4:
            self._end_trick()

    def _end_trick(self) -> None:
        """[R9] [R11] Its winner leads; aces, tens and kings count one, and so does the last trick."""
        best = winner(self.table, self.trump)
        self.turn = (self.leader + best) % 4
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

    def score_trick(self, step: Step) -> None:
        """What the source says of the last trick."""
        need(self.last_trick and not self.table, "trick")
        seat, card, value = self.last_trick or (0, "", 0)
        need(step.seat == seat and step.cards in ([], [card]) and step.amount in (None, value), "trick")

    def score_hand(self, step: Step) -> None:
        """What the source says that the hand brings a team."""
        need(self.phase == "done" and step.amount == self.score[step.seat], "score of the hand")

    def score_match(self, step: Step) -> None:
        """What the source says that a team has after the hand."""
        need(self.phase == "done" and step.amount is not None, "score before the end")
        if self.score_before is not None:
            need(self.score_before[step.seat] + self.score[step.seat] == step.amount, "score")
        self.score_after[step.seat] = step.amount or 0

    def score_place(self, step: Step) -> None:
        """[R15] The bidders win with 120 points, whatever the others have."""
        bidders = self.declarer % 2
        winners = [team for team in (bidders, 1 - bidders) if self.score_after.get(team, 0) >= 120]
        need(winners, "a place in a match that goes on")
        need(step.amount == (1 if step.seat % 2 == winners[0] else 2), "place")


def is_over(opening: dict[str, Any], played: list[Step]) -> bool:
    """Whether a hand, without its opening, was played to its end. Raises Illegal."""
    referee = Referee(opening)
    for step in played:
        referee.judge(step)
    return referee.phase == "done"
