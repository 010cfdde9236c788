"""A second opinion on belote: a hand replayed with lists and strings, in none of the ways of `models`.

It takes the events of a stored hand and gives what they come to, or fails where the rules are broken.
Cards are texts; `PROGRAM` and `BOOK` are written from docs/rules/belote.md.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT

PLAIN = ["7", "8", "9", "J", "Q", "K", "T", "A"]
TRUMP = ["7", "8", "Q", "K", "T", "A", "9", "J"]
ROW = "789TJQKA"
PLAIN_WORTH = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
TRUMP_WORTH = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3}
FOURS = {"J": 200, "9": 150, "A": 100, "T": 100, "K": 100, "Q": 100}
PACK = [rank + suit for suit in "CDHS" for rank in ROW]


class Illegal(Exception):
    """A hand breaks the rules."""


def need(condition: bool, what: str) -> None:
    if not condition:
        raise Illegal(what)


@dataclass
class Result:
    dealer: int
    hands: list[list[str]]
    bids: list[str] = field(default_factory=list)
    bidder: int = -1
    trump: str = ""
    shown: Counter[tuple[int, frozenset[str]]] = field(default_factory=Counter)
    bela: int = -1
    legal: list[set[str]] = field(default_factory=list)
    played: list[str] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    score: list[int] | None = None
    has: list[int] | None = None
    needed: int = 0


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


def replay(opening: dict[str, Any], events: Any) -> Result:
    """Replay a whole hand. Raises Illegal, with the reason."""
    book = opening["settings"]["dialect"] == "book"
    before = opening.get("match", {}).get("score")
    result = Result(opening["dealer"], [[] for _ in range(4)])
    held: list[list[str]] = [[] for _ in range(4)]
    turn = lead = (result.dealer + 1) % 4
    table: list[str] = []
    claimed = False
    for one in events:
        action = ACTIONS[int(one["action"])]
        what, seat, amount = f"{action.kind} {action.name}", int(one["seat"]), int(one["amount"])
        shown = [cards.text(int(code)) for code in one["cards"][: int(one["count"])]]
        if what == "deal hand":
            result.hands[seat] = shown
            held[seat] = list(shown)
        elif action.kind == "bid":
            need(seat == turn and not result.trump, "bids out of turn")
            need(sorted(card for own in result.hands for card in own) == sorted(PACK), "not the pack")
            if what == "bid trump":
                result.bidder, result.trump = seat, cards.SUIT_LETTERS[int(one["suit"])]
                turn = lead
            else:
                need(seat != result.dealer, "the dealer passes")
                turn = (turn + 1) % 4
            result.bids.append(result.trump or "pass")
        elif what == "meld declare":
            need(bool(result.trump) and not result.played, "declares late")
            result.shown[seat, frozenset(shown)] += 1
            worth = {cards_of: w for w, cards_of in declarations(result.hands[seat], book)}
            need(worth.get(frozenset(shown)) == amount, "shows what it has not")
        elif what == "meld bela":
            need(seat == turn and result.bela < 0 and amount == 20, "claims wrongly")
            need({"K" + result.trump, "Q" + result.trump} <= set(held[seat]), "claims without")
            result.bela, claimed = seat, True
        elif what == "play card":
            need(seat == turn and bool(result.trump) and len(result.played) < 32, "plays out of turn")
            if not result.played and not book:
                every = [declarations(own, book) for own in result.hands]
                side = counting_side(every, result.dealer, result.trump, book)
                right = {(s, each) for s in range(4) if s % 2 == side for _, each in every[s]}
                need(result.shown == Counter(right), "does not show what counts")
            legal = may_play(held[seat], table, result.trump, book)
            result.legal.append(legal)
            need(shown[0] in legal, "plays what is not legal")
            need(
                not claimed or shown[0] in ("K" + result.trump, "Q" + result.trump),
                "claims and plays another",
            )
            claimed = False
            held[seat].remove(shown[0])
            table.append(shown[0])
            result.played.append(shown[0])
            turn = (turn + 1) % 4
            if len(table) == 4:
                lead = turn = (lead + winner_of(table, result.trump)) % 4
                worth_of = [TRUMP_WORTH if card[1] == result.trump else PLAIN_WORTH for card in table]
                value = sum(worth.get(card[0], 0) for worth, card in zip(worth_of, table, strict=True))
                result.winners.append(turn)
                result.values.append(value + 10 * (len(result.winners) == 8))
                table = []
                if len(result.winners) == 8:
                    _settle(result, book)
        elif what == "score trick":
            need(not table and (seat, amount) == (result.winners[-1], result.values[-1]), "another trick")
        elif what == "score points":
            need(result.has is not None and result.has[seat] == amount, "other points")
        elif what == "score hand":
            need(result.score is not None and result.score[seat] == amount, "another score")
        elif what == "score match" and before is not None:
            need(result.score is not None and before[seat] + result.score[seat] == amount, "other totals")
        else:
            need(what in ("deal open", "score match"), f"what is {what}")
            need(amount == NO_AMOUNT or what != "deal open" or amount > 0, "a number")
    return result


def _settle(result: Result, book: bool) -> None:
    worth = [{c: w for w, c in declarations(own, book)} for own in result.hands]
    result.has = [0, 0]
    for seat, value in zip(result.winners, result.values, strict=True):
        result.has[seat % 2] += value
    for (seat, shown), times in result.shown.items():
        need(times == 1, "shows twice")
        result.has[seat % 2] += worth[seat][shown]
    if result.bela >= 0:
        result.has[result.bela % 2] += 20
    everything = sum(result.has)
    result.needed = everything // 2 + 1
    sides = {seat % 2 for seat in result.winners}
    mine = result.bidder % 2
    if len(sides) == 1:
        (side,) = sides
        result.score = [90 + everything if team == side else 0 for team in range(2)]
    elif result.has[mine] < result.needed:
        result.score = [0 if team == mine else everything for team in range(2)]
    else:
        result.score = list(result.has)
