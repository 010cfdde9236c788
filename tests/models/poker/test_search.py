"""The player `search` of poker games: what it takes others to hold, and how it values bets."""

from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.models.five_card_draw.expert import BEATEN, RESPECT
from cardlog.models.five_card_draw.odds import draws
from cardlog.models.five_card_draw.state import opening
from cardlog.models.players.search import searcher
from cardlog.models.poker import table
from cardlog.models.poker.actions import CALL_ACTION, CHECK_ACTION, FOLD_ACTION
from cardlog.models.poker.odds import odds
from tests.support.hands import Hand

BOARD = "2C7DJH", "4S", "9C"
SETTINGS = {
    "ante_trimming": True, "big_bet": 2, "currency": "", "dialect": "book", "small_bet": 2,
    "structure": "no_limit", "unit": 1,
}  # fmt: skip
PLAYERS = [{"kind": "computer"}] * 2
BEST = {"five_card_draw": "ASKSQSJSTS", "hold_em": "8STS"}
"""Hands that nothing beats; on the board it is a straight to the jack."""


def after_the_draw(hand: str, chips: int = 200, act: str = "check") -> Any:
    """The state of two players, of whom seat 0 has exchanged three cards and acted, and seat 1 is to act."""
    begun = Hand("five_card_draw", opening("book", 10, 1, PLAYERS, [chips] * 2))
    begun.tries(f"deal/open; ante 10; ante 10; 0 hand {'??' * 5}; 1 hand {hand}; check; check")
    return begun.tries(f"0 discard ??????; 0 draw ??????; 1 discard; {act}").state


def on_the_river(hand: str, act: str = "check") -> Any:
    """The state of two players with a hundred chips, of whom seat 0 has acted, and seat 1 is to act."""
    begun = Hand("hold_em", table.opening(SETTINGS, 1, PLAYERS, [100] * 2))
    begun.tries(f"deal/open; 1 bid/blind 1; 0 bid/blind 2; 0 hand ????; 1 hand {hand}; call 1; check")
    begun.tries("; check; check;".join(f"deal/board {shown}" for shown in BOARD))
    return begun.tries(act).state


def advice(game: str, name: str, state: Any) -> Any:
    """The bet that a player makes, and what each wins on average; only legal ones have a value."""
    mask = np.zeros(models.game(game).decisions.most_actions, np.bool_)
    models.game(game).decisions.legal_actions(state, mask)
    action, values = searcher(models.game(game), name).advice(state, 0, mask)
    assert np.isnan(values).all() or (~np.isnan(values)).tolist() == mask[: len(values)].tolist()
    return action, values


@pytest.mark.parametrize("hand", ["ASAHKD7C2S", "9S9H4D7C2S"])
def test_a_fold_costs_what_was_put_in_and_a_call_is_worth_its_share(hand: str) -> None:
    """The other player is all in with a typical final hand, made better by its raise."""
    state = after_the_draw(hand, 60, "raise 50")
    _, values = advice("five_card_draw", "search-80", state)
    assert values[FOLD_ACTION] == -10
    win = BEATEN[3][state["rank"][1]] ** (1 + RESPECT)
    assert values[CALL_ACTION] == pytest.approx(120 * win - 60, abs=8)
    assert next(draw.win for draw in draws(hand) if not draw.discard) > win


def test_a_fold_costs_what_was_put_in_and_a_call_wins_less_than_from_random_hands() -> None:
    """The expert bets with the best three eighths of hands, so about those the other is taken to hold."""
    _, values = advice("hold_em", "search-100", on_the_river("JS8S", "raise 98"))
    assert values[FOLD_ACTION] == -2
    beaten = odds("JS8S", "random", board="".join(BOARD)).players[0].equity
    beaten_of_best = (beaten - 5 / 8) / (3 / 8)
    assert 200 * beaten_of_best - 100 < values[CALL_ACTION] < 200 * beaten - 100 - 10


@pytest.mark.parametrize(("game", "put_in"), [("five_card_draw", 10), ("hold_em", 2)])
def test_the_best_hand_bets_and_never_loses(game: str, put_in: int) -> None:
    at = after_the_draw if game == "five_card_draw" else on_the_river
    action, values = advice(game, "search-100", at(BEST[game]))
    assert values[CHECK_ACTION] == pytest.approx(put_in, rel=0.05)
    assert np.nanmin(values) > 0.9 * put_in
    assert action == np.nanargmax(values) > CALL_ACTION
    player = searcher(models.game(game), "search")
    assert player.unit == "chips won less those put in"
    names = [player.name(bet) for bet in (FOLD_ACTION, CHECK_ACTION, len(values) - 1)]
    assert names == ["fold", "check", "all in"]


def test_before_the_draw_the_expert_acts() -> None:
    begun = Hand("five_card_draw", opening("book", 10, 1, PLAYERS, [200] * 2))
    begun.tries(f"deal/open; ante 10; ante 10; 0 hand {'??' * 5}; 1 hand {BEST['five_card_draw']}")
    assert np.isnan(advice("five_card_draw", "search-2", begun.state)[1]).all()


def test_who_checks_is_taken_to_hold_less_than_who_bets() -> None:
    """So a pair that loses to most bets wins most hands that were checked."""
    _, checked = advice("hold_em", "search-100", on_the_river("7S3S"))
    _, bet = advice("hold_em", "search-100", on_the_river("7S3S", "raise 2"))
    assert (checked[CHECK_ACTION] + 2) / 4 > (bet[CALL_ACTION] + 4) / 8 + 0.1


@pytest.mark.parametrize("seats", [2, pytest.param(10, marks=pytest.mark.long)])
def test_it_plays_at_tables_of_all_sizes_and_of_every_structure(seats: int) -> None:
    played = Simulation("hold_em", 5, ("search-1",) * seats, single=True).play(60)
    structures = {detail.split('"structure":"')[1].split('"')[0] for detail in played.details}
    assert structures == {"no_limit", "pot_limit", "fixed_limit"}
    assert np.isfinite(played.returns[:, :seats]).all()
