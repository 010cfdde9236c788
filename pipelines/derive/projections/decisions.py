"""The `decisions` table: every choice of every hand, the legal actions, and the outcome."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.derive.projections.hands import Hands
from cardlog.pipelines.events.columns import labels, labels_of_rows, nullable
from cardlog.pipelines.events.folding import STATUSES, NotLegal, Replayed
from cardlog.schemas.tables import DECISIONS, MASK_BITS


def decisions(hands: Hands, replayed: Replayed) -> pa.Table:
    """The rows of `decisions` for some legal hands. Raises NotLegal if a mask lacks the action taken."""
    batch, rows = hands.batch, replayed.rows
    hand = rows["hand"]
    legal = replayed.masks
    _check_masks(hands, rows, legal)
    columns = {
        "match_id": labels_of_rows(batch.match_of, batch.matches, hand),
        "kind": labels(rows["kind"], models.game(batch.game).decisions.kinds),
        "step": nullable(rows["step"], None),
        "seq": nullable((rows["event"] - batch.offsets[hand]).astype(np.int16), None),
        "seat": nullable(rows["seat"], None),
        "status": labels_of_rows(hands.done, STATUSES, hand),
        "action_mask": pa.array(_bits(legal[:, :MASK_BITS])),
        "action_mask_high": pa.array(_bits(legal[:, MASK_BITS:])),
        "action": nullable(rows["action"], None),
        "reward": nullable(rows["reward"], ~np.isnan(rows["reward"])),
        "return": nullable(rows["return"], ~np.isnan(rows["return"])),
    }
    return hands.rows(DECISIONS, hand, columns)


def _check_masks(hands: Hands, rows: NDArray[np.void], legal: NDArray[np.bool_]) -> None:
    """`evolve` accepted every action, so a mask without it means that a game's `decisions` are wrong."""
    exists = (rows["action"] >= 0) & (rows["action"] < legal.shape[1])
    taken = exists & legal[np.arange(len(rows)), np.where(exists, rows["action"], 0)]
    if not taken.all():
        wrong = rows[~taken][0]
        raise NotLegal(
            f"hand {hands.ids[int(wrong['hand'])]}: decision {wrong['step']} was action {wrong['action']}, "
            f"which its mask lacks; that is an error in cardlog's {hands.batch.game}, please report it with "
            "the hand"
        )


def _bits(legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """At most 63 actions of each row as the bits of an integer: action n is bit n."""
    packed = np.packbits(legal, axis=1, bitorder="little")
    whole = np.zeros((len(legal), 8), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return whole.view("<i8").ravel()
