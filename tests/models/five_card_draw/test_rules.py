"""Openings and states of five-card draw; scripts in tests/records say the rest, also of empty seats [R2]."""

import json
from typing import Any

import pytest

from cardlog.models.five_card_draw.state import opening
from cardlog.models.poker import table
from tests.support.hands import Hand, refusal

HIDDEN = "??" * 5
SOUND = json.loads(opening("book", 5, 0, [{}, {}, None], [100, 100, 0]))
WITH_BLINDS: dict[str, Any] = {
    "ante_trimming": True, "big_bet": 10, "currency": "USD", "dialect": "pokerstars", "small_bet": 10,
    "structure": "no_limit", "unit": 100,
}  # fmt: skip
SOUND_WITH_BLINDS = json.loads(table.opening(WITH_BLINDS, 0, [{}, {}], [50, 50]))


def dealt(dialect: str, chips: list[int], antes: str) -> Hand:
    """A hand of two, hidden cards having been dealt."""
    hand = Hand("five_card_draw", opening(dialect, 5, 0, [{}, {}], chips))
    return hand.tries(f"deal/open; {antes}; 0 hand {HIDDEN}; 1 hand {HIDDEN}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": {"ante": -1, "dialect": "book"}}, "ante is -1"),
        ({"dealer": 2}, "dealer is 2"),  # an empty seat
        ({"players": [{}]}, "2 to 6 players"),
        ({"players": [{}, None, None]}, "at least 2 seats"),
        ({"match": {"score": [100, 100]}}, "chips of each seat"),
        ({"match": {"score": [100, 0, 0]}}, "if a player holds it"),
        ({"match": {"score": [100, 100, 5]}}, "if a player holds it"),
        ({"match": {"score": [100, 2**30, 0]}}, "at most"),
        ({"settings": WITH_BLINDS | {"structure": "spread_limit"}}, "structure is 'spread_limit'"),
        ({"settings": WITH_BLINDS | {"ante": 5}}, "unknown setting ante"),
        ({"settings": WITH_BLINDS | {"unit": 0}}, "unit is 0"),
    ],
)
def test_openings_that_make_no_sense(change: dict[str, Any], message: str) -> None:
    """[R15] Those with blinds, too."""
    sound = SOUND_WITH_BLINDS if "unit" in change.get("settings", ()) else SOUND
    assert refusal("five_card_draw", sound) == ""
    assert message in refusal("five_card_draw", sound | change)


def test_r10_by_the_book_the_last_one_is_not_asked() -> None:
    """All others fold before his turn, which can happen if one of them is asked though he is all in."""
    hand = dealt("original", [100, 3], "ante 3; ante 5")
    hand.state["last_one_acts"] = 0
    assert hand.tries("fold").state["won"].tolist() == [8, 0, 0, 0, 0, 0]


def test_a_hidden_hand_that_stood_pat_and_is_shown_was_dealt_so() -> None:
    hand = dealt("book", [100, 100], "ante 5; ante 5")
    state = hand.tries("check; check; discard; discard; check; check; 1 shows KSKD7C5C3S").state
    assert state["dealt_rank"][1] == state["rank"][1] > state["dealt_rank"][0] == 0
