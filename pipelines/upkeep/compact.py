"""Compact: merge many small data files into few large ones, without changing a row.

Ingests, builds and readers may run meanwhile: they add files, and read the replaced ones, which `vacuum`
keeps for a day. If there was a commit in between, the files are chosen again. Rows keep their `ingest_no`, so
a build knows which of them are new, whatever file they are in. Delta's own OPTIMIZE would cut hands, and does
not name files by their digests.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Final

from deltalake.exceptions import DeltaError

from cardlog.pipelines.derive import derive as building
from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.lock import at_work
from cardlog.pipelines.storage.opening import entry_of
from cardlog.pipelines.storage.store import PARTITIONED, SCHEMAS, Conflict, Store, StoreError, game_of
from cardlog.pipelines.upkeep.rewrite import rewritten
from cardlog.schemas.tables import PROJECTIONS

SMALL_BYTES: Final = 16 * 2**20
"""Data files up to this size are merged, into files of about twice that."""
PILE: Final = 32
"""From this many small files of about one size in a table, or in a game's part of it, a compact is run
automatically."""
PILED_BYTES: Final = 4 * 2**20
"""Files of this size are not merged automatically: searching one for hands takes ten times as long as opening
it, so merging what a large ingest has just written would save next to nothing."""
MOST_ROWS: Final = 2_000_000
"""About how many rows are merged into one file: they are in memory at once, without dictionaries."""
_TRIES: Final = 20


@dataclass(frozen=True)
class Compacted:
    """What was or would be done to a table: its data files before and after, and the bytes rewritten."""

    table: str
    before: int
    after: int
    bytes: int


def is_piled_up(store: Store) -> bool:
    """Whether some table should be compacted."""
    return any(_groups(store, name, store.table(name).version(), piled_up=True) for name in SCHEMAS)


def compact(store: Store, *, dry_run: bool = False, piled_up: bool = False) -> list[Compacted]:
    """Merge small data files of every table.

    piled_up
        Only where there are `PILE` or more, as after ingests and builds.

    Raises StoreError if the store can't be read or written.
    """
    with at_work(store):
        tables = [_compact_table(store, name, dry_run, piled_up) for name in SCHEMAS]
        if not dry_run and any(table.before != table.after for table in tables):
            catch_up(store)
        if not dry_run and not piled_up:
            for name in SCHEMAS:
                _clean(store, name)
    return tables


def _compact_table(store: Store, name: str, dry_run: bool, piled_up: bool) -> Compacted:
    for _ in range(_TRIES):
        version = store.table(name).version()
        groups = _groups(store, name, version, piled_up)
        sizes = store.bytes_of(name, version)
        replaced = [path for group in groups for path in group]
        after = len(sizes) - len(replaced) + len(groups)
        compacted = Compacted(name, len(sizes), after, sum(sizes[path] for path in replaced))
        if dry_run or not groups:
            return compacted
        parts = [rewritten(store, name, group).close() for group in groups]
        try:
            store.commit(name, Change(parts, {}, replaces=replaced), base=version)
        except Conflict:
            continue
        return compacted
    raise StoreError("other processes keep writing; try again later")


def _groups(store: Store, name: str, version: int, piled_up: bool) -> list[list[str]]:
    """Groups of data files to merge into one each. Piled-up files are merged with others of about their size,
    so that a row is rarely rewritten."""
    limit, least = (PILED_BYTES, PILE) if piled_up else (SMALL_BYTES + 1, 2)
    rows = store.sizes(name, version)
    sizes = {path: size for path, size in sorted(store.bytes_of(name, version).items()) if size < limit}

    def kind(path: str) -> tuple[str, int]:
        game = game_of(path) if name in PARTITIONED else ""
        return game, sizes[path].bit_length() // 2 if piled_up else 0

    groups = []
    for paths in (list(same) for _, same in groupby(sorted(sizes, key=kind), kind)):
        if len(paths) >= least:
            parts = (max(sizes[path] / (2 * SMALL_BYTES), rows[path] / MOST_ROWS) for path in paths)
            numbers = dict(zip(paths, map(int, accumulate(parts)), strict=True))
            groups += [list(group) for _, group in groupby(paths, numbers.__getitem__)]
    return [group for group in groups if len(group) > 1]


# ---------------------------------------------------------------- what depends on versions


def catch_up(store: Store) -> None:
    """Mark projections that have all hands as built from the new version of `events`."""
    plan = building.plan(store, building.ALL, afresh=False)
    if plan.since and not plan.items and None not in plan.since.values():
        building.commit(plan, [])


def versions_needed(store: Store, name: str) -> list[int]:
    """Old versions of a table that are still in use: by a running build, by the marts or, of `events`, by
    readers of the version that the projections were built from, the first if they never were."""
    from cardlog.pipelines.sql.warehouse import versions_in_use

    needed = [versions[name] for versions in versions_in_use(store) if name in versions]
    if name == "events":
        needed += [store.built_from(projection) or 0 for projection in PROJECTIONS]
    return needed


KEEP_SECONDS: Final = 30 * 86_400.0
"""How long Delta keeps the entries of a log, which make older versions readable."""


def _clean(store: Store, name: str) -> None:
    """Let Delta remove entries of a table's log that are older than `KEEP_SECONDS`, unless a version that is
    as old is still in use."""
    table = store.table(name)
    oldest = min(versions_needed(store, name), default=table.version())
    entry = store.folder.info(f"{name}/{entry_of(oldest)}")
    is_old = not entry.is_file or entry.mtime.timestamp() < time.time() - KEEP_SECONDS
    if oldest < table.version() and is_old:
        return
    with suppress(DeltaError, OSError):
        table.create_checkpoint()
        table.cleanup_metadata()
