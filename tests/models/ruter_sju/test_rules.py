"""Ruter Sju's rules, one by one: the numbers are those of docs/rules/ruter_sju.md."""

import json
from typing import Any

import pytest

from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.models.ruter_sju.legal import BLOCK_BIT
from cardlog.models.ruter_sju.state import NUMBER_OF, middle
from cardlog.schemas.events import ACTIONS, Action
from cardlog.schemas.reasons import Reason
from tests.support.ruter_sju_hands import Hand, event

OK, WRONG_TURN, MUST_FOLLOW = Reason.OK, Reason.WRONG_TURN, Reason.MUST_FOLLOW

# A deck of two suits of five: the middle card is 3. Seat 1 begins.
FIVES = ("AD 2D 5S 4S", "3D 3S AS", "4D 5D 2S")


def small(*hands: str, **options: Any) -> Hand:
    hand = Hand(*(hands or FIVES), suits=2, ranks=5, **options)
    assert hand.dealt == [OK] * 3
    return hand


def play(hand: Hand, line: str) -> None:
    """``3D block 2D``: what the seats in turn do, all of it legal."""
    acts = {"block": hand.block, "blocked": hand.blocked, "pass": hand.skip}
    for word in line.split():
        assert (acts[word]() if word in acts else hand.place(word)) is OK, (word, hand.legal)


# ---------------------------------------------------------------- R1 to R5


@pytest.mark.parametrize("seats", [2, 7])
def test_r1_three_to_six_players(seats: int) -> None:
    with pytest.raises(ValueError, match="3 to 6 players"):
        ruter_sju.begin(json.loads(ruter_sju.opening(ruter_sju.Settings(), [{}] * seats)))


def test_r1_the_order_of_going_out_is_the_order_of_finish() -> None:
    hand = small()
    play(hand, "3D 4D 2D 3S 2S 4S AS")
    assert hand.state["places"][1] == 1
    assert hand.legal == "seat 2: 5D"
    play(hand, "5D")
    assert hand.state["places"][2] == 2
    assert not hand.state["done"]
    play(hand, "AD 5S")
    assert hand.state["done"]
    assert hand.state["places"][:3].tolist() == [3, 1, 2]
    assert ruter_sju.legal_actions(hand.state) == 0
    assert hand.place("AD") is Reason.OUT_OF_ORDER


@pytest.mark.parametrize(("suits", "ranks"), [(0, 13), (7, 13), (4, 2), (4, 16)])
def test_r2_other_shapes_are_refused(suits: int, ranks: int) -> None:
    with pytest.raises(ValueError, match="it must be from"):
        ruter_sju.begin(json.loads(ruter_sju.opening(ruter_sju.Settings("book", suits, ranks), [{}] * 3)))


def test_r2_there_is_a_card_for_each_player() -> None:
    with pytest.raises(ValueError, match="fewer cards"):
        ruter_sju.begin(json.loads(ruter_sju.opening(ruter_sju.Settings("book", 1, 4), [{}] * 5)))


def test_r2_cards_beyond_the_deck_are_unknown() -> None:
    for card in ("6D", "AH", "A4"):
        assert Hand(f"AD 2D 5S {card}", suits=2, ranks=5, kinds="ccc").dealt == [Reason.UNKNOWN_CARD]


@pytest.mark.parametrize(("ranks", "number"), [(13, 7), (10, 5), (5, 3), (9, 5), (15, 8), (3, 2), (4, 2)])
def test_r3_the_middle_card(ranks: int, number: int) -> None:
    assert middle(ranks) == number


def test_r4_all_cards_are_dealt_evenly() -> None:
    short = Hand("AD 2D 5S", "3D 3S AS", "4D 5D 2S", suits=2, ranks=5)
    assert short.dealt == [OK, OK, Reason.INCOMPLETE]
    long = Hand("AD 2D 5S 4S 3D", suits=2, ranks=5, kinds="ccc")
    assert long.dealt == [Reason.INCOMPLETE]
    twice = Hand("AD 2D 5S 4S", "3D AD AS", suits=2, ranks=5, kinds="ccc")
    assert twice.dealt == [OK, Reason.DUPLICATE_CARD]
    anywhere = Hand("3D 3S AS", "AD 2D 5S 4S", "4D 5D 2S", suits=2, ranks=5)
    assert anywhere.dealt == [OK] * 3


