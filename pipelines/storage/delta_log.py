"""The log of a Delta table, read by ourselves: Delta's own readers pass over what they don't know, so
that one flipped bit in ``"add"`` hides a data file and an empty entry a whole commit.

Every commit of cardlog carries a digest of what it says. An entry whose actions don't match it, or
that is no list of known actions, is damaged. Entries of other clients, and those that cardlog wrote
before it kept digests, have none; their form is checked.

So that a long log need not be read whole, every `SNAPSHOT_EVERY` versions a snapshot is kept of what it
says, with a digest of its own; a reader goes on from the last one. Only `cardlog verify` reads all entries.
"""

import hashlib
import json
import re
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.fs
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from cardlog.pipelines.storage.errors import Damaged, mend_log
from cardlog.pipelines.storage.log_entries import COMPACTED, info_of, moves_of, removed_by

DIGEST: Final = "cardlog-digest"
"""Where a commit keeps the digest of what it says."""
_DIGEST_DIGITS: Final = 32
_ACTIONS: Final = {
    "commitInfo", "add", "remove", "txn", "metaData", "protocol", "cdc", "domainMetadata",
}  # fmt: skip
"""The actions that an entry of a Delta log may have."""
_OVERWRITE: Final = "Overwrite"
COMPACT: Final = "compact"
"""The mode, as digests have it, of a commit that moves rows to other files."""
SNAPSHOT_EVERY: Final = 10
"""After how many versions a snapshot of the log is kept."""
_SNAPSHOTS_TRIED: Final = 5
"""How many of those before a version are looked for: after a crash one is missing."""
CHECKPOINT: Final = "_last_checkpoint"
CHECKPOINT_DIFFERS: Final = "or the checkpoint that it names does not say what the log says"

File = tuple[int, int | None]
"""Size in bytes and number of rows of a data file, as its log has them."""


@dataclass
class Rewrite:
    """A commit of another client that took data files out of a table.

    changes_rows
        Whether rows went with them, as in a deletion, or were only moved to other files.
    """

    version: int
    operation: str
    changes_rows: bool


@dataclass
class Replay:
    """What a log says up to a version.

    first
        The first version that is known of; what came before is in a checkpoint.
    committed
        The version that each transaction is of.
    """

    first: int
    version: int = -1
    files: dict[str, File] = field(default_factory=dict)
    transactions: dict[str, int] = field(default_factory=dict)
    committed: dict[str, int] = field(default_factory=dict)
    rewrites: list[Rewrite] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether it says all about the table."""
        return self.first == 0

    def copy(self) -> "Replay":
        """One that can be changed without changing this one."""
        copy = replace(self, files=dict(self.files), rewrites=list(self.rewrites))
        copy.transactions, copy.committed = dict(self.transactions), dict(self.committed)
        return copy


def digest_of(
    mode: str,
    files: Iterable[tuple[str, int, int | None]],
    transactions: dict[str, int],
    moves: str = "",
) -> str:
    """The digest that a commit carries.

    mode
        ``append``, ``overwrite`` or ``compact``.
    files
        The data files it adds: path, size in bytes, rows.
    removes
        Those that a compact takes out.
    """
    said = [mode.lower(), sorted(files), sorted(transactions.items()), *([moves] if moves else [])]
    return _digest(said)


def _digest(said: Any) -> str:
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:_DIGEST_DIGITS]


def entry_name(version: int) -> str:
    """The file of the entry that makes a version."""
    return f"{version:020d}.json"


def snapshot_name(version: int) -> str:
    """The file of what the log says at a version. Delta's readers pass over it."""
    return f"_cardlog_{version:020d}.json"


_ENTRY: Final = re.compile(r"\d{20}\.json")
_SNAPSHOT: Final = re.compile(r"_cardlog_\d{20}\.json")


