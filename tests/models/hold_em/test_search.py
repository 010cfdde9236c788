"""Hold'em's player `search`: what it takes others to hold, and how it values bets."""

from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.play_off import play_off
from cardlog.models.contest.simulation import Simulation
from cardlog.models.hold_em.decisions import ALL_IN_RAISE, MOST_ACTIONS, legal_actions
from cardlog.models.hold_em.state import begin
from cardlog.models.players.search import searcher
from cardlog.models.poker.actions import CALL_ACTION, CHECK_ACTION, FOLD_ACTION
from cardlog.models.poker.odds import odds
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, Action

HOLD_EM = models.game("hold_em")
BOARD = "2C 7D JH 4S 9C"


def table(hand: str, *, stack: int = 100, bet: int = 0) -> Any:
    """The state of two players on the river, of whom seat 0 has checked, or bet, and seat 1 is to act."""
    detail = {
        "dealer": 1,
        "match": {"score": [stack, stack]},
        "players": [{"kind": "computer"}] * 2,
        "settings": {
            "ante_trimming": True, "big_bet": 2, "currency": "", "dialect": "book", "small_bet": 2,
            "structure": "no_limit", "unit": 1,
        },
    }  # fmt: skip
    state = begin(detail)
    codes = cards.codes(BOARD.replace(" ", ""))
    steps = [
        (Action.DEAL_OPEN, -1, NO_AMOUNT, []),
        (Action.BID_BLIND, 1, 1, []), (Action.BID_BLIND, 0, 2, []),
        (Action.DEAL_HAND, 0, NO_AMOUNT, [cards.UNKNOWN] * 2),
        (Action.DEAL_HAND, 1, NO_AMOUNT, cards.codes(hand.replace(" ", ""))),
        (Action.BID_CALL, 1, 1, []), (Action.BID_CHECK, 0, NO_AMOUNT, []),
    ]  # fmt: skip
    for street in (codes[:3], codes[3:4], codes[4:]):
        steps += [(Action.DEAL_BOARD, -1, NO_AMOUNT, street)]
        steps += [(Action.BID_CHECK, seat, NO_AMOUNT, []) for seat in (0, 1)]
    steps[-2:] = [(Action.BID_RAISE, 0, bet, []) if bet else (Action.BID_CHECK, 0, NO_AMOUNT, [])]
    for action, seat, amount, dealt in steps:
        event = np.zeros(1, HOLD_EM.event)[0]
        event["action"], event["seat"], event["amount"], event["count"] = action, seat, amount, len(dealt)
        event["cards"][: len(dealt)] = dealt
        assert HOLD_EM.evolve(state[0], event) == 0
    return state[0]


def advice(state: Any, name: str = "search-100") -> Any:
    """The bet that a player makes, and what each wins on average; and which are legal."""
    mask = np.zeros(MOST_ACTIONS, np.bool_)
    legal_actions(state, mask)
    return *searcher(HOLD_EM, name).advice(state, 0, mask), mask


def test_a_fold_costs_what_was_put_in_and_a_call_wins_less_than_from_random_hands() -> None:
    """The expert bets with the best three eighths of hands, so about those the other is taken to hold."""
    _, values, mask = advice(table("JS 8S", bet=98))
    assert (~np.isnan(values)).tolist() == mask.tolist()
    assert values[FOLD_ACTION] == -2
    beaten = odds("JS8S", "random", board=BOARD).players[0].equity
    beaten_of_best = (beaten - 5 / 8) / (3 / 8)
    assert 200 * beaten_of_best - 100 < values[CALL_ACTION] < 200 * beaten - 100 - 10


def test_the_best_hand_bets_and_never_loses() -> None:
    action, values, _ = advice(table("8S TS"))  # a straight to the jack, which nothing beats
    assert values[CHECK_ACTION] == pytest.approx(2, abs=0.1)
    assert np.nanmin(values) > 1.8
    assert action > CALL_ACTION
    assert searcher(HOLD_EM, "search").name(ALL_IN_RAISE) == "all in"
    assert searcher(HOLD_EM, "search").unit == "chips won less those put in"


def test_who_checks_is_taken_to_hold_less_than_who_bets() -> None:
    """So a pair that loses to most bets wins most hands that were checked."""
    _, checked, _ = advice(table("7S 3S"))
    _, bet, _ = advice(table("7S 3S", bet=2))
    assert (checked[CHECK_ACTION] + 2) / 4 > (bet[CALL_ACTION] + 4) / 8 + 0.1


@pytest.mark.parametrize("seats", [2, pytest.param(10, marks=pytest.mark.long)])
def test_it_plays_at_tables_of_all_sizes_and_of_every_structure(seats: int) -> None:
    played = Simulation("hold_em", 5, ("search-1",) * seats, single=True).play(60)
    structures = {detail.split('"structure":"')[1].split('"')[0] for detail in played.details}
    assert structures == {"no_limit", "pot_limit", "fixed_limit"}
    assert np.isfinite(played.returns[:, :seats]).all()


@pytest.mark.long
def test_it_beats_the_expert() -> None:
    assert play_off("hold_em", ("search", "expert"), 2_000, 1, seats=2).points.low > 0
