"""Training rows: the decisions of a batch, encoded, filtered, and divided by kind and split."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.events.columns import hand_labels, labels, nullable
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import Replayed, check_legal
from cardlog.pipelines.export import costs as costs_of
from cardlog.pipelines.export import mixing
from cardlog.pipelines.export.blocks import Rows
from cardlog.pipelines.export.costs import Costs
from cardlog.pipelines.export.encoders import NamedEncoder
from cardlog.pipelines.export.hand_filter import HandFilter
from cardlog.pipelines.export.spec import SPLITS, ExportSpec
from cardlog.pipelines.export.splits import splits_of

COLUMNS: Final = {
    "hand_id": pa.string(),
    "match_id": pa.string(),
    "seat": pa.int8(),
    "step": pa.int16(),
    "encoder": pa.string(),
    "encoder_version": pa.int16(),
    "dialect": pa.string(),
    "observation": pa.list_(pa.int8()),
    "action_mask": pa.list_(pa.bool_()),
    "action": pa.int16(),
    "reward": pa.float32(),
    "return": pa.float32(),
    "outcome": pa.int8(),
}
"""The columns of a row. The two lists have the length that the kind's have."""


def columns_of(spec: ExportSpec) -> dict[str, pa.DataType]:
    """The columns of an export's rows: `COLUMNS`, and those of an analysis if they are asked for."""
    return COLUMNS | (costs_of.COLUMNS if spec.selection.has_costs else {})


def encoded(
    batch: Batch, spec: ExportSpec, encoder: NamedEncoder, wanted: HandFilter, costs: Costs | None
) -> Iterator[Rows]:
    """The rows of the hands and seats that count, for each kind and split, in the order of the hands or in
    mixed pieces, without what is the same in all of them. Raises NotLegal."""
    batch, seats, dialects = wanted.of(batch)
    if not len(batch):
        return
    replayed = encoder.encode(batch)
    check_legal(batch, replayed.folded)
    decisions = replayed.rows
    kinds = models.game(batch.game).decisions.kinds
    hand = decisions["hand"]
    keep = seats[hand] >> decisions["seat"] & 1 == 1
    if not spec.selection.include_aborted:
        keep &= replayed.folded.done[hand]
    numbers = {} if costs is None else costs.of(batch, hand, decisions["step"])
    for name, most in spec.selection.most.items():
        keep &= numbers[name] <= most
    group = decisions["kind"] * np.int8(len(SPLITS)) + splits_of(batch, spec.seed, spec.splits)[hand]
    hidden = keep & ~decisions["knows_hand"] & (not spec.selection.include_hidden_cards)
    left_out = np.bincount(group[hidden], minlength=len(SPLITS) * len(kinds))
    group[~keep | hidden] = -1
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(-1, len(left_out) + 1))
    texts = {
        "hand_id": hand_labels(batch.hand_ids),
        "match_id": labels(batch.match_of, batch.matches).cast(pa.string()),
        "dialect": dialects,
    }
    for number, (first, end) in enumerate(pairwise(bounds[1:])):
        kind, split = kinds[number // len(SPLITS)], number % len(SPLITS)
        if left_out[number]:
            yield Rows(kind, split, None, left_out=int(left_out[number]))
        if first < end and spec.order == mixing.HAND:
            yield Rows(kind, split, _record_batch(replayed, order[first:end], texts, numbers))
        elif first < end:
            key = mixing.key_of(spec.seed, number, int(batch.hand_ids[0][:16], 16))
            for piece, rows in mixing.pieces(order[first:end], key):
                yield Rows(kind, split, _record_batch(replayed, rows, texts, numbers), piece)


def _record_batch(
    replayed: Replayed,
    rows: NDArray[np.int64],
    texts: dict[str, pa.StringArray],
    numbers: dict[str, NDArray[np.float32]],
) -> pa.RecordBatch:
    """Some decisions, all of one kind; of the numbers, nan is null."""
    columns = _columns(_gathered(replayed.rows, rows), texts)
    observations = np.take(replayed.observations, rows, axis=0)
    columns["observation"] = _lists(pa.array(observations.ravel()), len(rows))
    masks = np.take(replayed.masks, rows, axis=0)[:, : replayed.rows["width"][rows[0]]]
    columns["action_mask"] = _lists(_bits(masks), len(rows))
    columns |= {name: nullable(values[rows], ~np.isnan(values[rows])) for name, values in numbers.items()}
    return pa.record_batch(columns)


def _gathered(decisions: NDArray[np.void], rows: NDArray[np.int64]) -> NDArray[np.void]:
    """Some decisions; as bytes, which NumPy gathers five times as fast."""
    size = decisions.dtype.itemsize
    plain = np.ascontiguousarray(decisions).view(np.uint8).reshape(-1, size)
    return np.take(plain, rows, axis=0).reshape(-1).view(decisions.dtype)


def _columns(decisions: NDArray[np.void], texts: dict[str, pa.StringArray]) -> dict[str, pa.Array]:
    """The columns that are no lists."""
    hand = pa.array(np.ascontiguousarray(decisions["hand"]))
    numbers: dict[str, NDArray[Any]] = {name: decisions[name] for name in ("seat", "step", "action")}
    return {
        **{name: column.take(hand) for name, column in texts.items()},
        **{name: nullable(values, None) for name, values in numbers.items()},
        **{name: nullable(decisions[name], ~np.isnan(decisions[name])) for name in ("reward", "return")},
    }


def _bits(masks: NDArray[np.bool_]) -> pa.BooleanArray:
    """All values of some masks, one after the other."""
    buffer = pa.py_buffer(np.packbits(masks.ravel(), bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), masks.size, [None, buffer])


def _lists(values: pa.Array, rows: int) -> pa.FixedSizeListArray:
    """Lists of one length without nulls, which Parquet writes faster if their type says so."""
    kind = pa.list_(pa.field("element", values.type, nullable=False), len(values) // rows)
    return pa.FixedSizeListArray.from_arrays(values, type=kind)


def completed(rows: pa.RecordBatch, spec: ExportSpec) -> pa.Table:
    """Encoded rows with all columns of training data."""
    count = pa.array(np.zeros(len(rows), np.int8))
    added = {
        "encoder": pa.array([spec.encoder]).take(count),
        "encoder_version": pa.array([spec.encoder_version], pa.int16()).take(count),
        "outcome": pc.sign(rows.column("return")).cast(pa.int8()),
    }
    columns = {name: added[name] if name in added else rows.column(name) for name in columns_of(spec)}
    fields = [
        pa.field(name, column.type, not pa.types.is_fixed_size_list(column.type))
        for name, column in columns.items()
    ]
    return pa.table(list(columns.values()), schema=pa.schema(fields))
