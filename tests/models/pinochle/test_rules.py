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

from cardlog.models.pinochle.cards import DECK_TEXT, meld, spread
from cardlog.models.pinochle.dialects import RULES, match_winner
from cardlog.models.pinochle.state import begin, opening
from cardlog.schemas import cards
from tests.support.hands import Hand, dealt, refusal

# Every seat the same: three ranks of each suit, seats 0 and 2 the high ones.
HALVES = ["".join(rank + suit for suit in "DCHS" for rank in ranks) for ranks in ("ATK", "QJ9") * 2]

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


# ---------------------------------------------------------------- R9 to R15: play and scores


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
