"""From batches to rows of `events`: the inverse of `from_arrow`."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa

from cardlog.pipelines.events.batch import NO_HAND_NO, Batch
from cardlog.pipelines.events.columns import card_texts, hand_labels, labels, nullable, optional
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
    """The batch as rows of `events`, one table of whole hands per row group.

    Each table's dictionaries hold only its own values, without duplicates. The batch must be sorted and
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
    actions = events["action"]
    at_open = np.where(seq == 0, hand, -1)
    columns = {
        "game": labels(np.zeros(rows, np.int32), [batch.game]),
        "hand_id": pa.DictionaryArray.from_arrays(hand, hand_labels(batch.hand_ids[start:stop])),
        "match_id": labels(batch.match_of[start:stop][hand], batch.matches),
        "hand_no": optional(batch.hand_nos[start:stop][hand], NO_HAND_NO),
        "seq": pa.array(seq),
        "kind": labels(_KIND_OF[actions], KINDS),
        "action": labels(_NAME_OF[actions], _NAMES),
        "seat": optional(events["seat"], NO_SEAT),
        "cards": card_texts(events["cards"], events["count"]),
        "suit": labels(events["suit"], SUIT_LETTERS),
        "amount": optional(events["amount"], NO_AMOUNT),
        "detail": labels(events["detail"], batch.details),
        "occurred_at": optional(events["at"], NO_TIME).cast(pa.timestamp("us", "UTC")),
        "dataset": labels(batch.dataset_of[start:stop][hand], batch.datasets),
        "source_key": batch.keys[start:stop].take(pa.array(at_open, mask=at_open < 0)),
        "source_id": labels(batch.source_of[start:stop][hand], batch.sources),
        "source_line": nullable(events["line"], None),
        "ingest_no": pa.array(batch.ingest_nos[start:stop][hand]),
        "schema_version": pa.array(np.full(rows, SCHEMA_VERSION, np.int16)),
    }
    return pa.table(columns, schema=SCHEMA)
