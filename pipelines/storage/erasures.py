"""What was erased on request: how much is known of it, and what must not come back.

The commits of an erasure carry how many rows were erased in all, so that the books still balance: `ingests`
goes on saying what was read and stored. That to `events` also says at which version it was, so that what was
built before is known to be outdated. None says whom it was about.
"""

import hmac
import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from cardlog.pipelines.storage.errors import Damaged, first_line
from cardlog.pipelines.storage.known_keys import Keys, keys_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.version import VERSION

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


class Begun:
    """An erasure that was asked for; it is noted from before its commits until no file has what is erased.

    key
        What the words are made with which take the place of names: that of an erasure which was cut, so that
        it goes on with the same words, or a new one. Nobody keeps it, since who has it can try names.
    is_cut
        Whether it has begun before and not come to its end.
    """

    def __init__(self, store: Store, what: str) -> None:
        self._folder = store.folder
        self.key = (store.folder.read(KEY) or b"")[:_DIGEST_BYTES] or secrets.token_bytes(_DIGEST_BYTES)
        self._digest = hmac.digest(self.key, what.encode("utf-8", "surrogatepass"), "sha256")
        self.is_cut = self._digest in self._all()

    def note(self) -> None:
        """Note that it is going on from now on."""
        self._keep(self._all() | {self._digest})

    def end(self) -> None:
        """Note that no file has what is erased."""
        self._keep(self._all() - {self._digest})

    def _all(self) -> set[bytes]:
        content = self._folder.read(KEY) or b""
        return {content[at : at + _DIGEST_BYTES] for at in range(_DIGEST_BYTES, len(content), _DIGEST_BYTES)}

    def _keep(self, begun: set[bytes]) -> None:
        if begun:
            self._folder.put(KEY, pa.py_buffer(self.key + b"".join(sorted(begun))))
        else:
            self._folder.remove(KEY)


# ---------------------------------------------------------------- the book of erasures


def enter(store: Store, erasure: dict[str, Any]) -> None:
    """Write the line of the erasure that the next commit to `events` is of into the book, which does not say
    whom it was about; in place of the one that a run wrote which did not come to that commit."""
    done = erased(store, with_quarantine=False).erasures
    lines = (store.folder.read(BOOK) or b"").splitlines(keepends=True)[:done]
    said = erasure | {"at": datetime.now(UTC).isoformat(timespec="seconds"), "cardlog_version": VERSION}
    added = json.dumps({"number": done + 1} | {name: said[name] for name in ENTRY})
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
