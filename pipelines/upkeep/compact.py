"""Compact: put the rows of many small data files into few large ones, which changes no row.

Ingests, builds and readers go on: they add files, and read those that were replaced, which `vacuum` leaves
for a day. If there was a commit in between, the files are chosen again. Rows keep their `ingest_no`, so a
build knows which of them are new whatever file they are in. Delta's own OPTIMIZE would cut hands, and knows
nothing of digests.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Final

from deltalake.exceptions import DeltaError

from cardlog.pipelines.build import build as building
from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.lock import at_work
from cardlog.pipelines.storage.opening import entry_of
from cardlog.pipelines.storage.store import PARTITIONED, SCHEMAS, Conflict, Store, StoreError, game_of
from cardlog.pipelines.upkeep.rewrite import rewritten
from cardlog.schemas.tables import PROJECTIONS

SMALL_BYTES: Final = 16 * 2**20
"""Data files up to this size are merged, into files of about twice that."""
PILE: Final = 32
"""How many small files of about one size a table may have, of a game if it is split by games, before it is
compacted by itself."""
PILED_BYTES: Final = 4 * 2**20
"""Larger files do not pile up: to look for hands in one takes ten times as long as to open it, so hardly
anything is saved by merging what a large ingest has just written."""
_TRIES: Final = 20


@dataclass(frozen=True)
class Compacted:
    """What was done to a table, or would be: its data files before and after, and the bytes rewritten."""

    table: str
    before: int
    after: int
    bytes: int


def is_piled_up(store: Store) -> bool:
    """Whether some table should be compacted."""
    return any(_groups(store, name, store.table(name).version(), piled_up=True) for name in SCHEMAS)


def compact(store: Store, *, dry_run: bool = False, piled_up: bool = False) -> list[Compacted]:
    """Put small data files of every table together.

    piled_up
        Only those of which there are `PILE` or more, as is done after ingests and builds.

    Raises StoreError if the store can't be read or written.
    """
    with at_work(store):
        done = [_compact_table(store, name, dry_run, piled_up) for name in SCHEMAS]
        if not dry_run and any(found.before != found.after for found in done):
            catch_up(store)
        if not dry_run and not piled_up:
            for name in SCHEMAS:
                _clean(store, name)
    return done


def _compact_table(store: Store, name: str, dry_run: bool, piled_up: bool) -> Compacted:
    for _ in range(_TRIES):
        version = store.table(name).version()
        groups = _groups(store, name, version, piled_up)
        sizes = store.bytes_of(name, version)
        replaced = [path for group in groups for path in group]
        after = len(sizes) - len(replaced) + len(groups)
        done = Compacted(name, len(sizes), after, sum(sizes[path] for path in replaced))
        if dry_run or not groups:
            return done
        parts = [rewritten(store, name, group).close() for group in groups]
        try:
            store.commit(name, Change(parts, {}, replaces=replaced), base=version)
        except Conflict:
            continue
        return done
    raise StoreError("other processes keep writing; try again later")


def _groups(store: Store, name: str, version: int, piled_up: bool) -> list[list[str]]:
    """Data files that are to become one. Those that pile up are merged with others of about their size, so
    that a row is rewritten seldom."""
    limit, least = (PILED_BYTES, PILE) if piled_up else (SMALL_BYTES + 1, 2)
    sizes = {path: size for path, size in sorted(store.bytes_of(name, version).items()) if size < limit}

    def kind(path: str) -> tuple[str, int]:
        game = game_of(path) if name in PARTITIONED else ""
        return game, sizes[path].bit_length() // 2 if piled_up else 0

    found = []
    for paths in (list(same) for _, same in groupby(sorted(sizes, key=kind), kind)):
        ends = accumulate(sizes[path] for path in paths)
        numbers = {path: end // (2 * SMALL_BYTES) for path, end in zip(paths, ends, strict=True)}
        if len(paths) >= least:
            found += [list(group) for _, group in groupby(paths, numbers.__getitem__)]
    return [group for group in found if len(group) > 1]


# ---------------------------------------------------------------- what depends on versions


def catch_up(store: Store) -> None:
    """Say of projections that have seen all rows that they are of the new version of `events`."""
    plan = building.plan(store, building.ALL, afresh=False)
    if plan.since and not plan.items and None not in plan.since.values():
        building.commit(plan, [])


def versions_needed(store: Store, name: str) -> list[int]:
    """Old versions of a table that are still in use: by a build that goes on, by marts, or of `events` by who
    asks for those that the projections are of."""
    from cardlog.pipelines.sql.warehouse import versions_in_use

    needed = [versions[name] for versions in versions_in_use(store) if name in versions]
    if name == "events":
        needed += [at for at in map(store.built_from, PROJECTIONS) if at is not None]
    return needed


KEEP_SECONDS: Final = 30 * 86_400.0
"""How long Delta keeps the entries of a log, by which a table can be read as it was."""


def _clean(store: Store, name: str) -> None:
    """Let Delta remove entries of a table's log that are older than `KEEP_SECONDS`, unless the table is still
    read at a version that is as old."""
    table = store.table(name)
    oldest = min(versions_needed(store, name), default=table.version())
    entry = store.folder.info(f"{name}/{entry_of(oldest)}")
    is_old = not entry.is_file or entry.mtime.timestamp() < time.time() - KEEP_SECONDS
    if oldest < table.version() and is_old:
        return
    with suppress(DeltaError, OSError):
        table.create_checkpoint()
        table.cleanup_metadata()