class Log:
    """The log of one table."""

    def __init__(self, files: pa.fs.FileSystem, folder: str, shown: str, table: str) -> None:
        self.folder = f"{folder}/_delta_log"
        self._files, self._shown, self._table = files, shown, table

    def replay(self, upto: int, known: Replay | None = None, *, entries_alone: bool = False) -> Replay:
        """What the log says at a version, from an earlier one that is known or a snapshot. Raises Damaged.

        entries_alone
            Read all entries that there are, whatever snapshots say.
        """
        if known is None or known.version > upto:
            known = self._oldest_snapshot() if entries_alone else self._snapshot(upto)
        if known is None:
            first = self._first()
            known = Replay(first, first - 1)
        known = known.copy()  # nothing is known of what turns out to be damaged
        for version in range(known.version + 1, upto + 1):
            self._apply(known, version, self.entry(version))
        return known

    def replay_of(
        self, table: DeltaTable, known: Replay | None = None, *, entries_alone: bool = False
    ) -> Replay:
        """What the log says at the version of an open table, compared with what Delta's own reader sees
        there, which may have begun at a checkpoint. Raises Damaged."""
        replay = self.replay(table.version(), known, entries_alone=entries_alone)
        if replay.is_whole and _differs(table, replay):
            raise self.damaged(CHECKPOINT, f"{CHECKPOINT_DIFFERS}; remove all checkpoints of that folder")
        return replay

    def replay_all(self) -> Replay:
        """What the whole log says. Raises Damaged."""
        return self.replay(max(self.versions(), default=-1))

    def entry(self, version: int) -> list[dict[str, Any]]:
        """The actions of the entry that makes a version. Raises Damaged."""
        name = entry_name(version)
        try:
            with self._files.open_input_file(f"{self.folder}/{name}") as stream:
                text = stream.read()
        except FileNotFoundError as error:
            raise self.damaged(name, "is missing") from error
        try:
            actions = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            raise self.damaged(name, "is damaged: it is no JSON") from error
        if not actions:
            raise self.damaged(name, "is empty")
        for action in actions:
            if not isinstance(action, dict) or len(action) != 1 or not action.keys() <= _ACTIONS:
                raise self.damaged(name, "is damaged: it has an action that Delta does not know")
        return actions

    def has(self, version: int) -> bool:
        """Whether there is an entry that makes a version."""
        return self._is_file(entry_name(version))

    def _is_file(self, name: str) -> bool:
        return bool(self._files.get_file_info(f"{self.folder}/{name}").type is pa.fs.FileType.File)

    def mark(self, version: int) -> str | None:
        """What tells the entry that makes a version from another one; None if there is none."""
        try:
            with self._files.open_input_file(f"{self.folder}/{entry_name(version)}") as stream:
                return hashlib.sha256(stream.read()).hexdigest()
        except FileNotFoundError:
            return None

    def entries(self) -> list[tuple[int, float]]:
        """The versions that there are entries of, and when each was written."""
        listed = self._files.get_file_info(pa.fs.FileSelector(self.folder, allow_not_found=True))
        found = (info for info in listed if _ENTRY.fullmatch(info.base_name))
        return sorted((int(info.base_name[:-5]), info.mtime.timestamp()) for info in found)

    def versions(self) -> list[int]:
        """The versions that there are entries of."""
        return [version for version, _ in self.entries()]

    def has_checkpoint(self, version: int) -> bool:
        """Whether there is a checkpoint of Delta's own of a version."""
        return self._is_file(f"{version:020d}.checkpoint.parquet")

    def remove(self, version: int) -> None:
        """Remove the entry that makes a version, and what was kept of that version."""
        for name in (entry_name(version), snapshot_name(version), f"{version:020d}.checkpoint.parquet"):
            with suppress(FileNotFoundError):
                self._files.delete_file(f"{self.folder}/{name}")

    def snapshots(self) -> list[int]:
        """The versions that there are snapshots of."""
        listed = self._files.get_file_info(pa.fs.FileSelector(self.folder, allow_not_found=True))
        return sorted(int(info.base_name[9:-5]) for info in listed if _SNAPSHOT.fullmatch(info.base_name))

    def snapshot(self, version: int) -> Replay | None:
        """What the log says at a version, from its snapshot; None if there is none. Raises ValueError if
        that is damaged."""
        try:
            with self._files.open_input_file(f"{self.folder}/{snapshot_name(version)}") as stream:
                kept = json.loads(stream.read())
        except FileNotFoundError:
            return None
        try:
            if kept["digest"] != _digest(kept["said"]) or kept["said"]["version"] != version:
                raise ValueError("the digest differs")
            said = kept["said"]
            said["files"] = {path: (size, rows) for path, (size, rows) in said["files"].items()}
            return Replay(**said | {"rewrites": [Rewrite(**one) for one in said["rewrites"]]})
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(str(error)) from error

    def keep_snapshot(self, replay: Replay) -> tuple[str, bytes]:
        """The name and the content of a snapshot."""
        said = asdict(replay)
        content = json.dumps({"digest": _digest(said), "said": said}).encode()
        return f"_delta_log/{snapshot_name(replay.version)}", content

    def _snapshot(self, upto: int) -> Replay | None:
        """The last of the newest snapshots that are no later than a version. A damaged one is passed over,
        unless entries that would say the same are gone."""
        last = upto - upto % SNAPSHOT_EVERY
        versions = range(last, max(last - _SNAPSHOTS_TRIED * SNAPSHOT_EVERY, 0), -SNAPSHOT_EVERY)
        is_whole = self.has(0)
        try:
            if is_whole:
                return next(filter(None, map(self.snapshot, versions)), None)
            return self.snapshot(
                max((version for version in self.snapshots() if version <= upto), default=-1)
            )
        except ValueError as error:
            if is_whole:
                return None
            raise self.damaged("_cardlog_….json", f"is damaged: {error}") from error

    def _oldest_snapshot(self) -> Replay | None:
        """The first snapshot of a log whose first entries were cleaned away."""
        try:
            return None if self.has(0) else self.snapshot(min(self.snapshots(), default=-1))
        except ValueError as error:
            raise self.damaged(snapshot_name(min(self.snapshots())), "is damaged") from error

    def damaged(self, name: str, what: str) -> Damaged:
        """The error about a file of the log."""
        return Damaged(f"{self._shown}/_delta_log/{name} {what}; {mend_log(self._table)}")

    def _first(self) -> int:
        return 0 if self.has(0) else min(self.versions(), default=0)

    def _apply(self, state: Replay, version: int, actions: list[dict[str, Any]]) -> None:
        by_kind: dict[str, list[dict[str, Any]]] = {}
        for action in actions:
            for kind, content in action.items():
                by_kind.setdefault(kind, []).append(content)
        try:
            adds = dict(map(_file, by_kind.get("add", [])))
            removes = removed_by(actions)
            transactions = {txn["appId"]: int(txn["version"]) for txn in by_kind.get("txn", [])}
            info = info_of(actions)
            self._check_entry(state, version, adds, removes, transactions, info)
            changes = any(remove.get("dataChange", True) for remove in by_kind.get("remove", []))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.damaged(entry_name(version), "is damaged: an action is not complete") from error
        if removes and DIGEST not in info:
            state.rewrites.append(Rewrite(version, str(info.get("operation", "another client")), changes))
        for path in removes:
            state.files.pop(path, None)
        state.files |= adds
        state.transactions |= transactions
        state.committed |= dict.fromkeys(transactions, version)
        state.version = version

    def _check_entry(
        self,
        state: Replay,
        version: int,
        adds: dict[str, File],
        removes: set[str],
        transactions: dict[str, int],
        info: dict[str, Any],
    ) -> None:
        """Compare an entry with the digest it carries, if it carries one. Raises Damaged."""
        if DIGEST not in info:
            return
        moves = moves_of(info)
        mode = COMPACT if moves else str(info["operationParameters"]["mode"])
        files = [(path, size, rows) for path, (size, rows) in adds.items()]
        if digest_of(mode, files, transactions, info.get(COMPACTED, "")) != info[DIGEST]:
            raise self.damaged(entry_name(version), "is damaged: it does not say what was written")
        replaced = set(state.files) if mode == _OVERWRITE else {path for old, _ in moves for path in old}
        if state.is_whole and (removes != replaced or not removes <= state.files.keys()):
            raise self.damaged(entry_name(version), "is damaged: it removes other files than it replaces")


