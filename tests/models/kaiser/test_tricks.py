"""Kaiser's rules R10 and R11: tricks and what they are worth."""

import pytest

from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason
from tests.support.kaiser_hands import MIXED, Event, Hand, auction, record


def test_r10_follow_suit_if_able() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="H").plays("AC")
    assert hand.legal() == {"9C", "TC"}
    assert hand.play("3S") == Reason.MUST_FOLLOW
    assert hand.play("TH") == Reason.MUST_FOLLOW  # not even a trump
    assert hand.play("9C") == Reason.OK


@pytest.mark.parametrize(
    ("trump", "trick", "winner"),
    [
        ("H", "ACTCQCKC", 0),  # highest of the suit led
        ("H", "7C9CJCKC", 3),
        ("H", "8C9CQCKC", 3),
        ("H", "8S9STSQS", 3),
        ("H", "5H8HQHAH", 3),  # trump led: the highest
        (None, "ACTCQCKC", 0),
        (None, "5HTHQHKH", 3),
        ("S", "KD8DTDJD", 0),
        ("S", "KD7D9DAD", 3),
    ],
)
def test_r10_the_highest_card_of_the_suit_led_takes_the_trick(
    trump: str | None, trick: str, winner: int
) -> None:
    hand = auction("7" if trump else "7N", "pass", "pass", "pass", trump=trump).plays(trick)
    assert hand.state.winners[0] == winner
    assert hand.state.leaders[0] == 0
    assert hand.state.turn == winner  # and leads next


def test_r10_only_the_seat_in_turn_plays() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="H")
    assert hand.play("9C", seat=1) == Reason.WRONG_TURN
    assert hand.play("AC", seat=4) == Reason.WRONG_TURN
    assert hand.play("AC", seat=0) == Reason.OK
    assert hand.play("AC", seat=0) == Reason.WRONG_TURN


def test_r10_a_play_without_a_seat_gets_that_of_the_seat_in_turn() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="H")
    for seat, text in enumerate(["AC", "9C", "JC", "KC"]):
        play = record(Event(Action.PLAY_CARD, NO_SEAT, text))
        assert hand.do(play) == Reason.OK
        assert play.seat == seat


def test_r10_only_cards_of_the_own_hand() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="H")
    assert hand.play("9C") == Reason.NOT_IN_HAND  # seat 1 holds it
    assert hand.play("7H") == Reason.UNKNOWN_CARD
    assert hand.play("??") == Reason.UNKNOWN_CARD
    hand.plays("AC9CJCKC")
    assert hand.play("AC") == Reason.DUPLICATE_CARD  # played before
    assert hand.play("9C") == Reason.DUPLICATE_CARD


@pytest.mark.parametrize("text", ["", "AC7C", MIXED[0]])
def test_r10_one_card_at_a_time(text: str) -> None:
    assert auction("7", "pass", "pass", "pass", trump="H").play(text) == Reason.INCOMPLETE


def test_r10_no_card_before_the_auction_or_after_the_last_trick() -> None:
    assert Hand(deal=None).play("AC") == Reason.OUT_OF_ORDER
    assert Hand().play("AC") == Reason.OUT_OF_ORDER
    hand = auction("7", "pass", "pass", "pass", trump="H").play_on()
    assert hand.state.tricks == 8
    assert hand.state.plays == 32
    assert not hand.state.hands.any()
    assert hand.legal() == set()
    assert hand.play("AC") == Reason.OUT_OF_ORDER
    assert hand.bid("7", 0) == Reason.OUT_OF_ORDER


@pytest.mark.parametrize(
    ("trick", "points"),
    [("ACTCQCKC", 1), ("8S9STSQS", 1), ("5H8HJHKH", 6), ("AS3SJSKS", -2)],
)
def test_r11_a_trick_counts_one_the_five_five_more_the_three_three_less(trick: str, points: int) -> None:
    hand = auction("7N", "pass", "pass", "pass").plays(trick)
    assert hand.state.values[0] == points
    assert hand.state.points[hand.state.winner % 2] == points
    assert hand.state.points[1 - hand.state.winner % 2] == 0
