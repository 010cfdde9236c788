"""What was erased on request: how much is known of it, and what must not come back.

An erasure is one commit to each table of record, also to those in which it changes nothing, with the
application ids `ERASURES` and `ERASED_AT`: what was taken out of a table by then may have what was erased,
what was taken out later has not. In `events` and `quarantine` it carries how many rows were erased in all, so
that the books still balance: `ingests` goes on saying what was read and stored. None says whom it was about.
Projections get `ERASED_AT` when they are built from what is left.
"""

import hmac
import json
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from cardlog.pipelines.storage.errors import Damaged, first_line
from cardlog.pipelines.storage.known_keys import Keys, keys_of
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError

ERASURES: Final = "cardlog-erasures"
"""Application id of the commits of an erasure; the version counts those of the table."""
ERASED_AT: Final = "cardlog-erased-at"
"""Application id whose version is that of the table that its last erasure made."""
HANDS: Final = "cardlog-erased-hands"
EVENTS: Final = "cardlog-erased-events"
ENTRIES: Final = "cardlog-erased-entries"
"""Application ids whose versions are the hands and events that `events`, and the entries that `quarantine`
has lost by erasures."""

BOOK: Final = "erasures.jsonl"
"""File beside the tables with a line for each erasure: its number and `ENTRY`."""
ENTRY: Final = ("at", "kind", "hands", "events", "quarantined", "files", "bytes", "cardlog_version")
"""What a line says of an erasure."""
KEY: Final = "erasing.key"
"""File beside the tables with a random key and the digests of erasures that have begun, made with it. It is
there only until `events` is without what is erased."""
TOMBSTONES: Final = "erased.keys"
"""File beside the tables with keys of hands that are not to be stored again, as Parquet."""
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
    of_events = store.committed("events", [ERASURES, HANDS, EVENTS])
    erasures, hands, lost = (of_events.get(app, 0) for app in (ERASURES, HANDS, EVENTS))
    entries = store.committed("quarantine", [ENTRIES]).get(ENTRIES, 0) if with_quarantine else 0
    return Erased(erasures, hands, lost, entries)


def erased_at(store: Store, name: str) -> int | None:
    """The version of a table that its last erasure made; None if there was none."""
    return store.committed(name, [ERASED_AT]).get(ERASED_AT)


def is_outdated(store: Store, projection: str, game: str = "") -> bool:
    """Whether a projection was built before something was erased, and so may have it."""
    return (store.built_from(projection, game=game) or 0) < (erased_at(store, "events") or 0)


def marks(store: Store, name: str, version: int, lost: dict[str, int]) -> dict[str, int]:
    """What a commit that erases carries at a version of a table: one more erasure, and what is lost by it."""
    before = store.committed(name, [ERASURES, *lost], store.table(name, version))
    carried = {app: before.get(app, 0) + more for app, more in {ERASURES: 1, **lost}.items()}
    return carried | {ERASED_AT: version + 1}


# ---------------------------------------------------------------- erasures that have begun


def key_of(store: Store) -> bytes:
    """The key that the words are made with which take the place of names: that of an erasure which was cut,
    so that it goes on with the same words, or a new one. Nobody keeps it, since who has it can try names."""
    return (store.folder.read(KEY) or b"")[:_DIGEST_BYTES] or secrets.token_bytes(_DIGEST_BYTES)


def begin(store: Store, key: bytes, what: str) -> None:
    """Note that an erasure changes tables from now on."""
    _keep(store, key, _begun(store) | {_digest(key, what)})


def end(store: Store, key: bytes, what: str) -> None:
    """Note that all tables are without what is erased."""
    _keep(store, key, _begun(store) - {_digest(key, what)})


def unfinished(store: Store) -> int:
    """How many erasures have begun and not come to their end: they are at work, or were cut."""
    return len(_begun(store))


def _begun(store: Store) -> set[bytes]:
    content = store.folder.read(KEY) or b""
    return {content[at : at + _DIGEST_BYTES] for at in range(_DIGEST_BYTES, len(content), _DIGEST_BYTES)}


