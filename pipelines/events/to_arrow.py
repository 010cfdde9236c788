"""From batches to rows of `events`: the inverse of `from_arrow`."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.events.batch import NO_HAND_NO, Batch
from cardlog.schemas.cards import CHARACTERS, SUIT_LETTERS
from cardlog.schemas.events import (
    ACTIONS,
    KINDS,
    NO_AMOUNT,
    NO_SEAT,
    NO_TIME,
    ROW_GROUP_ROWS,
    SCHEMA,
    SCHEMA_VERSION,
)

_KIND_OF: Final = np.array([KINDS.index(action.kind) for action in ACTIONS], np.int32)
_NAMES: Final = tuple(dict.fromkeys(action.name for action in ACTIONS))
_NAME_OF: Final = np.array([_NAMES.index(action.name) for action in ACTIONS], np.int32)


def to_tables(batch: Batch) -> Iterator[pa.Table]:
    """The batch as rows of `events`, one table of whole hands a row group.

    Each table's dictionaries hold its own values only, none twice. The batch must be sorted and
    have no id twice.
    """
    start = 0
    while start < len(batch):
        limit = batch.offsets[start] + ROW_GROUP_ROWS
        stop = max(int(np.searchsorted(batch.offsets, limit, "right")) - 1, start + 1)
        yield _table(batch, start, stop)
        start = stop


def _table(batch: Batch, start: int, stop: int) -> pa.Table:
    offsets = batch.offsets[start : stop + 1]
    events = batch.events[offsets[0] : offsets[-1]]
    sizes = np.diff(offsets)
    rows = len(events)
    hand = np.repeat(np.arange(stop - start, dtype=np.int32), sizes)
    seq = (np.arange(rows) - np.repeat(offsets[:-1] - offsets[0], sizes)).astype(np.int16)
    ids = pa.StringArray.from_buffers(
        stop - start,
        pa.py_buffer(np.arange(0, 32 * (stop - start) + 1, 32, dtype=np.int32)),
        pa.py_buffer(np.ascontiguousarray(batch.hand_ids[start:stop])),
    )
    actions = np.ascontiguousarray(events["action"])
    columns = {
        "game": _constant(batch.game, rows),
        "hand_id": pa.DictionaryArray.from_arrays(hand, ids),
        "match_id": _spread(batch.match_of[start:stop], hand, batch.matches),
        "hand_no": _nullable(batch.hand_nos[start:stop], NO_HAND_NO).take(pa.array(hand)),
        "seq": pa.array(seq),
        "kind": _labels(_KIND_OF[actions], KINDS),
        "action": _labels(_NAME_OF[actions], _NAMES),
        "seat": _nullable(events["seat"], NO_SEAT),
        "cards": _cards_column(events),
        "suit": _labels(events["suit"].astype(np.int32), SUIT_LETTERS),
        "amount": _nullable(events["amount"], NO_AMOUNT),
        "detail": _labels(events["detail"], batch.details),
        "occurred_at": _nullable(events["at"], NO_TIME).cast(pa.timestamp("us", "UTC")),
        "dataset": _spread(batch.dataset_of[start:stop], hand, batch.datasets),
        "source_key": _at_open(batch.keys[start:stop], offsets),
        "source_id": _spread(batch.source_of[start:stop], hand, batch.sources),
        "source_line": pa.array(np.ascontiguousarray(events["line"])),
        "ingest_no": pa.array(np.repeat(batch.ingest_nos[start:stop], sizes)),
        "schema_version": pa.array(np.full(rows, SCHEMA_VERSION, np.int16)),
    }
    return pa.table(columns, schema=SCHEMA)


def _constant(value: str, rows: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), pa.array([value], pa.string()))


def _nullable(values: NDArray[Any], null: int) -> pa.Array:
    values = np.ascontiguousarray(values)
    mask = values == null
    return pa.array(values, mask=mask) if mask.any() else pa.array(values)


def _labels(which: NDArray[np.int32], texts: Any) -> pa.Array:
    """A dictionary column of the texts that occur; a negative index is null."""
    used = np.flatnonzero(np.bincount(which + 1, minlength=len(texts) + 1)[1:])
    new = np.full(len(texts) + 1, -1, np.int32)
    new[used] = np.arange(len(used), dtype=np.int32)
    return pa.DictionaryArray.from_arrays(
        _nullable(new[which], -1), pa.array([texts[i] for i in used], pa.string())
    )


def _spread(which: NDArray[np.int32], hand: NDArray[np.int32], texts: list[str]) -> pa.Array:
    """A dictionary column of the texts of the hands, one value an event."""
    one = _labels(which, texts)
    return pa.DictionaryArray.from_arrays(one.indices.take(pa.array(hand)), one.dictionary)


def _at_open(keys: pa.StringArray, offsets: NDArray[np.int64]) -> pa.StringArray:
    """A column of texts of the hands that has each at its first event alone."""
    which = np.zeros(offsets[-1] - offsets[0], np.int32)
    which[offsets[:-1] - offsets[0]] = np.arange(1, len(keys) + 1)
    return keys.take(pa.array(which - 1, mask=which == 0))


def _cards_column(events: NDArray[np.void]) -> pa.StringArray:
    starts = np.zeros(len(events) + 1, np.int32)
    np.cumsum(events["count"] * np.int32(2), out=starts[1:])
    none = starts[1:] == starts[:-1]
    valid = np.packbits(~none, bitorder="little")
    text = _cards_text(events, starts)
    buffers = [pa.py_buffer(valid), pa.py_buffer(starts), pa.py_buffer(text)]
    return pa.StringArray.from_buffers(len(events), *buffers[1:], null_bitmap=buffers[0])


@compiled
def _cards_text(events: NDArray[Any], starts: NDArray[np.int32]) -> NDArray[np.uint8]:
    text = np.empty(starts[-1], np.uint8)
    for index in range(len(events)):
        event = events[index]
        for card in range(event.count):
            into = starts[index] + 2 * card
            text[into] = CHARACTERS[event.cards[card], 0]
            text[into + 1] = CHARACTERS[event.cards[card], 1]
    return text