def test_r4_each_seat_is_dealt_to_once() -> None:
    hand = small()
    assert hand.do(event(Action.DEAL_HAND, 0, "AD 2D 5S 4S")) is Reason.OUT_OF_ORDER
    half_dealt = Hand("AD 2D 5S 4S", suits=2, ranks=5, kinds="ccc")
    assert half_dealt.do(event(Action.DEAL_HAND, 0, "3D 3S AS")) is WRONG_TURN
    assert half_dealt.do(event(Action.DEAL_HAND, 3, "3D 3S AS")) is WRONG_TURN
    assert half_dealt.place("AD") is Reason.OUT_OF_ORDER


def test_r5_the_holder_of_the_first_middle_card_begins_with_it() -> None:
    hand = small()
    assert hand.legal == "seat 1: 3D"
    assert hand.place("3S") is MUST_FOLLOW
    assert hand.block() is MUST_FOLLOW
    assert hand.place("AD", seat=0) is WRONG_TURN
    assert hand.place("3D") is OK


# ---------------------------------------------------------------- R6 to R8


def test_r6_what_is_placed_must_be_held() -> None:
    hand = small()
    play(hand, "3D")
    assert hand.place("2D") is Reason.NOT_IN_HAND
    assert hand.place("3D") is Reason.DUPLICATE_CARD
    assert hand.place("6D") is Reason.UNKNOWN_CARD
    assert hand.do(event(Action.PLAY_CARD, 2, "4D 5D")) is Reason.INCOMPLETE


def test_r7_after_an_end_card_another_one() -> None:
    """Or several; a card that did not fit before does not count, and one may stop."""
    hand = small("AD 2D 5S 4S", "3D 3S AS", "4D 5D 2S")
    play(hand, "3D 4D 2D 3S")
    assert hand.place("5D") is OK
    assert hand.state["turn"] == 2
    assert hand.legal == "seat 2: 2S pass"
    assert hand.block() is MUST_FOLLOW
    assert hand.place("4S", seat=0) is WRONG_TURN
    assert hand.skip() is OK
    assert hand.state["turn"] == 0
    assert hand.legal == "seat 0: AD 4S"
    play(hand, "AD")
    assert hand.legal == "seat 0: 4S pass"
    play(hand, "4S")
    assert hand.state["turn"] == 1


def test_r8_the_block_is_for_a_seat_that_can_place_nothing() -> None:
    hand = small("AD 2D 5S 4S", "3D 3S AS", "2S 5D 4D")
    play(hand, "3D")
    assert hand.block() is MUST_FOLLOW
    blocked = small("2D 4D 5S 2S", "3D 3S 4S", "AD 5D AS")
    play(blocked, "3D")
    assert blocked.legal == "seat 2: the block"
    assert ruter_sju.legal_actions(blocked.state) == 1 << BLOCK_BIT
    play(blocked, "block 4D 3S")
    assert blocked.legal == "seat 2: blocked"
    assert blocked.place("5D") is WRONG_TURN
    assert blocked.block() is WRONG_TURN
    play(blocked, "blocked")
    assert blocked.blocked() is WRONG_TURN


# ---------------------------------------------------------------- R9 and R10


def test_r9_one_hidden_hand_is_what_is_left() -> None:
    hand = small("AD 2D 5S 4S", "?? ?? ??", "4D 5D 2S", kinds="chc")
    assert hand.state["hidden"] == 0
    dealt = hand.state["dealt_cards"][1][:3]
    assert [int(NUMBER_OF[card]) for card in dealt] == [3, 1, 3]
    assert hand.legal == "seat 1: 3D"


def test_r9_a_hand_is_hidden_whole_or_not_at_all() -> None:
    assert Hand("AD 2D 5S ??", suits=2, ranks=5, kinds="ccc").dealt == [Reason.INCOMPLETE]


