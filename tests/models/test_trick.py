"""Tricks, as every game of tricks has them."""

import itertools

import pytest

from cardlog.models import trick
from cardlog.schemas import cards
from cardlog.schemas.cards import NO_SUIT, NO_TRUMP, code, mask


def test_suits_of_cards() -> None:
    for number, suit in enumerate(cards.SUITS):
        for rank in cards.PACK_RANKS:
            assert trick.suit_of(code(rank + suit)) == number
    hand = mask("2CAC5D3SAS")
    assert [trick.of_suit(hand, suit) for suit in range(4)] == [mask("2CAC"), mask("5D"), 0, mask("3SAS")]


def test_follow_suit_gives_the_suit_led_or_all() -> None:
    hand = mask("2CAC5D3S")
    assert trick.follow_suit(hand, 0) == mask("2CAC")
    assert trick.follow_suit(hand, 3) == mask("3S")
    assert trick.follow_suit(hand, 2) == hand
    assert trick.follow_suit(0, 2) == 0


@pytest.mark.parametrize("trump", [0, 1, 2, 3, NO_TRUMP, NO_SUIT])
def test_beats_is_higher_in_suit_or_a_trump_on_a_plain_card(trump: int) -> None:
    pack = [rank + suit for suit in cards.SUITS for rank in cards.PACK_RANKS]
    for later, best in itertools.permutations(pack, 2):
        if later[1] == best[1]:
            expected = cards.PACK_RANKS.index(later[0]) > cards.RANKS.index(best[0])
        else:
            expected = trump in range(4) and later[1] == cards.SUITS[trump]
        assert trick.beats(code(later), code(best), trump) == expected
