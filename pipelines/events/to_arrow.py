"""From batches to rows of `events`: the inverse of `from_arrow`."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa

from cardlog.pipelines.events.batch import NO_HAND_NO, Batch, order_of
from cardlog.pipelines.events.columns import (
    card_texts,
    hand_labels,
    labels,
    labels_of_rows,
    nullable,
    optional,
)
from cardlog.schemas.cards import SUIT_LETTERS
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
    """The batch as rows of `events` in the order of the hands' ids, of which none may come twice: one table
    of whole hands per row group.

    Each table's dictionaries hold only its own values, without duplicates. Hands are put in order a table at
    a time: memory for all of them would be new to the process, and the system would have to clear it.
    """
    order = order_of(batch.hand_ids)
    ends = np.cumsum(np.diff(batch.offsets)[order])
    start = 0
    while start < len(batch):
        limit = (ends[start - 1] if start else 0) + ROW_GROUP_ROWS
        stop = max(int(np.searchsorted(ends, limit, "right")), start + 1)
        yield _table(batch.take(order[start:stop]))
        start = stop


def _table(batch: Batch) -> pa.Table:
    events, sizes = batch.events, np.diff(batch.offsets)
    rows = len(events)
    hand = np.repeat(np.arange(len(batch), dtype=np.int32), sizes)
    seq = (np.arange(rows) - np.repeat(batch.offsets[:-1], sizes)).astype(np.int16)
    actions = events["action"]
    at_open = np.where(seq == 0, hand, -1)

    columns = {
        "game": labels_of_rows(np.zeros(len(batch)), [batch.game], hand),
        "hand_id": pa.DictionaryArray.from_arrays(hand, hand_labels(batch.hand_ids)),
        "match_id": labels_of_rows(batch.match_of, batch.matches, hand),
        "hand_no": optional(batch.hand_nos[hand], NO_HAND_NO),
        "seq": pa.array(seq),
        "kind": labels(_KIND_OF[actions], KINDS),
        "action": labels(_NAME_OF[actions], _NAMES),
        "seat": optional(events["seat"], NO_SEAT),
        "cards": card_texts(events["cards"], events["count"]),
        "suit": labels(events["suit"], SUIT_LETTERS),
        "amount": optional(events["amount"], NO_AMOUNT),
        "detail": labels(events["detail"], batch.details),
        "occurred_at": optional(events["at"], NO_TIME).cast(pa.timestamp("us", "UTC")),
        "dataset": labels_of_rows(batch.dataset_of, batch.datasets, hand),
        "source_key": batch.keys.take(pa.array(at_open, mask=at_open < 0)),
        "source_id": labels_of_rows(batch.source_of, batch.sources, hand),
        "source_line": nullable(events["line"], None),
        "ingest_no": pa.array(batch.ingest_nos[hand]),
        "schema_version": pa.array(np.full(rows, SCHEMA_VERSION, np.int16)),
    }
    return pa.table(columns, schema=SCHEMA)
