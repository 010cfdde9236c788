"""What the tables of poker games share, from the last state of each hand. They have no tricks."""

import numpy as np
import pyarrow as pa

from cardlog.pipelines.derive.projections.game import States
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import nullable


def hand_columns(batch: Batch, states: States) -> dict[str, pa.Array]:
    """Columns of `playedhand` that poker games have, one value a hand.

    An empty seat has nulls. `player_N_net` is what the seat has won less what it has put in, null while the
    hand is not over.
    """
    done = states["done"] == 1
    columns: dict[str, pa.Array] = {"dealer": pa.array(states["dealer"].astype(np.int32))}
    net = states["won"].astype(np.int32) - states["staked"]
    for seat in range(net.shape[1]):
        present = (states["present"] >> seat & 1) == 1
        columns[f"player_{seat}_net"] = nullable(net[:, seat], present & done)
    return columns