def _file(add: dict[str, Any]) -> tuple[str, File]:
    rows = json.loads(add["stats"])["numRecords"] if add.get("stats") else None
    return unquote(add["path"]), (int(add["size"]), rows)


_lock: Final = threading.Lock()
_MOST_FOLLOWED: Final = 32


class _Followed(NamedTuple):
    """What is known of a log, the table as opened at that version, and the mark of the last entry, since a
    store may be put back to how it was once, and go on otherwise."""

    replay: Replay
    table: DeltaTable
    mark: str | None


_replays: Final[dict[str, _Followed]] = {}
"""By the log's folder."""


def _known(log: Log) -> _Followed | None:
    known = _replays.get(log.folder)
    if known is None or known.mark is None or log.mark(known.replay.version) != known.mark:
        return None
    return known


def opened(log: Log, version: int | None) -> DeltaTable | None:
    """A table at a version, or as it is now, if this process has opened it already: Delta would list and
    read its log again. None if not."""
    with _lock:
        known = _known(log)
        if known is None or version not in (None, known.replay.version):
            return None
        is_newest = version is not None or not log.has(known.replay.version + 1)
        return known.table if is_newest else None


def follow(log: Log, table: DeltaTable) -> Replay:
    """What the log of an open table says, at the table's version or a later one that this process has
    seen. An entry is read once. Raises Damaged.
    """
    with _lock:
        known = _known(log)
        if known is not None and known.replay.version >= table.version():
            return known.replay
        replay = log.replay_of(table, known.replay if known is not None else None)
        _replays.pop(log.folder, None)
        _replays[log.folder] = _Followed(replay, table, log.mark(replay.version))
        while len(_replays) > _MOST_FOLLOWED:
            del _replays[next(iter(_replays))]
        return replay


def _differs(table: DeltaTable, replay: Replay) -> bool:
    """Whether Delta's own reader sees other data files, or can't read them."""
    try:
        actions = pa.RecordBatchReader.from_stream(table.get_add_actions()).read_all()
        columns = (actions.column(name).to_pylist() for name in ("path", "size_bytes", "num_records"))
        found = {path: (size, rows) for path, size, rows in zip(*columns, strict=True)}
    except (DeltaError, pa.ArrowException):
        return True  # it reads the checkpoint piece by piece, and met a damaged one
    return found != replay.files


def transaction(log: Log, table: DeltaTable, app: str) -> int | None:
    """What the log of an open table carries for an application at the table's version. Delta itself would
    look through the whole log, and pass over what it doesn't know. Raises Damaged."""
    replay = follow(log, table)
    if not replay.is_whole or replay.committed.get(app, -1) > table.version():
        return table.transaction_version(app)
    return replay.transactions.get(app)
