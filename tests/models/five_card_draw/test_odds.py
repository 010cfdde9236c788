"""The odds of draws and showdowns against counting and published figures, and the expert that uses them."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from cardlog.models.five_card_draw import expert
from cardlog.models.five_card_draw.odds import ANY_HAND, Draw, draws
from cardlog.models.poker.ranks import CATEGORIES, PACK, category, rank_of_codes
from cardlog.schemas import cards


def draw_of(hand: str, discard: str) -> Draw:
    return next(draw for draw in draws(hand) if draw.discard == discard)


@pytest.mark.parametrize(
    ("hand", "discard", "made", "ways"),
    [
        ("ASAH5C6D7D", "5C6D7D", "two pair", 2592),
        ("ASAH5C6D7D", "5C6D7D", "three of a kind", 1854),
        ("ASAH5C6D7D", "5C6D7D", "full house", 165),
        ("ASAH5C6D7D", "5C6D7D", "four of a kind", 45),
        ("2S5S9SKSKD", "KD", "flush", 9),
        ("4S5H6D7CKD", "KD", "straight", 8),
        ("4S5H7D8CKD", "KD", "straight", 4),
        ("9S9H4D4CKD", "KD", "full house", 4),
        ("9S9H9D4CKD", "4CKD", "four of a kind", 46),
        ("9S9H9D4CKD", "4CKD", "full house", 66),
    ],
)
def test_draws_make_what_the_books_say(hand: str, discard: str, made: str, ways: int) -> None:
    """The figures in every book on draw poker, such as 8 of 47 for a straight open at both ends."""
    draw = draw_of(hand, discard)
    assert draw.hands == comb(47, len(discard) // 2)
    assert draw.categories[made] * draw.hands == pytest.approx(ways)
    assert sum(draw.categories.values()) == pytest.approx(1)


def test_draws_agree_with_counting_them() -> None:
    """All 32 of one hand, with dead cards; counted are the discards of two cards or fewer."""
    hand, dead = "2S5S9SKSKD", "KHKC2D"
    unseen = [card for card in PACK.tolist() if card not in cards.codes(hand + dead)]
    all_draws = draws(hand, dead)
    assert len({draw.discard for draw in all_draws}) == 32
    for draw in all_draws:
        discard = cards.codes(draw.discard)
        if len(discard) > 2:
            continue
        kept = [card for card in cards.codes(hand) if card not in discard]
        drawn = combinations(unseen, len(discard))
        ranks = [int(rank_of_codes(np.array([*kept, *new]))) for new in drawn]
        assert draw.hands == len(ranks)
        assert draw.mean_rank == pytest.approx(np.mean(ranks))
        names = [category(rank) for rank in ranks]
        assert draw.categories == pytest.approx(
            {name: names.count(name) / len(names) for name in CATEGORIES if name in names}
        )
    assert [draw.win for draw in all_draws] == sorted((draw.win for draw in all_draws), reverse=True)


def test_a_hand_that_stands_pat_beats_all_hands_worse_than_it() -> None:
    """A royal flush ties with three others, and with none if their tens are dead."""
    draw = draw_of("TSJSQSKSAS", "")
    assert draw.win == pytest.approx(1 - 3 / 2 / comb(47, 5))
    assert next(draw for draw in draws("TSJSQSKSAS", "THTDTC") if not draw.discard).win == 1
    assert draw_of("2S3S4S5S7D", "").win < 0.001


def test_five_random_cards_are_beaten_as_often_as_combinatorics_say() -> None:
    """The lowest pair of kings, by what is better: of 2,598,960 hands, 198,180 are above a pair, and 84,480
    have one of aces, as many one of kings."""
    kings = int(rank_of_codes(np.array(cards.codes("KSKH2C3D4D"))))
    better = 198_180 + 2 * 84_480
    assert ANY_HAND[kings] == pytest.approx((2_598_960 - better + 384 / 2) / 2_598_960)
    assert ANY_HAND[7462] == pytest.approx(1020 / 2 / 2_598_960)


@pytest.mark.parametrize(
    ("hand", "dead", "message"),
    [("ASAH", "", "a hand has 5"), ("ASAS5C6D7D", "", "different"), ("ASAH5C6D7D", "7D", "different")],
)
def test_cards_that_are_no_hand_are_refused(hand: str, dead: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draws(hand, dead)


@pytest.mark.soak
def test_the_table_of_expected_hands_is_what_the_command_prints() -> None:
    np.testing.assert_array_equal(expert.expected_hands(), expert.EXPECTED)
