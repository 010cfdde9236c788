"""The fold: a hand's state is the state before its first event with all its events applied. In the loops,
`game` stands for the functions of the game they are compiled for."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled, specialised
from cardlog.models.engine.game import Functions, Game, Records
from cardlog.schemas.events import compiled_dtype

Offsets = NDArray[np.int64]

WHOLE: Final = -1  # stands in `at` for a hand in which no event is illegal


def fold(
    game: Game,
    events: Records,
    offsets: Offsets,
    states: Records,
    reasons: NDArray[np.int8],
    at: Offsets,
) -> None:
    """Fold every hand of a batch through the rules of a game.

    events, offsets
        All events, hand after hand, shape (events,); where each hand starts, and the last one ends, (hands +
        1,).
    states
        In: each hand's state before its first event. Out: after its last legal one. (hands,)
    reasons, at
        Out: why each hand is illegal, 0 if it isn't, and the index in `events` of the first illegal event,
        `WHOLE` if there is none. (hands,)
    """
    specialised(_fold, game.name, game.functions())(events, offsets, states, reasons, at)


game = cast(Functions, None)  # in the loops below: the functions of the game they are compiled for


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
    """Out: `reasons` and `at` as `fold` writes them, shape (hands,)."""

    reasons: NDArray[np.int8]
    at: Offsets


class DecisionBuffers(NamedTuple):
    """Out: decisions, with at least as many rows as there are events."""

    rows: Records  # dtype `DECISION`: shape (rows,)
    # which actions are legal, up to the number that the decision's kind has: (rows, most actions)
    masks: NDArray[Any]
    observations: NDArray[Any]  # what the seat knew: (rows, width)


def as_records(rows: NDArray[Any]) -> Records:
    """The rows of a table of numbers of 8 bits as records with one field, `row`: shape (rows,).

    Whenever compiled code passes on an array it counts the references to it, twice, with atomic instructions;
    in small functions these take most of the time. What is in a record is not counted.
    """
    return rows.view(compiled_dtype([("row", np.int8, rows.shape[1:])])).reshape(-1)


def replay_decisions(
    game: Game,
    observe: Callable[..., None] | None,
    hands: tuple[Records, Offsets, Records],
    verdicts: Verdicts,
    buffers: DecisionBuffers,
) -> int:
    """Fold hands, given as events, offsets and states, as `fold` does, and note every decision on the way;
    returns how many there are.

    observe
        ``observe(state, seat, observation)`` writes what a seat knows, compiled or as plain Python; None
        leaves the observations alone.
    """
    name = f"{game.name}_unseen" if observe is None else game.name
    replay = specialised(_replay, name, game.functions(observe or _observe_nothing))
    masks = as_records(buffers.masks)
    observations = masks if observe is None else as_records(buffers.observations)
    return int(replay(*hands, verdicts, DecisionBuffers(buffers.rows, masks, observations)))


@compiled
def _observe_nothing(state: Any, seat: Int, observation: Any) -> None:
    """Takes the place of an encoder where no observation is wanted."""


def _replay(events: Any, offsets: Offsets, states: Any, verdicts: Verdicts, buffers: DecisionBuffers) -> int:
    count = 0
    for hand in range(len(states)):
        state = states[hand]
        verdicts.reasons[hand] = 0
        verdicts.at[hand] = WHOLE
        first = count
        for index in range(offsets[hand], offsets[hand + 1]):
            event = events[index]
            kind, width, action = game.decide(state, event, buffers.masks[count].row)
            if kind >= 0:
                game.observe(state, state.turn, buffers.observations[count].row)
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
