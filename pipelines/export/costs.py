"""What decisions were worth and cost, for training rows: the table `analysis`, looked up once, sorted by
hand, and written to files for all workers."""

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
_HAND: Final = np.dtype([("hand_id", "S32"), ("first", "<i8")])
_NAMES: Final = ("step", *COLUMNS)
_ROW: Final = np.dtype([(name, "<f4" if name in COLUMNS else "<i2") for name in _NAMES])
_HANDS: Final = "hands"
_ROWS: Final = "rows"
BATCH_ROWS: Final = 500_000


def write(store: Store, game: str, folder: Path) -> None:
    """Write what is known of a game into two files of a folder: the hands by id, each with its first row, and
    the rows. Raises OutputError if nothing is known."""
    if models.game(game).solvable is None:
        raise OutputError(f"{game} has no solver, so nothing says what its decisions cost")
    last, written = b"", 0
    with (
        process.connect(store, {"analysis"}) as connection,
        (folder / _HANDS).open("wb") as hands,
        (folder / _ROWS).open("wb") as rows,
    ):
        query = (
            f"select hand_id, {', '.join(_NAMES)} from analysis where game = '{game}' order by hand_id, step"
        )
        _, batches = connection.bind(query).batches(BATCH_ROWS)
        for batch in batches:
            found = np.empty(len(batch), _ROW)
            for name in _NAMES:
                found[name] = batch.column(name).to_numpy(zero_copy_only=False)
            ids = np.array(batch.column("hand_id").to_pylist(), "S32")
            first = np.flatnonzero(ids != np.append(last, ids[:-1]))
            new = np.empty(len(first), _HAND)
            new["hand_id"], new["first"] = ids[first], written + first
            hands.write(new.tobytes())
            rows.write(found.tobytes())
            last, written = ids[-1], written + len(found)
    if not written:
        raise OutputError(
            f"no hand of {game} is analysed, so nothing says what its decisions cost; "
            f"'cardlog analyse --game {game}' does that"
        )


class Costs:
    """What `write` wrote into a folder."""

    def __init__(self, folder: str) -> None:
        hands = array_in(folder, _HANDS, _HAND)
        self._rows = array_in(folder, _ROWS, _ROW)
        self._ids = np.ascontiguousarray(hands["hand_id"])
        self._firsts = np.append(hands["first"], len(self._rows))

    def of(self, batch: Batch, hand: NDArray[np.int32], step: NDArray[np.int16]) -> dict[str, NDArray[Any]]:
        """The columns for decisions of a batch, of these hands and at these steps; nan where nothing is
        known: shape (decisions,)."""
        index = np.minimum(np.searchsorted(self._ids, batch.hand_ids), len(self._ids) - 1)
        firsts = self._firsts[index]
        counts = np.where(self._ids[index] == batch.hand_ids, self._firsts[index + 1] - firsts, 0)
        before = np.cumsum(counts) - counts
        rows = self._rows[np.repeat(firsts - before, counts) + np.arange(counts.sum())]
        keys = _key(np.repeat(np.arange(len(batch)), counts), rows["step"])
        wanted = _key(hand, step)
        place = np.searchsorted(keys, wanted)
        there = np.append(keys, -1)[place] == wanted
        found = {name: np.full(len(hand), np.nan, np.float32) for name in COLUMNS}
        for name, values in found.items():
            values[there] = rows[name][place[there]]
        return found


def _key(hand: NDArray[Any], step: NDArray[np.int16]) -> NDArray[np.int64]:
    """One number for a hand and a step."""
    return hand.astype(np.int64) << 16 | step


@lru_cache(maxsize=2)
def costs_in(folder: str) -> Costs:
    """The costs in a folder."""
    return Costs(folder)
