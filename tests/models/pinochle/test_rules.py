"""Pinochle's rules R1 to R6: openings, the pack, the deal and the auction."""

import json
from typing import Any

import pytest

from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.dialects import RULES
from cardlog.models.pinochle.state import BIDDING, MELDING, MOST_BID, NAMING
from cardlog.schemas.events import CODE, Action
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_hands import HALVES, ONE_SUIT_EACH, Hand, dealt, detail, record

# ---------------------------------------------------------------- openings


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"settings": None}, "settings"),
        ({"settings": {}}, "dialect"),
        ({"settings": {"dialect": "2013"}}, "jan2013"),
        ({"settings": {"dialect": ["book"]}}, "dialect"),
        ({"settings": {"dialect": "book", "more": 1}}, "unknown setting more; there are: dialect"),
        ({"dealer": 4}, "dealer is 4"),
        ({"dealer": None}, "dealer is None"),
        ({"dealer": True}, "dealer is True"),
        ({"players": [{}] * 3}, "4 players"),
        ({"players": [{}, {}, {}, 4]}, "player"),
        ({"players": [{}, {}, {}, {"kind": "robot"}]}, "human or computer"),
        ({"match": []}, "match"),
        ({"match": {"score": [1]}}, "score"),
        ({"match": {"score": [1, 2.5]}}, "score"),
        ({"match": {"score": [0, 10**9]}}, "score"),
        ({"match": {"trump": "N"}}, "trump"),
        ({"match": {"trump": 3}}, "trump"),
        ({"match": {"hands_played": -1}}, "hands_played"),
    ],
)
def test_bad_openings_are_rejected_with_a_reason(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        pinochle.begin(detail() | change)


def test_openings_are_written_as_they_are_read() -> None:
    text = pinochle.opening("head2014", 2, [{"kind": "human"}, {}, {}, {}], {"score": [3, -4], "trump": None})
    state = pinochle.begin(json.loads(text))[0]
    assert (state["dealer"], state["declarer"], state["in_match"]) == (2, 2, 1)
    assert state["before"].tolist() == [3, -4]
    assert state["trump_before"] == -1
    assert pinochle.begin(detail(match={"trump": "H"}))[0]["trump_before"] == 2


@pytest.mark.parametrize("rules", RULES)
def test_every_flag_of_the_rules_is_in_the_state(rules: str) -> None:
    state = pinochle.begin(detail(rules))[0]
    for flag, value in vars(RULES[rules]).items():
        assert bool(state[flag]) == value


# ---------------------------------------------------------------- the deal


def test_r1_r2_a_hand_is_twelve_cards_of_the_pack_none_three_times() -> None:
    hand = Hand(pinochle.begin(detail()))
    assert hand.evolve(Action.DEAL_HAND, 0, HALVES[0]) is Reason.OUT_OF_ORDER
    hand.do(Action.DEAL_OPEN)
    assert hand.evolve(Action.DEAL_OPEN) is Reason.OUT_OF_ORDER
    assert hand.evolve(Action.DEAL_HAND, 0, HALVES[0][:-2]) is Reason.INCOMPLETE
    assert hand.evolve(Action.DEAL_HAND, 0, HALVES[0][:-2] + "8S") is Reason.UNKNOWN_CARD
    assert hand.evolve(Action.DEAL_HAND, 0, "ADADAD" + HALVES[0][6:]) is Reason.DUPLICATE_CARD
    assert hand.evolve(Action.DEAL_HAND, 4, HALVES[0]) is Reason.WRONG_TURN
    assert hand.evolve(Action.DEAL_HAND, -1, HALVES[0]) is Reason.WRONG_TURN
    hand.do(Action.DEAL_HAND, 0, HALVES[0])
    assert hand.evolve(Action.DEAL_HAND, 0, HALVES[1]) is Reason.WRONG_TURN
    hand.do(Action.DEAL_HAND, 2, HALVES[2])
    assert hand.evolve(Action.DEAL_HAND, 1, HALVES[0]) is Reason.DUPLICATE_CARD
    hand.do(Action.DEAL_HAND, 1, HALVES[1]).do(Action.DEAL_HAND, 3, HALVES[3])
    assert hand.state["phase"] == BIDDING


def test_a_third_copy_is_refused_whoever_has_the_others() -> None:
    hand = Hand(pinochle.begin(detail())).do(Action.DEAL_OPEN)
    hand.do(Action.DEAL_HAND, 0, "ADTD" + "??" * 10).do(Action.DEAL_HAND, 1, "ADTDTC" + "??" * 9)
    for held in ("AD", "TD", "TCTC"):
        assert hand.evolve(Action.DEAL_HAND, 2, held + "??" * (12 - len(held) // 2)) is Reason.DUPLICATE_CARD
    hand.do(Action.DEAL_HAND, 2, "TC" + "??" * 11)


@pytest.mark.parametrize("action", [("deal", "draw"), ("bid", "fold"), ("meld", "bela"), ("play", "block")])
def test_what_other_games_have_is_out_of_order(action: tuple[str, str]) -> None:
    hand = dealt(HALVES)
    assert hand.evolve(CODE[action], 0) is Reason.OUT_OF_ORDER


# ---------------------------------------------------------------- the auction


@pytest.mark.parametrize("dealer", range(4))
def test_r3_one_bid_each_from_the_dealers_left(dealer: int) -> None:
    hand = dealt(HALVES, dealer=dealer)
    for step in range(1, 5):
        assert hand.state["turn"] == (dealer + step) % 4
        for other in {0, 1, 2, 3} - {(dealer + step) % 4}:
            assert hand.evolve(Action.BID_PASS, other) is Reason.WRONG_TURN
        hand.bids(20 + step)
    assert hand.state["phase"] == NAMING
    assert hand.evolve(Action.BID_PASS, dealer) is Reason.OUT_OF_ORDER


def test_r5_low_bids_are_illegal_by_the_book_and_passes_to_the_programs() -> None:
    hand = dealt(HALVES)
    for amount in (20, 1, -5, 0):
        assert hand.evolve(Action.BID_BID, 0, amount=amount) is Reason.BAD_BID
    hand.bids(25)
    assert hand.evolve(Action.BID_BID, 1, amount=25) is Reason.BAD_BID
    assert hand.evolve(Action.BID_BID, 1, amount=26, suit="H") is Reason.BAD_BID
    for rules in ("jan2013", "head2014"):
        hand = dealt(HALVES, rules).bids(25, 25, 24, -3)
        assert (hand.state["declarer"], hand.state["high_bid"]) == (0, 25)
        assert hand.state["bids"].tolist() == [25, 25, 24, -3]


@pytest.mark.parametrize("rules", RULES)
def test_a_bid_that_is_far_too_high_is_refused(rules: str) -> None:
    hand = dealt(HALVES, rules)
    for amount in (MOST_BID + 1, 2**31 - 1, -(2**31)):
        assert hand.evolve(Action.BID_BID, 0, amount=amount) is Reason.BAD_BID
    hand.bids(MOST_BID)


def test_r4_a_number_too_low_leaves_the_dealer_stuck_as_a_pass_does() -> None:
    hand = dealt(HALVES, "head2014").bids(20, 0, 7)
    assert (hand.state["phase"], hand.state["declarer"]) == (NAMING, 3)


def test_r6_only_the_declarer_names_trump_and_only_a_suit() -> None:
    hand = dealt(HALVES).bids(0, 21, 0, 0)
    assert hand.evolve(Action.BID_TRUMP, 0, suit="H") is Reason.BAD_BID
    assert hand.evolve(Action.BID_TRUMP, 1, suit="N") is Reason.BAD_BID
    assert hand.evolve(Action.BID_TRUMP, 1) is Reason.BAD_BID
    assert hand.evolve(Action.BID_THROW_IN, 3) is Reason.BAD_BID
    assert hand.evolve(Action.PLAY_CARD, 1, "QD") is Reason.BAD_BID
    hand.names("H")
    assert hand.evolve(Action.BID_TRUMP, 1, suit="S") is Reason.BAD_BID
    assert hand.state["trump"] == 2


@pytest.mark.parametrize("rules", ["book", "head2014"])
def test_r6_a_hand_thrown_in_costs_the_bid(rules: str) -> None:
    hand = dealt(HALVES, rules, match={"score": [10, 20]}).bids(0, 27, 0, 0).throws_in()
    assert (hand.state["done"], hand.state["tricks"]) == (1, 0)
    assert hand.state["score"].tolist() == [0, -27]
    assert hand.state["after"].tolist() == [10, -7]
    assert pinochle.legal_actions(hand.state) == 0
    assert hand.evolve(Action.SCORE_MATCH, 1, amount=-7) is Reason.OK
    assert hand.evolve(Action.SCORE_MATCH, 1, amount=20) is Reason.SCORE_MISMATCH


@pytest.mark.parametrize(("before", "trump"), [("S", 3), (None, -1)])
def test_r6_in_2013_a_hand_thrown_in_is_played_on_with_the_trump_before(
    before: str | None, trump: int
) -> None:
    hand = dealt(HALVES, "jan2013", match={"trump": before}).bids(0, 27, 0, 0).throws_in()
    assert (hand.state["done"], hand.state["phase"]) == (0, MELDING)
    assert (hand.state["trump"], hand.state["thrown_in"]) == (trump, 1)
    hand.melds()
    assert hand.state["turn"] == 1


def test_legal_actions_and_their_text_by_phase() -> None:
    hand = dealt(HALVES)
    assert (pinochle.legal_actions(hand.state), pinochle.legal_text(hand.state)) == (
        3,
        "seat 0: pass, 21 or more",
    )
    hand.bids(MOST_BID)
    assert pinochle.legal_actions(hand.state) == 1  # nobody can bid more than that
    hand.bids(0, 0, 0)
    assert pinochle.legal_actions(hand.state) == 0b11111
    assert "trump H" in pinochle.legal_text(hand.state)
    assert "throw_in" in pinochle.legal_text(hand.state)
    hand.names("H")
    assert (pinochle.legal_actions(hand.state), pinochle.legal_text(hand.state)) == (0, "")
    hand.melds()
    assert pinochle.legal_text(hand.state).startswith("seat 0: AD, TD, KD")
    assert "a lower number" in pinochle.legal_text(dealt(HALVES, "jan2013").state)


def test_events_come_in_their_order() -> None:
    hand = dealt(ONE_SUIT_EACH)
    late = [
        record(Action.PLAY_CARD, 0, "AD"),
        record(Action.MELD_DECLARE, 0, "", 0),
        record(Action.SCORE_TRICK, 0),
        record(Action.SCORE_MATCH, 0, amount=0),
        record(Action.SCORE_PLACE, 0, amount=1),
    ]
    for event in late:
        assert pinochle.evolve(hand.state, event) == Reason.OUT_OF_ORDER
