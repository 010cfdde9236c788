"""Forget: erase hands, or a player's name, from tables to which rows are otherwise only added.

Data files with what is to be erased are written anew without it. Each table of record gets one commit that
says which files took the place of which, as a compact does, and carries how much was erased (`erasures`);
then the projections are built from what is left. Before that every file that no table names is removed, and
the warehouse; afterwards those that the commits took out. `events` is the last table of record, so until then
the same command finds the same hands and goes on where it was cut; after that a build and a vacuum, or the
next forget, do the rest. Finally all that is in the store is read (`traces`).
"""

import fcntl
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cardlog.pipelines import runs
from cardlog.pipelines.build import build as building
from cardlog.pipelines.sql import marts, warehouse
from cardlog.pipelines.storage import erasures
from cardlog.pipelines.storage.commits import Change, Outcome
from cardlog.pipelines.storage.layout import game_of
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.store import Conflict, Store, StoreError
from cardlog.pipelines.upkeep.erasing import Dataset, Erasure, Found, Older, OneHand, Renaming
from cardlog.pipelines.upkeep.rewrite import in_order, plain, rewritten
from cardlog.pipelines.upkeep.traces import is_stale, left_in
from cardlog.pipelines.upkeep.vacuum import left_behind
from cardlog.pipelines.version import VERSION
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.tables import ANALYSES, PROJECTIONS

