"""Kaiser's rules R10 and R11: tricks and what they are worth."""

import pytest

from cardlog.models.kaiser import rules as kaiser
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason
from tests.support.kaiser_hands import MIXED, ONE_SUIT_EACH, Event, Hand, auction, record


@pytest.mark.parametrize("bids", [("9", "pass", "pass", "pass"), ("pass", "pass", "7", "pass")])
def test_r10_the_highest_bidder_leads(bids: tuple[str, ...]) -> None:
    hand = auction(*bids, trump="H")
    assert hand.state.turn == hand.state.declarer
    assert hand.legal() == {MIXED[hand.state.turn][i : i + 2] for i in range(0, 16, 2)}


def test_r10_follow_suit_if_able() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="H").plays("AC")
    assert hand.legal() == {"9C", "TC"}
    assert hand.play("3S") == Reason.MUST_FOLLOW
    assert hand.play("TH") == Reason.MUST_FOLLOW  # not even a trump
    assert hand.play("9C") == Reason.OK


def test_r10_whoever_has_none_of_the_suit_plays_what_he_likes() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="H").plays("8C9CJCKC").plays("JD")
    assert hand.legal() == {"KD"}  # seat 3 took the first trick and led a diamond
    hand.plays("KD7D9D").plays("7CTCQC")
    assert hand.legal() == {"QD", "AD", "KH", "AH", "QS", "KS"}  # it has no club left
    hand.plays("KH")
    assert list(hand.state.winners[:3]) == [3, 0, 3]


def test_r10_void_hands_may_discard_or_trump() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="D", deal=ONE_SUIT_EACH).plays("7C")
    assert hand.legal() == {ONE_SUIT_EACH[1][i : i + 2] for i in range(0, 16, 2)}
    hand.plays("7D5H3S")
    assert hand.state.winners[0] == 1


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


@pytest.mark.parametrize(
    ("contract", "trump", "winner"),
    [("7", "C", 0), ("7", "D", 1), ("7", "H", 2), ("7", "S", 3), ("7N", None, 0)],
)
def test_r10_the_highest_trump_takes_the_trick(contract: str, trump: str | None, winner: int) -> None:
    hand = auction(contract, "pass", "pass", "pass", trump=trump, deal=ONE_SUIT_EACH)
    hand.plays("AC7D5H3S")
    assert hand.state.winners[0] == winner
    assert hand.state.turn == winner


def test_r10_a_higher_trump_beats_a_lower_one_and_a_later_lower_one_does_not() -> None:
    deal = (
        "7C8C9CTCJCQCKCAC",
        "7D8DJDQDKDAD5H8H",
        "9D9HTHJHQHKHAHAS",
        "TD3S8S9STSJSQSKS",
    )
    for played, winner in [("AC7D9DTD", 3), ("AC8D9H3S", 1), ("ACJD9DTD", 1), ("AC7D9D3S", 2)]:
        hand = auction("7", "pass", "pass", "pass", trump="D", deal=deal).plays(played)
        assert hand.state.winners[0] == winner, played


def test_r10_only_the_seat_in_turn_plays() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="H")
    assert hand.play("9C", seat=1) == Reason.WRONG_TURN
    assert hand.play("AC", seat=4) == Reason.WRONG_TURN
    assert hand.play("AC", seat=0) == Reason.OK
    assert hand.play("AC", seat=0) == Reason.WRONG_TURN


def test_r10_a_play_without_a_seat_gets_that_of_the_seat_in_turn() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="H")
    for seat, text in enumerate(["AC", "9C", "JC", "KC"]):
        what = record(Event(Action.PLAY_CARD, NO_SEAT, text))
        assert hand.do(what) == Reason.OK
        assert what.seat == seat


def test_r10_only_cards_one_holds() -> None:
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


def test_r11_both_in_one_trick_make_three() -> None:
    hand = auction("7N", "pass", "pass", "pass", deal=ONE_SUIT_EACH).plays("7C7D5H3S")
    assert hand.state.values[0] == 3


@pytest.mark.parametrize("contract", ["7N", "12N"])
def test_r11_a_hand_is_worth_ten(contract: str) -> None:
    hand = auction(contract, "pass", "pass", "pass", deal=ONE_SUIT_EACH).play_on()
    assert list(hand.state.points) == [10, 0]
    assert kaiser.HAND_POINTS == 10
    hand = auction("pass", contract, "pass", "pass").play_on()
    assert sum(hand.state.points) == sum(hand.state.values) == 10
