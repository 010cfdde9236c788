"""A second opinion on belote: a hand replayed with lists and strings, in none of the ways of `models`.

It takes the events of a stored hand and gives what they come to, or fails where the rules are broken.
Cards are texts; `PROGRAM` and `BOOK` are written from docs/rules/belote.md.
"""

from collections import Counter
from itertools import combinations
from typing import Any

from tests.support.steps import Step, need

PLAIN = ["7", "8", "9", "J", "Q", "K", "T", "A"]
TRUMP = ["7", "8", "Q", "K", "T", "A", "9", "J"]
ROW = "789TJQKA"
PLAIN_WORTH = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
TRUMP_WORTH = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3}
FOURS = {"J": 200, "9": 150, "A": 100, "T": 100, "K": 100, "Q": 100}
PACK = [rank + suit for suit in "CDHS" for rank in ROW]


def declarations(hand: list[str], book: bool) -> list[tuple[int, frozenset[str]]]:
    """The declarations in eight cards: every maximal run, and fours of a kind."""
    found = []
    row = ROW if book else ROW[:-1]
    for suit in "CDHS":
        runs = [
            frozenset(rank + suit for rank in row[a:b])
            for a, b in combinations(range(len(row) + 1), 2)
            if b - a >= 3 and all(rank + suit in hand for rank in row[a:b])
        ]
        for run in runs:
            if not any(run < other for other in runs):
                size = len(run)
                worth = 1001 if book and size == 8 else 100 if size >= 5 else {3: 20, 4: 50}[size]
                found.append((worth, run))
    for rank, worth in FOURS.items():
        four = frozenset(rank + suit for suit in "CDHS")
        if four <= set(hand):
            found.append((worth, four))
    return found


def counting_side(held: list[list[tuple[int, frozenset[str]]]], dealer: int, trump: str, book: bool) -> int:
    def key(worth: int, shown: frozenset[str]) -> tuple[int, ...]:
        if not book:
            return (worth,)
        suits = {card[1] for card in shown}
        if len(suits) == 4:
            return worth, 1, 0, "QKTA9J".index(next(iter(shown))[0]), 0
        return worth, 0, len(shown), max(ROW.index(card[0]) for card in shown), suits == {trump}

    best = max((key(*one) for own in held for one in own), default=None)
    if best is None:
        return -1
    in_turn = [(dealer + 1 + step) % 4 for step in range(4)]
    tied = [seat for seat in in_turn if any(key(*one) == best for one in held[seat])]
    if not book and any(seat % 2 == dealer % 2 for seat in tied):
        return dealer % 2
    return tied[0] % 2


def may_play(hand: list[str], table: list[str], trump: str, book: bool) -> set[str]:
    if not table or (table[0][1] == "D" and not book):
        return set(hand)
    led = table[0][1]
    same = [card for card in hand if card[1] == led]
    trumps = [card for card in hand if card[1] == trump]
    lying = [card for card in table if card[1] == trump]
    if same and led != trump:
        if book or lying:
            return set(same)
        top = max(PLAIN.index(card[0]) for card in table if card[1] == led)
        return {card for card in same if PLAIN.index(card[0]) > top} or set(same)
    if trumps:
        top = max((TRUMP.index(card[0]) for card in lying), default=-1)
        return {card for card in trumps if TRUMP.index(card[0]) > top} or set(trumps)
    return set(hand)


def winner_of(table: list[str], trump: str) -> int:
    def strength(card: str) -> int:
        if card[1] == trump:
            return 10 + TRUMP.index(card[0])
        return PLAIN.index(card[0]) if card[1] == table[0][1] else -1

    return max(range(4), key=lambda turn: strength(table[turn]))


