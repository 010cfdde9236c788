"""The first difference between a stored hand and another one with its id."""

from itertools import takewhile
from typing import Any, Final

import numpy as np
import pyarrow as pa

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.ingest.judge import describe
from cardlog.pipelines.storage.known_keys import keys_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import Ids, stored_batches, stored_ids

MOST_SHOWN: Final = 60
"""Characters of a value that a message shows."""
_OF_HAND: Final = ("game", "match_id", "hand_no")
_OF_EVENT: Final = ("kind", "action", "seat", "cards", "suit", "amount", "occurred_at", "detail")


def stored_hands(store: Store, version: int, ids: Ids) -> dict[bytes, Batch]:
    """The hands with some ids that a version of `events` holds, as batches of one."""
    found: dict[bytes, Batch] = {}
    if not len(ids):
        return found
    keys = np.unique(keys_of(ids))
    for path in store.paths("events", version):
        for batch in stored_batches(store, path, stored_ids(store, path, keys)):
            for hand, name in enumerate(batch.hand_ids.tolist()):
                found[name] = batch.take(np.array([hand]))
    return found


def first_difference(stored: Batch, new: Batch) -> str:
    """Where two hands, batches of one, first differ, and what each says; empty if they are equal."""
    old, now = (pa.concat_tables(to_tables(batch)).to_pylist() for batch in (stored, new))
    for event, before, after in zip(stored.events, old, now, strict=False):
        for name in (*_OF_HAND, *_OF_EVENT):
            if before[name] != after[name]:
                said = _said(name, before[name], after[name])
                return f"Event {before['seq']}, {describe(event)}: {said}."
    if len(old) != len(now):
        return f"There are {len(old)} events in the stored hand, {len(now)} in this one."
    return ""


def _said(name: str, stored: Any, new: Any) -> str:
    """What two values are, of long ones the text from shortly before where they differ."""
    texts = ["nothing" if value is None else str(value) for value in (stored, new)]
    start = 0
    if any(len(text) > MOST_SHOWN for text in texts):
        equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
        start = max(equal - MOST_SHOWN // 2, 0)
    old, now = (text[start : start + MOST_SHOWN] for text in texts)
    return f"{name} is {old} in the stored hand, {now} in this one"