_TRIES: Final = 20
_DAY: Final = 86_400.0
_ORDER: Final = ("quarantine", "ingests")
"""In which tables of record are rewritten; `events` comes last."""


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
        return OneHand(wanted.hand)
    if wanted.dataset is not None:
        return Dataset(wanted.dataset)
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
    searched, left
        How many files were read to the end afterwards, and which of them still say what was erased.
    """

    kind: str
    hands: int
    events: int
    quarantined: int
    files: int
    bytes: int
    removed: int
    marts_removed: bool
    searched: int = 0
    left: tuple[str, ...] = ()


@dataclass
class _Plan:
    """What an erasure has to do in a store.

    touched
        For each table its data files that are written anew, with the number of hands or rows to erase; of
        projections, which have what `events` has, all files.
    events
        How many events these hands have.
    """

    version: int
    found: Found = field(default_factory=Found)
    touched: dict[str, dict[str, int]] = field(default_factory=dict)
    events: int = 0

    @property
    def is_empty(self) -> bool:
        return not any(self.touched.values())


def forget(store: Store, wanted: Wanted, *, dry_run: bool = False) -> Forgotten:
    """Erase hands or a name from a store, once no other process on this machine writes to it.

    A forget that was cut before goes on. Raises ForgetError if it is not clear what to erase; StoreError if
    the store can't be read or written.
    """
    _check(wanted)
    with locked(store, fcntl.LOCK_SH if dry_run else fcntl.LOCK_EX):
        key = erasures.key_of(store)
        erasure = _erasure_of(store, wanted, key)
        had_marts = warehouse.path_of(store).exists()
        removed = 0
        for _ in range(_TRIES):
            plan = _plan(store, erasure)
            done = _summary(store, erasure, plan, had_marts)
            if dry_run or plan.is_empty:
                break
            erasures.begin(store, key, repr(wanted))
            removed += _remove_files(store, everything=True)
            try:
                _erase(store, erasure, plan, done)
            except Conflict:
                continue
            break
        else:
            raise StoreError("other processes keep writing; try again later")
        if dry_run:
            return done
        erasures.end(store, key, repr(wanted))
        build_projections(store)
        removed += _remove_files(store)
        says = partial(erasure.says, found=plan.found)
        searched, left = left_in(store, says)
        if left:
            removed += _remove_files(store, everything=True)
            searched, left = left_in(store, says)
        had_marts &= not warehouse.path_of(store).exists()
        return replace(done, removed=removed, marts_removed=had_marts, searched=searched, left=tuple(left))


def _erase(store: Store, erasure: Erasure, plan: _Plan, done: Forgotten) -> None:
    """Commit to all tables. Raises Conflict if another process has committed to one since the plan."""
    if isinstance(erasure, OneHand):
        erasures.bury(store, np.array([erasure.hand_id], "S32"))
    for name in _ORDER:
        _rewrite(store, name, erasure, plan)
    erasures.note(store, _line(done))
    _rewrite(store, "events", erasure, plan)


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


def _summary(store: Store, erasure: Erasure, plan: _Plan, had_marts: bool) -> Forgotten:
    files = sum(map(len, plan.touched.values()))
    sizes = {name: store.bytes_of(name) for name, paths in plan.touched.items() if paths}
    return Forgotten(
        erasure.kind,
        sum(plan.touched["events"].values()),
        plan.events,
        sum(plan.touched["quarantine"].values()),
        files,
        sum(sizes[name].get(path, 0) for name in sizes for path in plan.touched[name]),
        0,
        had_marts and not plan.is_empty,
    )


def _line(done: Forgotten) -> dict[str, Any]:
    """A line of the book of erasures, which does not say whom it was about."""
    return vars(done) | {"at": datetime.now(UTC).isoformat(timespec="seconds"), "cardlog_version": VERSION}


# ---------------------------------------------------------------- which files


def _plan(store: Store, erasure: Erasure) -> _Plan:
    plan = _Plan(store.table("events").version())
    plan.found = Found(_openings(store, erasure, plan))
    for name in _ORDER:
        counts = {
            path: sum(
                erasure.edited(name, rows, plan.found).touched.sum() for rows in in_order(store, name, [path])
            )
            for path in store.paths(name)
        }
        plan.touched[name] = {path: int(count) for path, count in counts.items() if count}
    if not plan.is_empty:
        plan.touched |= {name: dict.fromkeys(store.paths(name), 0) for name in PROJECTIONS | ANALYSES}
    return plan


def _openings(store: Store, erasure: Erasure, plan: _Plan) -> Iterator[pa.Table]:
    """The first events of the hands that an erasure touches, which are counted in its plan."""
    touched = plan.touched["events"] = {}
    for path in store.paths("events", plan.version):
        for rows in map(plain, in_order(store, "events", [path])):
            hands = rows.column("hand_id")
            mine = rows.filter(
                pc.is_in(hands, hands.filter(pa.array(erasure.chosen("events", rows))).unique())
            )
            openings = mine.filter(pc.equal(mine.column("seq"), 0))
            if len(openings):
                touched[path] = touched.get(path, 0) + len(openings)
                plan.events += len(mine)
                yield openings


# ---------------------------------------------------------------- commits


def _rewrite(store: Store, name: str, erasure: Erasure, plan: _Plan) -> None:
    """Erase from a table of record. There is a commit even if it has nothing, which tells what is older, and
    with which ingests compare that began before it. If `events` has changed since the plan, a conflict."""
    version = plan.version if name == "events" else store.table(name).version()
    touched, sizes = [*plan.touched[name]], store.sizes(name, version)

    def edit(rows: pa.Table) -> pa.Table:
        return erasure.edited(name, rows, plan.found).rows

    parts = [part for path in touched for part in rewritten(store, name, [path], edit)]
    lost = {}
    if name == "quarantine":
        lost[erasures.ENTRIES] = _counting(store, touched) - _counting(store, [part.path for part in parts])
    if name == "events":
        if erasure.removes:
            lost[erasures.HANDS] = sum(plan.touched[name].values())
            lost[erasures.EVENTS] = plan.events
        left = sum(sizes[path] for path in touched) - lost.get(erasures.EVENTS, 0)
        if sum(part.rows for part in parts) != left:
            raise StoreError(f"{store.uri(name)} can't be rewritten: rows would be lost or repeated")
    carried = erasures.marks(store, name, version, lost)
    store.commit(name, Change(parts, carried, replaces=touched), base=version)


def _counting(store: Store, paths: list[str]) -> int:
    """How many rows of data files of `quarantine` count."""
    attempts = store.attempts()
    rows = (row for part in store.read("quarantine", paths) for row in part.to_pylist())
    return sum(attempts.get(row["ingest_id"]) == row["attempt"] for row in rows)


# ---------------------------------------------------------------- files


def _remove_files(store: Store, everything: bool = False) -> int:
    """Remove the files that may still have what was erased; returns how many there were.

    everything
        All that can be made again or that no table names, since what is to be erased may be anywhere.
    """
    found = erasures.unnamed(store) if everything else erasures.leftovers(store)
    for name, path, _ in found:
        store.remove(name, path)
    count = len(found)
    target = warehouse.path_of(store)
    if target.exists() and (everything or is_stale(store)):
        count += 1
        for old in (target.with_suffix(".json"), target, target.with_name(f"{target.name}.wal")):
            old.unlink(missing_ok=True)
    if store.is_local and (everything or count):
        shutil.rmtree(Path(store.root) / ".dbt", ignore_errors=True)
        count += len(left_behind(store, inf, dry_run=False))
    return count
