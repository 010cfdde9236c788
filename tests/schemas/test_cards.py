"""The card codec: two characters outside, one small integer inside."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.schemas import cards

PACK = [rank + suit for suit in cards.SUITS for rank in cards.PACK_RANKS]
ALL = [rank + suit for suit in cards.CARD_SUITS for rank in cards.RANKS]


def test_examples_in_the_docs_hold() -> None:
    results = doctest.testmod(cards)
    assert results.attempted > 0
    assert results.failed == 0


def test_code_is_sixteen_times_suit_plus_rank() -> None:
    assert [cards.code(card) for card in ("2C", "AC", "2D", "TH", "AS")] == [0, 12, 16, 40, 60]
    assert [cards.code(card) for card in ("FS", "24", "E4", "F5")] == [62, 80, 93, 110]


def test_every_card_goes_round() -> None:
    assert len(PACK) == 52
    codes = [cards.code(card) for card in PACK]
    assert codes == sorted(set(codes))
    assert max(codes) < 63  # a hand fits the bits of a signed 64-bit mask
    assert [cards.text(cards.code(card)) for card in ALL] == ALL
    assert set(PACK) < set(ALL)
    assert len({cards.code(card) for card in ALL}) == len(set(ALL)) == 90  # six suits of fifteen
    assert cards.code("??") == cards.UNKNOWN
    assert cards.text(cards.UNKNOWN) == "??"


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([*ALL, "??"]), max_size=20))
def test_runs_of_cards_go_round(run: list[str]) -> None:
    text = "".join(run)
    codes = cards.codes(text)
    assert codes == [cards.code(card) for card in run]
    assert cards.texts(codes) == text
    assert cards.texts(np.array(codes, np.uint8)) == text


@pytest.mark.parametrize(
    "wrong", ["", "8", "8s", "S8", "1S", "10S", "8X", "8N", "? ", "?S", " 8S", "8S ", "ÄS"]
)
def test_text_that_is_no_card(wrong: str) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        cards.code(wrong)


def test_codes_are_the_only_numbers_with_a_text() -> None:
    known = {cards.code(card) for card in ALL} | {cards.UNKNOWN}
    for number in range(-4, 257):
        if number in known:
            assert cards.code(cards.text(number)) == number
        else:
            with pytest.raises(ValueError, match="is not the code of a card"):
                cards.text(number)


def test_mask_has_a_bit_for_each_card() -> None:
    assert cards.mask("") == 0
    assert cards.mask("2C4C2D") == 0b1_0000_0000_0000_0101
    whole = cards.mask("".join(PACK))
    assert whole.bit_count() == 52
    assert whole >> 48 == (1 << 13) - 1  # the spades, lowest first
