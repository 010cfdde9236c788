"""Forget: erase hands, or a player's name, from tables that are otherwise append-only.

Data files with something to erase are rewritten without it. Each table of record that has such files gets one
commit that replaces them, as in a compact; then the projections are built from what is left. The warehouse is
removed before that, and every file that no table refers to afterwards. The tables of a server come first and
the commit to `events` last, so until then the same command finds the same hands; after it, the command
continues because the erasure is on record as unfinished (`erasures.Unfinished`).
"""

import fcntl
import shutil
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from cardlog.pipelines.derive import derive as building
from cardlog.pipelines.sql import aliases, known_names, warehouse
from cardlog.pipelines.storage import erasures
from cardlog.pipelines.storage.commits import Change, Outcome
from cardlog.pipelines.storage.journal import folder_of
from cardlog.pipelines.storage.layout import game_of
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.store import SCHEMAS, Conflict, Part, Store, StoreError
from cardlog.pipelines.text.visible import is_text
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.at_tables import AtTables
from cardlog.pipelines.upkeep.erasing import Erasure, Having, Older, Renaming, TouchedHands, values
from cardlog.pipelines.upkeep.rewrite import rewritten
from cardlog.pipelines.upkeep.vacuum import left_behind, seconds_of
from cardlog.pipelines.upkeep.wanted import Wanted
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.tables import ANALYSES, PROJECTIONS

_TRIES: Final = 20
_DAY: Final = 86_400.0
_ATTEMPT: Final = ("ingest_id", "attempt")


class ForgetError(CardlogError):
    """It is not clear what to erase; the text is for the user."""


def _check(wanted: Wanted) -> None:
    if sum(value is not None for value in vars(wanted).values()) != 1:
        raise ForgetError("say what to erase: one of --player, --hand, --dataset and --older-than")
    if not is_text(f"{wanted.player}{wanted.dataset}"):
        raise ForgetError("the name is not valid UTF-8")
    if wanted.player is not None and not wanted.player.strip():
        raise ForgetError("--player must be a name")


def _other_names(store: Store, wanted: Wanted, tables: AtTables) -> tuple[tuple[str, ...], str]:
    """The other spellings of the name of a player or data set, and what to say if there is none."""
    kind, name, also = known_names.DATASET, wanted.dataset, set[str]()
    if wanted.player is not None:
        kind, name, also = known_names.PLAYER, wanted.player, tables.names()
        also |= aliases.names(warehouse.path_of(store))
    if name is None:
        return (), ""
    known = known_names.known_names(store, kind, name, also=also)
    return known_names.other_forms(name, known), known_names.unknown(kind, name, known)


def _by_hand(store: Store, erasure: Erasure, *, dry_run: bool) -> int:
    """Erase a name from what people write beside the tables: lines of `aliases.csv`, and notes on hands in
    quarantine. Returns how many have it."""
    if not isinstance(erasure, Renaming):
        return 0
    lines = aliases.forget(warehouse.path_of(store), erasure.name, dry_run=dry_run)
    return lines + quarantine.edit_notes(store, erasure.without, dry_run=dry_run)


def _erasure_of(store: Store, wanted: Wanted, key: bytes) -> Erasure:
    if wanted.player is not None:
        return Renaming(wanted.player, key)
    if wanted.hand is not None:
        return Having("hand", "hand_id", wanted.hand)
    if wanted.dataset is not None:
        return Having("dataset", "dataset", wanted.dataset)
    seconds = time.time() - seconds_of(wanted.older_than or 0, _DAY)
    return Older.than(store, int(seconds * 1_000_000))


