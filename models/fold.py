"""The fold: a hand's state is the state before its first event with all its events applied.

Everything here works for every game, `game` in the loops, whose functions `specialised` compiles into them.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled, specialised
from cardlog.models.game import Functions, Game, Records
from cardlog.schemas.events import compiled_dtype

Offsets = NDArray[np.int64]

WHOLE: Final = -1
"""Stands in `at` for a hand in which no event is illegal."""


def fold(
    game: Game,
    events: Records,
    offsets: Offsets,
    states: Records,
    reasons: NDArray[np.int8],
    at: Offsets,
) -> None:
    """Fold every hand of a batch through the rules of a game.

    events
        All events, hand after hand: shape (events,), the game's `event` dtype.
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
def _fold_for(game: Game) -> Callable[..., None]:
    return specialised(_fold, game.name, game.functions())


game = cast(Functions, None)
"""In the loops below: the functions of the game they are compiled for."""


def _fold(events: Any, offsets: Offsets, states: Any, reasons: NDArray[np.int8], at: Offsets) -> None:
    for hand in range(len(states)):
        reasons[hand] = 0
        at[hand] = WHOLE
        for index in range(offsets[hand], offsets[hand + 1]):
            reason = game.evolve(states[hand], events[index])
            if reason != 0:
                reasons[hand] = reason
                at[hand] = index
                break


DECISION: Final = compiled_dtype(
    [
        ("hand", np.int32),  # index of the hand in the batch
        ("event", np.int64),  # index in `events` of the event that carried it out
        ("kind", np.int8),  # index into the game's `Decisions.kinds`
        ("seat", np.int8),
        ("knows_hand", np.bool_),  # whether the seat's cards, as far as it has seen them, are known
        ("trick", np.int8),
        ("step", np.int16),  # index among the hand's decisions
        ("width", np.int16),  # how many actions the kind has
        ("action", np.int16),
        ("reward", np.float32),
        ("return", np.float32),
    ],
)


class Verdicts(NamedTuple):
    """Out: what `fold` finds of each hand, arrays of shape (hands,).

    reasons
        Why the hand is illegal, 0 if it isn't.
    at
        The index in `events` of the first illegal event, `WHOLE` if there is none.
    """

    reasons: NDArray[np.int8]
    at: Offsets


class DecisionBuffers(NamedTuple):
    """Out: decisions, with at least as many rows as there are events.

    rows
        Dtype `DECISION`: shape (rows,).
    masks
        Which actions are legal, up to the number that the decision's kind has: (rows, most actions).
    observations
        What the seat knew: (rows, width).
    """

    rows: Records
    masks: NDArray[np.bool_]
    observations: NDArray[np.int8]


def replay_decisions(
    game: Game,
    observe: Callable[..., None] | None,
    hands: tuple[Records, Offsets, Records],
    verdicts: Verdicts,
    buffers: DecisionBuffers,
) -> int:
    """Fold hands as `fold` does and note every decision on the way; returns how many there are.

    observe
        ``observe(state, seat, observation)`` notes what a seat knows, compiled or as plain Python; None
        leaves the observations alone.
    hands
        Events, offsets and states, as `fold` takes them.
    """
    return int(_replay_for(game, observe)(*hands, verdicts, buffers))


@cache
def _replay_for(game: Game, observe: Callable[..., None] | None) -> Callable[..., int]:
    if observe is None:
        return specialised(_replay, f"{game.name}_unseen", game.functions(_observe_nothing))
    return specialised(_replay, game.name, game.functions(observe))


@compiled
def _observe_nothing(state: Any, seat: Int, observation: Any) -> None:
    """Stands for an encoder where no observation is wanted."""


def _replay(events: Any, offsets: Offsets, states: Any, verdicts: Verdicts, buffers: DecisionBuffers) -> int:
    count = 0
    for hand in range(len(states)):
        state = states[hand]
        verdicts.reasons[hand] = 0
        verdicts.at[hand] = WHOLE
        first = count
        for index in range(offsets[hand], offsets[hand + 1]):
            event = events[index]
            kind, width, action = game.decide(state, event, buffers.masks[count])
            if kind >= 0:
                game.observe(state, state.turn, buffers.observations[count])
                row = buffers.rows[count]
                row.hand = hand
                row.event = index
                row.kind = kind
                row.seat = state.turn
                row.knows_hand = game.knows_hand(state, state.turn)
                row.trick = state.tricks
                row.step = count - first
                row.width = width
                row.action = action
                count += 1
            reason = game.evolve(state, event)
            if reason != 0:
                verdicts.reasons[hand] = reason
                verdicts.at[hand] = index
                break
        for number in range(first, count):
            reward, return_ = game.outcome(state, buffers.rows[number])
            buffers.rows[number]["reward"] = reward
            buffers.rows[number]["return"] = return_
    return count
