"""Numbers, cards and categories in lines of five-card draw transcripts."""

import csv
import gzip
import re

import pytest

from cardlog.models.five_card_draw import ranks
from cardlog.pipelines.readers.five_card_draw_transcript.lines import (
    NUMBER,
    category_of,
    parse_cards,
)
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason
from tests.support.five_card_draw_hands import FIXTURES


def test_every_class_of_hands_has_the_category_of_its_rank() -> None:
    """[R12] All 7462, by the original's own table."""
    with gzip.open(FIXTURES / "classes_7462.csv.gz", "rt", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == ranks.CLASSES
    for row in rows:
        held = parse_cards(f"[{', '.join(row['representative'].split())}]".encode())
        assert isinstance(held, bytes)
        assert category_of(held).decode() == row["rank_c"] == ranks.category(int(row["rank_n"]))


def test_cards_are_read_in_their_order() -> None:
    held = parse_cards("[10♢, A♠, 2♣, K♡, 9♠]".encode())
    assert isinstance(held, bytes)
    assert cards.texts(list(held)) == "TDAS2CKH9S"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[10♢, A♠, 2♣, K♡, 1♠]", Reason.UNKNOWN_CARD),
        ("[T♢, A♠, 2♣, K♡, 9♠]", Reason.UNKNOWN_CARD),
        ("[10♢, A♠, 2♣, K♥, 9♠]", Reason.UNKNOWN_CARD),
        ("[]", Reason.UNKNOWN_CARD),
        ("[10♢, A♠, 2♣, K♡]", Reason.UNPARSABLE),
        ("[10♢, A♠, 2♣, K♡, 9♠, 8♠]", Reason.UNPARSABLE),
        ("[10♢,A♠, 2♣, K♡, 9♠]", Reason.UNPARSABLE),
        ("10♢, A♠, 2♣, K♡, 9♠", Reason.UNPARSABLE),
        ("[", Reason.UNPARSABLE),
        ("", Reason.UNPARSABLE),
    ],
)
def test_what_is_no_hand_of_cards(text: str, reason: Reason) -> None:
    wrong = parse_cards(text.encode())
    assert isinstance(wrong, tuple)
    assert wrong[0] == reason


@pytest.mark.parametrize(
    ("text", "is_number"),
    [
        ("0", True), ("7", True), ("1073741824", True), ("1999999999", True), ("2099999999", True),
        ("2147483647", True), ("2147483648", False), ("2147483650", False), ("2200000000", False),
        ("3000000000", False), ("10000000000", False), ("007", False), ("", False), ("-1", False),
    ],
)  # fmt: skip
def test_numbers_fit_the_tables(text: str, is_number: bool) -> None:
    assert bool(re.fullmatch(NUMBER, text.encode())) == is_number
