"""What was erased on request: the records kept of it, and the hands that must not come back.

The commits of an erasure carry the totals of erased rows, so that tables can be reconciled with `ingests`,
which still has what was read and stored. The commit to `events` also carries its version, which marks what
was built before as outdated. No commit says whom it was about.
"""

import hashlib
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
"""Application id of the commits of erasures to `events`; its version counts them."""
ERASED_AT: Final = "cardlog-erased-at"
"""Application id whose version is that of `events` after the last erasure."""
REPLACED_AT: Final = "cardlog-replaced-at"
"""Application id whose version is that of `events` after the last ingest that replaced stored hands, with
longer or corrected ones."""
HANDS: Final = "cardlog-erased-hands"
EVENTS: Final = "cardlog-erased-events"
ENTRIES: Final = "cardlog-erased-entries"
"""Application ids whose versions count the hands and events that `events` has lost to erasures, and the
entries that `quarantine` has."""

BOOK_MARK: Final = "cardlog-erasures-book"
"""Application id whose version is `_MARK_UNIT` times a number of lines of `BOOK`, plus their digest."""
_MARK_UNIT: Final = 2**32

BOOK: Final = "erasures.jsonl"
"""File beside the tables with a line for each erasure: its number and the values of `ENTRY`."""
ENTRY: Final = ("at", "kind", "hands", "events", "quarantined", "files", "bytes", "cardlog_version")
KEY: Final = "erasing.key"
"""File beside the tables with a random key and digests of the unfinished erasures, made with that key. It
exists until no file has anything of what they erase."""
TOMBSTONES: Final = "erased.keys"
"""Parquet file beside the tables with keys of the hands that must not be stored again."""
_MEND_TOMBSTONES: Final = (
    "restore it from a backup, or put an empty file in its place: hands that were erased by their ids can "
    "then be stored again"
)
_DIGEST_BYTES: Final = 32


@dataclass(frozen=True)
class Erased:
    """How many erasures there were, and what `events` and `quarantine` have lost to them."""

    erasures: int
    hands: int
    events: int
    entries: int


def erased(store: Store, with_quarantine: bool = True) -> Erased:
    """The totals of all erasures from a store."""
    totals = store.committed("events", [ERASURES, HANDS, EVENTS])
    if with_quarantine:
        totals |= store.committed("quarantine", [ENTRIES])
    return Erased(*(totals.get(app, 0) for app in (ERASURES, HANDS, EVENTS, ENTRIES)))


def erased_at(store: Store) -> int:
    """The version of `events` after the last erasure; 0 if there was none."""
    return store.committed("events", [ERASED_AT]).get(ERASED_AT, 0)


def changed_at(store: Store) -> int:
    """The version of `events` after the last erasure or replacement; what was built before may still have
    what `events` has lost. 0 if there was none."""
    return max(store.committed("events", [ERASED_AT, REPLACED_AT]).values(), default=0)


def marks(store: Store, replaces: bool) -> list[str]:
    """What distinguishes an ingest that replaces hands from one of the same files before the last one."""
    return [f"replace {store.committed('events', [REPLACED_AT]).get(REPLACED_AT, 0)}"] if replaces else []


def totals(store: Store, name: str, version: int, added: dict[str, int]) -> dict[str, int]:
    """The totals that a commit to a table after a version carries, from what it adds to them."""
    before = store.committed(name, added, store.table(name, version))
    return {app: before.get(app, 0) + count for app, count in added.items()}


# ---------------------------------------------------------------- unfinished erasures


class Unfinished:
    """A requested erasure; it is on record from before its commits until no file has what it erases.

    key
        The key of its pseudonyms: that of an interrupted erasure, so that it continues with the same
        pseudonyms, or a new one. It is not kept, since it would let one try names.
    was_interrupted
        Whether an earlier run began it and did not finish.
    """

    def __init__(self, store: Store, request: str) -> None:
        self._folder = store.folder
        self.key = (store.folder.read(KEY) or b"")[:_DIGEST_BYTES] or secrets.token_bytes(_DIGEST_BYTES)
        self._digest = hmac.digest(self.key, request.encode("utf-8", "surrogatepass"), "sha256")
        self.was_interrupted = self._digest in self._digests()

    def begin(self) -> None:
        """Record that it has begun."""
        self._write(self._digests() | {self._digest})

    def end(self) -> None:
        """Record that no file has what it erases."""
        self._write(self._digests() - {self._digest})

    def _digests(self) -> set[bytes]:
        content = self._folder.read(KEY) or b""
        starts = range(_DIGEST_BYTES, len(content), _DIGEST_BYTES)
        return {content[start : start + _DIGEST_BYTES] for start in starts}

    def _write(self, digests: set[bytes]) -> None:
        if digests:
            self._folder.put(KEY, pa.py_buffer(self.key + b"".join(sorted(digests))))
        else:
            self._folder.remove(KEY)


