"""Pinochle's rules one by one; the numbers are those of docs/rules/pinochle.md.

What may be bid and played in any hand, [R1], [R9] and [R10], is compared with a second opinion in
tests/test_games.py.
"""

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.engine.trick import size_of
from cardlog.models.pinochle import legal
from cardlog.models.pinochle.cards import DECK_TEXT, meld, spread
from cardlog.models.pinochle.dialects import RULES, match_winner
from cardlog.models.pinochle.state import BIDDING, MOST_BID, NAMING, begin, opening
from cardlog.schemas import cards
from tests.support.hands import Hand, dealt, refusal

# Every seat the same: three ranks of each suit, seats 0 and 2 the high ones.
HALVES = ["".join(rank + suit for suit in "DCHS" for rank in ranks) for ranks in ("ATK", "QJ9") * 2]
UNKNOWN = "??" * 12
RUN = "AHTHKHQHJH"

chances = st.integers(0, 2**64).map(random.Random)


def shuffled(rng: random.Random) -> list[str]:
    pack = [DECK_TEXT[index : index + 2] for index in range(0, 48, 2)] * 2
    rng.shuffle(pack)
    return ["".join(pack[12 * seat : 12 * seat + 12]) for seat in range(4)]


def bidding(hands: Any = HALVES, rules: str = "book", dealer: int = 3, **match: Any) -> Hand:
    return dealt("pinochle", hands, opening(rules, dealer, [{}] * 4, match or None))


def bids(hand: Hand, *amounts: int) -> Hand:
    """Bids starting with the seat to act; 0 is a pass."""
    return hand.tries(";".join(f"bid {amount}" if amount else "pass" for amount in amounts))


def named(hands: Any, trump: str, rules: str = "book", **match: Any) -> Hand:
    """A hand whose auction seat 0 has won with 21, with trump named."""
    return bids(bidding(hands, rules, **match), 21, 0, 0, 0).tries(f"0 trump {trump}")


def meld_of(hand: Hand, seat: int) -> tuple[int, str]:
    """Worth and cards of a seat's meld."""
    state = hand.state
    nines = bool(state["double_run_shows_both_nines"])
    points, once, twice = meld(state["firsts"][seat], state["seconds"][seat], state["trump"], nines)
    codes = np.zeros(24, np.uint8)
    return int(points), cards.texts(codes[: spread(once, twice, codes)])


def shows(seat: int, points: int, shown: str) -> str:
    return f"{seat} show {shown or ''} {points}"


def melded(hand: Hand) -> Hand:
    """All seats show their melds."""
    for seat in range(4):
        hand.tries(shows(seat, *meld_of(hand, seat)))
    return hand


def test_openings_are_written_as_they_are_read() -> None:
    text = opening("head2014", 2, [{"kind": "human"}, {}, {}, {}], {"score": [3, -4], "trump": "H"})
    state = begin(json.loads(text))[0]
    assert (state["dealer"], state["declarer"], state["in_match"], state["trump_before"]) == (2, 2, 1, 2)
    assert state["before"].tolist() == [3, -4]
    for match in ({"trump": "N"}, {"trump": 3}, {"hands_played": -1}):
        assert f"match.{next(iter(match))} is" in refusal("pinochle", json.loads(text) | {"match": match})
    for rules, flags in RULES.items():
        begun = begin(json.loads(opening(rules, 2, [{}] * 4)))[0]
        assert vars(flags) == {flag: bool(begun[flag]) for flag in vars(flags)}


# ---------------------------------------------------------------- R1 to R6: the deal and the auction


def test_r4_a_number_too_low_leaves_the_dealer_stuck_as_a_pass_does() -> None:
    for hand in (bids(bidding(rules="head2014"), 20, 0, 7), bids(bidding(), 0, 0, 0)):
        assert (hand.state["phase"], hand.state["declarer"]) == (NAMING, 3)
    assert bids(bidding(rules="jan2013"), 0, 0, 0).state["phase"] == BIDDING  # he is asked


def test_legal_actions_and_their_text_by_phase() -> None:
    hand = bidding()
    assert hand.legal() == {"pass", "21", "or", "more"}
    bids(hand, MOST_BID)
    assert legal.legal_actions(hand.state) == 1  # nobody can bid more than that
    assert hand.tries("pass; pass; pass").legal() == {"trump", *"CDHS", "throw_in"}
    assert hand.tries("0 trump H").legal() == set()
    assert legal.legal_text(melded(hand).state).startswith("seat 0: AD, TD, KD")
    assert "a lower number" in legal.legal_text(bidding(rules="jan2013").state)
    bidding().tries(
        "0 AD: out_of_order; 0 show 0: out_of_order; 0 trick: out_of_order; 0 match 0: out_of_order"
    )


# ---------------------------------------------------------------- R7 and R8: melds


