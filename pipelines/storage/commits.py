"""Commits: make data files visible in one step, and keep checkpoints so that a long log is read fast."""

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from deltalake import Schema, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, CommitProperties, PostCommitHookProperties, RemoveAction

from cardlog.pipelines.storage.errors import Conflict, StoreError, first_line
from cardlog.pipelines.storage.layout import PARTITIONED, SCHEMAS, delta_schema, game_of
from cardlog.pipelines.storage.opening import entry_of
from cardlog.pipelines.storage.part_writer import Part

if TYPE_CHECKING:
    from cardlog.pipelines.storage.store import Store

Mode = Literal["append", "overwrite"]
CHECKPOINT_EVERY: Final = 10
"""After how many versions a checkpoint is written."""
_NO_HOOKS: Final = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)
"""A checkpoint that can't be written must not make a commit fail that was made."""


class Outcome(StrEnum):
    """What has come of a run that adds to the store.

    DONE
        It has committed.
    KNOWN
        Another process has committed as much in the meantime.
    BEHIND
        Another process has committed something else, so the run has to begin again.
    """

    DONE = "done"
    KNOWN = "known"
    BEHIND = "behind"


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
    replaces
        Data files that it takes out: their rows are in `parts` now, but for those that were erased.
    """

    parts: list[Part]
    transactions: dict[str, int]
    mode: Mode = "append"
    note: dict[str, str] = field(default_factory=dict)
    replaces: Sequence[str] = ()


def commit(store: "Store", name: str, base: int | None, change: Change) -> None:
    """Make a change of a table visible; see `Store.commit`."""
    table = store.table(name, base)
    is_append = change.mode == "append"
    properties = CommitProperties(
        max_commit_retries=0,  # Delta would let appends pass each other
        custom_metadata=change.note,
        app_transactions=[Transaction(app, version) for app, version in change.transactions.items()],
    )
    try:
        table.create_write_transaction(
            _actions(name, change),
            mode=change.mode,
            schema=table.schema() if is_append else Schema.from_arrow(delta_schema(SCHEMAS[name])),
            partition_by=["game"] if name in PARTITIONED else None,
            commit_properties=properties,
            post_commithook_properties=_NO_HOOKS,
        )
    except DeltaError as error:
        if isinstance(error, CommitFailedError) and store.table(name).version() > table.version():
            raise Conflict(f"another writer changed {name} first: {error}") from error
        raise StoreError(f"{name} could not be written: {first_line(error)}") from error
    if (table.version() + 1) % CHECKPOINT_EVERY == 0:
        with suppress(StoreError, DeltaError, OSError):
            store.table(name, table.version() + 1).create_checkpoint()


def _actions(name: str, change: Change) -> list[AddAction | RemoveAction]:
    """What goes into the log. A change that replaces files changes no rows, or a table to which they are only
    added could not have it."""
    now = time.time_ns() // 1_000_000

    def values(game: str | None) -> dict[str, str | None]:
        return {"game": game} if name in PARTITIONED else {}

    parts = {part.path: part for part in change.parts}.values()
    return [
        *(
            AddAction(part.path, part.size, values(part.game), now, not change.replaces, part.statistics)
            for part in parts
        ),
        *(
            RemoveAction(path, False, now, partition_values=values(game_of(path)))
            for path in sorted(change.replaces)
        ),
    ]


KEEP_SECONDS: Final = 30 * 86_400.0
"""How long Delta keeps the entries of a log, by which a table can be read as it was."""


def clean(store: "Store", name: str, needed: Iterable[int]) -> None:
    """Let Delta remove entries of a table's log that are older than `KEEP_SECONDS`, unless the table is still
    read at a version that is as old."""
    table = store.table(name)
    oldest = min(needed, default=table.version())
    entry = store.folder.info(f"{name}/{entry_of(oldest)}")
    is_old = not entry.is_file or entry.mtime.timestamp() < time.time() - KEEP_SECONDS
    if oldest < table.version() and is_old:
        return
    with suppress(DeltaError, OSError):
        table.create_checkpoint()
        table.cleanup_metadata()
