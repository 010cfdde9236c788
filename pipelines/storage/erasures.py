"""What was erased on request: how much is known of it, and what must not come back.

The commits of an erasure carry how many rows were erased in all, so that the books still balance: `ingests`
goes on saying what was read and stored. That to `events` also says at which version it was, so that what was
built before is known to be outdated. None says whom it was about.
"""

import hmac
import json
import secrets
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from cardlog.pipelines.storage.errors import Damaged, first_line
from cardlog.pipelines.storage.known_keys import Keys, keys_of
from cardlog.pipelines.storage.store import Store

ERASURES: Final = "cardlog-erasures"
"""Application id of the commits of erasures to `events`; the version counts them."""
ERASED_AT: Final = "cardlog-erased-at"
"""Application id whose version is that of `events` that the last erasure made."""
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
there only until no file has what is erased."""
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


def erased_at(store: Store) -> int:
    """The version of `events` that the last erasure made; 0 if there was none."""
    return store.committed("events", [ERASED_AT]).get(ERASED_AT, 0)


def is_outdated(store: Store, projection: str, game: str = "") -> bool:
    """Whether a projection was built before something was erased, and so may have it."""
    return (store.built_from(projection, game=game) or 0) < erased_at(store)


# ---------------------------------------------------------------- erasures that have begun


def key_of(store: Store) -> bytes:
    """The key that the words are made with which take the place of names: that of an erasure which was cut,
    so that it goes on with the same words, or a new one. Nobody keeps it, since who has it can try names."""
    return (store.folder.read(KEY) or b"")[:_DIGEST_BYTES] or secrets.token_bytes(_DIGEST_BYTES)


def begin(store: Store, key: bytes, what: str) -> None:
    """Note that an erasure is going on from now on."""
    _keep(store, key, _begun(store) | {_digest(key, what)})


def end(store: Store, key: bytes, what: str) -> None:
    """Note that no file has what is erased."""
    _keep(store, key, _begun(store) - {_digest(key, what)})


def has_begun(store: Store, key: bytes, what: str) -> bool:
    """Whether an erasure has begun and not come to its end: it was cut."""
    return _digest(key, what) in _begun(store)


def unfinished(store: Store) -> int:
    """How many erasures are at work, or were cut."""
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


# ---------------------------------------------------------------- the book of erasures


def note(store: Store, line: dict[str, Any]) -> None:
    """Write the line of the erasure that the next commit to `events` is of into the book; in place of the one
    that a run wrote which did not come to that commit."""
    done = erased(store, with_quarantine=False).erasures
    lines = (store.folder.read(BOOK) or b"").splitlines(keepends=True)[:done]
    added = json.dumps({"number": done + 1} | {name: line[name] for name in ENTRY})
    store.folder.put(BOOK, pa.py_buffer(b"".join(lines) + f"{added}\n".encode()))


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
