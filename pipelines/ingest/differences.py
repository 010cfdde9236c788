"""The first difference between a stored hand and another one with its id."""

import json
from dataclasses import replace
from datetime import datetime
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
_NOTHING: Final = "nothing"
_MISSING: Final = object()


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
    old, now = _rows(stored), _rows(new)
    for name in ("game", "match_id", "hand_no"):
        if old[0][name] != now[0][name]:
            return f"Its {_said(name, old[0][name], now[0][name])}."
    for event, before, after in zip(stored.events, old, now, strict=False):
        for name in ("action", "seat", "cards", "suit", "amount", "occurred_at", "detail"):
            if before[name] != after[name]:
                return f"Event {before['seq']}, {describe(event)}: {_said(name, before[name], after[name])}."
    if len(old) != len(now):
        return f"There are {len(old)} events in the stored hand, {len(now)} in this one."
    return ""


def _rows(batch: Batch) -> list[dict[str, Any]]:
    """The events of a hand as in the table, with the kind of each action before it."""
    batch = replace(batch, sources=[""], source_of=np.zeros_like(batch.source_of))  # they differ, of course
    rows = pa.concat_tables(to_tables(batch))
    return [row | {"action": f"{row['kind']} {row['action']}"} for row in rows.to_pylist()]


def _said(name: str, stored: Any, new: Any) -> str:
    if name == "detail":
        name, stored, new = _in_json(name, *(text and json.loads(text) for text in (stored, new)))
    return f"{name} is {_cut(stored)} in the stored hand, {_cut(new)} in this one"


def _in_json(path: str, stored: Any, new: Any) -> tuple[str, str, str]:
    """The path of the first difference of two values, and what they are there, as JSON."""
    if isinstance(stored, dict) and isinstance(new, dict):
        for key in sorted(stored.keys() | new.keys()):
            inner = stored.get(key, _MISSING), new.get(key, _MISSING)
            if inner[0] != inner[1] or type(inner[0]) is not type(inner[1]):
                return _in_json(f"{path}.{key}", *inner)
    if isinstance(stored, list) and isinstance(new, list) and len(stored) == len(new):
        for index, inner in enumerate(zip(stored, new, strict=True)):
            if inner[0] != inner[1]:
                return _in_json(f"{path}[{index}]", *inner)
    return path, _json(stored), _json(new)


def _json(value: Any) -> str:
    return _NOTHING if value is _MISSING else json.dumps(value)


def _cut(value: Any) -> str:
    """A value as text that is not too long."""
    text = value.isoformat() if isinstance(value, datetime) else str(_NOTHING if value is None else value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
