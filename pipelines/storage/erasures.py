"""What was erased on request: how much is known of it, and what must not come back.

A commit that erases rows carries the application id `ERASURE`, and in `events` and `quarantine` how many rows
were erased in all, so that the books still balance: `ingests` goes on saying what was read and stored. Each
table's figures change in the commit that changes its rows. None says whom it was about.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.storage.errors import Damaged
from cardlog.pipelines.storage.known_keys import Keys, keys_of, path_of
from cardlog.pipelines.storage.log_entries import info_of, removed_by
from cardlog.pipelines.storage.store import RECORDS, SCHEMAS, Store

ERASURE: Final = "cardlog-erasure"
"""Application id of commits that erase; the version counts those of the table."""
HANDS: Final = "cardlog-erased-hands"
EVENTS: Final = "cardlog-erased-events"
ENTRIES: Final = "cardlog-erased-entries"
"""Application ids whose versions are the hands and events that `events`, and the entries that `quarantine`
has lost by erasures."""

BOOK: Final = "erasures.jsonl"
"""File beside the tables with a line for each erasure."""
TOMBSTONES: Final = "erased.keys"
"""File beside the tables with keys of hands that are not to be stored again."""
_MAGIC: Final = b"cardlog erased 1\n"
_DIGEST_BYTES: Final = 32


@dataclass(frozen=True)
class Erased:
    """How many erasures there were, and what `events` and `quarantine` lost by them."""

    erasures: int
    hands: int
    events: int
    entries: int


def erased(store: Store, with_quarantine: bool = True) -> Erased:
    """What was erased from a store in all."""
    of_events = store.committed("events", [ERASURE, HANDS, EVENTS])
    erasures, hands, lost = (of_events.get(app, 0) for app in (ERASURE, HANDS, EVENTS))
    entries = store.committed("quarantine", [ENTRIES]).get(ENTRIES, 0) if with_quarantine else 0
    return Erased(erasures, hands, lost, entries)


def marks(store: Store, name: str, version: int, lost: dict[str, int]) -> dict[str, int]:
    """What a commit that erases carries at a version of a table: one more erasure, and what is lost by it."""
    before = store.committed(name, [ERASURE, *lost], store.table(name, version))
    return {app: before.get(app, 0) + more for app, more in {ERASURE: 1, **lost}.items()}


# ---------------------------------------------------------------- files that still have what was erased


def leftovers(store: Store) -> list[tuple[str, str, int]]:
    """Files that no table refers to and that are older than the last erasure, so that they may have what was
    erased: table, path and size. There are some only while `forget` is at work, or if it was cut.

    Behind a URI, where no lock says that a run has not committed its files yet, only those that a commit
    took out of their table.
    """
    until = _last_erasure(store)
    if until is None:
        return []
    found = []
    for name in SCHEMAS:
        files = store.files_in(name)
        known = set(store.paths(name))
        known |= {path_of(path) for path in known}
        old = [(name, path, size) for path, size, at in files if path not in known and at <= until]
        if old and not store.is_local:
            log = store.log(name)
            out = {path for version in log.versions() for path in removed_by(log.entry(version))}
            out |= {path_of(path) for path in out}
            old = [(name, path, size) for name, path, size in old if path in out]
        found += old
    return found


def _last_erasure(store: Store) -> float | None:
    """When a table of record was last erased from, in seconds since 1970; None if never or long ago."""
    times = (_erased_at(store, name) for name in RECORDS)
    return max((at for at in times if at is not None), default=None)


def _erased_at(store: Store, name: str) -> float | None:
    """When a table was last erased from, in seconds since 1970; None if never or long ago."""
    version = store.version_of(name, ERASURE)
    log = store.log(name)
    if version is None or not log.has(version):
        return None
    return float(info_of(log.entry(version))["timestamp"]) / 1000


def is_begun(store: Store, name: str) -> bool:
    """Whether a table was erased from, but `events`, which every erasure comes to last, not since then: the
    erasure is at work, or was cut."""
    at = _erased_at(store, name)
    return at is not None and at > (_erased_at(store, "events") or 0.0)


def is_older(store: Store, changed: float) -> bool:
    """Whether something changed at a time, in seconds since 1970, is older than the last erasure."""
    until = _last_erasure(store)
    return until is not None and changed <= until


# ---------------------------------------------------------------- the book of erasures


def note(store: Store, line: dict[str, Any]) -> None:
    """Add a line to the book of erasures."""
    content = (store.beside(BOOK) or b"") + json.dumps(line).encode() + b"\n"
    store.put("", BOOK, pa.py_buffer(content))


# ---------------------------------------------------------------- hands that must not come back


def tombstones(store: Store) -> Keys:
    """Sorted keys of hands that are not to be stored again. Raises Damaged."""
    content = store.beside(TOMBSTONES)
    if content is None:
        return np.zeros(0, np.uint64)
    head = len(_MAGIC) + _DIGEST_BYTES
    body = content[head:]
    if content[:head] != _MAGIC + hashlib.sha256(body).digest():
        raise Damaged(
            f"{store.root}/{TOMBSTONES} is damaged: its content is not what was written; restore it from a "
            "backup, or remove it: hands that were erased by their ids can then be stored again"
        )
    return np.frombuffer(body, "<u8").astype(np.uint64)


def bury(store: Store, ids: NDArray[np.bytes_]) -> None:
    """See that hands with these ids are not stored again."""
    keys = np.union1d(tombstones(store), keys_of(ids))
    body = keys.astype("<u8").tobytes()
    content = _MAGIC + hashlib.sha256(body).digest() + body
    store.put("", TOMBSTONES, pa.py_buffer(content))
