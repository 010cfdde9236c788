"""The player `network`: networks that have learnt what actions are worth, one for each kind of decision.

They know what the seat knows. `examples/train_player.py` makes their weights, ``models/<game>/network.npz``;
docs/players.md says how and how well they play.

Each value of each number of an observation has a vector. The sum of these goes through two layers, and the
action with the highest value is taken. In games with a trump, cards and the suits that the others lack are
also given with the suits in another order: trump first, then from the seat's longest. So what is learnt with
one trump holds for all. If all suits have the same cards, plays are given in that order alone. Further
numbers count, for plays, the unseen cards above each card and, for hands of five-card draw, those that go
together.

All sums are added up in the same order for any number of decisions, so decisions asked for one by one or many
at a time are the same.
"""

from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import compiled
from cardlog.models.engine.game import Game
from cardlog.models.engine.policy import Actions, DecisionBatch
from cardlog.models.solve.solvable import solvable_of
from cardlog.schemas import cards

NAME: Final = "network"
PLAYS: Final = "play"  # the kind of decision whose actions are cards, in games with a trump
MOST_LEVELS: Final = 24
"""Vectors of one number of an observation, at most: neighbouring values share one where there are more."""
_SUITS: Final = len(cards.SUITS)
_OTHERS: Final = 3
_TRUMP_FIRST: Final = 100  # more than any suit has cards
_MOST_ABOVE: Final = 4  # how many higher cards are counted at most

Floats = NDArray[np.float32]


class Inputs(NamedTuple):
    """How an observation becomes the indices of vectors."""

    # of each number: its lowest value, how many values share a vector, and how many vectors there are. The
    # numbers are those of the observation, then those of the cards in another order of suits.
    low: NDArray[np.int16]
    step: NDArray[np.int16]
    levels: NDArray[np.int16]

    def indices(self, numbers: NDArray[np.int8]) -> NDArray[np.int64]:
        """The index of each number's vector: shape (rows, numbers)."""
        starts = np.cumsum(self.levels, dtype=np.int64) - self.levels
        levels = (numbers - self.low) // self.step
        return np.asarray(levels.clip(0, self.levels - 1) + starts)


class Layers(NamedTuple):
    """A network: the vectors, and the bias of their sum; then the weights and biases of two layers."""

    vectors: Floats
    first: Floats
    weights: Floats
    second: Floats
    last: Floats
    third: Floats


