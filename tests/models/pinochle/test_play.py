"""Pinochle's rules R9 to R15: tricks, counters and scores."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.cards import beats
from cardlog.models.pinochle.dialects import RULES, hand_score, match_winner
from cardlog.models.pinochle.state import BIDDING, TRICKS
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_hands import HALVES, ONE_SUIT_EACH, Hand, dealt, shuffled


def begun(hands: list[str], trump: str, rules: str = "book", **match: object) -> Hand:
    """A hand that seat 0 has bid 21 for, all melds shown."""
    return dealt(hands, rules, match=dict(match) or None).bids(21, 0, 0, 0).names(trump).melds()


# Of each suit: seat 0 has A and a 9, seat 1 T and 9, seat 2 K and J, seat 3 Q and J; the rest mixed.
MIXED = [
    "ADAC9D9CAHAS9H9SQDQCQHQS",
    "TDTC9D9CTHTS9H9SADACKHKS",
    "KDKCJDJCKHKSJHJSTDTCAHAS",
    "QDQCJDJCQHQSJHJSKDKCTHTS",
]
CLUBS = "9DTDAC9CKCQCJCTCACKCQCJC"
REST = "JHQHKH9HASTSKSQSJS9S9CTC"


# ---------------------------------------------------------------- tricks


@pytest.mark.parametrize(
    ("trump", "trick", "winner"),
    [
        ("S", "9DADTDKD", 1),
        ("S", "QDTDKDJD", 1),  # the ten is above the king
        ("S", "QD9DKDJD", 2),
        ("S", "AD9DJDQD", 0),
        ("S", "ADADTDKD", 0),  # of two equal cards the first
        ("S", "KDTDTDQD", 1),
        ("S", "AD9SJS9S", 2),  # any trump, and the highest of them
        ("D", "9DADTDKD", 1),
        ("D", "9SADTD9D", 1),
        (None, "9SADASKS", 2),
    ],
)
def test_r9_the_highest_card_takes_the_trick(trump: str | None, trick: str, winner: int) -> None:
    suit = cards.NO_SUIT if trump is None else cards.SUITS.index(trump)
    played = cards.codes(trick)
    best = 0
    for index in range(1, 4):
        if beats(played[index], played[best], suit):
            best = index
    assert best == winner


def test_r9_the_winner_leads() -> None:
    hand = begun(HALVES, "S").plays("ADQDTDQD")
    assert hand.state["winners"][0] == hand.state["turn"] == 0
    hand.plays("KDJDADJD")
    assert hand.state["winners"][1] == hand.state["turn"] == 2
    assert hand.evolve(Action.PLAY_CARD, 0, "AC") is Reason.WRONG_TURN


def test_r10_follow_suit_and_beat_it_if_you_can() -> None:
    hand = begun(MIXED, "S").plays("QD")
    assert hand.legal() == {"AD", "TD"}  # not the 9D
    assert hand.play("9D") is Reason.MUST_FOLLOW
    assert hand.play("TS") is Reason.MUST_FOLLOW
    hand.plays("TD")
    assert hand.legal() == {"KD", "JD", "TD"}  # an equal ten does not beat: any diamond
    hand.plays("KD")
    assert hand.legal() == {"QD", "JD", "KD"}


def test_r10_who_can_t_follow_must_trump() -> None:
    hand = begun(ONE_SUIT_EACH, "C").plays("AD")
    assert hand.legal() == {rank + "C" for rank in "ATKQJ9"}
    hand.plays("9C")
    assert hand.legal() == {rank + "H" for rank in "ATKQJ9"}  # neither diamonds nor trumps
    hand.plays("AHAS")
    assert hand.state["winners"][0] == 1


def test_r10_over_a_trump_the_suit_led_is_free() -> None:
    hands = [CLUBS, "9STSASKSQSJSASTSKSQSJS9S", "ADADTDKDQDJD9DKDAHAHTHTH", "JHQHKHJHQHKH9H9H9CTCJDQD"]
    hand = begun(hands, "S").plays("9D9S")
    assert hand.legal() == {"AD", "TD", "KD", "QD", "JD", "9D"}


def test_r10_overtrump_if_you_can() -> None:
    hands = [CLUBS, "9SKSADKDQDJDADTDKDQDJD9D", "ASTSQSJSAHAHTHTHKHQHJH9H", REST]
    hand = dealt(hands).bids(21, 0, 0, 0).names("S").melds().plays("ACKS")
    assert hand.legal() == {"AS", "TS"}
    hand.plays("TS")
    assert hand.legal() == {"9C", "TC"}  # it can follow
    hand = dealt(hands).bids(21, 0, 0, 0).names("S").melds().plays("AC9S")
    assert hand.legal() == {"AS", "TS", "QS", "JS"}


def test_r10_no_higher_trump_any_trump() -> None:
    hands = [CLUBS, "ASKSADKDQDJDADTDKDQDJD9D", "9STSQSJSAHAHTHTHKHQHJH9H", REST]
    hand = begun(hands, "S").plays("ACAS")
    assert hand.legal() == {"9S", "TS", "QS", "JS"}


def test_r10_without_trump_in_the_hand_the_card_is_free() -> None:
    hand = dealt(ONE_SUIT_EACH, "jan2013").bids(21, 0, 0, 0).throws_in().melds().plays("AD")
    assert hand.legal() == {rank + "C" for rank in "ATKQJ9"}
    hand.plays("ACAHAS")
    assert hand.state["winners"][0] == 0


def test_why_a_card_can_t_be_played() -> None:
    hand = begun(HALVES, "S")
    assert hand.evolve(Action.PLAY_CARD, NO_SEAT) is Reason.INCOMPLETE
    assert hand.play("ADAC") is Reason.INCOMPLETE
    assert hand.play("8D") is Reason.UNKNOWN_CARD
    assert hand.play("??") is Reason.UNKNOWN_CARD
    assert hand.play("QD") is Reason.NOT_IN_HAND
    hand.plays("ADQDTDJD")
    assert hand.play("JD") is Reason.NOT_IN_HAND  # one has fallen, the next seat has the other
    hand = begun(HALVES, "S")
    hand.plays("ADQDADQD").plays("TDJDTDJD")
    assert hand.play("AD") is Reason.DUPLICATE_CARD


def test_both_copies_of_a_card_can_be_played_and_no_third() -> None:
    hand = begun(ONE_SUIT_EACH, "D").plays("ADACAHAS").plays("ADACAHAS")
    assert "AD" not in hand.legal()
    assert hand.play("AD") is Reason.DUPLICATE_CARD


# ---------------------------------------------------------------- counters and scores


def test_r11_counters_and_the_last_trick() -> None:
    hand = begun(ONE_SUIT_EACH, "D")
    for rank, value in zip("ATKQJ9", (4, 4, 4, 0, 0, 0), strict=True):
        for copy in range(2):
            hand.plays("".join(rank + suit for suit in "DCHS"))
            last = rank == "9" and copy == 1
            assert hand.state["values"][hand.state["tricks"] - 1] == value + last
    assert hand.state["points"].tolist() == [25, 0]


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
        brought = int(state["score"][team])
        assert hand.evolve(Action.SCORE_HAND, team, amount=brought) is Reason.OK
        assert hand.evolve(Action.SCORE_HAND, team, amount=brought + 1) is Reason.SCORE_MISMATCH
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
def test_r15_the_bidders_are_looked_at_first(after: list[int], bidders: int, winner: int) -> None:
    assert match_winner(np.array(after), bidders) == winner


# ---------------------------------------------------------------- what the source says


def test_what_is_said_of_a_trick_is_compared() -> None:
    hand = begun(HALVES, "S")
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
    hand = begun(HALVES, "S").played_out(random.Random(2))
    assert hand.evolve(Action.SCORE_PLACE, 0, amount=1) is Reason.OUT_OF_ORDER
    hand.do(Action.SCORE_MATCH, 0, amount=500).do(Action.SCORE_MATCH, 1, amount=-3)
    assert hand.evolve(Action.SCORE_MATCH, 0, amount=501) is Reason.SCORE_MISMATCH
    assert hand.evolve(Action.SCORE_MATCH, 2, amount=501) is Reason.OUT_OF_ORDER
    hand.do(Action.SCORE_PLACE, 0, amount=1).do(Action.SCORE_PLACE, 3, amount=2)
    assert hand.evolve(Action.SCORE_PLACE, 1, amount=1) is Reason.SCORE_MISMATCH


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("seat", range(4))
def test_places_are_reported_only_when_the_match_is_over(seat: int, place: int) -> None:
    hand = begun(HALVES, "S", score=[0, 0]).played_out(random.Random(2))
    assert hand.evolve(Action.SCORE_PLACE, seat, amount=place) is Reason.SCORE_MISMATCH


# ---------------------------------------------------------------- hands of which not all is known


@settings(max_examples=60, deadline=None, derandomize=True)
@given(chances, st.floats(0, 1))
def test_a_legal_hand_stays_legal_when_cards_are_hidden(rng: random.Random, share: float) -> None:
    """And what is legal by the whole hand is among what may be legal by the known cards."""
    deal = shuffled(rng)
    hidden = [
        "".join("??" if rng.random() < share else held[index : index + 2] for index in range(0, 24, 2))
        for held in deal
    ]
    whole, dim = (dealt(hands, "head2014").bids(21, 0, 0, 0).names("H") for hands in (deal, hidden))
    for seat in range(4):
        points, shown = whole.meld_of(seat)
        for hand in (whole, dim):
            hand.do(Action.MELD_DECLARE, seat, shown, amount=points)
    while not whole.state["done"]:
        assert whole.legal() <= dim.legal()
        card = rng.choice(sorted(whole.legal()))
        whole.plays(card)
        dim.plays(card)
    assert dim.state["done"]
    assert dim.state["score"].tolist() == whole.state["score"].tolist()
    assert not dim.state["unknown"].any()


def test_known_cards_forbid_what_they_forbid() -> None:
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
