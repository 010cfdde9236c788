"""The player `network`: small networks that have learnt what actions are worth, one for each kind of decision.

They know nothing but the observation, so they know what the seat knows. `examples/train_player.py` makes their
weights, which are in `models/<game>/network.npz`; docs/players.md says how and how well they play.

Each value of each number of an observation has a vector. Their sum goes through two layers, and the action
with the highest value is taken. In games with a trump, cards and what suits the others lack are seen twice,
as they are, and with the suits in another order: trump first, then those that the seat has most cards of. So
what is learnt with one trump holds for all.

All sums are made in the same order for any number of decisions, so who is asked for one or for many chooses
the same.
"""

from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.models.game import Game
from cardlog.models.policy import Actions, DecisionBatch
from cardlog.schemas import cards

NAME: Final = "network"
MOST_LEVELS: Final = 24
"""Vectors of one number of an observation, at most: neighbouring values share one where there are more."""
_SUITS: Final = len(cards.SUITS)
_OTHERS: Final = 3
_TRUMP_FIRST: Final = 100
"""More than the cards of a suit."""

Floats = NDArray[np.float32]


class Inputs(NamedTuple):
    """How an observation becomes the indices of vectors.

    low, step, levels
        Of each number: its lowest value, how many values share a vector, and how many vectors there are. The
        numbers are those of the observation, then those of the cards in another order of suits.
    """

    low: NDArray[np.int16]
    step: NDArray[np.int16]
    levels: NDArray[np.int16]

    def indices(self, numbers: NDArray[np.int8]) -> NDArray[np.int64]:
        """The index of each number's vector: shape (rows, numbers)."""
        begins = np.cumsum(self.levels, dtype=np.int64) - self.levels
        found = (numbers - self.low) // self.step
        return np.asarray(found.clip(0, self.levels - 1) + begins)


class Layers(NamedTuple):
    """A network: the vectors, and what is added to their sum; then weights and what is added, twice."""

    vectors: Floats
    first: Floats
    weights: Floats
    second: Floats
    last: Floats
    third: Floats


