"""Build: derive the projections from the events, only from what is new or all over again.

plan → read whole row groups, fold, write one data file a projection → one commit a projection.
"""

import json
from dataclasses import dataclass
from itertools import groupby
from math import inf

import pyarrow as pa

from cardlog import models
from cardlog.pipelines.build.projections import project
from cardlog.pipelines.progress import Tally
from cardlog.pipelines.storage.commits import Change, Outcome
from cardlog.pipelines.storage.erasures import is_outdated
from cardlog.pipelines.storage.errors import MEND_AHEAD, Damaged
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.layout import ANALYSED, built_from_id
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import Conflict, Part, Store, built_by, game_of
from cardlog.pipelines.threads import gathered, on_all_cores
from cardlog.schemas.events import SCHEMA_VERSION
from cardlog.schemas.tables import PROJECTIONS

ITEM_ROWS = 4_000_000
"""About how many events one piece of work has."""


@dataclass(frozen=True)
class Item:
    """Data files of `events`, all of one game, whose new hands become one data file a projection.

    since
        The version of `events` that the projections are of: hands of later ingests are new; None if all are.
    worlds
        See `analysis.priced`.
    label
        Goes into the files, so that those of a rebuild are never the ones it replaces: Delta
        forbids to remove and add a file in one commit.
    """

    key: int
    game: str
    paths: tuple[str, ...]
    wanted: tuple[str, ...]
    since: int | None
    worlds: int
    label: str


@dataclass(frozen=True)
class Plan:
    """What a build has to do.

    version
        The version of `events` the projections will be of.
    since
        For each projection the version it is of now; None if it is made from nothing.
    of_game
        See `plan`.
    """

    store: str
    version: int
    since: dict[str, int | None]
    items: tuple[Item, ...]
    rows: int
    tally: str | None = None
    of_game: str = ""


def plan(store: Store, wanted: tuple[str, ...], afresh: bool, of_game: str = "", worlds: int = 0) -> Plan:
    """Which data files of `events` have hands that the wanted projections lack.

    of_game
        Build only the rows of this game, in tables that are built for each game by itself.
    afresh
        Build them from all events, in place of what they hold; so are those that were built before something
        was erased.
    worlds
        See `analysis.priced`.
    """
    # The projections first: one that another process builds in between must not be newer than the events
    # it is compared with, or it would go back to their version, keep its rows, and get them again.
    built = {name: store.built_from(name, game=of_game) for name in wanted}
    since = {name: None if afresh or is_outdated(store, name, of_game) else built[name] for name in wanted}
    version = store.table("events").version()
    _check_is_ahead(store, version, built)
    rows, last = store.sizes("events", version), store.last_ingests("events", version)
    label = f"{'rebuild' if afresh else 'build'} of events {version} as of version {SCHEMA_VERSION}"
    label += f" over {worlds} deals" if worlds else ""
    items: list[Item] = []
    for at in dict.fromkeys(since.values()):
        names = tuple(name for name in since if since[name] == at)
        new = [path for path in sorted(rows) if at is None or (last[path] or inf) > at]
        for game, paths in groupby(new, game_of):
            for group in gathered(paths if of_game in ("", game) else (), rows.__getitem__, ITEM_ROWS):
                items.append(Item(len(items), game, group, names, at, worlds, label))
    stale = {name: at for name, at in since.items() if at != version}
    total = sum(rows[path] for item in items for path in item.paths)
    return Plan(store.root, version, stale, tuple(items), total, of_game=of_game)


def _check_is_ahead(store: Store, version: int, built: dict[str, int | None]) -> None:
    """Raises Damaged if a projection knows more of `events` than its log does."""
    for name, at in built.items():
        if at is not None and at > version:
            raise Damaged(
                f"the table {store.uri('events')} is of version {version}, but {name} was built from version "
                f"{at}: the end of its log is missing; {MEND_AHEAD}"
            )


def build_item(root: str, item: Item, tally_folder: str | None) -> list[Part]:
    """Write the data files of an item's projections."""
    store = Store(root)
    tally = Tally(tally_folder)
    writers = {name: store.writer(name, item.game, {"cardlog": item.label}) for name in item.wanted}
    for path in item.paths:
        file = EventsFile(store, path)
        for piece in range(file.pieces):
            batch = file.later_hands(piece, item.since)
            if batch is None:
                continue
            for name, rows in project(batch, item.wanted, item.worlds):
                writers[name].add(rows)
            tally.add(len(batch), len(batch.events))
    return [writer.close() for writer in writers.values() if writer.rows]


def leave_parts(folder: str, item: Item, parts: list[Part]) -> None:
    """Leave what `build_item` has written in a folder: runners may lose what a step returns, or run it
    twice."""
    said = json.dumps([vars(part) for part in parts])
    Folder(folder).put(f"{item.key}.json", pa.py_buffer(said.encode()))


def parts_left(folder: str, plan: Plan) -> list[Part]:
    """The parts that were left of all items of a plan. Raises OSError if some are missing."""
    found = []
    for item in plan.items:
        with Folder(folder).open(f"{item.key}.json") as stream:
            found += [Part(**said | {"ingests": tuple(said["ingests"])}) for said in json.load(stream)]
    return found


def in_threads(plan: Plan) -> dict[str, Outcome]:
    """Do a whole build in this process; returns what `commit` does."""
    built = on_all_cores(lambda item: build_item(plan.store, item, plan.tally), plan.items)
    return commit(plan, [part for parts in built for part in parts])


def commit(plan: Plan, parts: list[Part]) -> dict[str, Outcome]:
    """Make the projections visible, each in one commit; says what has come of each."""
    store = Store(plan.store)
    outcome = {}
    for name, since in plan.since.items():
        table = store.table(name)
        built = store.built_from(name, table, plan.of_game)
        before = [path for path in store.paths(name) if plan.of_game in ("", game_of(path))]
        if since is not None and built != since:
            is_known = built is not None and built >= plan.version
            outcome[name] = Outcome.KNOWN if is_known else Outcome.BEHIND
            continue
        mine = [part for part in parts if part.table == name]
        is_one_game = bool(plan.of_game) and not store.lacks_columns(name)
        if built == plan.version and {part.path for part in mine} == set(before):
            outcome[name] = Outcome.DONE  # by a rebuild of the same events
            continue
        try:
            change = Change(
                mine,
                built_by(plan.version, plan.of_game)
                | _marks(plan, table.version() + 1, keeps_others=is_one_game),
                mode="append" if since is not None or is_one_game else "overwrite",
                replaces=before if since is None and is_one_game else (),
                note={"events_version": str(plan.version)},
            )
            store.commit(name, change, base=table.version())
            outcome[name] = Outcome.DONE
        except Conflict:
            outcome[name] = Outcome.BEHIND
    return outcome


def _marks(plan: Plan, version: int, *, keeps_others: bool) -> dict[str, int]:
    """What the commit that makes a version of a projection also carries; one of a game's analysis may keep
    the rows of other games or not."""
    if not plan.of_game:
        return {}
    others = () if keeps_others else models.GAMES
    return {built_from_id(game): 0 for game in others if game != plan.of_game} | {ANALYSED: version}


ALL = tuple(PROJECTIONS)
"""The names of all projections."""