@dataclass(frozen=True)
class Forgotten:
    """What was erased, or would be in a dry run.

    hands, events
        Hands that were removed or, for a name, changed, and their events.
    quarantined
        Entries of `quarantine` that were removed or lost their text.
    files, bytes
        Data files that were rewritten, and their size before.
    tables
        Tables of a server, and files of hands played there, that were changed or removed.
    lines
        Lines of `aliases.csv` that were removed, and notes of `quarantine resolve` that were changed.
    removed
        Files that were removed, including the warehouse.
    marts_removed
        Whether there was a warehouse, which has to be built again.
    other_forms
        The name of the player or data set in other spellings, which were left as they are.
    why_nothing
        Why there is nothing to erase: the name is of no player or data set.
    failed
        Why the marts could not be built again, or not all of them.
    """

    kind: str
    hands: int
    events: int
    quarantined: int
    files: int
    bytes: int
    tables: int = 0
    lines: int = 0
    removed: int = 0
    marts_removed: bool = False
    other_forms: tuple[str, ...] = ()
    why_nothing: str = ""
    failed: CardlogError | None = None

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing to erase."""
        return not (self.files or self.tables or self.lines)


@dataclass
class _Rewrite:
    """A table of record rewritten by an erasure.

    version
        The version of the table that was read.
    replaced
        Its data files with something to erase.
    parts
        The files that replace them; none in a dry run.
    touched
        How many rows are removed or changed.
    lost
        How many valid rows are removed.
    """

    version: int
    replaced: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    touched: int = 0
    lost: int = 0


def forget(store: Store, wanted: Wanted, *, dry_run: bool = False, play: Path | None = None) -> Forgotten:
    """Erase hands or a name from a store, once no other process on this machine writes to it, and from the
    tables of its server, whose folder is `play` or beside the store.

    Continues a forget that was interrupted. Raises ForgetError if it is not clear what to erase; StoreError
    if the store can't be read or written, or a server has tables with something to erase; JournalError.
    """
    _check(wanted)
    lock = locked(store, fcntl.LOCK_SH if dry_run else fcntl.LOCK_EX)
    with closing(AtTables(play or folder_of(store))) as tables, lock:
        unfinished = erasures.Unfinished(store, repr(wanted))
        erasure = _erasure_of(store, wanted, unfinished.key)
        had_marts = warehouse.path_of(store).exists()
        removed = 0
        for _ in range(_TRIES):
            hands = TouchedHands()
            rewrites = {name: _rewrite(store, name, erasure, hands, dry_run) for name in _ORDER}
            forgotten = _summary(store, erasure, hands, rewrites)
            others, unknown = _other_names(store, wanted, tables)
            tables.look(erasure, hands, dry_run)
            lines = _by_hand(store, erasure, dry_run=True)
            forgotten = replace(forgotten, tables=tables.touched, lines=lines, other_forms=others)
            in_store = forgotten.files > 0 or unfinished.was_interrupted
            has_work = in_store or not forgotten.is_nothing
            forgotten = replace(forgotten, marts_removed=had_marts and (in_store or lines > 0))
            if dry_run or not has_work:
                return replace(forgotten, why_nothing="" if has_work else unknown)
            unfinished.begin()
            tables.erase()
            removed += _remove_warehouse(store) if in_store or lines else 0
            _by_hand(store, erasure, dry_run=False)
            if not in_store:
                unfinished.end()
                return replace(forgotten, removed=removed)
            try:
                if forgotten.files:
                    _commit(store, wanted, hands, rewrites, forgotten)
            except Conflict:
                continue
            build_projections(store)
            removed += _remove_files(store)
            quarantine.forget_resolutions(store)
            unfinished.end()
            return replace(forgotten, removed=removed)
        raise StoreError("other processes keep writing; try again later")


_ORDER: Final = ("events", "quarantine", "ingests")
"""The order of rewriting: which entries of `quarantine` to erase depends on the hands."""


def _rewrite(store: Store, name: str, erasure: Erasure, hands: TouchedHands, dry_run: bool) -> _Rewrite:
    """Rewrite the data files of a table that have something to erase; adds the hands of `events`."""
    rewrite = _Rewrite(store.table(name).version())
    valid = set(values(valid_ingests(store), *_ATTEMPT)) if name == "quarantine" else set()

    def count_valid(rows: pa.Table) -> int:
        if name != "quarantine":
            return len(rows)
        return sum(attempt in valid for attempt in values(rows, *_ATTEMPT))

    def edit(rows: pa.Table) -> pa.Table:
        left, touched = erasure.edited(name, rows, hands)
        if name == "events":
            hands.add(rows, touched)
        rewrite.touched += int(touched.sum())
        rewrite.lost += count_valid(rows) - count_valid(left)
        return left

    for path in store.paths(name, rewrite.version):
        before = rewrite.touched
        writer = rewritten(store, name, [path], edit)
        if rewrite.touched > before:
            rewrite.replaced.append(path)
            if writer.rows and not dry_run:
                rewrite.parts.append(writer.close())
    return rewrite


def _summary(store: Store, erasure: Erasure, hands: TouchedHands, rewrites: dict[str, _Rewrite]) -> Forgotten:
    """What is erased, including from the derived tables, which are rebuilt."""
    replaced = {name: rewrite.replaced for name, rewrite in rewrites.items() if rewrite.replaced}
    if replaced:
        replaced |= {name: store.paths(name) for name in PROJECTIONS | ANALYSES}
    sizes = [store.bytes_of(name).get(path, 0) for name, paths in replaced.items() for path in paths]
    return Forgotten(
        erasure.kind, len(hands.ids), hands.events, rewrites["quarantine"].touched, len(sizes), sum(sizes)
    )


def _commit(
    store: Store,
    wanted: Wanted,
    hands: TouchedHands,
    rewrites: dict[str, _Rewrite],
    forgotten: Forgotten,
) -> None:
    """Commit to the tables of record, `events` last and always, so that the erasure is counted. Raises
    Conflict if another process has committed to one since it was read."""
    if wanted.hand is not None:
        erasures.bury(store, np.array([wanted.hand], "S32"))
    book = erasures.record(store, vars(forgotten))
    events = rewrites["events"]
    lost = {
        "quarantine": {erasures.ENTRIES: rewrites["quarantine"].lost},
        "events": {
            erasures.ERASURES: 1,
            erasures.HANDS: len(hands.ids) if events.lost else 0,
            erasures.EVENTS: events.lost,
        },
    }
    for name, rewrite in reversed(rewrites.items()):
        if rewrite.replaced or name == "events":
            added = lost.get(name, {})
            totals = erasures.totals(store, name, rewrite.version, added)
            if name == "events":
                totals |= book | {erasures.ERASED_AT: rewrite.version + 1}
            change = Change(rewrite.parts, totals, replaces=rewrite.replaced)
            store.commit(name, change, base=rewrite.version)


def build_projections(store: Store) -> None:
    """Build from what is left the projections that were built before, and the analyses of games that have
    any."""
    built = tuple(name for name in PROJECTIONS if store.built_from(name) is not None or store.paths(name))
    _build(store, built, "")
    for game in sorted({game_of(path) for name in ANALYSES for path in store.paths(name)}):
        _build(store, tuple(ANALYSES), game)


def _build(store: Store, wanted: tuple[str, ...], game: str) -> None:
    for _ in range(_TRIES):
        if Outcome.BEHIND not in building.in_threads(building.plan(store, wanted, False, game)).values():
            return
    raise StoreError("other processes keep building; try again later")


# ---------------------------------------------------------------- files


def _remove_warehouse(store: Store) -> int:
    """Remove the warehouse, and the copy that dbt by hand worked on; returns 1 if there was one."""
    path = warehouse.path_of(store)
    count = int(path.exists())
    shutil.rmtree(path.with_name(".dbt"), ignore_errors=True)
    for file in (path.with_suffix(".json"), path, path.with_name(f"{path.name}.wal")):
        file.unlink(missing_ok=True)
    return count


def _remove_files(store: Store) -> int:
    """Remove all files that no table refers to, since any may have what is erased; returns how many there
    were. At a URI, where the store can't be locked, only files that a table no longer refers to."""
    count = 0
    for name in SCHEMAS:
        unnamed = store.files_in(name).keys() - set(store.paths(name))
        if not store.is_local:
            unnamed &= set(store.table(name).vacuum(0, enforce_retention_duration=False))
        for path in unnamed:
            store.folder.remove(f"{name}/{path}")
        count += len(unnamed)
    if store.is_local:
        shutil.rmtree(Path(store.root) / ".dbt", ignore_errors=True)
        count += len(left_behind(store, inf, dry_run=False))
    return count
