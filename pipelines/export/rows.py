"""Training rows: the decisions of a batch, encoded, filtered, and divided by kind and split."""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.events.batch import NO_MATCH, Batch, taken
from cardlog.pipelines.events.columns import hand_labels, labels, nullable
from cardlog.pipelines.events.folding import Replayed, check_legal
from cardlog.pipelines.export import costs, following, mixing, who_and_when
from cardlog.pipelines.export.blocks import Rows
from cardlog.pipelines.export.encoders import NamedEncoder
from cardlog.pipelines.export.following import lists
from cardlog.pipelines.export.hand_filter import hand_filter
from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.export.spec import SPLITS, ExportPlan, ExportSpec

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
"""The columns of a row. The length of each list column depends on the kind alone."""
ADDED: Final = who_and_when.COLUMNS | following.COLUMNS
"""The columns that can be asked for."""


def columns_of(spec: ExportSpec) -> dict[str, pa.DataType]:
    """The columns of an export's rows: `COLUMNS`, and those of an analysis and of `ADDED`
    if they are asked for."""
    added = {name: ADDED[name] for name in spec.columns}
    return COLUMNS | (costs.COLUMNS if spec.selection.has_costs else {}) | added


def named(names: str | None, columns: Iterable[str]) -> tuple[str, ...]:
    """The columns that an option names. Raises OutputError for one that there is not."""
    wanted = tuple(filter(None, (names or "").replace(" ", "").split(",")))
    if unknown := [name for name in wanted if name not in columns]:
        raise OutputError(f"there is no column {unknown[0]!r} to add; there are: {', '.join(columns)}")
    return wanted


def encoded(plan: ExportPlan, encoder: NamedEncoder, batch: Batch) -> Iterator[Rows]:
    """The rows of the selected hands and seats, for each kind and split, in the order of the hands or in
    mixed pieces, without the columns that `completed` adds. Raises NotLegal."""
    spec = plan.spec
    batch, seats, dialects = hand_filter(spec.selection, plan.blocks).apply(batch)
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
    has_costs = spec.selection.has_costs
    analysis = costs.look_up(plan.blocks, batch, hand, decisions["step"]) if has_costs else {}
    for name, limit in spec.selection.limits.items():
        keep &= analysis[name] <= limit
    is_free = replayed.masks.sum(axis=1) >= (spec.selection.min_legal or 1)
    keep &= is_free
    split_by = () if spec.split_by is None else (spec.split_by,)
    others = who_and_when.columns(batch, decisions, (*spec.columns, *split_by))
    others |= following.columns(batch, replayed, is_free, spec.columns)
    split = splits_of(batch, spec.seed, spec.splits)[hand]
    for name in split_by:
        split = _split_by(others[name], split, spec)
    group = decisions["kind"] * np.int8(len(SPLITS)) + split
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
            yield Rows(kind, split, _record_batch(replayed, order[first:end], texts, analysis, others))
        elif first < end:
            key = mixing.key_of(spec.seed, number, int(batch.hand_ids[0][:16], 16))
            for piece_key, rows in mixing.pieces(order[first:end], key):
                yield Rows(kind, split, _record_batch(replayed, rows, texts, analysis, others), piece_key)


def _record_batch(
    replayed: Replayed,
    rows: NDArray[np.int64],
    texts: dict[str, pa.StringArray],
    analysis: dict[str, NDArray[np.float32]],
    others: dict[str, pa.Array],
) -> pa.RecordBatch:
    """Some decisions, all of one kind.

    texts
        Columns with a row per hand.
    analysis
        Columns with a row per decision; nan becomes null.
    others
        More columns with a row per decision.
    """
    decisions = taken(replayed.rows, rows)
    hand = pa.array(np.ascontiguousarray(decisions["hand"]))
    masks = np.take(replayed.masks, rows, axis=0)[:, : decisions["width"][0]]
    columns = {
        **{name: column.take(hand) for name, column in texts.items()},
        **{name: nullable(decisions[name], None) for name in ("seat", "step", "action")},
        "observation": lists(np.take(replayed.observations, rows, axis=0)),
        "action_mask": lists(masks),
    }
    floats = {name: decisions[name] for name in ("reward", "return")}
    floats |= {name: values[rows] for name, values in analysis.items()}
    columns |= {name: nullable(values, ~np.isnan(values)) for name, values in floats.items()}
    columns |= {name: values.take(pa.array(rows)) for name, values in others.items()}
    return pa.record_batch(columns)


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


# ---------------------------------------------------------------- train, validation and test


def parse_splits(splits: str) -> tuple[int, ...]:
    """Percentages of train, validation and test. Raises OutputError if they are not three that sum to 100."""
    try:
        percentages = tuple(map(int, splits.split(",")))
    except ValueError:
        percentages = ()
    if len(percentages) != len(SPLITS) or min(percentages) < 0 or sum(percentages) != 100:
        raise OutputError(f"splits is {splits!r}; it must be three percentages that sum to 100, as 80,10,10")
    return percentages


def splits_of(batch: Batch, seed: int, splits: tuple[int, ...]) -> NDArray[np.int8]:
    """The split of each hand of a batch, as an index into `SPLITS`: shape (hands,).

    By match if there is one, else by hand, from a seeded hash: so a match is never in two splits, and stays
    in its split when more data comes.
    """
    keys = (
        hand_id if match == NO_MATCH else batch.matches[match].encode()
        for match, hand_id in zip(batch.match_of.tolist(), batch.hand_ids.tolist(), strict=True)
    )
    return _splits_of_keys(keys, seed, splits)


def _split_by(column: pa.Array, splits: NDArray[np.int8], spec: ExportSpec) -> NDArray[np.int8]:
    """The split of each decision by a column instead, except where that is null; days for times."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.date32())
    values = column.cast(pa.string()).dictionary_encode()
    found = _splits_of_keys((text.encode() for text in values.dictionary.to_pylist()), spec.seed, spec.splits)
    known = values.is_valid().to_numpy(zero_copy_only=False)
    indices = pc.fill_null(values.indices, 0).to_numpy()
    return np.where(known, np.append(found, np.int8(0))[indices], splits).astype(np.int8)


def _splits_of_keys(keys: Iterable[bytes], seed: int, splits: tuple[int, ...]) -> NDArray[np.int8]:
    prefix = f"{seed}\0".encode()
    digests = (hashlib.blake2b(prefix + key, digest_size=8).digest() for key in keys)
    points = [int.from_bytes(digest, "little") * 100 >> 64 for digest in digests]
    return np.searchsorted(np.cumsum(splits), points, "right").astype(np.int8)
