"""The columns of `tricks`, for games of four seats whose states keep the tricks as Kaiser's does.

A state has `tricks`, how many are over; `leaders`, `winners` and `values`, one a trick; and `played`, the
cards in the order they fell.
"""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.build.projections.columns import card_bytes, varied_texts
from cardlog.schemas.tables import TRICKS

SEATS: Final = 4


def trick_columns(states: NDArray[np.void]) -> dict[str, Any]:
    """Columns of `tricks`, one value a whole trick; `hand` is the index of its hand."""
    hand, number, leader, winner, points, played = _tricks(states)
    data, ends = card_bytes(played, np.full(len(hand), SEATS, np.int64))
    return {
        "hand": hand,
        "trick_no": pa.array(number),
        "leader": pa.array(leader),
        "cards": varied_texts(data, ends),
        "winner": pa.array(winner),
        "winner_team": pa.array(winner & 1),
        "points": pa.array(points),
    }


@compiled
def _tricks(states: NDArray[Any]) -> Any:
    count = 0
    for index in range(len(states)):
        count += states[index].tricks
    hand = np.empty(count, np.int32)
    number = np.empty(count, np.int8)
    leader = np.empty(count, np.int8)
    winner = np.empty(count, np.int8)
    points = np.empty(count, np.int32)
    played = np.empty((count, SEATS), np.uint8)
    row = 0
    for index in range(len(states)):
        state = states[index]
        for trick in range(state.tricks):
            hand[row] = index
            number[row] = trick
            leader[row] = state.leaders[trick]
            winner[row] = state.winners[trick]
            points[row] = state.values[trick]
            for card in range(SEATS):
                played[row, card] = state.played[SEATS * trick + card]
            row += 1
    return hand, number, leader, winner, points, played


def no_tricks(states: NDArray[np.void]) -> dict[str, Any]:
    """No rows, for games in which nobody takes anything."""
    own = ("trick_no", "leader", "cards", "winner", "winner_team", "points")
    none = {name: pa.array([], TRICKS.field(name).type) for name in own}
    return {"hand": np.zeros(0, np.int32), **none}
