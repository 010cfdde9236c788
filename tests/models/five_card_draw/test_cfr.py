"""Five-card draw of two players: the game that is solved, and the player that plays by it."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.cfr import DECIDES, best_responses, solve
from cardlog.models.five_card_draw import cfr, heads_up
from cardlog.models.five_card_draw.decisions import (
    ALL_IN_RAISE,
    BIG_RAISE,
    CALL_ACTION,
    CHECK_ACTION,
    FOLD_ACTION,
    MIDDLE_RAISE,
)
from cardlog.models.five_card_draw.expert import expert
from cardlog.models.five_card_draw.heads_up import DEPTHS, PARTS, TYPES, Hands, packed, unpacked
from cardlog.models.five_card_draw.state import SECOND_BETS
from cardlog.models.play_off import play_off
from cardlog.models.simulation import Simulation
from cardlog.schemas import cards
from tests.support.hidden_cards import redealt

MOST_BYTES = 2**20
DRAW = models.game("five_card_draw")


class Watched:
    """A player that keeps what it was asked."""

    def __init__(self) -> None:
        self.kept: list[tuple[Any, Any]] = []

    def sees(self, states: Any, seats: Any) -> Any:
        return states

    def choose(self, asked: Any) -> Any:
        """What the player chooses who sees what it may."""
        self.kept += zip(asked.states.copy(), asked.masks.copy(), strict=True)
        seen = cfr.PLAYER.sees(asked.states, asked.seats)
        return np.array(
            [cfr.PLAYER.action(state, mask) for state, mask in zip(seen, asked.masks, strict=True)]
        )


@cache
def asked_of(opponent: str, hands: int, seats: int = 2) -> list[tuple[Any, Any]]:
    """The states and masks of decisions of the player."""
    watched = Watched()
    Simulation("five_card_draw", 3, (watched, *[opponent] * (seats - 1)), single=True).play(hands)
    return watched.kept


def some_hands() -> Hands:
    """Made-up hands: of each type before the draw as many, and better ones make better hands."""
    types = np.arange(TYPES)
    chances = 1 / (1 + np.abs(types[:, None] - types))
    made = np.stack([chances**power for power in (4, 3, 2, 1)])
    return Hands(np.zeros(TYPES), np.full(TYPES, 1 / TYPES), made / made.sum(axis=2, keepdims=True))


@pytest.mark.long
def test_a_game_of_few_antes_is_solved() -> None:
    tree = heads_up.game(3).tree(some_hands())
    uniform, found = solve(tree, 0), solve(tree, 200)
    assert sum(best_responses(tree, uniform)) > 1
    assert 0 <= sum(best_responses(tree, found)) < 0.01
    assert 0 <= sum(best_responses(tree, unpacked(packed(found)))) < 0.02


def test_bets_of_ten_antes() -> None:
    """Half the pot, the pot, then raises by the pot, as long as they leave a third of the stack."""
    places = heads_up.game(10).places[()]
    opening = CHECK_ACTION, MIDDLE_RAISE, BIG_RAISE, ALL_IN_RAISE
    facing = FOLD_ACTION, CALL_ACTION
    assert [(at.player, at.mine, at.level, at.actions) for at in places[:5]] == [
        (0, 1, 1, opening),
        (1, 1, 1, opening),
        (0, 1, 2, (*facing, BIG_RAISE, ALL_IN_RAISE)),
        (1, 2, 6, (*facing, ALL_IN_RAISE)),
        (0, 6, 10, facing),
    ]
    assert len(places) == len({at[1:4] for at in places}) == 16


def test_what_is_kept_is_small_and_sums_to_one() -> None:
    assert heads_up.WEIGHTS.stat().st_size <= MOST_BYTES
    with np.load(heads_up.WEIGHTS, allow_pickle=False) as kept:
        assert kept["edges"].shape == (TYPES,)
        assert all((np.diff(part) > 0).all() for part in np.split(kept["edges"], np.cumsum(PARTS)[:-1]))
        for depth in DEPTHS:
            found = heads_up.game(depth)
            strategy = unpacked(kept[str(depth)])
            assert len(strategy) == found.build.kinds.count(DECIDES)
            np.testing.assert_allclose(strategy.sum(axis=1), 1)
            assert strategy.min() >= 0
            rows = found.build.rows()
            for at in found.places[()]:
                assert not strategy[rows[at.node], len(at.actions) :].any()


@pytest.mark.long
def test_nobody_peeks_at_a_table_of_two() -> None:
    """With the cards that it can't know dealt anew it acts the same."""
    rng = np.random.default_rng(5)
    moved = 0
    asked = asked_of("random", 100)[:80]
    for state, mask in asked:
        seat = int(state["turn"])
        other, changed = redealt("five_card_draw", state, seat, rng)
        moved += changed
        seen = [cfr.PLAYER.sees(each[None], np.array([seat]))[0] for each in (state, other)]
        assert cfr.PLAYER.action(seen[0], mask) == cfr.PLAYER.action(seen[1], mask)
    assert moved == len(asked)


def test_with_more_players_it_plays_as_the_expert() -> None:
    for state, mask in asked_of("random", 5, seats=3):
        assert cfr.PLAYER.action(state, mask) == expert(state)


@pytest.mark.parametrize(
    ("hand", "acts"),
    [("AS AH AD AC KS", {CALL_ACTION, BIG_RAISE, ALL_IN_RAISE}), ("2S 3H 4D 7C 8S", {FOLD_ACTION})],
)
def test_after_a_bet_of_all_chips_the_best_hand_stays_and_the_worst_goes(hand: str, acts: set[int]) -> None:
    found = set()
    for state, mask in asked_of("random", 100):
        if state["phase"] == SECOND_BETS and mask[FOLD_ACTION] and not mask[CHECK_ACTION]:
            at = cfr._Table(state)
            if at.place(heads_up.game(at.depth)).level == at.depth and at.antes > 15:
                state["held_cards"][state["turn"]] = cards.codes(hand.replace(" ", ""))
                found.add(cfr.PLAYER.action(state, mask))
    assert found
    assert found <= acts


@pytest.mark.long
def test_it_beats_who_plays_at_random() -> None:
    assert play_off("five_card_draw", ("cfr", "random"), 500, 1, seats=2).points.low > 0
