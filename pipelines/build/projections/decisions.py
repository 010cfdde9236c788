"""The `decisions` table: every choice of every hand, out of which legal actions, and what came of it."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.compiled import compiled
from cardlog.pipelines.build.projections.columns import hand_labels, labels, nullable
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import STATUSES, NotLegal, Replayed
from cardlog.schemas.tables import DECISIONS, MASK_BITS


def decisions(batch: Batch, replayed: Replayed) -> pa.Table:
    """The rows of `decisions` for some legal hands.

    Raises NotLegal if a mask lacks the action taken.
    """
    rows = replayed.rows
    _check_masks(batch, replayed)
    hand = rows["hand"]
    low, high = packed_masks(replayed.masks, rows["width"])
    columns = {
        "game": labels(np.zeros(len(rows)), (batch.game,)),
        "hand_id": pa.DictionaryArray.from_arrays(
            pa.array(np.ascontiguousarray(hand)), hand_labels(batch.hand_ids)
        ),
        "match_id": labels(batch.match_of[hand], batch.matches),
        "kind": labels(rows["kind"], models.game(batch.game).decisions.kinds),
        "step": nullable(rows["step"], None),
        "seq": nullable((rows["event"] - batch.offsets[hand]).astype(np.int16), None),
        "seat": nullable(rows["seat"], None),
        "status": labels(replayed.folded.done[hand].astype(np.int32), STATUSES),
        "action_mask": nullable(low, None),
        "action_mask_high": nullable(high, None),
        "action": nullable(rows["action"], None),
        "reward": nullable(rows["reward"], ~np.isnan(rows["reward"])),
        "return": nullable(rows["return"], ~np.isnan(rows["return"])),
        "ingest_no": pa.array(batch.ingest_nos[hand]),
    }
    return pa.table([columns[name] for name in DECISIONS.names], schema=DECISIONS)


def _check_masks(batch: Batch, replayed: Replayed) -> None:
    """`evolve` took every action, so a mask without it means that a game's `decisions` are wrong."""
    rows, actions = replayed.rows, replayed.rows["action"]
    exists = (actions >= 0) & (actions < rows["width"])
    taken = exists & replayed.masks[np.arange(len(rows)), np.where(exists, actions, 0)]
    if not taken.all():
        wrong = rows[~taken][0]
        raise NotLegal(
            f"hand {batch.hand_ids[wrong['hand']].decode()}: decision {wrong['step']} was action "
            f"{wrong['action']}, which its mask lacks; that is an error in cardlog's {batch.game}, "
            "please report it with the hand"
        )


@compiled
def packed_masks(masks: NDArray[np.bool_], widths: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Masks as the bits of two integers: action n is bit n of the first, or, from `MASK_BITS` on, bit
    n - `MASK_BITS` of the second. Both are of shape (rows,), int64, and never negative."""
    low, high = np.zeros(len(masks), np.int64), np.zeros(len(masks), np.int64)
    for row in range(len(masks)):
        mask = masks[row]
        width: int = widths[row]
        low_bits = high_bits = np.int64(0)
        for action in range(width):
            if action < MASK_BITS:
                low_bits |= np.int64(mask[action]) << action
            else:
                high_bits |= np.int64(mask[action]) << (action - MASK_BITS)
        low[row], high[row] = low_bits, high_bits
    return low, high
