"""Pinochle's rules R7 and R8: what a hand melds, and what it shows."""

import random
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.pinochle.cards import masks_of, meld, spread
from cardlog.models.pinochle.state import PLAYING
from cardlog.models.trick import size_of
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_hands import HALVES, PACK, Hand, dealt


def melded(held: str, trump: str | None, nines: bool = False) -> tuple[int, str]:
    """Worth and cards shown."""
    codes = np.array(cards.codes(held), np.uint8)
    firsts, seconds = masks_of(codes, len(codes))
    suit = cards.NO_SUIT if trump is None else cards.SUITS.index(trump)
    points, once, twice = meld(firsts, seconds, suit, nines)
    shown = np.zeros(24, np.uint8)
    return int(points), cards.texts(shown[: spread(once, twice, shown)])


@pytest.mark.parametrize(
    ("held", "points", "shown"),
    [
        ("", 0, ""),
        ("9H", 1, "9H"),
        ("9H9H9D", 2, "9H9H"),
        ("KHQH", 4, "KHQH"),
        ("KHQHKHQH", 8, "KHKHQHQH"),
        ("KHQHKH", 4, "KHQH"),
        ("KDQD", 2, "KDQD"),
        ("KDQDKDQD", 4, "KDKDQDQD"),
        ("AHTHKHQHJH", 15, "AHTHKHQHJH"),
        ("AHTHKHQHJHKHQH", 19, "AHTHKHKHQHQHJH"),
        ("AHTHKHQHJHKH", 15, "AHTHKHQHJH"),
        ("AHTHKHQHJHAHTHKHJH", 15, "AHTHKHQHJH"),
        ("AHTHKHQHJHAHTHKHQHJH", 150, "AHAHTHTHKHKHQHQHJHJH"),
        ("AHTHKHQHJHAHTHKHQHJH9H", 151, "AHAHTHTHKHKHQHQHJHJH9H"),
        ("ADTDKDQDJD", 2, "KDQD"),
        ("ADACAHAS", 10, "ADACAHAS"),
        ("ADACAHASADACAHAS", 100, "ADADACACAHAHASAS"),
        ("ADACAHASADACAH", 10, "ADACAHAS"),
        ("KDKCKHKS", 8, "KDKCKHKS"),
        ("KDKCKHKSKDKCKHKS", 80, "KDKDKCKCKHKHKSKS"),
        ("QDQCQHQS", 6, "QDQCQHQS"),
        ("QDQCQHQSQDQCQHQS", 60, "QDQDQCQCQHQHQSQS"),
        ("JDJCJHJS", 4, "JDJCJHJS"),
        ("JDJCJHJSJDJCJHJS", 40, "JDJDJCJCJHJHJSJS"),
        ("JDQS", 4, "JDQS"),
        ("JDJDQS", 4, "JDQS"),
        ("JDJDQSQS", 30, "JDJDQSQS"),
        ("JSQD", 0, ""),
        # A card counts in several melds, and is shown once.
        ("KDQDKCQCKHQHKSQS", 24, "KDQDKCQCKHQHKSQS"),
        ("KSQSJDQSJD", 32, "JDJDKSQSQS"),
        ("KDQDJDQS", 6, "KDQDJDQS"),
    ],
)
def test_r7_r8_each_meld_with_hearts_as_trump(held: str, points: int, shown: str) -> None:
    assert melded(held, "H") == (points, shown)


def test_r7_without_trump_there_are_no_nines_and_runs() -> None:
    assert melded("AHTHKHQHJH9H", None) == (2, "KHQH")


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


hands = st.integers(0, 2**64).map(lambda seed: "".join(random.Random(seed).sample(PACK, 12)))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(hands, st.sampled_from([*cards.SUITS, None]))
def test_meld_does_not_depend_on_the_order_and_shows_only_what_is_held(held: str, trump: str | None) -> None:
    points, shown = melded(held, trump)
    mixed = "".join(sorted(held[index : index + 2] for index in range(0, 24, 2)))
    assert melded(mixed, trump) == (points, shown)
    for card in PACK:
        assert shown.count(card) <= held.count(card)
    assert (points == 0) == (shown == "")
    assert melded(shown, trump) == (points, shown)  # what is shown is worth it by itself


@settings(max_examples=200, deadline=None, derandomize=True)
@given(hands, st.sampled_from(cards.SUITS))
def test_meld_grows_with_the_hand(held: str, trump: str) -> None:
    """What the fold relies on where not all cards of a hand are known."""
    fewer = held[: 2 * random.Random(held).randrange(13)]
    less, more = melded(fewer, trump), melded(held, trump)
    assert less[0] <= more[0]
    assert all(less[1].count(card) <= more[1].count(card) for card in PACK)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(hands)
def test_suits_are_alike_but_for_the_pinochle(held: str) -> None:
    every = [held[index : index + 2] for index in range(0, 24, 2)]
    plain = "".join(card for card in every if card[0] not in "QJ")
    for suits in permutations(cards.SUITS):
        change = str.maketrans(cards.SUITS, "".join(suits))
        for trump in cards.SUITS:
            assert melded(plain, trump)[0] == melded(plain.translate(change), trump.translate(change))[0]


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


def test_r7_both_cards_of_twins_are_shown() -> None:
    hand = dealt(["JDJDQSQS9C9CTCTC9S9STSTS", *["??" * 12] * 3]).bids(21, 0, 0, 0).names("H")
    points, shown = hand.meld_of(0)
    assert sorted(shown[at : at + 2] for at in range(0, len(shown), 2)) == ["JD", "JD", "QS", "QS"]
    assert hand.evolve(Action.MELD_DECLARE, 0, "JDQS", amount=points) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.MELD_DECLARE, 0, shown, amount=points) is Reason.OK


UNKNOWN = "??" * 12


def half_known(dealt_to_1: str = UNKNOWN) -> Hand:
    """Seat 0 has a known hand, the others, but for what seat 1 has, are unknown; hearts are trump."""
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
    hand = dealt(["??" * 12, UNKNOWN, UNKNOWN, UNKNOWN], "head2014").bids(21, 0, 0, 0).names("H")
    hand.do(Action.MELD_DECLARE, 1, run + run + "9H9H", amount=points)
    assert hand.state["unknown"][1] == 2 - nines
    nine = cards.code("9H")
    held = (hand.state["firsts"][1] >> nine & 1) + (hand.state["seconds"][1] >> nine & 1)
    assert held == nines
    third = Reason.OK if nines == 0 else Reason.DUPLICATE_CARD
    assert hand.evolve(Action.MELD_DECLARE, 2, "9H9H", amount=2) is third


def test_r8_by_the_book_a_double_run_is_shown_as_it_is() -> None:
    run = "AHTHKHQHJH"
    hand = dealt([run + run + "9SJS", UNKNOWN, UNKNOWN, UNKNOWN]).bids(21, 0, 0, 0).names("H")
    assert hand.evolve(Action.MELD_DECLARE, 0, run + run + "9H9H", amount=150) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.MELD_DECLARE, 0, run + run, amount=150) is Reason.OK