def test_r10_an_illegal_card_becomes_the_end_of_its_side() -> None:
    """Cards next to the middle still fit, as in game H0006 of the logs; cards in between do not."""
    hands = ("3D 5D 6D 6S 7S", "4D AD 7D 2D 5S", "AS 2S 3S 4S")
    hand = Hand(*hands, kinds="chc", suits=2, ranks=7, dialect="original")
    assert hand.dealt == [OK] * 3
    play(hand, "4D 4S 3D")
    assert hand.legal.split() == ["seat", "1:", "AD", "2D", "7D", "5S", "the", "block", "pass"]
    play(hand, "7D pass")
    assert hand.state["over"][0] == 7
    play(hand, "3S")
    assert hand.legal == "seat 0: 5D", "next to the middle; 6D is next to no card on the table"
    play(hand, "5D 2D")
    assert hand.state["over"][0] == 5, "the card last placed"
    assert hand.state["turn"] == 2


def test_r10_the_block_within_a_turn_changes_nothing() -> None:
    hand = small("AD 2D 5S 4S", "3D 3S AS", "4D 5D 2S", kinds="hch", dialect="original")
    play(hand, "3D block AD")
    assert hand.state["again"] == 1
    play(hand, "block")
    assert hand.state["holder"] == 2
    assert hand.state["blocks"][0] == 0
    assert hand.state["turn"] == 1


# ---------------------------------------------------------------- openings, scores


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"settings": {"dialect": "house", "suits": 4, "cards_per_suit": 13}}, "dialect is 'house'"),
        ({"settings": {"dialect": "book", "suits": "4", "cards_per_suit": 13}}, "suits is '4'"),
        ({"settings": {"dialect": "book", "suits": 4}}, "setting cards_per_suit is missing from the opening"),
        ({"settings": {"dialect": "book", "suits": 4, "cards_per_suit": 13, "jokers": 1}}, "unknown setting"),
        ({"players": [{}, {}, {"kind": "bot"}]}, "human or computer"),
        ({"players": [{}, {}, {"bot": "clever"}]}, "the bot at seat 2 is 'clever'; it must be one of"),
        ({"players": {}}, "3 to 6 players"),
    ],
)
def test_bad_openings_are_rejected_with_a_reason(change: dict[str, Any], sentence: str) -> None:
    detail = json.loads(ruter_sju.opening(ruter_sju.Settings(), [{}] * 3)) | change
    with pytest.raises(ValueError, match=sentence):
        ruter_sju.begin(detail)


def test_reported_places_must_agree_with_the_fold() -> None:
    hand = small()
    assert hand.do(event(Action.SCORE_PLACE, 1, amount=1)) is Reason.OUT_OF_ORDER
    play(hand, "3D 4D 2D 3S 2S 4S AS 5D AD 5S")
    for seat, place in ((0, 3), (1, 1), (2, 2)):
        assert hand.do(event(Action.SCORE_PLACE, seat, amount=place)) is OK
        assert hand.do(event(Action.SCORE_PLACE, seat)) is OK
        assert hand.do(event(Action.SCORE_PLACE, seat, amount=place % 3 + 1)) is Reason.SCORE_MISMATCH
    assert hand.do(event(Action.SCORE_PLACE, 3, amount=4)) is Reason.OUT_OF_ORDER


def test_actions_of_other_games_are_out_of_order() -> None:
    hand = small()
    own = {Action.DEAL_HAND, Action.PLAY_CARD, Action.PLAY_BLOCK, Action.PLAY_BLOCKED, Action.PLAY_PASS}
    for action in set(range(len(ACTIONS))) - own:
        assert hand.do(event(action, 1)) is Reason.OUT_OF_ORDER


def test_r5_nothing_fits_before_the_first_middle_card_is_placed() -> None:
    """A human of the original may begin with another middle card; then only that of the first suit fits.
    R10: its computers wait for it, and do not take the block though they hold nothing that fits."""
    hand = small("4S AD 5S", "3D 3S AS 2D", "4D 5D 2S", kinds="chc", dialect="original")
    play(hand, "3S")
    assert hand.legal == "seat 2: pass"
    assert hand.place("2S") is MUST_FOLLOW
    assert hand.block() is MUST_FOLLOW
    play(hand, "pass")
    assert hand.legal == "seat 0: pass"
    assert hand.place("4S") is MUST_FOLLOW
    play(hand, "pass 3D 4D")
