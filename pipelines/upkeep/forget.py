"""Forget: erase hands, or a player's name, from tables to which rows are otherwise only added.

Data files with what is to be erased are written anew without it. Each table of record that has some gets one
commit that says which files took the place of which, as a compact does; then the projections are built from
what is left. The warehouse is removed before that, and afterwards every file that no table names. `events` is
the last to get its commit, so until then the same command finds the same hands; that it goes on after that,
too, is what the note of erasures that have begun is for (`erasures`).
"""

import fcntl
import shutil
import time
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from cardlog.pipelines import runs
from cardlog.pipelines.build import build as building
from cardlog.pipelines.sql import marts, warehouse
from cardlog.pipelines.storage import erasures
from cardlog.pipelines.storage.commits import Change, Outcome
from cardlog.pipelines.storage.layout import game_of
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.store import SCHEMAS, Conflict, Part, Store, StoreError
from cardlog.pipelines.upkeep.erasing import Erasure, Found, Having, Older, Renaming
from cardlog.pipelines.upkeep.rewrite import rewritten
from cardlog.pipelines.upkeep.vacuum import left_behind
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.tables import ANALYSES, PROJECTIONS

_TRIES: Final = 20
_DAY: Final = 86_400.0


class ForgetError(CardlogError):
    """It is not clear what is to be erased; the text is for the user."""


class Wanted(NamedTuple):
    """What is to be erased, exactly one of these.

    hand
        The whole id of a hand.
    older_than
        In days.
    """

    player: str | None = None
    hand: str | None = None
    dataset: str | None = None
    older_than: float | None = None


def _check(wanted: Wanted) -> None:
    if sum(value is not None for value in wanted) != 1:
        raise ForgetError("say what to erase: one of --player, --hand, --dataset and --older-than")
    if wanted.player is not None and not wanted.player.strip():
        raise ForgetError("--player must be a name")


def _erasure_of(store: Store, wanted: Wanted, key: bytes) -> Erasure:
    """The erasure that was asked for."""
    if wanted.player is not None:
        return Renaming(wanted.player, key)
    if wanted.hand is not None:
        return Having("hand", "hand_id", wanted.hand)
    if wanted.dataset is not None:
        return Having("dataset", "dataset", wanted.dataset)
    seconds = time.time() - (wanted.older_than or 0) * _DAY
    return Older.than(store, int(seconds * 1_000_000))


@dataclass(frozen=True)
class Forgotten:
    """What was erased, or would be.

    hands, events
        Hands that were removed or, for a name, changed, and their events.
    quarantined
        Entries of `quarantine` that were removed or lost their text.
    files, bytes
        Data files that were written anew, and their size before.
    removed
        Files that were removed, the warehouse included.
    marts_removed
        Whether there was a warehouse that was removed, or would be, and has to be built again.
    """

    kind: str
    hands: int
    events: int
    quarantined: int
    files: int
    bytes: int
    removed: int = 0
    marts_removed: bool = False


@dataclass
class _Rewrite:
    """What an erasure makes of a table of record.

    version
        That of the table which was looked at.
    replaced
        Its data files in which something is to be erased.
    parts
        What takes their place; nothing in a dry run.
    touched
        How many rows are removed or changed.
    lost
        How many that counted are removed; of `quarantine` and `events`.
    """

    version: int
    replaced: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    touched: int = 0
    lost: int = 0


def forget(store: Store, wanted: Wanted, *, dry_run: bool = False) -> Forgotten:
    """Erase hands or a name from a store, once no other process on this machine writes to it.

    A forget that was cut before goes on. Raises ForgetError if it is not clear what to erase; StoreError if
    the store can't be read or written.
    """
    _check(wanted)
    with locked(store, fcntl.LOCK_SH if dry_run else fcntl.LOCK_EX):
        begun = erasures.Begun(store, repr(wanted))
        erasure = _erasure_of(store, wanted, begun.key)
        had_marts = warehouse.path_of(store).exists()
        removed = 0
        for _ in range(_TRIES):
            found = Found()
            rewrites = {name: _rewrite(store, name, erasure, found, dry_run) for name in _ORDER}
            done = _summary(store, erasure, found, rewrites)
            is_there = done.files > 0 or begun.is_cut
            done = replace(done, marts_removed=had_marts and is_there)
            if dry_run or not is_there:
                return done
            begun.note()
            removed += _remove_warehouse(store)
            try:
                if done.files:
                    _commit(store, wanted, found, rewrites, done)
            except Conflict:
                continue
            build_projections(store)
            removed += _remove_files(store)
            begun.end()
            return replace(done, removed=removed)
        raise StoreError("other processes keep writing; try again later")


_ORDER: Final = ("events", "quarantine", "ingests")
"""In which tables of record are rewritten: what is erased from `quarantine` follows from the hands."""


