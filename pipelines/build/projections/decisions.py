"""The `decisions` table: every choice of every hand, with what the seat knew and might do."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.fold import DECISION, replay_decisions
from cardlog.pipelines.build.projections.columns import hand_labels, labels, nullable
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.folding import Folded, initial_states
from cardlog.schemas.tables import DECISIONS


def decisions(batch: Batch, folded: Folded) -> pa.Table:
    """The rows of `decisions` for some legal hands."""
    game = models.game(batch.game)
    view = models.part(game.GAME, "decisions")
    states, _ = initial_states(batch)
    rows = np.empty(len(batch.events) + 1, DECISION)
    masks = np.empty(len(rows) * view.MOST_ACTIONS, np.bool_)
    observations = np.empty((len(rows), view.OBSERVATION_WIDTH), np.int8)
    count = replay_decisions(game, view, batch.events, batch.offsets, states, rows, masks, observations)
    rows, observations = rows[:count], observations[:count]
    hand = rows["hand"]
    status = folded.done[hand].astype(np.int32)
    columns = {
        "game": labels(np.zeros(count), (batch.game,)),
        "hand_id": pa.DictionaryArray.from_arrays(
            pa.array(np.ascontiguousarray(hand)), hand_labels(batch.hand_ids)
        ),
        "match_id": labels(batch.match_of[hand], batch.matches),
        "kind": labels(rows["kind"], view.DECISION_KINDS),
        "step": nullable(rows["step"], None),
        "seq": nullable((rows["event"] - batch.offsets[hand]).astype(np.int16), None),
        "seat": nullable(rows["seat"], None),
        "status": labels(status, ("aborted", "complete")),
        "observation": lists(observations.ravel(), np.full(count, observations.shape[1])),
        "action_mask": lists(masks[: rows["width"].sum(dtype=np.int64)], rows["width"]),
        "action": nullable(rows["action"], None),
        "reward": nullable(rows["reward"], ~np.isnan(rows["reward"])),
        "return": nullable(rows["return"], ~np.isnan(rows["return"])),
    }
    return pa.table([columns[name] for name in DECISIONS.names], schema=DECISIONS)


def lists(values: NDArray[np.generic], lengths: NDArray[np.integer]) -> pa.ListArray:
    """A column of lists from their values, one after the other, and the length of each."""
    ends = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=ends[1:])
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(values))
