"""Five-card draw's player `search`: how it values bets after the draw."""

from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.play_off import play_off
from cardlog.models.five_card_draw import search
from cardlog.models.five_card_draw.decisions import (
    ALL_IN_RAISE,
    BID_ACTIONS,
    legal_actions,
)
from cardlog.models.five_card_draw.expert import BEATEN
from cardlog.models.five_card_draw.odds import draws
from cardlog.models.five_card_draw.state import SECOND_BETS, begin
from cardlog.models.players.search import searcher
from cardlog.models.poker.actions import CALL_ACTION, CHECK_ACTION, FOLD_ACTION
from cardlog.models.poker.ranks import rank_of_codes
from cardlog.schemas import cards

DRAW = models.game("five_card_draw")


def table(hand: str, *, stack: int, staked: tuple[int, int], swapped: tuple[int, int] = (0, 0)) -> Any:
    """The state of two players after the draw, seat 1 to act with a hand; the other hand is unknown."""
    detail = {
        "dealer": 1,
        "match": {"score": [stack, stack]},
        "players": [{"kind": "computer"}] * 2,
        "settings": {"ante": 10, "dialect": "book"},
    }
    state = begin(detail)[0]
    state["phase"], state["turn"], state["pending"], state["known"] = SECOND_BETS, 1, 0b10, 0b10
    state["staked"][:2], state["level"] = staked, 10
    state["bets"][:2] = np.array(staked) - 10
    state["stack"][:2] = stack - np.array(staked)
    state["all_in"] = sum(1 << seat for seat in range(2) if state["stack"][seat] == 0)
    state["raises"], state["swapped"][:2] = int(staked[0] > staked[1]), swapped
    state["held_cards"][1] = cards.codes(hand.replace(" ", ""))
    state["rank"][1] = rank_of_codes(state["held_cards"][1])
    return state


def weighed(state: Any, worlds: int) -> Any:
    """What each bet wins on average, in fifty deals for each world."""
    mask = np.zeros(32, np.bool_)
    legal_actions(state, mask)
    return searcher(DRAW, f"search-{worlds}").advice(state, 0, mask)[1]


@pytest.mark.parametrize("hand", ["AS AH KD 7C 2S", "9S 9H 4D 7C 2S"])
def test_a_fold_costs_what_was_put_in_and_a_call_is_worth_its_share(hand: str) -> None:
    """The other player is all in with a typical final hand, made better by its raise."""
    state = table(hand, stack=60, staked=(60, 10), swapped=(3, 3))
    means = weighed(state, 80)
    mask = np.zeros(32, np.bool_)
    legal_actions(state, mask)
    assert (~np.isnan(means)).tolist() == mask[:BID_ACTIONS].tolist()
    assert means[FOLD_ACTION] == -10
    win = BEATEN[3][state["rank"][1]] ** (1 + search.RESPECT)
    assert means[CALL_ACTION] == pytest.approx(120 * win - 60, abs=8)
    assert next(draw.win for draw in draws(hand) if not draw.discard) > win


def test_the_best_hand_wins_more_the_more_it_bets_and_never_loses() -> None:
    means = weighed(table("AS KS QS JS TS", stack=200, staked=(10, 10)), 4)
    assert np.isnan(means[[FOLD_ACTION, CALL_ACTION]]).all()
    assert means[CHECK_ACTION] == 10
    assert means[ALL_IN_RAISE] > 10
    assert np.nanmin(means) >= 10


def test_values_have_names_and_a_unit_and_before_the_draw_the_expert_acts() -> None:
    search = searcher(DRAW, "search-2")
    state = table("AS KS QS JS TS", stack=200, staked=(10, 10))
    mask = np.zeros(32, np.bool_)
    legal_actions(state, mask)
    action, values = search.advice(state, 0, mask)
    assert action == np.nanargmax(values)
    assert search.name(ALL_IN_RAISE) == "all in"
    assert search.unit == "chips won less those put in"
    state["phase"] = SECOND_BETS - 2
    state["swapped"] = -1
    assert np.isnan(search.advice(state, 0, mask)[1]).all()


@pytest.mark.long
def test_it_beats_the_expert() -> None:
    assert play_off("five_card_draw", ("search", "expert"), 300, 1, seats=2).points.low > 0
