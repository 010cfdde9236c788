"""What was erased on request: how much is known of it, and what must not come back.

An erasure is one commit to each table, also to those in which it changes nothing, with the application id
`ERASURE`: what a table's log took out by then may have what was erased, what it took out later has not. In
`events` and `quarantine` it carries how many rows were erased in all, so that the books still balance:
`ingests` goes on saying what was read and stored. None says whom it was about.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.storage.errors import Damaged
from cardlog.pipelines.storage.known_keys import Keys, keys_of, path_of
from cardlog.pipelines.storage.log_entries import removed_by
from cardlog.pipelines.storage.store import SCHEMAS, Store

ERASURE: Final = "cardlog-erasure"
"""Application id of the commits of an erasure; the version counts those of the table."""
HANDS: Final = "cardlog-erased-hands"
EVENTS: Final = "cardlog-erased-events"
ENTRIES: Final = "cardlog-erased-entries"
"""Application ids whose versions are the hands and events that `events`, and the entries that `quarantine`
has lost by erasures."""

BOOK: Final = "erasures.jsonl"
"""File beside the tables with a line for each erasure: its number, `ENTRY` and a digest of these."""
ENTRY: Final = ("at", "kind", "hands", "events", "quarantined", "files", "bytes", "cardlog_version")
"""What a line says of an erasure."""
KEY: Final = "erasing.key"
"""File beside the tables with a random key and the digests of erasures that have begun, made with it. It is
there only until `events` is without what is erased."""
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


# ---------------------------------------------------------------- erasures that have begun


def key_of(store: Store) -> bytes:
    """The key that the words are made with which take the place of names: that of an erasure which was cut,
    so that it goes on with the same words, or a new one. Nobody keeps it, since who has it can try names."""
    return (store.beside(KEY) or b"")[:_DIGEST_BYTES] or secrets.token_bytes(_DIGEST_BYTES)


def begin(store: Store, key: bytes, what: str) -> None:
    """Note that an erasure changes tables from now on."""
    _keep(store, key, _begun(store) | {_digest(key, what)})


def end(store: Store, key: bytes, what: str) -> None:
    """Note that all tables are without what is erased."""
    begun = _begun(store)
    if _digest(key, what) in begun:
        _keep(store, key, begun - {_digest(key, what)})


def unfinished(store: Store) -> int:
    """How many erasures have begun and not come to their end: they are at work, or were cut."""
    return len(_begun(store))


def _begun(store: Store) -> set[bytes]:
    content = store.beside(KEY) or b""
    return {content[at : at + _DIGEST_BYTES] for at in range(_DIGEST_BYTES, len(content), _DIGEST_BYTES)}


def _keep(store: Store, key: bytes, begun: set[bytes]) -> None:
    if begun:
        store.put("", KEY, pa.py_buffer(key + b"".join(sorted(begun))))
    else:
        store.remove("", KEY)


def _digest(key: bytes, what: str) -> bytes:
    return hmac.digest(key, what.encode("utf-8", "surrogatepass"), "sha256")


# ---------------------------------------------------------------- files that still have what was erased


def leftovers(store: Store, names: Iterable[str] = tuple(SCHEMAS)) -> list[tuple[str, str, int]]:
    """Files that a commit took out of their table before the last erasure or with it, so that they may have
    what was erased: table, path and size. There are some only while `forget` is at work, or if it was cut, or
    if they were put back. Of these tables (default: all)."""
    found = []
    for name in names:
        until = store.version_of(name, ERASURE)
        if until is None:
            continue
        log = store.log(name)
        out = {
            path for version in log.versions() if version <= until for path in removed_by(log.entry(version))
        }
        found += _files_of(store, name, out - set(store.paths(name)))
    return found


def unnamed(store: Store) -> list[tuple[str, str, int]]:
    """Files that no table names, whatever its log says of them; only for who has the store alone. Behind a
    URI, where nobody has, only `leftovers`."""
    if not store.is_local:
        return leftovers(store)
    found = []
    for name in SCHEMAS:
        known = set(store.paths(name))
        known |= {path_of(path) for path in known}
        found += [(name, path, size) for path, size, _ in store.files_in(name) if path not in known]
    return found


def _files_of(store: Store, name: str, paths: set[str]) -> list[tuple[str, str, int]]:
    """Those of some data files that are there, and their filters."""
    wanted = paths | {path_of(path) for path in paths}
    return [(name, path, size) for path, size, _ in store.files_in(name) if path in wanted]


# ---------------------------------------------------------------- the book of erasures


def note(store: Store, line: dict[str, Any]) -> None:
    """Write the line of the erasure that the next commit to `events` is of into the book; in place of the one
    that a run wrote which did not come to that commit."""
    number = erased(store, with_quarantine=False).erasures + 1
    lines = _lines(store)
    kept = lines[:-1] if len(lines) == number and _is_written(lines[-1], number) else lines
    text = json.dumps({"number": number} | {name: line[name] for name in ENTRY})
    body = f'{text[:-1]}, "digest": "{_digest_of(text)}"}}'
    store.put("", BOOK, pa.py_buffer(b"\n".join([*kept, body.encode()]) + b"\n"))


def _lines(store: Store) -> list[bytes]:
    content = store.beside(BOOK)
    return content.removesuffix(b"\n").split(b"\n") if content else []


def _digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_BYTES]


def _is_written(line: bytes, number: int) -> bool:
    """Whether a line of the book is what was written as the line of that number."""
    head, _, digest = line.decode("utf-8", "replace").rpartition(', "digest": ')
    return head.startswith(f'{{"number": {number},') and digest == f'"{_digest_of(head + "}")}"}}'


def book_fault(store: Store) -> str | None:
    """What is wrong with the book of erasures, if it is not what was written."""
    lines = _lines(store)
    wanted = erased(store, with_quarantine=False).erasures
    for number, line in enumerate(lines, 1):
        if not _is_written(line, number):
            return f"line {number} is not what was written"
    if not wanted <= len(lines) <= wanted + unfinished(store):
        return f"it has {len(lines):,} erasures, but there were {wanted:,}"
    return None


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