class Suits:
    """The suits of a game in another order: trump first, then those that the seat has most cards of.

    game
        One whose features have a trump.
    """

    def __init__(self, game: Game) -> None:
        view: Any = game.features
        self._cards = slice(0, view.BIDS_AT)
        self._held, self._trump = view.IN_HAND, view.TRUMP_AT
        self._codes = np.array([cards.SUITS.index(suit) for suit in dict.fromkeys(game.pack[1::2])])
        self._places = np.arange(view.BIDS_AT).reshape(_SUITS, -1)
        self._lacking = view.LACKS_AT + _SUITS * np.arange(_OTHERS)[:, None] + self._codes
        self._actions = np.arange(view.PLAY_ACTIONS).reshape(_SUITS, -1)

    def order(self, observations: NDArray[np.int8]) -> NDArray[np.int64]:
        """For each place in the other order, the suit's place in the pack: shape (rows, 4)."""
        held = (observations[:, self._cards] == self._held).reshape(len(observations), _SUITS, -1).sum(axis=2)
        trump = observations[:, [self._trump]] == self._codes
        return np.argsort(-held - _TRUMP_FIRST * trump, axis=1, kind="stable")

    def turned(self, observations: NDArray[np.int8], order: NDArray[np.int64]) -> NDArray[np.int8]:
        """Cards and lacking suits in another order: shape (rows, numbers)."""
        rows = len(observations)
        lacking = self._lacking[:, order].transpose(1, 0, 2)
        places = np.concatenate([self._places[order].reshape(rows, -1), lacking.reshape(rows, -1)], axis=1)
        return np.take_along_axis(observations, places, axis=1)

    def actions(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """The plays in another order of the suits: shape (rows, plays)."""
        return self._actions[order].reshape(len(order), -1)


def suits_of(game: Game) -> Suits | None:
    """The suits of a game with a trump; None for any other."""
    return Suits(game) if hasattr(game.features, "TRUMP_AT") else None


def numbers_of(suits: Suits | None, observations: NDArray[np.int8]) -> tuple[Any, Any]:
    """All numbers that a network sees: shape (rows, numbers); and the order of the suits."""
    if suits is None:
        return observations, None
    order = suits.order(observations)
    return np.concatenate([observations, suits.turned(observations, order)], axis=1), order


def inputs_of(numbers: NDArray[np.int8]) -> Inputs:
    """How the numbers of some observations become indices."""
    low, high = numbers.min(axis=0).astype(np.int16), numbers.max(axis=0).astype(np.int16)
    step = (high - low) // MOST_LEVELS + 1
    return Inputs(low, step, (high - low) // step + 1)


@compiled
def _forward(indices: Any, vectors: Any, first: Any, weights: Any, second: Any, last: Any, third: Any) -> Any:
    """The values of actions: shape (rows, actions)."""
    found = np.empty((len(indices), len(third)), np.float32)
    one, two = np.empty_like(first), np.empty_like(second)
    for row in range(len(indices)):
        one[:] = first
        for index in indices[row]:
            one += vectors[index]
        two[:] = second
        for unit in range(len(one)):
            if one[unit] > 0:
                two += one[unit] * weights[unit]
        found[row] = third
        for unit in range(len(two)):
            if two[unit] > 0:
                found[row] += two[unit] * last[unit]
    return found


class Network:
    """The player, a policy as `cardlog.models.policy` describes it.

    game
        The game that it plays.
    weights
        For each kind of decision, ``kind.name``, the fields of `Inputs` and `Layers`. The last layer has a
        value for each action, and for plays in games with a trump one more for each, in the other order.

    Raises ValueError if the weights are of another version of the game's observations.
    """

    def __init__(self, game: Game, weights: dict[str, NDArray[Any]]) -> None:
        if int(weights["version"]) != game.decisions.version:
            raise ValueError(f"the network of {game.name} is of another version of its observations")
        self._suits = suits_of(game)
        self._kinds = [
            (
                Inputs(*(weights[f"{kind}.{name}"].astype(np.int16) for name in Inputs._fields)),
                Layers(*(weights[f"{kind}.{name}"].astype(np.float32) for name in Layers._fields)),
            )
            for kind in game.decisions.kinds
        ]

    def choose(self, decisions: DecisionBatch) -> Actions:
        """An action for each decision: shape (tables,)."""
        found = np.zeros(len(decisions.kinds), np.int64)
        for number in range(len(self._kinds)):
            rows = np.flatnonzero(decisions.kinds == number)
            if len(rows):
                values = self.values(number, decisions.observations[rows])
                legal = decisions.masks[rows, : values.shape[1]]
                found[rows] = np.where(legal, values, -np.inf).argmax(axis=1)
        return found

    def values(self, kind: int, observations: NDArray[np.int8]) -> Floats:
        """What each action of a kind is worth compared with the others: shape (rows, actions)."""
        inputs, layers = self._kinds[kind]
        numbers, order = numbers_of(self._suits, observations)
        values: Floats = _forward(inputs.indices(numbers), *layers)
        return combined(self._suits, order, values)


def combined(suits: Suits | None, order: Any, values: Floats) -> Floats:
    """The values of actions from those that a network gives, which may have some in another order of the
    suits."""
    if suits is None:
        return values
    places = suits.actions(order)
    count = places.shape[1]
    if values.shape[1] != 2 * count:
        return values
    found = values[:, :count].copy()
    rows = np.arange(len(found))[:, None]
    found[rows, places] += values[:, count:]
    return found


def has_network(game: Game) -> bool:
    """Whether a game has the player."""
    return NAME in game.playing().names


@cache
def network(game: Game) -> Network:
    """The player of a game that has one."""
    with np.load(Path(__file__).parent / game.name / f"{NAME}.npz", allow_pickle=False) as weights:
        return Network(game, dict(weights))
