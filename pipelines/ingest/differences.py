"""The first difference between a stored hand and another one with its id."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np

from cardlog.pipelines.events.batch import NO_HAND_NO, NO_MATCH, Batch
from cardlog.pipelines.ingest.judge import describe
from cardlog.pipelines.storage.known_keys import keys_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import Ids, stored_batches, stored_ids
from cardlog.schemas.cards import SUIT_LETTERS, texts
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME

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
    for name, values in (
        ("game", (stored.game, new.game)),
        ("match_id", (_match(stored), _match(new))),
        ("hand_no", (_hand_no(stored), _hand_no(new))),
    ):
        if values[0] != values[1]:
            return f"Its {name} is {_cut(values[0])} in the stored hand, {_cut(values[1])} in this one."
    for seq, (old, event) in enumerate(zip(stored.events, new.events, strict=False)):
        found = _fields(stored, old), _fields(new, event)
        for name in found[0]:
            if found[0][name] != found[1][name]:
                return f"Event {seq}, {describe(old)}: {_said(name, found[0][name], found[1][name])}."
    if len(stored.events) != len(new.events):
        return f"There are {len(stored.events)} events in the stored hand, {len(new.events)} in this one."
    return ""


def _match(batch: Batch) -> str:
    number = int(batch.match_of[0])
    return _NOTHING if number == NO_MATCH else batch.matches[number]


def _hand_no(batch: Batch) -> str:
    number = int(batch.hand_nos[0])
    return _NOTHING if number == NO_HAND_NO else str(number)


def _fields(batch: Batch, event: np.void) -> dict[str, Any]:
    """The columns of an event, as text; its detail as JSON."""
    action = ACTIONS[int(event["action"])]
    seat, suit, amount, at, detail = (int(event[name]) for name in ("seat", "suit", "amount", "at", "detail"))
    return {
        "action": f"{action.kind} {action.name}",
        "seat": _NOTHING if seat == NO_SEAT else str(seat),
        "cards": texts(event["cards"][: int(event["count"])]) or _NOTHING,
        "suit": _NOTHING if suit < 0 else SUIT_LETTERS[suit],
        "amount": _NOTHING if amount == NO_AMOUNT else str(amount),
        "occurred_at": _NOTHING if at == NO_TIME else _time(at),
        "detail": None if detail == NO_DETAIL else batch.details[detail],
    }


def _time(microseconds: int) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)).isoformat()


def _said(name: str, stored: Any, new: Any) -> str:
    if name == "detail":
        name, stored, new = _in_json(
            name, *(None if text is None else json.loads(text) for text in (stored, new))
        )
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


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
