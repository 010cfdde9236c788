"""Pinochle's rules R7 and R8: what a hand melds, and what it shows."""

import numpy as np
import pytest

from cardlog.models.engine.trick import size_of
from cardlog.models.pinochle.cards import masks_of, meld, spread
from cardlog.models.pinochle.state import PLAYING
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_hands import HALVES, Hand, dealt


def melded(held: str, trump: str | None, nines: bool = False) -> tuple[int, str]:
    """Worth and cards shown."""
    codes = np.array(cards.codes(held), np.uint8)
    firsts, seconds = masks_of(codes, len(codes))
    suit = cards.NO_SUIT if trump is None else cards.SUITS.index(trump)
    points, once, twice = meld(firsts, seconds, suit, nines)
    shown = np.zeros(24, np.uint8)
    return int(points), cards.texts(shown[: spread(once, twice, shown)])


@pytest.mark.parametrize(
    ("held", "points"), [("", 150), ("9H", 151), ("9H9H", 152), ("9HKS", 151), ("KSQS", 152), ("9D9C", 150)]
)
def test_r8_a_double_run_is_shown_with_nines_that_may_not_be_held(held: str, points: int) -> None:
    run = "AHTHKHQHJH" * 2
    plain, quirk = melded(run + held, "H"), melded(run + held, "H", nines=True)
    assert plain[0] == quirk[0] == points
    assert quirk[1].count("9H") == 2
    assert plain[1].count("9H") == held.count("9H")
    assert quirk[1].replace("9H", "") == plain[1].replace("9H", "")


# ---------------------------------------------------------------- in a hand


def test_r7_all_four_show_their_meld_before_the_first_card() -> None:
    hand = dealt(HALVES).bids(21, 0, 0, 0).names("H")
    for seat in range(4):
        assert hand.evolve(Action.PLAY_CARD, 0, "AD") is Reason.OUT_OF_ORDER
        points, shown = hand.meld_of(seat)
        assert hand.evolve(Action.MELD_DECLARE, seat, shown, amount=points + 1) is Reason.SCORE_MISMATCH
        assert hand.evolve(Action.MELD_DECLARE, seat, shown[:-2], amount=points) is Reason.SCORE_MISMATCH
        assert hand.evolve(Action.MELD_DECLARE, seat, "9S" + shown, amount=points) is Reason.SCORE_MISMATCH
        assert hand.evolve(Action.MELD_DECLARE, seat, "8S", amount=points) is Reason.UNKNOWN_CARD
        assert hand.evolve(Action.MELD_DECLARE, seat, "??", amount=points) is Reason.UNKNOWN_CARD
        assert hand.evolve(Action.MELD_DECLARE, seat, "9S9S9S", amount=points) is Reason.DUPLICATE_CARD
        hand.do(Action.MELD_DECLARE, seat, shown, amount=points)
        again = Reason.WRONG_TURN if seat < 3 else Reason.OUT_OF_ORDER
        assert hand.evolve(Action.MELD_DECLARE, seat, shown, amount=points) is again
    assert hand.evolve(Action.MELD_DECLARE, 0, "", amount=0) is Reason.OUT_OF_ORDER
    assert (hand.state["phase"], hand.state["turn"]) == (PLAYING, 0)


def test_r7_both_copies_of_a_card_are_shown() -> None:
    hand = dealt(["JDJDQSQS9C9CTCTC9S9STSTS", *["??" * 12] * 3]).bids(21, 0, 0, 0).names("H")
    points, shown = hand.meld_of(0)
    assert sorted(cards.codes(shown)) == sorted(cards.codes("JDJDQSQS"))
    assert hand.evolve(Action.MELD_DECLARE, 0, "JDQS", amount=points) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.MELD_DECLARE, 0, shown, amount=points) is Reason.OK


UNKNOWN = "??" * 12


def half_known(dealt_to_1: str = UNKNOWN) -> Hand:
    """Seat 0 has a known hand, seat 1 perhaps in part, the others an unknown one; hearts are trump."""
    return dealt([HALVES[0], dealt_to_1, UNKNOWN, UNKNOWN], "jan2013").bids(21, 0, 0, 0).names("H")


def test_what_an_unknown_hand_shows_is_known_from_then_on() -> None:
    hand = half_known()
    hand.do(Action.MELD_DECLARE, 1, "KHQH", amount=4)
    assert hand.state["unknown"][1] == 10
    assert hand.evolve(Action.MELD_DECLARE, 2, "9H9H", amount=3) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.MELD_DECLARE, 2, "KHQH", amount=4) is Reason.DUPLICATE_CARD  # of the kings
    hand.do(Action.MELD_DECLARE, 2, "9H9H", amount=2)
    assert size_of(hand.state["firsts"][2]) == 1
    assert size_of(hand.state["seconds"][2]) == 1


def test_what_is_known_of_a_hand_must_be_shown() -> None:
    hand = half_known(dealt_to_1="QHJHKHQDQS" + "??" * 7)
    assert hand.evolve(Action.MELD_DECLARE, 1, "", amount=0) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.MELD_DECLARE, 1, "KHQH9H", amount=5) is Reason.OK
    assert hand.state["unknown"][1] == 6


def test_nobody_shows_more_than_he_holds() -> None:
    hand = half_known(dealt_to_1="QDQDJDJDQCQCJCJCQSJSJH??")
    assert hand.evolve(Action.MELD_DECLARE, 1, "JDJCJHJSQS9H9H", amount=10) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.MELD_DECLARE, 1, "JDQSJCJHJS9H", amount=9) is Reason.OK


@pytest.mark.parametrize(("points", "nines"), [(150, 0), (151, 1), (152, 2)])
def test_r8_nines_shown_with_a_double_run_are_held_if_they_count(points: int, nines: int) -> None:
    run = "AHTHKHQHJH"
    hand = dealt([UNKNOWN] * 4, "head2014").bids(21, 0, 0, 0).names("H")
    hand.do(Action.MELD_DECLARE, 1, run + run + "9H9H", amount=points)
    assert hand.state["unknown"][1] == 2 - nines
    nine = cards.code("9H")
    held = (hand.state["firsts"][1] >> nine & 1) + (hand.state["seconds"][1] >> nine & 1)
    assert held == nines
    verdict = Reason.OK if nines == 0 else Reason.DUPLICATE_CARD
    assert hand.evolve(Action.MELD_DECLARE, 2, "9H9H", amount=2) is verdict


def test_r8_by_the_book_a_double_run_is_shown_as_it_is() -> None:
    run = "AHTHKHQHJH"
    hand = dealt([run + run + "9SJS", UNKNOWN, UNKNOWN, UNKNOWN]).bids(21, 0, 0, 0).names("H")
    assert hand.evolve(Action.MELD_DECLARE, 0, run + run + "9H9H", amount=150) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.MELD_DECLARE, 0, run + run, amount=150) is Reason.OK
