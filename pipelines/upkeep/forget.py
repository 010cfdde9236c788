"""Forget: erase hands, or a player's name, from tables to which rows are otherwise only added.

Data files with what is to be erased are written anew without it. Each table of record that has some gets one
commit that says which files took the place of which, as a compact does; then the projections are built from
what is left. Before and after that every file that no table names is removed, and the warehouse. `events` is
the last table of record, so until then the same command finds the same hands; that it goes on after that,
too, is what the note of erasures that have begun is for (`erasures`).
"""

import fcntl
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
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
from cardlog.pipelines.storage.store import RECORDS, SCHEMAS, Conflict, Store, StoreError
from cardlog.pipelines.upkeep.erasing import Dataset, Erasure, Found, Older, OneHand, Renaming
from cardlog.pipelines.upkeep.rewrite import in_order, plain, rewritten
from cardlog.pipelines.upkeep.vacuum import left_behind
from cardlog.pipelines.version import VERSION
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.tables import ANALYSES, PROJECTIONS

_TRIES: Final = 20
_DAY: Final = 86_400.0
_ORDER: Final = ("quarantine", "ingests", "events")
"""In which tables of record are rewritten."""


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
    """

    kind: str
    hands: int
    events: int
    quarantined: int
    files: int
    bytes: int
    removed: int
    marts_removed: bool


@dataclass
class _Plan:
    """What an erasure has to do in a store.

    versions
        Those of the tables of record that were looked at.
    touched
        For each table its data files that are written anew, with the number of hands or rows to erase; of
        projections, which have what `events` has, all files.
    events
        How many events these hands have.
    """

    versions: dict[str, int]
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
    what = repr(wanted)
    with locked(store, fcntl.LOCK_SH if dry_run else fcntl.LOCK_EX):
        key = erasures.key_of(store)
        erasure = _erasure_of(store, wanted, key)
        is_cut = erasures.has_begun(store, key, what)
        had_marts = warehouse.path_of(store).exists()
        removed = 0
        for _ in range(_TRIES):
            plan = _plan(store, erasure)
            is_there = not plan.is_empty or is_cut
            done = _summary(store, erasure, plan, had_marts and is_there)
            if dry_run or not is_there:
                return done
            erasures.begin(store, key, what)
            removed += _remove_files(store)
            try:
                _erase(store, erasure, plan, done)
            except Conflict:
                continue
            build_projections(store)
            removed += _remove_files(store)
            erasures.end(store, key, what)
            return replace(done, removed=removed)
        raise StoreError("other processes keep writing; try again later")


def _erase(store: Store, erasure: Erasure, plan: _Plan, done: Forgotten) -> None:
    """Commit to the tables. Raises Conflict if another process has committed to one since the plan."""
    if plan.is_empty:
        return
    if isinstance(erasure, OneHand):
        erasures.bury(store, np.array([erasure.hand_id], "S32"))
    erasures.note(store, _line(done))
    for name in _ORDER:
        _rewrite(store, name, erasure, plan)


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
        had_marts,
    )


def _line(done: Forgotten) -> dict[str, Any]:
    """A line of the book of erasures, which does not say whom it was about."""
    return vars(done) | {"at": datetime.now(UTC).isoformat(timespec="seconds"), "cardlog_version": VERSION}


# ---------------------------------------------------------------- which files


def _plan(store: Store, erasure: Erasure) -> _Plan:
    plan = _Plan({name: store.table(name).version() for name in RECORDS})
    plan.found = Found(_openings(store, erasure, plan))
    for name in _ORDER[:-1]:
        counts = {
            path: sum(
                erasure.edited(name, rows, plan.found).touched.sum() for rows in in_order(store, name, [path])
            )
            for path in store.paths(name, plan.versions[name])
        }
        plan.touched[name] = {path: int(count) for path, count in counts.items() if count}
    if not plan.is_empty:
        plan.touched |= {name: dict.fromkeys(store.paths(name), 0) for name in PROJECTIONS | ANALYSES}
    return plan


def _openings(store: Store, erasure: Erasure, plan: _Plan) -> Iterator[pa.Table]:
    """The first events of the hands that an erasure touches, which are counted in its plan."""
    touched = plan.touched["events"] = {}
    for path in store.paths("events", plan.versions["events"]):
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
    """Erase from a table of record; from `events` there is a commit even if it has nothing, to be counted."""
    version, touched = plan.versions[name], [*plan.touched[name]]
    if not touched and name != "events":
        return

    def edit(rows: pa.Table) -> pa.Table:
        return erasure.edited(name, rows, plan.found).rows

    parts = [part for path in touched for part in rewritten(store, name, [path], edit)]
    lost = {}
    if name == "quarantine":
        lost[erasures.ENTRIES] = _counting(store, touched) - _counting(store, [part.path for part in parts])
    if name == "events":
        lost[erasures.ERASURES] = 1
        if erasure.removes:
            lost[erasures.HANDS] = sum(plan.touched[name].values())
            lost[erasures.EVENTS] = plan.events
        sizes = store.sizes(name, version)
        left = sum(sizes[path] for path in touched) - lost.get(erasures.EVENTS, 0)
        if sum(part.rows for part in parts) != left:
            raise StoreError(f"{store.uri(name)} can't be rewritten: rows would be lost or repeated")
    before = store.committed(name, lost, store.table(name, version))
    carried = {app: before.get(app, 0) + more for app, more in lost.items()}
    if name == "events":
        carried[erasures.ERASED_AT] = version + 1
    store.commit(name, Change(parts, carried, replaces=touched), base=version)


def _counting(store: Store, paths: list[str]) -> int:
    """How many rows of data files of `quarantine` count."""
    attempts = store.attempts()
    rows = (row for part in store.read("quarantine", paths) for row in part.to_pylist())
    return sum(attempts.get(row["ingest_id"]) == row["attempt"] for row in rows)


# ---------------------------------------------------------------- files


def _remove_files(store: Store) -> int:
    """Remove all files that no table names, and what can be made again, since what is to be erased may be
    anywhere; returns how many there were. Behind a URI, where nobody has the store alone, only those files
    that a table has taken out."""
    count = 0
    for name in SCHEMAS:
        unnamed = store.files_in(name).keys() - set(store.paths(name))
        if not store.is_local:
            unnamed &= set(store.table(name).vacuum(0, enforce_retention_duration=False))
        for path in unnamed:
            store.remove(name, path)
        count += len(unnamed)
    target = warehouse.path_of(store)
    count += target.exists()
    for old in (target.with_suffix(".json"), target, target.with_name(f"{target.name}.wal")):
        old.unlink(missing_ok=True)
    if store.is_local:
        shutil.rmtree(Path(store.root) / ".dbt", ignore_errors=True)
        count += len(left_behind(store, inf, dry_run=False))
    return count
