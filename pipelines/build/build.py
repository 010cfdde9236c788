"""Build: derive the projections from the events, only from what is new or all over again.

plan → read whole row groups, fold, write one data file a projection → one commit a projection.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from cardlog.pipelines.build.projections import project
from cardlog.pipelines.progress import Tally
from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.errors import MEND_AHEAD, Damaged
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.log_entries import info_of, is_overwrite, transactions_in
from cardlog.pipelines.storage.moved import seen_since
from cardlog.pipelines.storage.store import (
    BUILD_IDS,
    BUILT_FROM,
    Conflict,
    Part,
    Store,
    StoreError,
    built_by,
    built_from,
    game_of,
)
from cardlog.pipelines.threads import on_all_cores
from cardlog.schemas.events import SCHEMA_VERSION
from cardlog.schemas.tables import PROJECTIONS

ITEM_ROWS = 4_000_000
"""About how many events one piece of work has."""


@dataclass(frozen=True)
class Item:
    """Data files of `events`, all of one game, that become one data file a projection.

    label
        Goes into the files, so that those of a rebuild are never the ones it replaces: Delta
        forbids to remove and add a file in one commit.
    """

    key: int
    game: str
    paths: tuple[str, ...]
    wanted: tuple[str, ...]
    label: str


@dataclass(frozen=True)
class Plan:
    """What a build has to do.

    version
        The version of `events` the projections will be of.
    since
        For each projection the version it is of now; None if it is made from nothing.
    tables
        The version of each projection's own table, as its log counts it, when the build was planned.
    token
        What its commits are known by: another process may do the same build.
    """

    store: str
    version: int
    since: dict[str, int | None]
    items: tuple[Item, ...]
    rows: int
    tally: str | None = None
    tables: dict[str, int] = field(default_factory=dict)
    token: str = ""


def plan(store: Store, wanted: tuple[str, ...], afresh: bool) -> Plan:
    """Which data files of `events` the wanted projections have not been built from yet.

    afresh
        Build them from all events, in place of what they hold.
    """
    # The projections first: one that another process builds in between must not be newer than the events
    # it is compared with, or it would go back to their version, keep its rows, and get them again.
    tables = {name: store.table(name).version() for name in wanted}
    since = {name: None if afresh else store.built_from(name) for name in wanted}
    version = store.table("events").version()
    _check_is_ahead(store, version, wanted)
    now = store.sizes("events", version)
    todo: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    new = _new_files(store, since, version, now)
    for path in sorted(now):
        names = tuple(name for name in since if path in new[name])
        if names:
            todo.setdefault((game_of(path), names), []).append(path)
    label = f"{'rebuild' if afresh else 'build'} of events {version} as of version {SCHEMA_VERSION}"
    items: list[Item] = []
    for (game, names), paths in todo.items():
        for group in _groups(paths, now):
            items.append(Item(len(items), game, group, names, label))
    stale = {name: at for name, at in since.items() if at != version}
    rows = sum(now[path] for item in items for path in item.paths)
    return Plan(store.root, version, stale, tuple(items), rows, tables=tables, token=uuid.uuid4().hex)


def _new_files(
    store: Store, since: dict[str, int | None], version: int, now: dict[str, int]
) -> dict[str, set[str]]:
    """For each projection the data files to build it from. Where the new ones are unknown,
    `since` becomes None; `now`, the rows of each file, gets those that were compacted with rows not new."""
    table = set(now)
    new = dict.fromkeys(since, table)
    for name, at in since.items():
        if at is None:
            continue
        seen, left = seen_since(store, "events", at, version)
        if seen <= table:
            new[name] = (table - seen) | left.keys()
            now |= left
        else:
            _check_rows_are_kept(store, at, version)
            since[name] = None
    return new


def _check_is_ahead(store: Store, version: int, wanted: tuple[str, ...]) -> None:
    """Raises Damaged if a projection knows more of `events` than its log does."""
    for name in wanted:
        built = store.built_from(name)
        if built is not None and built > version:
            raise Damaged(
                f"the table {store.uri('events')} is of version {version}, but {name} was built from version "
                f"{built}: the end of its log is missing; {MEND_AHEAD}"
            )


def _check_rows_are_kept(store: Store, since: int, version: int) -> None:
    """Raises StoreError if another program has taken rows out of `events`, which cardlog never does."""
    for rewrite in store.log("events").replay(version).rewrites:
        if rewrite.version > since and rewrite.changes_rows:
            raise StoreError(
                f"another program has deleted or replaced rows of {store.uri('events')} (version "
                f"{rewrite.version}, {rewrite.operation}); restore the table from a backup, or let "
                "'cardlog rebuild' recreate the tables from the rest"
            )


def _groups(paths: list[str], rows: dict[str, int]) -> Iterator[tuple[str, ...]]:
    group: list[str] = []
    size = 0
    for path in paths:
        if group and size + rows[path] > ITEM_ROWS:
            yield tuple(group)
            group, size = [], 0
        group.append(path)
        size += rows[path]
    if group:
        yield tuple(group)


def build_item(root: str, item: Item, tally_folder: str | None) -> list[Part]:
    """Write the data files of an item's projections."""
    store = Store(root)
    tally = Tally(tally_folder)
    writers = {name: store.writer(name, item.game, {"cardlog": item.label}) for name in item.wanted}
    hands = 0
    for path in item.paths:
        file = EventsFile(store, path)
        for piece in range(file.pieces):
            batch = file.batch(piece)
            for name, rows in project(batch, item.wanted):
                writers[name].add(rows)
            hands += len(batch)
            tally.add(len(batch), len(batch.events))
    return [writer.close(hands) for writer in writers.values() if writer.rows]


