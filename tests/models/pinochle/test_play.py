"""Pinochle's rules R9 to R15: what may not be played, and scores."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.dialects import RULES, hand_score, match_winner
from cardlog.models.pinochle.state import BIDDING, TRICKS
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_hands import HALVES, Hand, dealt, shuffled


def in_play(hands: list[str], trump: str, rules: str = "book", **match: object) -> Hand:
    """A hand whose auction seat 0 has won with 21, all melds shown."""
    return dealt(hands, rules, match=dict(match) or None).bids(21, 0, 0, 0).names(trump).melds()


# ---------------------------------------------------------------- tricks


def test_why_a_card_can_t_be_played() -> None:
    hand = in_play(HALVES, "S")
    assert hand.evolve(Action.PLAY_CARD, NO_SEAT) is Reason.INCOMPLETE
    assert hand.play("ADAC") is Reason.INCOMPLETE
    assert hand.play("8D") is Reason.UNKNOWN_CARD
    assert hand.play("??") is Reason.UNKNOWN_CARD
    assert hand.play("QD") is Reason.NOT_IN_HAND
    hand.plays("ADQDTDJD")
    assert hand.play("JD") is Reason.NOT_IN_HAND  # one has fallen, the next seat has the other
    hand = in_play(HALVES, "S")
    hand.plays("ADQDADQD").plays("TDJDTDJD")
    assert hand.play("AD") is Reason.DUPLICATE_CARD


# ---------------------------------------------------------------- counters and scores


chances = st.integers(0, 2**64).map(random.Random)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(chances, st.sampled_from(sorted(RULES)))
def test_every_hand_is_worth_25_and_scores_by_its_melds(rng: random.Random, rules: str) -> None:
    score = [rng.randrange(-200, 119), rng.randrange(-200, 119)]
    hand = dealt(shuffled(rng), rules, rng.randrange(4), {"score": score})
    while hand.state["phase"] == BIDDING:
        hand.bids(rng.choice((0, 0, int(hand.state["high_bid"]) + 1)))
    hand.names(rng.choice(cards.SUITS)).melds().played_out(rng)
    state = hand.state
    assert state["points"].sum() == state["values"].sum() == pinochle.HAND_POINTS
    assert state["took"].sum() == TRICKS
    assert not state["firsts"].any()
    assert not state["seconds"].any()
    bidders = int(state["declarer"]) & 1
    for team in range(2):
        melded = int(state["meld_points"][team] + state["meld_points"][team + 2])
        points = int(state["points"][team])
        expected = {melded + points} if state["took"][team] else {melded + points, points}
        if team == bidders and state["score"][team] < 0:
            assert state["score"][team] == -state["high_bid"]
            assert min(expected) < state["high_bid"]
        else:
            assert int(state["score"][team]) in expected
            assert team != bidders or state["score"][team] >= state["high_bid"]
        assert state["after"][team] == score[team] + state["score"][team]
        scored = int(state["score"][team])
        assert hand.evolve(Action.SCORE_HAND, team, amount=scored) is Reason.OK
        assert hand.evolve(Action.SCORE_HAND, team, amount=scored + 1) is Reason.SCORE_MISMATCH
        assert hand.evolve(Action.SCORE_MATCH, team, amount=int(state["after"][team])) is Reason.OK


@pytest.mark.parametrize(("total", "bid", "bidders", "score"), [
    (25, 25, True, 25), (24, 25, True, -25), (60, 25, True, 60), (0, 25, False, 0), (24, 25, False, 24),
])  # fmt: skip
def test_r14_the_bid_is_reached_or_lost(total: int, bid: int, bidders: bool, score: int) -> None:
    assert hand_score(total, bid, bidders) == score


# Seats 0 and 2 take every trick: they have all aces, tens and kings. Each has four kings and four aces
# to show, the others a pinochle, four queens, four jacks and a nine.
@pytest.mark.parametrize(("rules", "bidder", "score"), [
    ("book", 0, [25 + 36, 0]),
    ("head2014", 0, [25 + 36, 0]),
    ("jan2013", 0, [25 + 36, 30]),
    ("book", 1, [25 + 36, -21]),
    ("head2014", 1, [25 + 36, 30]),
    ("jan2013", 1, [25 + 36, 30]),
])  # fmt: skip
def test_r13_meld_without_a_trick(rules: str, bidder: int, score: list[int]) -> None:
    hand = dealt(HALVES, rules).bids(*(21 if seat == bidder else 0 for seat in range(4))).names("S").melds()
    assert hand.state["meld_points"].tolist() == [18, 15, 18, 15]
    hand.played_out(random.Random(1))
    assert hand.state["took"].tolist() == [12, 0]
    assert hand.state["score"].tolist() == score


@pytest.mark.parametrize(("after", "bidders", "winner"), [
    ([119, 119], 0, -1), ([120, 0], 0, 0), ([120, 0], 1, 0), ([130, 140], 0, 0), ([130, 140], 1, 1),
    ([-500, 0], 0, -1),
])  # fmt: skip
def test_r15_if_both_teams_reach_the_target_the_bidders_win(
    after: list[int], bidders: int, winner: int
) -> None:
    assert match_winner(np.array(after), bidders) == winner


# ---------------------------------------------------------------- what the source reports


def test_what_is_reported_of_a_trick_is_checked() -> None:
    hand = in_play(HALVES, "S")
    assert hand.evolve(Action.SCORE_TRICK, 0) is Reason.OUT_OF_ORDER
    hand.plays("ADQDTD")
    assert hand.evolve(Action.SCORE_TRICK, 0) is Reason.OUT_OF_ORDER
    hand.plays("QD")
    for right in ({}, {"amount": 2}, {"shown": "AD"}, {"amount": 2, "shown": "AD"}):
        assert hand.evolve(Action.SCORE_TRICK, 0, **right) is Reason.OK
    for wrong in ({"amount": 3}, {"shown": "TD"}, {"shown": "ADTD"}):
        assert hand.evolve(Action.SCORE_TRICK, 0, **wrong) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.SCORE_TRICK, 2) is Reason.SCORE_MISMATCH


def test_a_match_score_without_one_before_is_taken_as_reported() -> None:
    hand = in_play(HALVES, "S").played_out(random.Random(2))
    assert hand.evolve(Action.SCORE_PLACE, 0, amount=1) is Reason.OUT_OF_ORDER
    hand.do(Action.SCORE_MATCH, 0, amount=500).do(Action.SCORE_MATCH, 1, amount=-3)
    assert hand.evolve(Action.SCORE_MATCH, 0, amount=501) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.SCORE_MATCH, 2, amount=501) is Reason.OUT_OF_ORDER
    hand.do(Action.SCORE_PLACE, 0, amount=1).do(Action.SCORE_PLACE, 3, amount=2)
    assert hand.evolve(Action.SCORE_PLACE, 1, amount=1) is Reason.SCORE_MISMATCH


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("seat", range(4))
def test_places_are_reported_only_when_the_match_is_over(seat: int, place: int) -> None:
    hand = in_play(HALVES, "S", score=[0, 0]).played_out(random.Random(2))
    assert hand.evolve(Action.SCORE_PLACE, seat, amount=place) is Reason.SCORE_MISMATCH


# ---------------------------------------------------------------- hands with unknown cards


@settings(max_examples=60, deadline=None, derandomize=True)
@given(chances, st.floats(0, 1))
def test_a_legal_hand_stays_legal_when_cards_are_hidden(rng: random.Random, share: float) -> None:
    """And each card that is legal from the whole hand may be legal as far as the known cards tell."""
    deal = shuffled(rng)
    hidden = [
        "".join("??" if rng.random() < share else held[index : index + 2] for index in range(0, 24, 2))
        for held in deal
    ]
    known, partial = (dealt(hands, "head2014").bids(21, 0, 0, 0).names("H") for hands in (deal, hidden))
    for seat in range(4):
        points, shown = known.meld_of(seat)
        for hand in (known, partial):
            hand.do(Action.MELD_DECLARE, seat, shown, amount=points)
    while not known.state["done"]:
        assert known.legal() <= partial.legal()
        card = rng.choice(sorted(known.legal()))
        known.plays(card)
        partial.plays(card)
    assert partial.state["done"]
    assert partial.state["score"].tolist() == known.state["score"].tolist()
    assert not partial.state["unknown"].any()


def test_known_cards_of_a_hand_forbid_others() -> None:
    hand = dealt([HALVES[0], "QDQC" + "??" * 10, "??" * 12, "??" * 12]).bids(21, 0, 0, 0).names("S")
    for seat in range(4):
        points, shown = hand.meld_of(seat)
        hand.do(Action.MELD_DECLARE, seat, shown, amount=points)
    hand.plays("AD")
    assert hand.play("9C") is Reason.MUST_FOLLOW  # it has the QD
    assert hand.play("AS") is Reason.MUST_FOLLOW
    assert hand.legal() == {"AD", "TD", "KD", "QD", "JD", "9D"}
    hand.plays("9D")
    assert (hand.state["unknown"][1], hand.state["seen_seconds"] >> cards.code("9D") & 1) == (9, 0)
    assert hand.play("9C") is Reason.OK  # seat 2 may have no diamond
