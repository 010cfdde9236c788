"""The baseline: how the data set's README replays a row, in plain Python.

Reimplemented from its description: bids compared as strings, cards as two-letter strings taken out of lists,
the winner of each trick found by points for rank and suit. Only the auction is fixed: it starts at the
dealer's left, or a hand in seven could not be replayed (docs/rules/kaiser.md).
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

SUITS: Final = "CDHSN"
RANKS: Final = {text: value for value, text in enumerate("23456789TJQKA", 2)}
SEATS: Final = 4
CARD: Final = 2
TRICK: Final = SEATS * CARD


@dataclass
class Row:
    """The columns that the replay needs, unparsed."""

    dealer: int
    bids: list[str]
    hands: list[str]
    played: str


def rows(lines: Iterable[str]) -> Iterator[Row]:
    """The rows of a playedhand.csv."""
    for row in csv.DictReader(lines):
        yield Row(
            int(row["dealer"]),
            [row[f"player_{seat}_bid"] for seat in range(SEATS)],
            [row[f"player_{seat}_hand"] for seat in range(SEATS)],
            row["played_cards"],
        )


def split_bid(bid: str) -> tuple[str, str | None]:
    """A bid's number and its suit letter, if it has one."""
    suit = bid[-1:]
    if suit in tuple(SUITS):
        return bid[:-1], suit
    return bid, None


def better(first: str, second: str) -> str:
    """The higher of two bids; of equal ones the second."""
    first_number, first_suit = split_bid(first)
    second_number, second_suit = split_bid(second)
    if first_number == "pass":
        first_number = "0"
    if second_number == "pass":
        second_number = "0"
    first_no_trump = 1 if first_suit == "N" else 0
    second_no_trump = 1 if second_suit == "N" else 0
    if int(first_number) * 2 + first_no_trump > int(second_number) * 2 + second_no_trump:
        return first
    return second


def winner_of(led: str, trump: str | None, table: list[str]) -> int:
    """The seat that takes a trick; `table` has its cards by seat."""
    winner = 0
    best = 0
    for seat in range(SEATS):
        card = table[seat]
        rank, suit = RANKS[card[0]], card[1]
        if suit == trump:
            rank += 200
        elif suit == led:
            rank += 100
        if rank > best:
            winner, best = seat, rank
    return winner


def replay(row: Row) -> list[int]:
    """The seats that take the tricks of a row. Raises ValueError if a card played is not in the hand."""
    winner = (row.dealer + 1) % SEATS
    for step in range(1, SEATS):
        seat = (row.dealer + 1 + step) % SEATS
        if better(row.bids[winner], row.bids[seat]) == row.bids[seat]:
            winner = seat
    _, trump = split_bid(row.bids[winner])
    hands: list[list[str]] = [[], [], [], []]
    for index in range(0, len(row.hands[0]), CARD):
        for seat in range(SEATS):
            hands[seat].append(row.hands[seat][index] + row.hands[seat][index + 1])
    winners = []
    for trick in range(len(row.played) // TRICK):
        table = [""] * SEATS
        led = ""
        for turn in range(SEATS):
            index = trick * TRICK + turn * CARD
            rank, suit = row.played[index], row.played[index + 1]
            if turn == 0:
                led = suit
            seat = (winner + turn) % SEATS
            table[seat] = rank + suit
            hands[seat].remove(rank + suit)
        winner = winner_of(led, trump, table)
        winners.append(winner)
    return winners


def points(row: Row, winners: list[int]) -> list[int]:
    """What each team takes: a point a trick, five with the 5H, three less with the 3S."""
    taken = [0, 0]
    for trick, winner in enumerate(winners):
        cards = row.played[trick * TRICK : (trick + 1) * TRICK]
        in_trick = [cards[index : index + CARD] for index in range(0, TRICK, CARD)]
        taken[winner % 2] += 1 + (5 if "5H" in in_trick else 0) - (3 if "3S" in in_trick else 0)
    return taken
