"""Five-card draw's rules R2 to R14, one by one, and what the original program does differently.

Which openings, bets and acts of other seats are refused in any hand is in tests/test_games.py.
"""

import json
from typing import Any

import pytest

from cardlog.models.five_card_draw.state import DRAWING, SECOND_BETS, opening
from cardlog.models.poker import table
from cardlog.models.poker.betting import owed
from cardlog.models.poker.table import POSTING
from tests.support.hands import Hand, refusal

HIDDEN = "??" * 5
PAIR = "KSKD7C5C3S"


def opened(*chips: int, ante: int = 5, dealer: int = 0, dialect: str = "book") -> Hand:
    """A hand before its antes; a seat without chips is empty."""
    players: list[dict[str, Any] | None] = [{} if count else None for count in chips]
    text = opening(dialect, ante, dealer, players, [*chips])
    return Hand("five_card_draw", text).tries("deal/open")


def act(hand: Hand, script: str) -> Hand:
    """What the seats in turn do; a call without a number is of what it costs, or all chips."""
    for word in script.split("; "):
        seat, state = int(hand.state["turn"]), hand.state
        hand.tries(f"call {min(int(owed(state)), int(state['stack'][seat]))}" if word == "call" else word)
    return hand


def dealt(*chips: int, hands: tuple[str, ...] = (), ante: int = 5, **how: Any) -> Hand:
    """A hand when its antes are paid and its cards dealt, hidden ones where none are given."""
    hand = opened(*chips, ante=ante, **how)
    while hand.state["phase"] == POSTING:
        hand.tries(f"ante {min(ante, int(hand.state['stack'][hand.state['turn']]))}")
    seats = [seat for seat, count in enumerate(chips) if count]
    held = zip(seats, hands or [HIDDEN] * len(seats), strict=True)
    return hand.tries("; ".join(f"{seat} hand {shown}" for seat, shown in held))


def stand_pat(hand: Hand) -> Hand:
    """Nobody exchanges a card."""
    while hand.state["phase"] == DRAWING:
        hand.tries("discard")
    return hand


def shown_down(*chips: int, bets: str, hands: tuple[str, ...] = (), dialect: str = "book") -> Hand:
    """A hand in which all bets are made in the first round, and nobody exchanges a card."""
    hand = stand_pat(act(dealt(*chips, hands=hands, dialect=dialect), bets))
    while hand.state["phase"] == SECOND_BETS:
        hand.tries("check")
    return hand


def won(hand: Hand) -> list[int]:
    return [int(chips) for chips in hand.state["won"]]


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
    ],
)
def test_openings_that_make_no_sense(change: dict[str, Any], message: str) -> None:
    sound = json.loads(opening("book", 5, 0, [{}, {}, None], [100, 100, 0]))
    assert refusal("five_card_draw", sound) == ""
    assert message in refusal("five_card_draw", sound | change)


# ---------------------------------------------------------------- R10 and R11: the showdown


def test_r10_by_the_book_the_last_one_is_not_asked() -> None:
    """All others fold before his turn, which can happen if one of them is asked though he is all in."""
    hand = dealt(100, 3, dialect="original")
    hand.state["last_one_acts"] = 0
    assert won(hand.tries("fold")) == [8, 0, 0, 0, 0, 0]


def test_a_hidden_hand_that_stood_pat_and_is_shown_was_dealt_so() -> None:
    state = shown_down(100, 100, bets="check; check").tries(f"1 shows {PAIR}").state
    assert state["dealt_rank"][1] == state["rank"][1] > state["dealt_rank"][0] == 0


# ---------------------------------------------------------------- blinds and limits


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"structure": "spread_limit"}, "structure is 'spread_limit'"),
        ({"ante": 5}, "unknown setting ante"),
        ({"unit": 0}, "unit is 0"),
    ],
)
def test_r15_an_opening_with_blinds_is_checked(change: dict[str, Any], says: str) -> None:
    settings: dict[str, Any] = {
        "ante_trimming": True, "big_bet": 10, "currency": "USD", "dialect": "pokerstars", "small_bet": 10,
        "structure": "no_limit", "unit": 100,
    }  # fmt: skip
    detail = json.loads(table.opening(settings, 0, [{}, {}], [50, 50]))
    assert not refusal("five_card_draw", detail)
    assert says in refusal("five_card_draw", detail | {"settings": settings | change})
