"""What decisions were worth and cost, for training rows: the table `analysis`, looked up once, sorted, and
written to files for all workers."""

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.sql import process
from cardlog.pipelines.storage.remote import array_in
from cardlog.pipelines.storage.store import Store

COLUMNS: Final = {name: pa.float32() for name in ("value", "cost_open", "cost_known")}
"""Columns of a training row, null where the decision has no analysis."""
_KEY: Final = np.dtype([("hand_id", "S32"), ("step", ">u2")])
"""What rows are sorted by; compared as bytes, `_TEXT`, it has the same order."""
_TEXT: Final = "S34"
_KEYS: Final = "decisions"
_COSTS: Final = "costs"
BATCH_ROWS: Final = 500_000


def write(store: Store, game: str, folder: Path) -> None:
    """Write the analysis of a game into two files of a folder: the sorted keys of its decisions, and their
    columns. Raises OutputError if there is none."""
    if not models.game(game).has_solver:
        raise OutputError(f"{game} has no solver, so nothing says what its decisions cost")
    names = ("hand_id", "step", *COLUMNS)
    sql = f"select {', '.join(names)} from analysis where game = '{game}' order by hand_id, step"
    with (
        process.connect(store, {"analysis"}) as connection,
        (folder / _KEYS).open("wb") as keys,
        (folder / _COSTS).open("wb") as costs,
    ):
        _, batches = connection.bind(sql).batches(BATCH_ROWS)
        for batch in batches:
            hand_ids, steps, *values = (batch.column(name).to_numpy(zero_copy_only=False) for name in names)
            keys.write(_keys(hand_ids.astype("S32"), steps).tobytes())
            costs.write(np.column_stack(values).astype("<f4").tobytes())
        if not keys.tell():
            raise OutputError(
                f"no hand of {game} is analysed, so nothing says what its decisions cost; "
                f"'cardlog analyse --game {game}' does that"
            )


def _keys(hand_ids: NDArray[np.bytes_], steps: NDArray[Any]) -> NDArray[np.bytes_]:
    """The keys of decisions: shape (decisions,)."""
    keys = np.empty(len(steps), _KEY)
    keys["hand_id"], keys["step"] = hand_ids, steps
    return keys.view(_TEXT)


def look_up(
    folder: str, batch: Batch, hands: NDArray[np.int32], steps: NDArray[np.int16]
) -> dict[str, NDArray[Any]]:
    """The columns that `write` wrote into a folder, for decisions of a batch, given by hand and step: shape
    (decisions,); nan where the decision has no analysis."""
    known_keys, costs = _written(folder)
    keys = _keys(batch.hand_ids[hands], steps)
    index = np.minimum(np.searchsorted(known_keys, keys), len(known_keys) - 1)
    values = np.where((known_keys[index] == keys)[:, None], costs[index], np.float32(np.nan))
    return dict(zip(COLUMNS, values.T, strict=True))


@lru_cache(maxsize=2)
def _written(folder: str) -> tuple[NDArray[np.bytes_], NDArray[np.float32]]:
    """What `write` wrote, opened once per process."""
    return array_in(folder, _KEYS, _TEXT), array_in(folder, _COSTS, "<f4").reshape(-1, len(COLUMNS))
