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


def test_cards_go_round_and_no_other_number_has_a_text() -> None:
    codes = {cards.code(card): card for card in [*ALL, "??"]}
    assert len(codes) == len(ALL) + 1 == 6 * 15 + 1
    assert codes[cards.UNKNOWN] == "??"
    in_pack = [cards.code(card) for card in PACK]
    assert in_pack == sorted(set(in_pack) & set(codes))
    assert max(in_pack) < 63  # a hand fits the bits of a signed 64-bit mask
    for number in range(-4, 257):
        if number in codes:
            assert cards.text(number) == codes[number]
        else:
            with pytest.raises(ValueError, match="is not the code of a card"):
                cards.text(number)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([*ALL, "??"]), max_size=20))
def test_runs_of_cards_go_round(run: list[str]) -> None:
    text = "".join(run)
    codes = cards.codes(text)
    assert codes == [cards.code(card) for card in run]
    assert cards.texts(codes) == text
    assert cards.texts(np.array(codes, np.uint8)) == text


def test_text_that_is_no_card() -> None:
    for wrong in ("", "8", "8s", "S8", "1S", "10S", "8X", "8N", "? ", "?S", " 8S", "8S ", "ÄS"):
        with pytest.raises(ValueError, match="is not a card"):
            cards.code(wrong)


def test_mask_has_a_bit_for_each_card() -> None:
    assert cards.mask("") == 0
    assert cards.mask("2C4C2D") == 0b1_0000_0000_0000_0101
    whole = cards.mask("".join(PACK))
    assert whole.bit_count() == 52
    assert whole >> 48 == (1 << 13) - 1  # the spades, lowest first
