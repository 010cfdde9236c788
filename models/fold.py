"""The fold: a hand's state is the state before its first event with all its events applied.

`evolve` is a game's own compiled function; everything here works for every game.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import specialised
from cardlog.schemas.events import compiled_dtype

Evolve = Callable[[Any, Any], int]
"""``evolve(state, event) -> reason``: changes the state, or says why the event is illegal and
leaves the state unchanged. Both are NumPy records; the reason is a number of `Reason`, 0 for
none. If the event's seat is null, it fills in the seat whose turn it is."""

Records = NDArray[np.void]
Offsets = NDArray[np.int64]

WHOLE: Final = -1
"""Stands in `Folded.at` for a hand in which no event is illegal."""


def fold(
    game: ModuleType,
    events: Records,
    offsets: Offsets,
    states: Records,
    reasons: NDArray[np.int8],
    at: Offsets,
) -> None:
    """Fold every hand of a batch through the rules of a game.

    events
        All events, hand after hand: shape (events,), the game's `EVENT` dtype.
    offsets
        Where each hand starts in `events`, and where the last one ends: shape (hands + 1,).
    states
        In: each hand's state before its first event. Out: after its last legal one. (hands,)
    reasons
        Out: why the hand is illegal, 0 if it isn't. (hands,)
    at
        Out: index in `events` of the first illegal event, `WHOLE` if there is none. (hands,)
    """
    _fold_for(game)(events, offsets, states, reasons, at)


@cache
def _fold_for(game: ModuleType) -> Callable[..., None]:
    return specialised(_fold, game.GAME, evolve=game.evolve)


def _of_the_game(*arguments: Any) -> Any:
    """Placeholder in the templates below for a game's own functions, which `specialised` inserts."""
    raise NotImplementedError


evolve = decide = observe = outcome = _of_the_game


def _fold(events: Any, offsets: Offsets, states: Any, reasons: NDArray[np.int8], at: Offsets) -> None:
    for hand in range(len(states)):
        reasons[hand] = 0
        at[hand] = WHOLE
        for index in range(offsets[hand], offsets[hand + 1]):
            reason = evolve(states[hand], events[index])
            if reason != 0:
                reasons[hand] = reason
                at[hand] = index
                break


DECISION: Final = compiled_dtype(
    [
        ("hand", np.int32),  # its index in the batch
        ("event", np.int64),  # index in `events` of the one that carried it out
        ("kind", np.int8),  # index into the game's DECISION_KINDS
        ("seat", np.int8),
        ("trick", np.int8),
        ("step", np.int16),  # its index among the hand's decisions
        ("width", np.int16),  # how many actions the kind has
        ("action", np.int16),
        ("reward", np.float32),
        ("return", np.float32),
    ],
)


def replay_decisions(
    game: ModuleType,
    spec: ModuleType,
    events: Records,
    offsets: Offsets,
    states: Records,
    decisions: Records,
    masks: NDArray[np.bool_],
    observations: NDArray[np.int8],
) -> int:
    """Replay legal hands and record every decision; returns how many there are.

    spec
        The game's decisions, a module with three compiled functions.
        ``decide(state, event, mask)``: (kind, actions, action) of the decision that an event is, kind -1
        if it is none; sets in mask which of the actions are legal.
        ``observe(state, seat, observation)``: writes what a seat knows.
        ``outcome(state, decision)``: reward and return of a decision, from the hand's last state;
        nan where not known.
    decisions, masks, observations
        Out: shapes (rows,), (rows * most actions,), (rows, width), with at least as many rows as events.
        The masks follow one another, each as wide as its kind has actions.
    """
    return int(_replay_for(game, spec)(events, offsets, states, decisions, masks, observations))


@cache
def _replay_for(game: ModuleType, spec: ModuleType) -> Callable[..., int]:
    functions = {name: getattr(spec, name) for name in ("decide", "observe", "outcome")}
    return specialised(_replay_decisions, game.GAME, evolve=game.evolve, **functions)


def _replay_decisions(
    events: Any,
    offsets: Offsets,
    states: Any,
    decisions: Any,
    masks: NDArray[np.bool_],
    observations: NDArray[np.int8],
) -> int:
    count = 0
    filled = 0
    for hand in range(len(states)):
        state = states[hand]
        first = count
        for index in range(offsets[hand], offsets[hand + 1]):
            event = events[index]
            kind, width, action = decide(state, event, masks[filled:])
            if kind >= 0:
                observe(state, state.turn, observations[count])
                row = decisions[count]
                row.hand = hand
                row.event = index
                row.kind = kind
                row.seat = state.turn
                row.trick = state.tricks
                row.step = count - first
                row.width = width
                row.action = action
                count += 1
                filled += width
            evolve(state, event)
        for number in range(first, count):
            reward, return_ = outcome(state, decisions[number])
            decisions[number]["reward"] = reward
            decisions[number]["return"] = return_
    return count
