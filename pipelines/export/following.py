"""Columns with what a player saw next: only if they are asked for, since they double the rows.

The next decision is the same seat's next one in the hand, of whatever kind, also if that has no row of its
own, unless ``--min-legal`` leaves it out as forced. After the last one everything is zero, also where a hand
breaks off.
"""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import Replayed
from cardlog.schemas.tables import MOST_SEATS

COLUMNS: Final = {
    "next_observation": pa.list_(pa.int8()),
    "next_action_mask": pa.list_(pa.bool_()),
    "next_kind": pa.string(),
    "done": pa.bool_(),
}
"""The next mask has room for every kind; `next_kind` says whose actions it is about, null after the last."""


def columns(
    batch: Batch, replayed: Replayed, counts: NDArray[np.bool_], wanted: tuple[str, ...]
) -> dict[str, pa.Array]:
    """Some of `COLUMNS` of all decisions of a batch, a row each; `counts` says which can be next ones."""
    if not {*wanted} & {*COLUMNS}:
        return {}
    after = _following(replayed.rows, counts)
    done = after < 0
    kinds = pa.array(models.game(batch.game).decisions.kinds)
    found = {
        "next_observation": lists(_at(replayed.observations, after)),
        "next_action_mask": lists(_at(replayed.masks, after)),
        "next_kind": kinds.take(pa.array(replayed.rows["kind"][after].astype(np.int64), mask=done)),
        "done": pa.array(done),
    }
    return {name: column for name, column in found.items() if name in wanted}


def lists(values: NDArray[Any]) -> pa.FixedSizeListArray:
    """Lists of one length; Parquet writes them faster if their type says that they have no nulls."""
    flat = pa.array(values.ravel())
    kind = pa.list_(pa.field("element", flat.type, nullable=False), values.shape[1])
    return pa.FixedSizeListArray.from_arrays(flat, type=kind)


def _following(rows: NDArray[np.void], counts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The index of the same seat's next decision in the hand that counts, -1 after the last: shape
    (decisions,)."""
    key = rows["hand"].astype(np.int64) * MOST_SEATS + rows["seat"]
    order = np.argsort(key, kind="stable")
    order = order[counts[order]]
    goes_on = key[order[1:]] == key[order[:-1]]
    after = np.full(len(rows), -1, np.int64)
    after[order[:-1][goes_on]] = order[1:][goes_on]
    return after


def _at(values: NDArray[Any], after: NDArray[np.int64]) -> NDArray[Any]:
    found = np.take(values, after, axis=0)
    found[after < 0] = 0
    return found
