"""The card codec: two characters outside, one small integer inside."""

import doctest

import numpy as np
import pytest

from cardlog.schemas import cards

CARDS = {
    16 * suit + rank: figure + letter
    for suit, letter in enumerate("CDHSN45")
    if letter != "N"
    for rank, figure in enumerate("23456789TJQKAEF")
} | {255: "??"}
"""A card is sixteen times its suit plus its rank; N is no suit of cards."""


def test_examples_in_the_docs_hold() -> None:
    results = doctest.testmod(cards)
    assert results.attempted > 0
    assert results.failed == 0


def test_cards_go_round_and_no_other_number_has_a_text() -> None:
    for number in range(-4, 257):
        if number in CARDS:
            assert (cards.text(number), cards.code(CARDS[number])) == (CARDS[number], number)
        else:
            with pytest.raises(ValueError, match="is not the code of a card"):
                cards.text(number)
    run = "".join(CARDS.values())
    assert cards.codes(run) == [*CARDS]
    assert cards.texts([*CARDS]) == cards.texts(np.array([*CARDS], np.uint8)) == run


def test_text_that_is_no_card() -> None:
    for wrong in ("", "8", "8s", "S8", "1S", "10S", "8X", "8N", "? ", "?S", " 8S", "8S ", "ÄS"):
        with pytest.raises(ValueError, match="is not a card"):
            cards.code(wrong)


def test_a_mask_has_a_bit_for_each_card_of_the_pack_all_within_63() -> None:
    assert cards.mask("") == 0
    assert cards.mask("2C4C2D") == 0b1_0000_0000_0000_0101
    whole = cards.mask("".join(rank + suit for suit in "CDHS" for rank in "23456789TJQKA"))
    assert (whole.bit_count(), whole >> 48) == (52, (1 << 13) - 1)  # the spades, lowest first