@compiled
def _look(statuses: Any, trumps: Any, packs: Any, marks: Any, looked: Any) -> None:
    """Write what `Suits.looked` gives.

    statuses
        Where each card is: shape (rows, kinds of card, copies).
    trumps, packs
        For each row an index of its trump; for each such index the suit's place in the pack, -1 for none, and
        the cards by suit, each suit from its highest: shapes (rows,), (6,) and (6, kinds).
    marks
        The lowest statuses of cards in the hand, played and on the table.
    """
    in_hand, played, on_table = marks
    kinds, copies = statuses.shape[1:]
    suit_size = kinds // _SUITS
    for row in range(len(statuses)):
        trump = packs[0][trumps[row]]
        ranked = packs[1][trumps[row]]
        first = np.int64(_SUITS)
        led = np.int64(-1)
        for kind in range(kinds):
            for copy in range(copies):
                player = np.int64(statuses[row, kind, copy]) - on_table
                if 0 <= player < first:
                    first, led = player, np.int64(kind // suit_size)
        best = 0
        winner = np.int64(0)
        for index in range(kinds):
            kind = ranked[index]
            for copy in range(copies):
                player = np.int64(statuses[row, kind, copy]) - on_table
                if 0 <= player < _SUITS:
                    power = _power(index, kind, suit_size, led, trump)
                    if power > best or (power == best and player < winner):
                        best, winner = power, player
        looked[row, kinds + _SUITS] = winner
        unseen = 0
        for index in range(kinds):
            kind = ranked[index]
            if index % suit_size == 0:
                unseen = 0
            held = False
            others = 0
            for copy in range(copies):
                status = np.int64(statuses[row, kind, copy])
                held |= status == in_hand
                others += status != in_hand and not played <= status < on_table + _SUITS
            wins = _power(index, kind, suit_size, led, trump) > best
            looked[row, kind] = 1 + 2 * min(unseen, _MOST_ABOVE) + wins if held else 0
            unseen += others
            looked[row, kinds + kind // suit_size] = unseen


@compiled
def _power(index: Any, kind: Any, suit_size: Any, led: Any, trump: Any) -> Any:
    """How strong a card is in a trick; 0 if it can't take the trick."""
    suit = kind // suit_size
    if suit != trump and suit != led:
        return np.int64(0)
    return np.int64(suit_size - index % suit_size + (suit_size if suit == trump else 0))


class Suits:
    """The suits of a game with a trump in another order: trump first, then from the seat's longest. `alike`
    says whether all suits have the same cards."""

    def __init__(self, game: Game) -> None:
        view: Any = game.features
        self._cards = slice(0, view.BIDS_AT)
        self._held, self._trump = view.IN_HAND, view.TRUMP_AT
        self._codes = np.array([cards.SUITS.index(suit) for suit in dict.fromkeys(game.pack[1::2])])
        self._places = np.arange(view.BIDS_AT).reshape(_SUITS, -1)
        self._lacking = view.LACKS_AT + _SUITS * np.arange(_OTHERS)[:, None] + self._codes
        self._actions = np.arange(view.PLAY_ACTIONS).reshape(_SUITS, -1)
        ranks = game.pack[::2]
        self.alike = len(ranks) == _SUITS * len(set(ranks))
        kinds = {code: kind for kind, code in enumerate(cards.codes(game.pack))}
        self._packs = (
            np.array([-1, *np.argsort(self._codes), -1]),
            np.array([[kinds[code] for code in order] for order in solvable_of(game).order.tolist()]),
        )
        self._marks = view.IN_HAND, view.PLAYED, view.ON_TABLE

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

    def looked(self, observations: NDArray[np.int8], order: NDArray[np.int64]) -> NDArray[np.int8]:
        """What a look at the cards shows: shape (rows, numbers).

        For each card, in the other order: 0 unless it is in the hand, else 1, plus 2 for each unseen higher
        card of its suit, plus 1 if it would take the trick so far. For each suit: how many of its cards are
        unseen. Last, who takes the trick so far, counted from the seat.
        """
        rows, kinds = len(observations), self._actions.size
        looked = np.empty((rows, kinds + _SUITS + 1), np.int8)
        statuses = observations[:, self._cards].reshape(rows, kinds, -1)
        _look(statuses, observations[:, self._trump] + 1, self._packs, self._marks, looked)
        places = np.concatenate([self.actions(order), kinds + order], axis=1)
        looked[:, :-1] = np.take_along_axis(looked, places, axis=1)
        return looked

    def numbers(self, observations: NDArray[np.int8], order: Any, plays: bool) -> NDArray[np.int8]:
        """All that a network sees: shape (rows, numbers)."""
        turned = self.turned(observations, order)
        columns = slice(self._cards.stop, self._lacking.min()) if plays and self.alike else slice(None)
        looked = [self.looked(observations, order)] if plays else []
        return np.concatenate([observations[:, columns], turned, *looked], axis=1)

    def actions(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """The plays in another order of the suits: shape (rows, plays)."""
        return self._actions[order].reshape(len(order), -1)


@cache
def suits_of(game: Game) -> Suits | None:
    """The suits of a game with a trump; None for other games."""
    return Suits(game) if hasattr(game.features, "TRUMP_AT") else None


def numbers_of(game: Game, observations: NDArray[np.int8], plays: bool) -> tuple[Any, Any]:
    """All numbers that a network sees: shape (rows, numbers); and the order of the suits, None without a
    trump."""
    suits = suits_of(game)
    if suits is None:
        hand_numbers = getattr(game.features, "hand_numbers", None)
        counts = [] if hand_numbers is None else [hand_numbers(observations)]
        return np.concatenate([observations, *counts], axis=1), None
    order = suits.order(observations)
    return suits.numbers(observations, order, plays), order


def inputs_of(numbers: NDArray[np.int8]) -> Inputs:
    """How the numbers of some observations become indices."""
    low, high = numbers.min(axis=0).astype(np.int16), numbers.max(axis=0).astype(np.int16)
    step = (high - low) // MOST_LEVELS + 1
    return Inputs(low, step, (high - low) // step + 1)


@compiled
def _apply(units: Any, weights: Any, biases: Any, out: Any) -> None:
    """Apply a layer to the units that are above 0."""
    for target in range(len(out)):
        out[target] = biases[target]
    for unit in range(len(units)):
        if units[unit] > 0:
            for target in range(len(out)):
                out[target] += units[unit] * weights[unit, target]


@compiled
def _forward(indices: Any, layers: Any) -> Any:
    """The values of actions: shape (rows, actions)."""
    values = np.empty((len(indices), len(layers.third)), np.float32)
    first, second = np.empty_like(layers.first), np.empty_like(layers.second)
    for row in range(len(indices)):
        for unit in range(len(first)):
            first[unit] = layers.first[unit]
        for number in range(indices.shape[1]):
            index = indices[row, number]
            for unit in range(len(first)):
                first[unit] += layers.vectors[index, unit]
        _apply(first, layers.weights, layers.second, second)
        _apply(second, layers.last, layers.third, values[row])
    return values


class Network:
    """The player, a policy. `weights` has for each kind of decision, ``kind.name``, the fields of `Inputs`
    and `Layers`. The last layer has a value for each action; for plays in games with a trump see `combined`.

    Raises ValueError if the weights are for another version of the game's observations.
    """

    def __init__(self, game: Game, weights: dict[str, NDArray[Any]]) -> None:
        if int(weights["version"]) != game.decisions.version:
            raise ValueError(f"the network of {game.name} is for another version of its observations")
        self._game, self._suits = game, suits_of(game)
        self._names = game.decisions.kinds
        self._kinds = [
            (
                Inputs(*(weights[f"{kind}.{name}"].astype(np.int16) for name in Inputs._fields)),
                Layers(*(weights[f"{kind}.{name}"].astype(np.float32, "C") for name in Layers._fields)),
            )
            for kind in game.decisions.kinds
        ]

    def choose(self, decisions: DecisionBatch) -> Actions:
        """An action for each decision: shape (tables,)."""
        actions = np.zeros(len(decisions.kinds), np.int64)
        for number in range(len(self._kinds)):
            rows = np.flatnonzero(decisions.kinds == number)
            if len(rows):
                values = self.values(number, decisions.observations[rows])
                legal = decisions.masks[rows, : values.shape[1]]
                actions[rows] = np.where(legal, values, -np.inf).argmax(axis=1)
        return actions

    def values(self, kind: int, observations: NDArray[np.int8]) -> Floats:
        """What each action of a kind is worth relative to the others: shape (rows, actions)."""
        inputs, layers = self._kinds[kind]
        plays = self._names[kind] == PLAYS
        numbers, order = numbers_of(self._game, observations, plays)
        values: Floats = _forward(inputs.indices(numbers), layers)
        return values if self._suits is None or not plays else combined(self._suits, order, values)


def combined(suits: Suits, order: NDArray[np.int64], values: Floats) -> Floats:
    """The values of plays from a network's output: the values in the order of the pack, unless all suits are
    alike, then those in the other order."""
    places = suits.actions(order)
    count = places.shape[1]
    totals = np.zeros_like(values[:, :count]) if suits.alike else values[:, :count].copy()
    rows = np.arange(len(totals))[:, None]
    totals[rows, places] += values[:, -count:]
    return totals


@cache
def network(game: Game) -> Network:
    """The player of a game that has one."""
    return trained(game, Path(__file__).parents[1] / game.name / f"{NAME}.npz")


@cache
def trained(game: Game, path: Path) -> Network:
    """The player with the weights in a file that `examples/train_player.py` has written. Raises ValueError if
    it can't be read, or they are not of this game."""
    try:
        with np.load(path, allow_pickle=False) as weights:
            return Network(game, dict(weights))
    except (OSError, KeyError, ValueError, BadZipFile) as error:
        raise ValueError(f"{path} has no weights of a player of {game.name}: {error}") from error
