"""Compact: put the rows of many small data files into few large ones, which changes no row.

One commit a table says which files took the place of which, so that a build knows what it has seen. Ingests,
builds and readers go on: they add files, and read those that were replaced, which `vacuum` leaves
for a day. If a commit took out one of the same files in between, the plan is made again.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from cardlog.pipelines.build import build as building
from cardlog.pipelines.storage.commits import Change, checkpoint, clean
from cardlog.pipelines.storage.data_files import named_digest
from cardlog.pipelines.storage.lock import at_work
from cardlog.pipelines.storage.moved import seen_since
from cardlog.pipelines.storage.part_writer import filter_of_rows
from cardlog.pipelines.storage.store import (
    BUILD_IDS,
    PARTITIONED,
    SCHEMAS,
    Conflict,
    Part,
    Store,
    StoreError,
    game_of,
)
from cardlog.pipelines.storage.stored_hands import ordered_batches
from cardlog.pipelines.storage.to_arrow import to_tables
from cardlog.pipelines.upkeep.piles import kind_of, piles
from cardlog.pipelines.upkeep.rewrite import encoded, plain
from cardlog.schemas.events import ROW_GROUP_ROWS
from cardlog.schemas.tables import PROJECTIONS

COMPACTION: Final = "cardlog-compact"
"""Application id of every compact, so that of two that began at the same version one conflicts."""
SMALL_BYTES: Final = 16 * 2**20
"""Data files up to this size are merged, into files of about twice that."""
_TRIES: Final = 20
_ORDER: Final = {
    "ingests": ["ingested_at", "source_id"],
    "quarantine": ["source_id", "first_line", "quarantine_id"],
}
"""What tables without hands are sorted by; the others by `hand_id`, rows of a hand as they were."""


@dataclass(frozen=True)
class Compacted:
    """What was done to a table, or would be: its data files before and after, and the bytes rewritten."""

    table: str
    before: int
    after: int
    bytes: int


def compact(store: Store, *, dry_run: bool = False, piled_up: bool = False) -> list[Compacted]:
    """Put small data files of every table together, and give filters to those that have none.

    piled_up
        Only those of which there are `piles.PILE` or more, as is done after ingests and builds.

    Raises StoreError if the store can't be read or written.
    """
    with at_work(store):
        done = [_compact_table(store, name, dry_run, piled_up) for name in SCHEMAS]
        if not dry_run and any(found.before != found.after for found in done):
            catch_up(store)
    return done


def _compact_table(store: Store, name: str, dry_run: bool, piled_up: bool) -> Compacted:
    for _ in range(_TRIES):
        version = store.table(name).version()
        groups = _groups(store, name, version, piled_up)
        before = len(store.paths(name, version))
        size = sum(size for group in groups for _, size in group)
        after = before - sum(map(len, groups)) + len(groups)
        if dry_run:
            return Compacted(name, before, after, size)
        if not groups:
            break
        paths = [[path for path, _ in group] for group in groups]
        parts = [_merged(store, name, group) for group in paths]
        _check_rows(store, name, version, paths, parts)
        try:
            moves = [(group, [part.path]) for group, part in zip(paths, parts, strict=True)]
            store.commit(name, Change(parts, transactions(store, name, version), moves=moves), base=version)
        except Conflict:
            continue
        checkpoint(store, name, store.table(name).version())
        break
    else:
        raise StoreError("other processes keep compacting; try again later")
    if name in ("events", "ingests") and not piled_up:
        _give_filters(store, name)
    if not piled_up:
        clean(store, name, _versions_needed(store, name))
    return Compacted(name, before, after if groups else before, size)


def transactions(store: Store, name: str, version: int) -> dict[str, int]:
    """What a commit that takes files out carries so that it conflicts with others that do: Delta itself would
    let it pass. Builds conflict with it by the ids of their own, which it says again."""
    ids = BUILD_IDS if name in PROJECTIONS else ()
    return {COMPACTION: version} | store.committed(name, ids, store.table(name, version))


# ---------------------------------------------------------------- which files


def _groups(store: Store, name: str, version: int, piled_up: bool) -> list[list[tuple[str, int]]]:
    """Data files that are to become one, and their sizes."""
    small = [
        (path, size) for path, size in sorted(store.bytes_of(name, version).items()) if size <= SMALL_BYTES
    ]
    if piled_up:
        high = piles(store, name, version)
        small = [(path, size) for path, size in small if kind_of(name, path, size) in high]
    seen = _seen(store, version) if name == "events" and small else []
    kinds: dict[tuple[object, ...], list[tuple[str, int]]] = {}
    for path, size in small:
        kind = kind_of(name, path, size)
        together = (kind[0], piled_up and kind[1], *(path in paths for paths in seen))
        kinds.setdefault(together, []).append((path, size))
    return [group for found in kinds.values() for group in _split(found) if len(group) > 1]


def _seen(store: Store, version: int) -> list[set[str]]:
    """For each version of `events` that a projection was built from, the files it has seen: the others are
    kept apart from them, so that the next build reads only these."""
    built = {store.built_from(name) for name in PROJECTIONS} - {None}
    return [
        seen_since(store, "events", at, version)[0] for at in sorted(at for at in built if at is not None)
    ]


def _split(files: list[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
    group: list[tuple[str, int]] = []
    for path, size in files:
        if sum(size for _, size in group) + size > 2 * SMALL_BYTES:
            yield group
            group = []
        group.append((path, size))
    if group:
        yield group


# ---------------------------------------------------------------- their rows


def _merged(store: Store, name: str, paths: list[str]) -> Part:
    """A data file with the rows of others, sorted."""
    game = game_of(paths[0]) if name in PARTITIONED else None
    hands = 0
    writer = store.writer(name, game)
    if name == "events":
        for batch in ordered_batches(store, paths):
            hands += len(batch)
            for piece in to_tables(batch):
                writer.add(piece)
    else:
        for piece in _sorted_rows(store, name, paths):
            writer.add(piece)
    return writer.close(hands)


def _sorted_rows(store: Store, name: str, paths: list[str]) -> Iterator[pa.Table]:
    """The rows of data files in order, a row group at a time, each with its own dictionaries."""
    schema = store.empty(name).schema
    rows = pa.concat_tables([plain(part) for part in store.read(name, paths)])
    order = [(column, "ascending") for column in _ORDER.get(name, ["hand_id"])]
    rows = rows.take(pa.compute.sort_indices(rows, order))
    for start in range(0, len(rows), ROW_GROUP_ROWS):
        yield encoded(rows.slice(start, ROW_GROUP_ROWS), schema)


def _check_rows(
    store: Store, name: str, version: int, groups: list[list[str]], parts: Iterable[Part]
) -> None:
    """Raises StoreError if merged files do not have the rows of the originals."""
    rows = store.sizes(name, version)
    for group, part in zip(groups, parts, strict=True):
        if part.rows != sum(rows[path] for path in group):
            raise StoreError(f"the rows of {store.uri(name)} can't be merged: some would be lost or repeated")


def _give_filters(store: Store, name: str) -> None:
    """Write the filters that data files lack, such as one that was damaged and removed."""
    for path in store.paths(name):
        if named_digest(path) is None or store.filter_of(name, path) is not None:
            continue
        file = store.open(name, path, rely=True)
        groups = (file.read_row_group(group) for group in range(file.num_row_groups))
        content = filter_of_rows(name, game_of(path) if name in PARTITIONED else None, groups)
        if content is not None:
            store.put_filter(name, path, content)


# ---------------------------------------------------------------- what depends on versions


def catch_up(store: Store) -> None:
    """Say of projections that have seen all rows that they are of the new version of `events`."""
    plan = building.plan(store, building.ALL, afresh=False)
    if plan.since and not plan.items and None not in plan.since.values():
        building.commit(plan, [])


def _versions_needed(store: Store, name: str) -> list[int]:
    """Old versions of a table that are still in use."""
    from cardlog.pipelines.sql.warehouse import versions_in_use

    needed = [versions[name] for versions in versions_in_use(store) if name in versions]
    if name == "events":
        needed += [at for at in map(store.built_from, PROJECTIONS) if at is not None]
    return needed
