"""Fold batches: the states before each hand from its opening, and after its last legal event."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.engine.fold import DECISION, DecisionBuffers, Verdicts, fold, replay_decisions
from cardlog.models.engine.game import Game
from cardlog.pipelines.events.batch import Batch
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.reasons import Reason

STATUSES: Final = ("aborted", "complete")
"""The status of a hand that breaks off, and of one that was played to its end."""


class NoRules(CardlogError):
    """Hands of a game that no installed package has."""


class NotLegal(CardlogError):
    """Stored events that the rules forbid: the store was written by something else, or the rules
    have changed."""


@dataclass
class Folded:
    """The result of folding a batch.

    states
        Each hand's state after its last legal event, the game's `STATE` dtype: shape (hands,).
    reasons, at
        Why each hand is illegal, 0 if it isn't, and the index of the illegal event: shape (hands,).
    messages
        Sentences for the hands whose opening makes no sense, by their index.
    """

    states: NDArray[np.void]
    reasons: NDArray[np.int8]
    at: NDArray[np.int64]
    messages: dict[int, str]

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which hands were played to their end."""
        return np.asarray(self.states["done"] == 1)


def fold_batch(batch: Batch) -> Folded:
    """Fold every hand of a batch. Events of play without a seat get the seat whose turn it was."""
    game = _game_of(batch)
    states, messages = initial_states(batch)
    reasons = np.zeros(len(batch), np.int8)
    at = np.full(len(batch), -1, np.int64)
    fold(game, batch.events, batch.offsets, states, reasons, at)
    return _folded(batch, states, Verdicts(reasons, at), messages)


def _game_of(batch: Batch) -> Game:
    if batch.game not in models.GAMES:
        raise NoRules(
            f"the package with the rules of {batch.game} is not installed; 'cardlog status' names it"
        )
    return models.GAMES[batch.game]


def _folded(batch: Batch, states: NDArray[np.void], verdicts: Verdicts, messages: dict[int, str]) -> Folded:
    for hand in messages:
        verdicts.reasons[hand] = Reason.UNPARSABLE
        verdicts.at[hand] = batch.offsets[hand]
    return Folded(states, verdicts.reasons, verdicts.at, messages)


def check_legal(batch: Batch, folded: Folded) -> None:
    """Raises NotLegal for the first hand of a stored batch that the rules forbid."""
    bad = np.flatnonzero(folded.reasons)
    if len(bad):
        hand = int(bad[0])
        raise NotLegal(f"hand {batch.hand_ids[hand].decode()} is stored, but its events are illegal")


@dataclass
class Replayed:
    """The result of folding a batch, and every decision on the way.

    rows
        Dtype `DECISION`: shape (decisions,).
    masks
        Which actions were legal, none beyond each decision's `width`: shape (decisions, most actions).
    observations
        What the seats knew: shape (decisions, width).
    """

    folded: Folded
    rows: NDArray[np.void]
    masks: NDArray[np.bool_]
    observations: NDArray[np.int8]


Observe = Callable[[Any, Any, Any], None]
"""``observe(state, seat, observation)`` writes what a seat knows into `observation`."""


def replay_batch(batch: Batch, observe: Observe | None = None, width: int = 0) -> Replayed:
    """Fold every hand of a batch as `fold_batch` does and note every decision on the way.

    observe, width
        What makes an observation, and how many numbers it has; None makes none.
    """
    game = _game_of(batch)
    states, messages = initial_states(batch)
    verdicts = Verdicts(np.zeros(len(batch), np.int8), np.full(len(batch), -1, np.int64))
    room = len(batch.events) + 1
    rows, masks = np.empty(room, DECISION), np.zeros((room, game.decisions.most_actions), np.bool_)
    buffers = DecisionBuffers(rows, masks, np.zeros((room, width), np.int8))
    count = 0
    if not messages:
        hands = batch.events, batch.offsets, states
        count = replay_decisions(game, observe, hands, verdicts, buffers)
    folded = _folded(batch, states, verdicts, messages)
    return Replayed(folded, rows[:count], masks[:count], buffers.observations[:count])


def initial_states(batch: Batch) -> tuple[NDArray[np.void], dict[int, str]]:
    """The state before each hand, and a sentence for each hand whose opening makes no sense."""
    details = [*batch.details, "null"]
    numbers = batch.events["detail"][batch.offsets[:-1]].tolist()
    if begin_many := models.game(batch.game).begin_many:
        states, known = begin_many([details[number] for number in numbers])
        wrong = {
            hand: _opening(batch.game, details[numbers[hand]]) for hand in np.flatnonzero(~known).tolist()
        }
        for hand, (state, _) in wrong.items():
            states[hand] = np.frombuffer(state, states.dtype)[0]
        return states, {hand: message for hand, (_, message) in wrong.items() if message}
    openings = [_opening(batch.game, details[number]) for number in numbers]
    states = np.frombuffer(bytearray().join([state for state, _ in openings]), models.game(batch.game).state)
    return states, {hand: message for hand, (_, message) in enumerate(openings) if message}


@lru_cache(maxsize=2**16)
def _opening(name: str, detail: str) -> tuple[bytes, str]:
    """The bytes of the state that an opening leads to, or what is wrong with it. Cached, since hands that
    agree on the settings, the dealer and the players, and if given on the match score, have the same opening.
    """
    game = models.game(name)
    try:
        opening = json.loads(detail)
        if not isinstance(opening, dict):
            raise ValueError("the opening's detail is no JSON object")
        return game.begin(opening).tobytes(), ""
    except (ValueError, RecursionError) as error:
        sentence = str(error)
        return bytes(game.state.itemsize), sentence[:1].upper() + sentence[1:] + "."
