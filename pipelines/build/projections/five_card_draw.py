"""Five-card draw's own columns of `playedhand`, from the last state of each hand. It has no tricks."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.five_card_draw.ranks import HAND_CARDS
from cardlog.models.five_card_draw.state import SEATS
from cardlog.pipelines.build.projections.columns import COMPUTERS, card_texts, nullable
from cardlog.pipelines.build.projections.tricks import no_tricks as trick_columns
from cardlog.pipelines.storage.batch import Batch

__all__ = ["hand_columns", "trick_columns"]


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are five-card draw's own, one value a hand.

    A seat that nobody holds has nulls. `player_N_hand` is the hand as it was dealt, ``??`` for cards that
    the log does not show; `player_N_net` what the seat has won less what it has put in, null while the
    hand is not over.
    """
    done = states["done"] == 1
    columns: dict[str, pa.Array] = {
        **COMPUTERS.of(batch),
        "dealer": pa.array(states["dealer"].astype(np.int32)),
    }
    net = states["won"].astype(np.int32) - states["staked"]
    for seat in range(SEATS):
        present = (states["present"] >> seat & 1) == 1
        dealt = states["dealt"] >> seat & 1
        columns[f"player_{seat}_hand"] = card_texts(states["dealt_cards"][:, seat], dealt * HAND_CARDS)
        columns[f"player_{seat}_net"] = nullable(net[:, seat], present & done)
    return columns