def _keep(store: Store, key: bytes, begun: set[bytes]) -> None:
    if begun:
        store.folder.put(KEY, pa.py_buffer(key + b"".join(sorted(begun))))
    else:
        store.folder.remove(KEY)


def _digest(key: bytes, what: str) -> bytes:
    return hmac.digest(key, what.encode("utf-8", "surrogatepass"), "sha256")


# ---------------------------------------------------------------- files that still have what was erased


def leftovers(store: Store, names: Iterable[str] = tuple(SCHEMAS)) -> list[tuple[str, str, int]]:
    """Files that a commit took out of their table before the last erasure or with it, so that they may have
    what was erased: table, path and size. There are some only while `forget` is at work, or if it was cut, or
    if they were put back. Of these tables (default: all).

    Delta keeps the names of files that were taken out for a month.
    """
    found = []
    for name in names:
        until = erased_at(store, name)
        if until is None:
            continue
        out: set[str] = set()
        with suppress(StoreError):  # so long ago that the log says no more of it
            out = set(store.table(name, until).vacuum(0, enforce_retention_duration=False))
        out -= set(store.paths(name))
        found += [(name, path, size) for path, size in store.files_in(name).items() if path in out]
    return found


def unnamed(store: Store) -> list[tuple[str, str, int]]:
    """Files that no table names, whatever its log says of them; only for who has the store alone. Behind a
    URI, where nobody has, only `leftovers`."""
    if not store.is_local:
        return leftovers(store)
    found = []
    for name in SCHEMAS:
        known = set(store.paths(name))
        found += [(name, path, size) for path, size in store.files_in(name).items() if path not in known]
    return found


# ---------------------------------------------------------------- the book of erasures


def note(store: Store, line: dict[str, Any]) -> None:
    """Write the line of the erasure that the next commit to `events` is of into the book; in place of the one
    that a run wrote which did not come to that commit."""
    done = erased(store, with_quarantine=False).erasures
    line = {"number": done + 1} | {name: line[name] for name in ENTRY}
    store.folder.put(BOOK, pa.py_buffer("".join([*_lines(store)[:done], f"{json.dumps(line)}\n"]).encode()))


def _lines(store: Store) -> list[str]:
    return (store.folder.read(BOOK) or b"").decode("utf-8", "replace").splitlines(keepends=True)


def book_fault(store: Store) -> str | None:
    """What is wrong with the book of erasures, if it does not have a line for each."""
    lines = _lines(store)
    wanted = erased(store, with_quarantine=False).erasures
    for number, line in enumerate(lines, 1):
        if not (line.startswith(f'{{"number": {number}, ') and line.endswith("}\n")):
            return f"line {number} is not what was written"
    if not wanted <= len(lines) <= wanted + unfinished(store):
        return f"it has {len(lines):,} erasures, but there were {wanted:,}"
    return None


# ---------------------------------------------------------------- hands that must not come back


def tombstones(store: Store) -> Keys:
    """Sorted keys of hands that are not to be stored again. Raises Damaged."""
    if not store.folder.has(TOMBSTONES):
        return np.zeros(0, np.uint64)
    try:
        with store.folder.open(TOMBSTONES) as stream:
            keys = pq.read_table(stream, page_checksum_verification=True).column("key")
    except (OSError, pa.ArrowException) as error:
        raise Damaged(
            f"{store.root}/{TOMBSTONES} is damaged: {first_line(error)}; restore it from a backup, or remove "
            "it: hands that were erased by their ids can then be stored again"
        ) from error
    return np.sort(keys.to_numpy())


def bury(store: Store, ids: NDArray[np.bytes_]) -> None:
    """See that hands with these ids are not stored again."""
    content = pa.BufferOutputStream()
    keys = pa.table({"key": np.union1d(tombstones(store), keys_of(ids))})
    pq.write_table(keys, content, write_page_checksum=True)
    store.folder.put(TOMBSTONES, content.getvalue())
