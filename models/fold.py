"""The fold: a hand's state is what its events make of the state before the first one.

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
"""``evolve(state, event) -> reason``: changes the state, or names why the event is illegal and
leaves the state as it was. Both are NumPy records; the reason is a number of `Reason`, 0 for
none. Where the event's seat is null, it fills in the seat whose turn it is."""

Records = NDArray[np.void]
Offsets = NDArray[np.int64]

WHOLE: Final = -1
"""Stands in `Verdicts.at` for a hand in which no event is illegal."""


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
        Where each hand begins in `events`, and where the last one ends: shape (hands + 1,).
    states
        In: each hand's state before its first event. Out: after its last legal one. (hands,)
    reasons
        Out: why the hand is illegal, 0 if it isn't. (hands,)
    at
        Out: the place in `events` of the first illegal event, `WHOLE` if there is none. (hands,)
    """
    _fold_for(game)(events, offsets, states, reasons, at)


@cache
def _fold_for(game: ModuleType) -> Callable[..., None]:
    return specialised(_fold, game.GAME, evolve=game.evolve)


def _of_the_game(*arguments: Any) -> Any:
    """Stands in the templates below for a game's own functions, which `specialised` puts there."""
    raise NotImplementedError


evolve = decide = observe = outcome = _of_the_game


def _fold(events: Any, offsets: Offsets, states: Any, reasons: NDArray[np.int8], at: Offsets) -> None:
    for hand in range(len(states)):
        reasons[hand] = 0
        at[hand] = WHOLE
        for place in range(offsets[hand], offsets[hand + 1]):
            reason = evolve(states[hand], events[place])
            if reason != 0:
                reasons[hand] = reason
                at[hand] = place
                break


DECISION: Final = compiled_dtype(
    [
        ("hand", np.int32),  # place of the hand in the batch
        ("place", np.int64),  # place in `events` of the event that carried it out
        ("kind", np.int8),  # index into the game's DECISION_KINDS
        ("seat", np.int8),
        ("trick", np.int8),
        ("step", np.int16),  # place among the hand's decisions
        ("width", np.int16),  # how many actions the kind has
        ("action", np.int16),
        ("reward", np.float32),
        ("return", np.float32),
    ],
)


def walk(
    game: ModuleType,
    view: ModuleType,
    events: Records,
    offsets: Offsets,
    states: Records,
    decisions: Records,
    masks: NDArray[np.bool_],
    observations: NDArray[np.int8],
) -> int:
    """Replay legal hands and note every decision; returns how many there are.

    view
        The game's decisions, a module with three compiled functions.
        ``decide(state, event, mask)``: whether an event is a decision, as (kind, actions, action),
        kind -1 if it is none; marks for each of the actions in mask whether it is legal.
        ``observe(state, seat, observation)``: notes what a seat knows.
        ``outcome(state, decision)``: reward and return of a decision, from the hand's last state;
        nan where not known.
    decisions, masks, observations
        Out: shapes (rows,), (rows * most actions,), (rows, width), rows at least as many as events.
        The masks stand one after the other, each as wide as its kind has actions.
    """
    return int(_walk_for(game, view)(events, offsets, states, decisions, masks, observations))


@cache
def _walk_for(game: ModuleType, view: ModuleType) -> Callable[..., int]:
    functions = {name: getattr(view, name) for name in ("decide", "observe", "outcome")}
    return specialised(_walk, game.GAME, evolve=game.evolve, **functions)


def _walk(
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
        for place in range(offsets[hand], offsets[hand + 1]):
            event = events[place]
            kind, width, action = decide(state, event, masks[filled:])
            if kind >= 0:
                observe(state, state.turn, observations[count])
                row = decisions[count]
                row.hand = hand
                row.place = place
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
            reward, back = outcome(state, decisions[number])
            decisions[number]["reward"] = reward
            decisions[number]["return"] = back
    return count
