"""The ranks of hands (R12), against the original program, two libraries and by counting all hands."""

import csv
import gzip
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from cardlog.models.poker import ranks
from cardlog.schemas import cards
from tests.support.five_card_draw_hands import FIXTURES

SYMBOLS = {"♠": "S", "♡": "H", "♢": "D", "♣": "C"}
DECK = np.flatnonzero(ranks.KEYS).astype(np.uint8)

CATEGORIES = {
    "royal flush": (4, 4324, 4),
    "straight flush": (36, 37260, 4),
    "four of a kind": (624, 224848, 4),
    "full house": (3744, 3473184, 24),
    "flush": (5108, 4047644, 4),
    "straight": (10200, 6180020, 1020),
    "three of a kind": (54912, 6461620, 64),
    "two pair": (123552, 31433400, 144),
    "pair": (1098240, 58627800, 384),
    "high card": (1302540, 23294460, 1020),
}
"""How many of the 2,598,960 hands are of each category, by combinatorics; the best five of how many of the
133,784,560 hands of seven, by Wikipedia's "Poker probability"; and in how many choices of suits each rank."""


def rows(name: str) -> list[dict[str, str]]:
    with gzip.open(FIXTURES / name, "rt", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def code(symbol: str) -> int:
    """``10♢`` → its code."""
    return cards.code(symbol[:-1].replace("10", "T") + SYMBOLS[symbol[-1]])


def five_cards() -> NDArray[np.uint8]:
    """All hands of five cards, the order of which is that of their first card, then their second …"""
    indices = np.fromiter((n for hand in combinations(range(52), 5) for n in hand), np.uint8)
    return DECK[indices.reshape(-1, 5)]


def by_category(counts: NDArray[np.int64]) -> list[int]:
    """The number of hands of each category, from that of each rank."""
    found: list[int] = np.bincount(ranks.CATEGORY_OF, counts).astype(int).tolist()
    return found


def test_r12_every_class_has_the_rank_of_the_original_and_of_two_libraries() -> None:
    classes = rows("classes_7462.csv.gz")
    assert len(classes) == ranks.CLASSES
    for row in classes:
        hand = np.array([code(card) for card in row["representative"].split()], np.uint8)
        number = int(ranks.rank_of_codes(hand))
        assert number == int(row["rank_n"]) == int(row["treys"]) == int(row["phevaluator"])
        assert ranks.category(number) == row["rank_c"]


def test_r12_hands_rank_as_in_the_original_and_in_two_libraries() -> None:
    hands = rows("hands.csv.gz")
    assert len(hands) == 21_500
    numbers = ranks.ranks_of(np.array([[code(card) for card in row["cards"].split()] for row in hands]))
    for name in ("rank_n", "treys", "phevaluator"):
        assert numbers.tolist() == [int(row[name]) for row in hands]
    assert [ranks.category(number) for number in numbers.tolist()] == [row["rank_c"] for row in hands]


def test_r12_all_hands_are_of_the_categories_that_combinatorics_says() -> None:
    """And every rank has as many hands as its pattern has choices of suits."""
    hands = five_cards()
    assert len(hands) == 2_598_960
    counts = np.bincount(ranks.ranks_of(hands), minlength=ranks.CLASSES + 1)
    assert counts[0] == 0
    assert list(ranks.CATEGORIES) == list(CATEGORIES)
    assert by_category(counts) == [count for count, _, _ in CATEGORIES.values()]
    expected = [CATEGORIES[ranks.category(number)][2] for number in range(1, ranks.CLASSES + 1)]
    assert counts[1:].tolist() == expected


@pytest.mark.long
def test_all_hands_of_seven_are_of_the_categories_that_tables_say() -> None:
    fives = five_cards()
    counts = np.zeros(ranks.CLASSES + 1, np.int64)
    for first, second in combinations(range(52), 2):
        others = fives[fives[:, 0] > DECK[second]]
        hands = np.column_stack([np.full((len(others), 2), DECK[[first, second]]), others])
        counts += np.bincount(ranks.ranks_of(hands), minlength=len(counts))
    assert by_category(counts) == [count for _, count, _ in CATEGORIES.values()]


@pytest.mark.parametrize("count", [6, 7])
def test_more_cards_have_the_best_rank_of_five_of_them(count: int) -> None:
    """Random hands, and ones of few suits or ranks, in which flushes and full houses are common."""
    rng = np.random.default_rng(count)
    packs = [DECK, DECK[DECK % 16 > 7], DECK[DECK < 32], DECK[np.isin(DECK % 16, (0, 1, 2, 3, 4, 12))]]
    hands = np.array([rng.choice(pack, count, replace=False) for pack in packs for _ in range(3000)])
    fives = np.array([ranks.ranks_of(hands[:, list(five)]) for five in combinations(range(count), 5)])
    expected = fives.min(axis=0)
    assert ranks.ranks_of(hands).tolist() == expected.tolist()
    assert [ranks.rank_of(hand, count) for hand in hands] == expected.tolist()
    assert set(ranks.CATEGORY_OF[expected].tolist()) == set(range(len(ranks.CATEGORIES)))


@pytest.mark.parametrize("number", [0, 7463, -1])
def test_a_number_that_is_no_rank_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="no rank"):
        ranks.category(number)


def test_a_hidden_card_has_no_rank() -> None:
    for text in ("ASKSQSJS", "ASKSQSJS2C2D"):
        hand = np.array([[*cards.codes(text), cards.UNKNOWN]], np.uint8)
        assert ranks.rank_of(hand[0], len(hand[0])) == ranks.ranks_of(hand)[0] == 0