def _rewrite(store: Store, name: str, erasure: Erasure, found: Found, dry_run: bool) -> _Rewrite:
    """Write the data files of a table anew that have what is to be erased; add the hands to those found."""
    done = _Rewrite(store.table(name).version())
    attempts = store.attempts() if name == "quarantine" else {}

    def counting(rows: pa.Table) -> int:
        if name != "quarantine":
            return len(rows)
        columns = (rows.column(column).to_pylist() for column in ("ingest_id", "attempt"))
        return sum(attempts.get(ingest) == attempt for ingest, attempt in zip(*columns, strict=True))

    def edit(rows: pa.Table) -> pa.Table:
        left, touched = erasure.edited(name, rows, found)
        if name == "events":
            found.add(rows, touched)
        done.touched += int(touched.sum())
        done.lost += counting(rows) - counting(left)
        return left

    for path in store.paths(name, done.version):
        before = done.touched
        writer = rewritten(store, name, [path], edit)
        if done.touched > before:
            done.replaced.append(path)
            if writer.rows and not dry_run:
                done.parts.append(writer.close())
    return done


def _summary(store: Store, erasure: Erasure, found: Found, rewrites: dict[str, _Rewrite]) -> Forgotten:
    """What is erased; the derived tables, which have what `events` has, are built anew."""
    replaced = {name: rewrite.replaced for name, rewrite in rewrites.items() if rewrite.replaced}
    if replaced:
        replaced |= {name: store.paths(name) for name in PROJECTIONS | ANALYSES}
    sizes = [store.bytes_of(name).get(path, 0) for name, paths in replaced.items() for path in paths]
    return Forgotten(
        erasure.kind, len(found.ids), found.events, rewrites["quarantine"].touched, len(sizes), sum(sizes)
    )


def _commit(
    store: Store, wanted: Wanted, found: Found, rewrites: dict[str, _Rewrite], done: Forgotten
) -> None:
    """Commit to the tables of record, `events` last, even if it has nothing, so that the erasure is counted.
    Raises Conflict if another process has committed to one since it was read."""
    if wanted.hand is not None:
        erasures.bury(store, np.array([wanted.hand], "S32"))
    erasures.enter(store, vars(done))
    hands = len(found.ids) if rewrites["events"].lost else 0
    lost = {
        "quarantine": {erasures.ENTRIES: rewrites["quarantine"].lost},
        "events": {erasures.ERASURES: 1, erasures.HANDS: hands, erasures.EVENTS: rewrites["events"].lost},
    }
    for name, rewrite in reversed(rewrites.items()):
        if rewrite.replaced or name == "events":
            more = lost.get(name, {})
            before = store.committed(name, more, store.table(name, rewrite.version))
            carried = {app: before.get(app, 0) + number for app, number in more.items()}
            if name == "events":
                carried[erasures.ERASED_AT] = rewrite.version + 1
            change = Change(rewrite.parts, carried, replaces=rewrite.replaced)
            store.commit(name, change, base=rewrite.version)


def build_projections(store: Store) -> None:
    """Build the projections from what is left, and analyse the games again that were, unless they never
    were."""
    built = tuple(name for name in PROJECTIONS if store.built_from(name) is not None or store.paths(name))
    _build(store, built, "")
    for game in sorted({game_of(path) for name in ANALYSES for path in store.paths(name)}):
        _build(store, tuple(ANALYSES), game)


def _build(store: Store, wanted: tuple[str, ...], game: str) -> None:
    for _ in range(_TRIES):
        if Outcome.BEHIND not in building.in_threads(building.plan(store, wanted, False, game)).values():
            return
    raise StoreError("other processes keep building; try again later")


def build_again(store: Store) -> None:
    """Build the marts that were removed, and what they need. Raises HeldBack as `marts.build`."""
    runs.build(store)
    marts.build(store, afresh=True)


# ---------------------------------------------------------------- files


def _remove_warehouse(store: Store) -> int:
    """Remove the marts, which can be built again; returns how many there were."""
    target = warehouse.path_of(store)
    count = int(target.exists())
    for old in (target.with_suffix(".json"), target, target.with_name(f"{target.name}.wal")):
        old.unlink(missing_ok=True)
    return count


def _remove_files(store: Store) -> int:
    """Remove all files that no table names, since what is to be erased may be anywhere; returns how many
    there were. Behind a URI, where nobody has the store alone, only those files that a table has taken
    out."""
    count = 0
    for name in SCHEMAS:
        unnamed = store.files_in(name).keys() - set(store.paths(name))
        if not store.is_local:
            unnamed &= set(store.table(name).vacuum(0, enforce_retention_duration=False))
        for path in unnamed:
            store.remove(name, path)
        count += len(unnamed)
    if store.is_local:
        shutil.rmtree(Path(store.root) / ".dbt", ignore_errors=True)
        count += len(left_behind(store, inf, dry_run=False))
    return count