class Replay:
    """A hand so far: what each seat was dealt and holds, who bids, what was shown, and what fell."""

    def __init__(self, opening: dict[str, Any]) -> None:
        self.book = opening["settings"]["dialect"] == "book"
        self.before = opening.get("match", {}).get("score")
        self.dealer: int = opening["dealer"]
        self.turn = self.lead = (self.dealer + 1) % 4
        self.hands: list[list[str]] = [[] for _ in range(4)]
        self.held: list[list[str]] = [[] for _ in range(4)]
        self.bidder, self.trump, self.bela, self.claimed = -1, "", -1, False
        self.shown: Counter[tuple[int, frozenset[str]]] = Counter()
        self.table: list[str] = []
        self.plays = 0
        self.tricks: list[tuple[int, int]] = []
        self.has: list[int] = []
        self.score: list[int] = []

    def judge(self, step: Step) -> None:
        """Judge an event, and go on to the next. Raises Illegal, with the reason."""
        seat, amount, shown = step.seat, step.amount, step.cards
        match step.what:
            case "deal hand":
                self.hands[seat], self.held[seat] = shown, list(shown)
            case "bid pass" | "bid trump":
                self.bid(step)
            case "meld declare":
                need(self.trump and not self.plays, "declares late")
                self.shown[seat, frozenset(shown)] += 1
                worth = {cards: value for value, cards in declarations(self.hands[seat], self.book)}
                need(worth.get(frozenset(shown)) == amount, "shows what it has not")
            case "meld bela":
                need(seat == self.turn and self.bela < 0 and amount == 20, "claims wrongly")
                need({"K" + self.trump, "Q" + self.trump} <= set(self.held[seat]), "claims without")
                self.bela, self.claimed = seat, True
            case "play card":
                self.play(seat, shown[0])
            case "score trick":
                need(not self.table and (seat, amount) == self.tricks[-1], "another trick")
            case "score points":
                need(self.has[seat] == amount, "other points")
            case "score hand":
                need(self.score[seat] == amount, "another score")
            case "score match":
                need(not self.before or self.before[seat] + self.score[seat] == amount, "other totals")
            case _:
                need(step.what == "deal open" and (amount is None or amount > 0), f"what is {step.what}")

    def bid(self, step: Step) -> None:
        need(step.seat == self.turn and not self.trump, "bids out of turn")
        need(sorted(card for own in self.hands for card in own) == sorted(PACK), "not the pack")
        if step.suit is not None:
            self.bidder, self.trump, self.turn = step.seat, step.suit, self.lead
        else:
            need(step.seat != self.dealer, "the dealer passes")
            self.turn = (self.turn + 1) % 4

    def play(self, seat: int, card: str) -> None:
        need(seat == self.turn and self.trump and self.plays < 32, "plays out of turn")
        if not self.plays and not self.book:
            every = [declarations(own, self.book) for own in self.hands]
            side = counting_side(every, self.dealer, self.trump, self.book)
            right = {(s, each) for s in range(4) if s % 2 == side for _, each in every[s]}
            need(self.shown == Counter(right), "does not show what counts")
        need(card in may_play(self.held[seat], self.table, self.trump, self.book), "plays what is not legal")
        need(not self.claimed or card in ("K" + self.trump, "Q" + self.trump), "claims and plays another")
        self.claimed = False
        self.held[seat].remove(card)
        self.table.append(card)
        self.plays += 1
        self.turn = (self.turn + 1) % 4
        if len(self.table) == 4:
            self.lead = self.turn = (self.lead + winner_of(self.table, self.trump)) % 4
            worth_of = [TRUMP_WORTH if card[1] == self.trump else PLAIN_WORTH for card in self.table]
            value = sum(worth.get(card[0], 0) for worth, card in zip(worth_of, self.table, strict=True))
            self.tricks.append((self.turn, value + 10 * (self.plays == 32)))
            self.table = []
            if self.plays == 32:
                self.settle()

    def settle(self) -> None:
        worth = [{cards: value for value, cards in declarations(own, self.book)} for own in self.hands]
        self.has = [0, 0]
        for seat, value in self.tricks:
            self.has[seat % 2] += value
        for (seat, shown), times in self.shown.items():
            need(times == 1, "shows twice")
            self.has[seat % 2] += worth[seat][shown]
        if self.bela >= 0:
            self.has[self.bela % 2] += 20
        everything, mine = sum(self.has), self.bidder % 2
        sides = {seat % 2 for seat, _ in self.tricks}
        if len(sides) == 1:
            self.score = [90 + everything if team in sides else 0 for team in range(2)]
        elif self.has[mine] < everything // 2 + 1:
            self.score = [0 if team == mine else everything for team in range(2)]
        else:
            self.score = list(self.has)


def is_over(opening: dict[str, Any], played: list[Step]) -> bool:
    """Whether a hand was played to its end. Raises an error where it breaks the rules."""
    replay = Replay(opening)
    for step in played:
        replay.judge(step)
    return bool(replay.score)