# ---------------------------------------------------------------- the record of erasures


def record(store: Store, erasure: dict[str, Any]) -> dict[str, int]:
    """Add the line of the erasure that the next commit to `events` completes, in place of the line of a run
    that did not get to its commit. It does not say whom the erasure was about. Returns the transaction of
    that commit by which `book_problem` knows the lines."""
    done, known, digest = _marked(store)
    lines = (store.folder.read(BOOK) or b"").splitlines(keepends=True)[:done]
    entry = erasure | {"at": datetime.now(UTC).isoformat(timespec="seconds"), "cardlog_version": VERSION}
    line = json.dumps({"number": done + 1} | {name: entry[name] for name in ENTRY})
    lines.append(f"{line}\n".encode())
    store.folder.put(BOOK, pa.py_buffer(b"".join(lines)))
    return {BOOK_MARK: (done + 1) * _MARK_UNIT + _chained(digest, lines[known:])}


def _is_next(lines: list[bytes], done: int) -> bool:
    """Whether some lines are the one that follows those of `done` erasures."""
    return len(lines) == 1 and lines[0].startswith(b'{"number": %d, ' % (done + 1))


def book_problem(store: Store) -> str | None:
    """What is wrong with the record of erasures, by what the commits say of it."""
    done, known, digest = _marked(store)
    content = store.folder.read(BOOK)
    lines = (content or b"").splitlines(keepends=True)
    if done and content is None:
        return f"it is missing, but {done:,} erasures were committed"
    # One more may be of a run that did not get to its commit.
    if len(lines) != done and not _is_next(lines[done:], done):
        return f"it has {len(lines):,} lines, but {done:,} erasures were committed"
    if known and _chained(0, lines[:known]) != digest:
        return "its lines are not those that were written"
    return None


def _marked(store: Store) -> tuple[int, int, int]:
    """How many erasures were committed, and how many lines of the record a commit has a digest of, and the
    digest."""
    found = store.committed("events", [ERASURES, BOOK_MARK])
    return found.get(ERASURES, 0), *divmod(found.get(BOOK_MARK, 0), _MARK_UNIT)


def _chained(digest: int, lines: list[bytes]) -> int:
    """The digest of lines that follow those of a digest, so that no later line hides a change of theirs."""
    for line in lines:
        chained = hashlib.blake2b(digest.to_bytes(4) + line, digest_size=4)
        digest = int.from_bytes(chained.digest())
    return digest


# ---------------------------------------------------------------- hands that must not come back


def tombstones(store: Store) -> Keys:
    """Sorted keys of the hands that must not be stored again. Raises Damaged, also if the file is missing and
    the record has an erasure by id, or is missing itself."""
    done = _marked(store)[0]  # first: an erasure writes the file before it commits
    content = store.folder.read(TOMBSTONES)
    if content is None and done:
        book = store.folder.read(BOOK)
        if book is None or any(b'"kind": "hand"' in line for line in book.splitlines()[:done]):
            what = "is missing, without which hands that were erased by their ids would come back"
            raise Damaged(f"{store.root}/{TOMBSTONES} {what}", _MEND_TOMBSTONES)
    if not content:
        return np.zeros(0, np.uint64)
    try:
        keys = pq.read_table(pa.BufferReader(content), page_checksum_verification=True).column("key")
    except (OSError, pa.ArrowException) as error:
        what = f"{store.root}/{TOMBSTONES} is damaged: {first_line(error)}"
        raise Damaged(what, _MEND_TOMBSTONES) from error
    return np.sort(keys.to_numpy())


def bury(store: Store, ids: NDArray[np.bytes_]) -> None:
    """Keep hands with these ids from being stored again."""
    content = pa.BufferOutputStream()
    keys = pa.table({"key": np.union1d(tombstones(store), keys_of(ids))})
    pq.write_table(keys, content, write_page_checksum=True)
    store.folder.put(TOMBSTONES, content.getvalue())
