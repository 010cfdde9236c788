"""Fold batches: the states before each hand from its opening, and after its last legal event."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.fold import DECISION, DecisionBuffers, Verdicts, fold, replay_decisions
from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.reasons import Reason

STATUSES: Final = ("aborted", "complete")
"""Of a hand that breaks off, and of one that was played to its end."""


class NotLegal(CardlogError):
    """Stored events that the rules forbid: the store was written by something else, or the rules
    have changed."""


@dataclass
class Folded:
    """What the fold made of a batch.

    states
        Each hand's state after its last legal event, the game's `STATE` dtype: shape (hands,).
    reasons, at
        Why each hand is illegal, 0 if it isn't, and the index of that event: shape (hands,).
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
    """Fold every hand of a batch. Events of play without a seat get the one whose turn it was."""
    game = models.game(batch.game)
    states, messages = initial_states(batch)
    reasons = np.zeros(len(batch), np.int8)
    at = np.full(len(batch), -1, np.int64)
    fold(game, batch.events, batch.offsets, states, reasons, at)
    return _folded(batch, states, Verdicts(reasons, at), messages)


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
    """What the fold made of a batch, and every decision on the way.

    rows
        Dtype `DECISION`: shape (decisions,).
    masks
        Which actions were legal, up to each decision's `width`: shape (decisions, most actions).
    observations
        What the seats knew: shape (decisions, width), without columns if that was not wanted.
    """

    folded: Folded
    rows: NDArray[np.void]
    masks: NDArray[np.bool_]
    observations: NDArray[np.int8]


Observe = Callable[[Any, Any, Any], None]
"""``observe(state, seat, observation)`` notes what a seat knows."""


def replay_batch(batch: Batch, observe: Observe | None = None, width: int = 0) -> Replayed:
    """Fold every hand of a batch as `fold_batch` does and note every decision on the way.

    observe, width
        What makes an observation, and how many numbers it has; None makes none.
    """
    states, messages = initial_states(batch)
    verdicts = Verdicts(np.zeros(len(batch), np.int8), np.full(len(batch), -1, np.int64))
    count = 0
    buffers = _buffers(batch, width)
    if not messages:
        hands = batch.events, batch.offsets, states
        count = replay_decisions(models.game(batch.game), observe, hands, verdicts, buffers)
    folded = _folded(batch, states, verdicts, messages)
    rows, masks, observations = buffers
    return Replayed(folded, rows[:count], masks[:count], observations[:count])


def _buffers(batch: Batch, width: int) -> DecisionBuffers:
    most = models.part(batch.game, "decisions").MOST_ACTIONS
    room = len(batch.events) + 1
    return DecisionBuffers(
        np.empty(room, DECISION), np.empty((room, most), np.bool_), np.zeros((room, width), np.int8)
    )


def initial_states(batch: Batch) -> tuple[NDArray[np.void], dict[int, str]]:
    """The state before each hand, and a sentence for each hand whose opening makes no sense."""
    openings = _openings(batch.game)
    rows = openings.rows([*batch.details, "null"])
    which = rows[batch.events["detail"][batch.offsets[:-1]]]
    wrong = np.flatnonzero(np.isin(which, list(openings.wrong))) if openings.wrong else ()
    return _rows(openings.states, which), {int(hand): openings.wrong[int(which[hand])] for hand in wrong}


def _rows(states: NDArray[np.void], which: NDArray[np.int64]) -> NDArray[np.void]:
    """Some rows of an array of records; as bytes, which NumPy gathers five times as fast."""
    size = states.dtype.itemsize
    return states.view(np.uint8).reshape(-1, size)[which].reshape(-1).view(states.dtype)


class _Openings:
    """The states that openings lead to, each worked out once: hands that agree on the settings,
    the dealer and the players begin alike."""

    def __init__(self, game: str) -> None:
        self._game = models.game(game)
        self._rows: dict[str, int] = {}
        self.states = np.zeros(256, self._game.STATE)
        self.wrong: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, details: list[str]) -> NDArray[np.int64]:
        """The rows of `states` that details lead to; for one that leads to none, `wrong` has a
        sentence."""
        rows = [*map(self._rows.get, details)]
        if None in rows:
            rows = [
                self._add(detail) if row is None else row for detail, row in zip(details, rows, strict=True)
            ]
        return np.array(rows, np.int64)

    def _add(self, detail: str) -> int:
        row = self._rows.setdefault(detail, len(self._rows))
        if row == len(self.states):
            self.states = np.concatenate([self.states, np.zeros_like(self.states)])
        try:
            self.states[row] = self._game.begin(_parsed(detail))[0]
        except (ValueError, RecursionError) as error:
            sentence = str(error)
            self.wrong[row] = sentence[:1].upper() + sentence[1:] + "."
        return row


_of_thread: Final = threading.local()
MOST_OPENINGS: Final = 2**16
"""Openings whose states are kept; where scores of matches stand in them, hardly two are alike."""


def _openings(game: str) -> _Openings:
    """The openings of a game that this thread has seen lately."""
    seen: dict[str, _Openings] = _of_thread.__dict__.setdefault("openings", {})
    if game not in seen or len(seen[game]) > MOST_OPENINGS:
        seen[game] = _Openings(game)
    return seen[game]


def _parsed(detail: str) -> dict[str, Any]:
    value = json.loads(detail)
    if not isinstance(value, dict):
        raise ValueError("the opening's detail is no JSON object")
    return value
