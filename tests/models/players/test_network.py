"""The player `network`: its inputs and values."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.policy import DecisionBatch, actions_of
from cardlog.models.players import network as networks
from cardlog.models.players.network import Network, Suits, combined, inputs_of, network, suits_of
from cardlog.models.poker.ranks import rank_of_codes
from cardlog.pipelines.export import simulate
from cardlog.pipelines.export.encoders import DEFAULT, encoder
from cardlog.schemas import cards

GAMES = [game for game in models.GAMES if "network" in models.game(game).playing().names]
MOST_BYTES = 2**20


def decisions_of(game: str, hands: int) -> DecisionBatch:
    """All decisions of some hands that the player plays against itself."""
    [batch] = simulate.batches(game, "test", Simulation(game, 3, ("network",)), hands)
    found = encoder(game, DEFAULT).encode(batch)
    return DecisionBatch(found.observations, found.masks, found.rows["kind"], found.rows["seat"])


@pytest.mark.parametrize("game", GAMES)
def test_weights_are_small_plain_arrays(game: str) -> None:
    path = Path(networks.__file__).parents[1] / game / "network.npz"
    assert path.stat().st_size <= MOST_BYTES
    with np.load(path, allow_pickle=False) as weights:
        assert int(weights["version"]) == models.game(game).decisions.version
        old = {**weights, "version": np.array(models.game(game).decisions.version - 1)}
    with pytest.raises(ValueError, match=f"the network of {game} is for another version"):
        Network(models.game(game), old)


@pytest.mark.parametrize("game", GAMES)
def test_one_and_many_get_the_same_legal_actions(game: str) -> None:
    decisions, player = decisions_of(game, 20), network(models.game(game))
    many = actions_of(player, decisions)
    ones = [actions_of(player, decisions.take(np.arange(len(many)) == row))[0] for row in range(100)]
    assert many[:100].tolist() == ones
    assert len(set(many.tolist())) > 5


@pytest.mark.parametrize("game", GAMES)
def test_values_are_those_of_the_layers(game: str) -> None:
    player, decisions = network(models.game(game)), decisions_of(game, 10)
    for kind, (inputs, layers) in enumerate(player._kinds):
        observations = decisions.observations[decisions.kinds == kind]
        plays = models.game(game).decisions.kinds[kind] == "play"
        numbers, order = networks.numbers_of(models.game(game), observations, plays)
        first = layers.vectors[inputs.indices(numbers)].sum(axis=1) + layers.first
        second = first.clip(0) @ layers.weights + layers.second
        values = second.clip(0) @ layers.last + layers.third
        if plays and player._suits is not None:
            values = combined(player._suits, order, values)
        np.testing.assert_allclose(player.values(kind, observations), values, rtol=1e-3, atol=1e-3)


def test_each_value_has_its_own_vector_up_to_a_maximum() -> None:
    numbers = np.array([[0, -1, -100], [3, 1, 100]], np.int8)
    inputs = inputs_of(numbers)
    assert inputs.levels.tolist() == [4, 3, 23]
    assert inputs.indices(numbers).tolist() == [[0, 4, 7], [3, 6, 29]]
    assert inputs.indices(np.array([[9, -9, 0]], np.int8)).tolist() == [[3, 4, 18]]


@pytest.mark.parametrize("game", ["belote", "pinochle"])
def test_trump_comes_first_then_suits_by_their_cards(game: str) -> None:
    model = models.game(game)
    view: Any = model.features
    suits = suits_of(model)
    assert isinstance(suits, Suits)
    row = np.zeros((1, model.decisions.width), np.int8)
    suit_size, statuses = view.PLAY_ACTIONS // 4, view.BIDS_AT // 4
    suit_names = [model.pack[2 * suit_size * place + 1] for place in range(4)]
    row[0, statuses : statuses + 3] = view.IN_HAND
    row[0, 3 * statuses] = view.IN_HAND
    row[0, view.TRUMP_AT] = "CDHS".index(suit_names[2])
    row[0, view.LACKS_AT + "CDHS".index(suit_names[1])] = 1
    order = suits.order(row)
    assert order.tolist() == [[2, 1, 3, 0]]
    turned = suits.turned(row, order)[0]
    assert turned[: view.BIDS_AT].reshape(4, -1).sum(axis=1).tolist() == [0, 3, 1, 0]
    assert turned[view.BIDS_AT :].tolist() == [0, 1, 0, 0, *[0] * 8]
    values = np.arange(4 * suit_size, dtype=np.float32)
    in_pack_order = combined(suits, order, values[None])
    assert in_pack_order.reshape(4, suit_size)[[2, 1, 3, 0]].ravel().tolist() == values.tolist()


def test_higher_cards_are_counted() -> None:
    """Clubs are led, the king is winning, the queen is gone; the ten and the eight are still out above the
    seven. At least four hearts, which are trump, are out above the eight."""
    model = models.game("kaiser")
    view: Any = model.features
    suits = suits_of(model)
    assert isinstance(suits, Suits)
    row = np.zeros((1, model.decisions.width), np.int8)
    letters = model.pack[::2], model.pack[1::2]
    index = {rank + suit: number for number, (rank, suit) in enumerate(zip(*letters, strict=True))}
    for card in ("AC", "JC", "7C", "8H"):
        row[0, index[card]] = view.IN_HAND
    row[0, [index["9C"], index["KC"], index["QC"]]] = view.ON_TABLE + 2, view.ON_TABLE + 3, view.PLAYED + 1
    row[0, view.TRUMP_AT] = "CDHS".index("H")
    order = suits.order(row)
    assert order.tolist() == [[2, 0, 1, 3]]
    looked = suits.looked(row, order)[0].tolist()
    trump, clubs, rest = looked[:8], looked[8:16], looked[16:32]
    assert (sorted(trump), trump[index["8H"] % 8]) == ([0] * 7 + [10], 10)
    assert [clubs[index[card] % 8] for card in ("AC", "JC", "7C")] == [2, 1, 5]
    assert rest == [0] * 16
    assert looked[32:] == [7, 2, 8, 8, 3]


def test_in_five_card_draw_the_cards_of_a_hand_are_counted() -> None:
    """Two tens that can end a straight with the queen; a call of 5 into a pot of 15, of 85 chips."""
    view: Any = models.game("five_card_draw").features
    row = np.zeros((1, view.OBSERVATION_WIDTH), np.int8)
    for slot, card in enumerate(["TS", "QC", "TD", "5C", "2C"]):
        row[0, view.DECK_TEXT.index(card) // 2] = view.IN_HAND + slot
    row[0, [view.POT_AT, view.OWED_AT, view.STACKS_AT]] = 15, 5, 85
    counts = view.hand_numbers(row)[0].tolist()
    rank, suit, higher, fits = (counts[first : first + 5] for first in range(0, 20, 5))
    assert (rank, suit) == ([2, 1, 2, 1, 1], [1, 3, 1, 3, 3])
    assert (higher, fits) == ([1, 0, 1, 3, 4], [1, 2, 1, 1, 1])
    assert counts[20] * 20 + counts[21] == rank_of_codes(np.array(cards.codes("TSQCTD5C2C"))) // 20
    assert counts[22:] == [25, 15]
    row[0, [view.POT_AT, view.OWED_AT, view.STACKS_AT]] = 0
    assert view.hand_numbers(row)[0, 22:].tolist() == [0, 0]