def in_threads(plan: Plan) -> dict[str, str]:
    """Do a whole build in this process, as `transforms.build_pipeline` wires it; gives what `commit` does."""
    built = on_all_cores(lambda item: build_item(plan.store, item, plan.tally), plan.items)
    return commit(plan, [part for parts in built for part in parts])


def commit(plan: Plan, parts: list[Part]) -> dict[str, str]:
    """Make the projections visible, each in one commit.

    Says for each ``built``; ``known`` if another process has built as much in the meantime; or
    ``behind`` if another has built something else, so that this build has to be planned again.
    """
    store = Store(plan.store)
    outcome = {}
    for name, since in plan.since.items():
        table = store.table(name)
        built = built_from(store.committed(name, BUILD_IDS, table))
        if since is not None and built != since:
            outcome[name] = "known" if built is not None and built >= plan.version else "behind"
            continue
        mine = [part for part in parts if part.table == name]
        if built == plan.version and {part.path for part in mine} == set(store.paths(name)):
            outcome[name] = "built"  # by a rebuild of the same events, or this very commit before
            continue
        try:
            change = Change(
                mine,
                built_by(plan.version),
                mode="append" if since is not None else "overwrite",
                note={"events_version": str(plan.version), TOKEN: plan.token},
            )
            store.commit(name, change, base=table.version())
            outcome[name] = "built"
        except Conflict:
            outcome[name] = "behind"
    return outcome


def is_done(plan: Plan) -> bool:
    """Whether the projections are as planned, whoever made them so, as their logs say: runners may lose what
    the step that commits has returned, or run it twice."""
    store = Store(plan.store)
    return all(_is_done(store, plan, name, since) for name, since in plan.since.items())


def _is_done(store: Store, plan: Plan, name: str, since: int | None) -> bool:
    log, table = store.log(name), store.table(name)
    built = built_from(store.committed(name, BUILD_IDS, table))
    if since is not None:
        return built is not None and built >= plan.version
    if table.version() == plan.tables[name]:
        return built == plan.version  # a rebuild that found just what it would write, and left it
    for version in range(plan.tables[name] + 1, table.version() + 1):
        actions = log.entry(version)
        info = info_of(actions)
        same = transactions_in(actions).get(BUILT_FROM) == plan.version and is_overwrite(info)
        if info.get(TOKEN) == plan.token or same:
            return True
    return False


TOKEN: Final = "cardlog-run"
"""Where a commit to a projection says which build it is of."""
ALL = tuple(PROJECTIONS)
"""The names of all projections."""