def half_known(dealt_to_1: str = UNKNOWN) -> Hand:
    """Seat 0 has a known hand, seat 1 perhaps in part, the others an unknown one; hearts are trump."""
    return named([HALVES[0], dealt_to_1, UNKNOWN, UNKNOWN], "H", "jan2013")


def test_r7_what_an_unknown_hand_shows_is_known_from_then_on_and_what_is_known_must_be_shown() -> None:
    hand = half_known().tries("1 show KHQH 4; 2 show 9H9H 3: score_mismatch")
    state = hand.tries("2 show KHQH 4: duplicate_card; 2 show 9H9H 2").state  # of the kings
    assert state["unknown"].tolist() == [0, 10, 10, 12]
    assert size_of(state["firsts"][2]) == size_of(state["seconds"][2]) == 1
    hand = half_known("QHJHKHQDQS" + "??" * 7).tries("1 show 0: score_mismatch; 1 show KHQH9H 5")
    assert hand.state["unknown"][1] == 6
    hand = half_known("QDQDJDJDQCQCJCJCQSJSJH??")  # nobody shows more than he holds
    hand.tries("1 show JDJCJHJSQS9H9H 10: score_mismatch; 1 show JDQSJCJHJS9H 9")


@pytest.mark.parametrize(("points", "nines"), [(150, 0), (151, 1), (152, 2)])
def test_r8_nines_shown_with_a_double_run_are_held_if_they_count(points: int, nines: int) -> None:
    hand = named([UNKNOWN] * 4, "H", "head2014").tries(shows(1, points, f"{RUN}{RUN}9H9H"))
    nine = cards.code("9H")
    held = (hand.state["firsts"][1] >> nine & 1) + (hand.state["seconds"][1] >> nine & 1)
    assert (held, hand.state["unknown"][1]) == (nines, 2 - nines)
    hand.tries(f"2 show 9H9H 2: {'duplicate_card' if nines else 'ok'}")


# ---------------------------------------------------------------- R9 to R15: play and scores


# Seats 0 and 2 take every trick: they have all aces, tens and kings. Each has four kings and four aces
# to show, the others a pinochle, four queens, four jacks and a nine.
@pytest.mark.parametrize(
    ("rules", "bidder", "others"),
    [
        ("book", 0, 0),
        ("head2014", 0, 0),
        ("jan2013", 0, 30),
        ("book", 1, -21),
        ("head2014", 1, 30),
        ("jan2013", 1, 30),
    ],
)
def test_r13_meld_without_a_trick(rules: str, bidder: int, others: int) -> None:
    hand = bids(bidding(rules=rules), *(21 if seat == bidder else 0 for seat in range(4)))
    state = melded(hand.tries(f"{bidder} trump S")).play_on().state
    assert state["meld_points"].tolist() == [18, 15, 18, 15]
    assert (state["took"].tolist(), state["score"].tolist()) == ([12, 0], [25 + 36, others])


@pytest.mark.parametrize(
    ("after", "bidders", "winner"),
    [([119, 119], 0, -1), ([120, 0], 1, 0), ([130, 140], 0, 0), ([130, 140], 1, 1)],
)
def test_r15_if_both_teams_reach_the_target_the_bidders_win(
    after: list[int], bidders: int, winner: int
) -> None:
    assert match_winner(np.array(after), bidders) == winner


# ---------------------------------------------------------------- hands with unknown cards


@settings(max_examples=40, deadline=None, derandomize=True)
@given(chances, st.floats(0, 1))
def test_a_legal_hand_stays_legal_when_cards_are_hidden(rng: random.Random, share: float) -> None:
    """And each card that is legal from the whole hand may be legal as far as the known cards tell."""
    deal = shuffled(rng)
    hidden = [
        "".join("??" if rng.random() < share else held[index : index + 2] for index in range(0, 24, 2))
        for held in deal
    ]
    known, partial = (named(hands, "H", "head2014") for hands in (deal, hidden))
    for seat in range(4):
        shown = shows(seat, *meld_of(known, seat))
        for hand in (known, partial):
            hand.tries(shown)
    while not known.state["done"]:
        assert known.legal() <= partial.legal()
        card = rng.choice(sorted(known.legal()))
        known.tries(card)
        partial.tries(card)
    assert partial.state["score"].tolist() == known.state["score"].tolist()
    assert (partial.state["done"], partial.state["unknown"].any()) == (1, False)


def test_known_cards_of_a_hand_forbid_others() -> None:
    hand = melded(named([HALVES[0], "QDQC" + "??" * 10, UNKNOWN, UNKNOWN], "S"))
    hand.tries("AD; 9C: must_follow; AS: must_follow")  # it has the QD
    assert hand.legal() == {"AD", "TD", "KD", "QD", "JD", "9D"}
    state = hand.tries("9D").state
    assert (state["unknown"][1], state["seen_seconds"] >> cards.code("9D") & 1) == (9, 0)
    hand.tries("9C")  # seat 2 may have no diamond
