"""The player `network`: what it makes of observations, and that it plays well."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models import network as networks
from cardlog.models.network import Inputs, Network, Suits, combined, inputs_of, network, suits_of
from cardlog.models.play_off import play_off
from cardlog.models.policy import DecisionBatch, actions_of
from cardlog.models.simulation import Simulation

GAMES = [game for game in models.GAMES if "network" in models.game(game).playing().names]
MOST_BYTES = 2**20


class Watched:
    """A player that keeps what it was asked."""

    def __init__(self, game: str) -> None:
        self.player = network(models.game(game))
        self.kept: list[DecisionBatch] = []

    def choose(self, asked: DecisionBatch) -> Any:
        """What the player chooses."""
        self.kept.append(asked.take(np.ones(len(asked.kinds), np.bool_)))
        return self.player.choose(asked)


def asked_of(game: str, hands: int) -> DecisionBatch:
    """What the player is asked while it plays some hands against itself."""
    policy = Watched(game)
    Simulation(game, 3, (policy,)).play(hands)
    names = ("observations", "masks", "kinds", "seats")
    return DecisionBatch(*(np.concatenate([getattr(one, name) for one in policy.kept]) for name in names))


@pytest.mark.parametrize("game", GAMES)
def test_weights_are_small_plain_arrays(game: str) -> None:
    path = Path(networks.__file__).parent / game / "network.npz"
    assert path.stat().st_size <= MOST_BYTES
    with np.load(path, allow_pickle=False) as weights:
        assert int(weights["version"]) == models.game(game).decisions.version
        old = {**weights, "version": np.array(models.game(game).decisions.version - 1)}
    with pytest.raises(ValueError, match=f"the network of {game} is of another version"):
        Network(models.game(game), old)


@pytest.mark.parametrize("game", GAMES)
def test_one_and_many_get_the_same_legal_actions(game: str) -> None:
    asked, player = asked_of(game, 20), network(models.game(game))
    many = actions_of(player, asked)
    ones = [actions_of(player, asked.take(np.arange(len(many)) == row))[0] for row in range(100)]
    assert many[:100].tolist() == ones
    assert len(set(many.tolist())) > 5


@pytest.mark.parametrize("game", GAMES)
def test_values_are_those_of_the_layers(game: str) -> None:
    player, asked = network(models.game(game)), asked_of(game, 10)
    for kind, (inputs, layers) in enumerate(player._kinds):
        observations = asked.observations[asked.kinds == kind]
        plays = models.game(game).decisions.kinds[kind] == "play"
        numbers, order = networks.numbers_of(player._suits, observations, plays)
        one = layers.vectors[inputs.indices(numbers)].sum(axis=1) + layers.first
        two = one.clip(0) @ layers.weights + layers.second
        values = two.clip(0) @ layers.last + layers.third
        if plays and player._suits is not None:
            values = combined(player._suits, order, values)
        np.testing.assert_allclose(player.values(kind, observations), values, rtol=1e-3, atol=1e-3)


def test_each_value_has_a_vector_of_its_own_up_to_a_number() -> None:
    numbers = np.array([[0, -1, -100], [3, 1, 100]], np.int8)
    inputs = inputs_of(numbers)
    assert inputs.levels.tolist() == [4, 3, 23]
    assert inputs.indices(numbers).tolist() == [[0, 4, 7], [3, 6, 29]]
    assert inputs.indices(np.array([[9, -9, 0]], np.int8)).tolist() == [[3, 4, 18]]


@pytest.mark.parametrize("game", ["belote", "pinochle"])
def test_trump_comes_first_then_suits_by_their_cards(game: str) -> None:
    of = models.game(game)
    view: Any = of.features
    suits = suits_of(of)
    assert isinstance(suits, Suits)
    row = np.zeros((1, of.decisions.width), np.int8)
    each, places = view.PLAY_ACTIONS // 4, view.BIDS_AT // 4
    named = [of.pack[2 * each * place + 1] for place in range(4)]
    row[0, places : places + 3] = view.IN_HAND
    row[0, 3 * places] = view.IN_HAND
    row[0, view.TRUMP_AT] = "CDHS".index(named[2])
    row[0, view.LACKS_AT + "CDHS".index(named[1])] = 1
    order = suits.order(row)
    assert order.tolist() == [[2, 1, 3, 0]]
    turned = suits.turned(row, order)[0]
    assert turned[: view.BIDS_AT].reshape(4, -1).sum(axis=1).tolist() == [0, 3, 1, 0]
    assert turned[view.BIDS_AT :].tolist() == [0, 1, 0, 0, *[0] * 8]
    values = np.arange(4 * each, dtype=np.float32)
    found = combined(suits, order, values[None])
    assert found.reshape(4, each)[[2, 1, 3, 0]].ravel().tolist() == values.tolist()


def test_a_game_without_trump_is_seen_as_it_is() -> None:
    assert suits_of(models.game("ruter_sju")) is None
    assert isinstance(inputs_of(np.zeros((1, 2), np.int8)), Inputs)


@pytest.mark.parametrize("game", GAMES)
def test_it_beats_random_players(game: str) -> None:
    assert play_off(game, ("network", "random"), 100, 1).points.low > 0
