"""Commits: make data files visible in one step, and keep checkpoints so that a long log is read fast."""

import json
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

import pyarrow as pa
from deltalake import DeltaTable, Schema, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, CommitProperties, PostCommitHookProperties, RemoveAction

from cardlog.pipelines.storage import delta_log
from cardlog.pipelines.storage.errors import Conflict, StoreError, first_line
from cardlog.pipelines.storage.layout import PARTITIONED, SCHEMAS, delta_schema, game_of
from cardlog.pipelines.storage.log_entries import COMPACTED, Move
from cardlog.pipelines.storage.part_writer import Part

if TYPE_CHECKING:
    from cardlog.pipelines.storage.store import Store

Mode = Literal["append", "overwrite"]
_HOOKS: Final = PostCommitHookProperties(create_checkpoint=False)
"""Checkpoints are made by `checkpoint`, so that each has a snapshot of ours beside it."""


@dataclass(frozen=True)
class Change:
    """What a commit does to a table.

    parts
        The data files that it adds.
    transactions
        Application ids and versions that it carries.
    mode
        ``append`` adds their rows; ``overwrite`` puts them in place of all rows, and the columns of
        `SCHEMAS` in place of the table's.
    note
        What else it says.
    is_next
        Whether it may only make the version after its base, and any commit in between is a conflict.
    moves
        Data files that it takes out, and which of `parts` have their rows instead; then it changes no row,
        unless it is an erasure (`erasures`), after which some rows are gone or say less.
    """

    parts: list[Part]
    transactions: dict[str, int]
    mode: Mode = "append"
    note: dict[str, str] = field(default_factory=dict)
    is_next: bool = False
    moves: Sequence[Move] = ()


def commit(store: "Store", name: str, base: int | None, change: Change) -> None:
    """Make a change of a table visible; see `Store.commit`."""
    table = store.table(name, base)
    now = time.time_ns() // 1_000_000
    parts = list({part.path: part for part in change.parts}.values())
    partitioned = name in PARTITIONED
    replaced = sorted(path for old, _ in change.moves for path in old)
    moves = json.dumps(change.moves) if change.moves else ""
    actions: list[AddAction | RemoveAction] = [
        AddAction(
            part.path,
            part.size,
            {"game": part.game} if partitioned else {},
            now,
            not moves,
            json.dumps({"numRecords": part.rows}),
        )
        for part in parts
    ]
    actions += [
        RemoveAction(path, False, now, partition_values={"game": game_of(path)} if partitioned else {})
        for path in replaced
    ]
    digest = delta_log.digest_of(
        delta_log.COMPACT if moves else change.mode,
        {(part.path, part.size, part.rows) for part in parts},
        change.transactions,
        moves,
    )
    properties = CommitProperties(
        max_commit_retries=0 if change.is_next else None,
        custom_metadata=change.note | ({COMPACTED: moves} if moves else {}) | {delta_log.DIGEST: digest},
        app_transactions=[Transaction(app, version) for app, version in change.transactions.items()],
    )
    try:
        table.create_write_transaction(
            actions,
            mode=change.mode,
            schema=_schema_of(name, table, change.mode),
            partition_by=["game"] if partitioned else None,
            commit_properties=properties,
            post_commithook_properties=_HOOKS,
        )
    except DeltaError as error:
        if isinstance(error, CommitFailedError) and store.table(name).version() > table.version():
            raise Conflict(f"another writer changed {name} first: {error}") from error
        raise StoreError(f"{name} could not be written: {first_line(error)}") from error
    next_version = table.version() + 1
    if next_version % delta_log.SNAPSHOT_EVERY == 0:
        checkpoint(store, name, next_version)


def _schema_of(name: str, table: DeltaTable, mode: str) -> Schema:
    """The columns that a table has after a commit."""
    found = table.schema()
    if mode == "append":
        return found
    wanted = Schema.from_arrow(delta_schema(SCHEMAS[name]))
    return found if wanted == found else wanted


def checkpoint(store: "Store", name: str, version: int) -> None:
    """Keep what the log of a table says at a version, for readers to begin at: our snapshot, then Delta's
    checkpoint. Nothing is lost if that can't be done."""
    with suppress(StoreError, DeltaError, OSError, pa.ArrowException):
        log, table = store.log(name), store.table(name, version)
        replay = log.replay_of(table)
        if replay.is_whole:
            store.put(name, *log.keep_snapshot(replay))
            table.create_checkpoint()


KEEP_SECONDS: Final = 30 * 86_400.0
"""How long entries of a log are kept, by which a table can be read as it was: as long as Delta keeps them."""


def clean(store: "Store", name: str, needed: Iterable[int]) -> None:
    """Remove entries of a table's log that are older than `KEEP_SECONDS` and come before the last snapshot
    that the versions in need can be read from."""
    log = store.log(name)
    files = {version: changed for version, changed in log.entries() if changed < time.time() - KEEP_SECONDS}
    bounds = [
        version for version in log.snapshots() if version in files and version <= min(needed, default=0)
    ]
    checkpoints = [
        version
        for version in bounds
        if version % delta_log.SNAPSHOT_EVERY == 0 and log.has_checkpoint(version)
    ]
    if checkpoints and log.snapshot(max(checkpoints)) is not None:
        for version in [version for version in files if version < max(checkpoints)]:
            log.remove(version)
