"""Build: derive the projections from the events, from new ones only or from scratch.

plan → read whole row groups, fold, write one data file for each projection → one commit for each.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from math import ceil, inf

import numpy as np
import pyarrow as pa

from cardlog import models
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.runtime.progress import Tally
from cardlog.pipelines.runtime.threads import gathered, on_all_cores
from cardlog.pipelines.storage.commits import Change, Outcome
from cardlog.pipelines.storage.erasures import changed_at
from cardlog.pipelines.storage.errors import MEND_AHEAD, Damaged
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.layout import ANALYSED, UP_TO_DATE, built_from_id, lacks_id
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import Conflict, Part, Store, built_by, game_of
from cardlog.schemas.events import SCHEMA_VERSION
from cardlog.schemas.tables import ANALYSES, PROJECTIONS

ITEM_ROWS = 4_000_000
"""About how many events a work item has."""
PRICED_HANDS = 64
"""How many hands an analysis prices at once."""


@dataclass(frozen=True)
class BuildItem:
    """Data files of `events`, all of one game, whose new hands become one data file for each projection.

    since
        The version of `events` that the projections were built from: hands of later ingests are new; None if
        all are.
    worlds
        The `known` of `analysis.priced`.
    label
        Written to the footers, so that the files of a rebuild have other digests than those they replace:
        Delta forbids removing and adding the same file in one commit.
    """

    key: int
    game: str
    paths: tuple[str, ...]
    wanted: tuple[str, ...]
    since: int | None
    worlds: int
    label: str


@dataclass(frozen=True)
class BuildPlan:
    """What a build has to do.

    version
        The version of `events` that the projections will be built from.
    since
        For each projection the version it was built from; None if it is built from scratch.
    of_game
        See `plan`.
    lacks
        For each projection the versions of `events` that it has the hands of games from whose packages are
        not installed, and of those that were missing before; see `layout.lacks_id`.
    keeps
        The projections that keep the rows of games whose packages are not installed.
    """

    store: str
    version: int
    since: dict[str, int | None]
    items: tuple[BuildItem, ...]
    rows: int
    tally: str | None = None
    of_game: str = ""
    lacks: dict[str, dict[str, int]] = field(default_factory=dict)
    keeps: tuple[str, ...] = ()


def plan(
    store: Store, wanted: tuple[str, ...], afresh: bool, of_game: str = "", worlds: int = 0
) -> BuildPlan:
    """Which data files of `events` have hands that the wanted projections lack.

    of_game
        Build only the rows of this game, in tables that are built for each game separately.
    afresh
        Replace their rows with those of all events; projections built before the last erasure always are.
    worlds
        The `known` of `analysis.priced`.
    """
    # Projections before events: one that another process builds in between must not be newer than the events
    # it is compared with, or its version would be set back, and it would get the same rows again. And whether
    # these have lost anything afterwards, or what they lost in between would stay.
    built = {name: store.built_from(name, game=of_game) for name in wanted}
    version = store.table("events").version()
    changed = changed_at(store)
    outdated = {name: (built[name] or 0) < changed for name in wanted}
    since = {name: None if afresh or outdated[name] else built[name] for name in wanted}
    _check_is_ahead(store, version, built)
    rows, last_ingests = store.sizes("events", version), store.last_ingests("events", version)
    games = sorted({game_of(path) for path in rows if of_game in ("", game_of(path))})
    keeps = tuple(
        name
        for name in wanted
        if built[name] is not None and not outdated[name] and not store.lacks_columns(name)
    )
    lacking = {name: _lacking(store, name, games, built[name] if name in keeps else None) for name in wanted}
    label = f"{'rebuild' if afresh else 'build'} of events {version} as of version {SCHEMA_VERSION}"
    label += f" over {worlds} deals" if worlds else ""
    items: list[BuildItem] = []
    for game in filter(models.GAMES.__contains__, games):
        start_of = {name: _earlier(since[name], lacking[name].get(game)) for name in wanted}
        paths = [path for path in sorted(rows) if game_of(path) == game]
        for start in dict.fromkeys(start_of.values()):
            names = tuple(name for name in wanted if start_of[name] == start)
            new = [path for path in paths if start is None or (last_ingests[path] or inf) > start]
            for group in gathered(new, rows.__getitem__, ITEM_ROWS):
                items.append(BuildItem(len(items), game, group, names, start, worlds, label))
    stale = {
        name: start
        for name, start in since.items()
        if start != version or not lacking[name].keys().isdisjoint(models.GAMES)
    }
    total = sum(rows[path] for item in items for path in item.paths)
    lacks = {name: _made_up_for(games_lacking) for name, games_lacking in lacking.items()}
    return BuildPlan(store.root, version, stale, tuple(items), total, None, of_game, lacks, keeps)


def _lacking(store: Store, name: str, games: list[str], built: int | None) -> dict[str, int]:
    """For games whose hands a projection may lack, since their packages are or were missing, the version of
    `events` that it has them from; `built` is that of its other rows if it keeps any."""
    noted = store.committed(name, map(lacks_id, games))
    found = {}
    for game in games:
        since = noted.get(lacks_id(game), UP_TO_DATE)
        if game not in models.GAMES:
            found[game] = 0 if built is None else min(since, built)
        elif since < UP_TO_DATE:
            found[game] = since
    return found


def _made_up_for(lacking: dict[str, int]) -> dict[str, int]:
    """What is lacking after a build: nothing of the games that there are."""
    return {game: UP_TO_DATE if game in models.GAMES else since for game, since in lacking.items()}


def _earlier(since: int | None, lacking: int | None) -> int | None:
    return since if since is None or lacking is None else min(since, lacking)


def _check_is_ahead(store: Store, version: int, built: dict[str, int | None]) -> None:
    """Raises Damaged if a projection was built from a later version of `events` than its log has."""
    for name, built_from in built.items():
        if built_from is not None and built_from > version:
            raise Damaged(
                f"the table {store.uri('events')} is of version {version}, but {name} was built from version "
                f"{built_from}: the end of its log is missing; {MEND_AHEAD}"
            )


def build_item(root: str, item: BuildItem, tally_folder: str | None) -> list[Part]:
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
            for hands in _portions(batch, item):
                for name, rows in _projected(hands, item):
                    writers[name].add(rows)
                tally.add(len(hands), len(hands.events))
    return [writer.close() for writer in writers.values() if writer.rows]


def _portions(batch: Batch, item: BuildItem) -> Iterator[Batch]:
    """The hands of a batch, in analyses as many as take seconds, so that progress is seen."""
    if ANALYSES.keys().isdisjoint(item.wanted):
        return iter([batch])
    portions = ceil(len(batch) * (1 + item.worlds) / PRICED_HANDS)
    return map(batch.take, np.array_split(np.arange(len(batch)), min(portions, len(batch))))


def _projected(batch: Batch, item: BuildItem) -> list[tuple[str, pa.Table]]:
    """The rows of some hands, without those that can't be projected: `upkeep.left_out` names them. An
    analysis fails instead."""
    try:
        return list(project(batch, item.wanted, item.worlds))
    except (MemoryError, RuntimeWarning):  # an overflow: `uncompiled.restart_compiled` is called
        raise
    except Exception:
        if not ANALYSES.keys().isdisjoint(item.wanted):
            raise
    if len(batch) == 1:
        return []
    halves = np.array_split(np.arange(len(batch)), 2)
    return [rows for half in halves for rows in _projected(batch.take(half), item)]


def leave_parts(folder: str, item: BuildItem, parts: list[Part]) -> None:
    """Leave the result of `build_item` in a folder: runners may lose what a step returns, or run it twice."""
    content = json.dumps([vars(part) for part in parts])
    Folder(folder).put(f"{item.key}.json", pa.py_buffer(content.encode()))


def parts_left(folder: str, plan: BuildPlan) -> list[Part]:
    """The parts that were left for the items of a plan. Raises OSError if some are missing."""
    parts = []
    for item in plan.items:
        with Folder(folder).open(f"{item.key}.json") as stream:
            parts += [Part(**fields | {"ingests": tuple(fields["ingests"])}) for fields in json.load(stream)]
    return parts


def in_threads(plan: BuildPlan) -> dict[str, Outcome]:
    """Run a whole build in this process; returns the outcomes of `commit`."""
    built = on_all_cores(lambda item: build_item(plan.store, item, plan.tally), plan.items)
    return commit(plan, list(chain.from_iterable(built)))


def commit(plan: BuildPlan, parts: list[Part]) -> dict[str, Outcome]:
    """Make the projections visible, each in one commit; returns the outcome for each."""
    store = Store(plan.store)
    return {name: _commit_projection(store, plan, name, since, parts) for name, since in plan.since.items()}


def _commit_projection(
    store: Store, plan: BuildPlan, name: str, since: int | None, parts: list[Part]
) -> Outcome:
    table = store.table(name)
    built = store.built_from(name, table, plan.of_game)
    lacks = plan.lacks.get(name, {})
    kept = {game for game, since in lacks.items() if since < UP_TO_DATE and name in plan.keeps}
    old_paths = [
        path
        for path in store.paths(name)
        if plan.of_game in ("", game_of(path)) and game_of(path) not in kept
    ]
    if since is not None and built != since:
        return Outcome.KNOWN if built is not None and built >= plan.version else Outcome.BEHIND
    parts = [part for part in parts if part.table == name]
    if built == plan.version and {part.path for part in parts} == set(old_paths):
        return Outcome.DONE  # by a rebuild of the same events
    transactions = built_by(plan.version, plan.of_game)
    transactions |= {lacks_id(game): version for game, version in lacks.items()}
    is_one_game = bool(plan.of_game) and not store.lacks_columns(name)
    is_in_part = is_one_game or bool(kept)
    if plan.of_game:
        lost = [game for game in models.GAMES if game != plan.of_game and not is_one_game]
        transactions |= {built_from_id(game): 0 for game in lost} | {ANALYSED: table.version() + 1}
    change = Change(
        parts,
        transactions,
        mode="append" if since is not None or is_in_part else "overwrite",
        replaces=old_paths if since is None and is_in_part else (),
        note={"events_version": str(plan.version)},
    )
    try:
        store.commit(name, change, base=table.version())
    except Conflict:
        return Outcome.BEHIND
    return Outcome.DONE


ALL = tuple(PROJECTIONS)
"""The names of all projections."""
