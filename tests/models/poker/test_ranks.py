"""Cards as integers and the ranks of hands (R12), against the original program and by counting all hands."""

import csv
import gzip
import json
from itertools import combinations

import numpy as np
import pytest

from cardlog.models.poker import ranks
from cardlog.schemas import cards
from tests.support.five_card_draw_hands import FIXTURES, card_text

SYMBOLS = {"♠": "S", "♡": "H", "♢": "D", "♣": "C"}
DECK = [int(number) for number in ranks.ENCODED if number]

HANDS_OF_CATEGORY = {
    "royal flush": 4,
    "straight flush": 36,
    "four of a kind": 624,
    "full house": 3744,
    "flush": 5108,
    "straight": 10200,
    "three of a kind": 54912,
    "two pair": 123552,
    "pair": 1098240,
    "high card": 1302540,
}
"""How many of the 2,598,960 hands are of each category, by combinatorics."""


def rows(name: str) -> list[dict[str, str]]:
    with gzip.open(FIXTURES / name, "rt", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def code(symbol: str) -> int:
    """``10♢`` → its code."""
    return cards.code(symbol[:-1].replace("10", "T") + SYMBOLS[symbol[-1]])


def rank(hand: str) -> int:
    return int(ranks.rank_of_codes(np.array(cards.codes(hand), np.uint8)))


# ---------------------------------------------------------------- cards


def test_every_card_is_encoded_as_the_original_does() -> None:
    encodings = json.loads((FIXTURES / "cards.json").read_text(encoding="utf-8"))
    assert len(encodings) == 52
    for card in encodings:
        own = cards.code(card_text(card["ascii"]))
        number = int(ranks.ENCODED[own])
        assert number == card["encoding"] == card["treys_encoding"]
        assert f"{number:032b}" == card["bits"]
        assert number & 0xFF == card["prime"]
        assert number & 0xF00 == card["rank_bits"]
        assert number & 0xF000 == card["suit_bits"]
        assert number & 0x1FFF0000 == card["value_bits"]
        assert code(card["string"]) == own


def test_other_codes_have_no_number() -> None:
    assert (ranks.ENCODED > 0).sum() == 52
    assert not ranks.ENCODED[[13, 14, 61, 77, cards.UNKNOWN]].any()


# ---------------------------------------------------------------- ranks


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
    encoded = np.array([[int(number) for number in row["encodings"].split()] for row in hands], np.int32)
    numbers = np.zeros(len(hands), np.int16)
    ranks.ranks_of(encoded, numbers)
    for name in ("rank_n", "treys", "phevaluator"):
        assert numbers.tolist() == [int(row[name]) for row in hands]
    assert [ranks.category(number) for number in numbers.tolist()] == [row["rank_c"] for row in hands]
    for row, encodings in zip(hands, encoded, strict=True):
        assert [ranks.ENCODED[code(card)] for card in row["cards"].split()] == encodings.tolist()


def test_r12_all_hands_are_of_the_categories_that_combinatorics_says() -> None:
    """And every rank has as many hands as its pattern has choices of suits."""
    indices = np.fromiter((n for hand in combinations(range(52), 5) for n in hand), np.int8).reshape(-1, 5)
    assert len(indices) == 2_598_960
    numbers = np.zeros(len(indices), np.int16)
    ranks.ranks_of(np.array(DECK, np.int32)[indices], numbers)
    counts = np.bincount(numbers, minlength=ranks.CLASSES + 1)
    assert counts[0] == 0
    by_category = np.bincount(ranks.CATEGORY_OF, counts, minlength=len(ranks.CATEGORIES))
    assert dict(zip(ranks.CATEGORIES, by_category.astype(int).tolist(), strict=True)) == HANDS_OF_CATEGORY
    choices = {
        "royal flush": 4, "straight flush": 4, "four of a kind": 4, "full house": 24, "flush": 4,
        "straight": 1020, "three of a kind": 64, "two pair": 144, "pair": 384, "high card": 1020,
    }  # fmt: skip
    expected = [choices[ranks.category(number)] for number in range(1, ranks.CLASSES + 1)]
    assert counts[1:].tolist() == expected


@pytest.mark.parametrize("number", [0, 7463, -1])
def test_a_number_that_is_no_rank_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="no rank"):
        ranks.category(number)


def test_a_hidden_card_has_no_rank() -> None:
    assert ranks.rank_of_codes(np.array([*cards.codes("ASKSQSJS"), cards.UNKNOWN], np.uint8)) == 0
