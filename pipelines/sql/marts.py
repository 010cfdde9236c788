"""Build the marts: dbt adds the store's new hands to a copy of the warehouse, which then replaces it.

Models with a row per hand, trick or match are incremental: dbt's sources hold the hands that the warehouse
does not have yet, and only models of their games are run. Summaries are rebuilt from those models, large ones
from sums of each build's new hands. A build from scratch starts with the empty warehouse from the user's
cache, and with all hands (``dbt build --full-refresh``).

A large warehouse is not copied: the one that a build replaces is kept as a spare, and the next build adds
the hands of both builds to it, unless these are so many that copying is faster.
"""

import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from cardlog.pipelines import leftovers, scratch
from cardlog.pipelines.sql import data_tests, dbt_cache, dbt_run, held_back, warehouse
from cardlog.pipelines.sql.dbt_run import DbtError, Node
from cardlog.pipelines.sql.held_back import HeldBack, Outcome, Stale
from cardlog.pipelines.sql.tables import (
    HANDS,
    SOURCES,
    NewFiles,
    new_files,
    quoted,
    write_empty_sources,
    write_sources,
)
from cardlog.pipelines.sql.warehouse import (
    MAKERS,
    NOTE,
    attach_marts,
    attach_sources,
    note_in,
    path_of,
    state_of,
)
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.store import Store, game_of

SPARE_BYTES: Final = 256 * 2**20
"""A replaced warehouse of at least this size is kept as a spare; copying a smaller one takes less than a
second."""
HAND_BYTES: Final = 2**18
"""A hand is added in the time in which so many bytes of a warehouse are copied."""


@dataclass(frozen=True)
class Plan:
    """What a build of the marts starts from.

    source
        The whole store, or only its data files that are new to the warehouse.
    games
        Games with hands in `source`.
    base
        The file to add to; None to start with the empty warehouse.
    """

    source: PinnedStore
    games: tuple[str, ...]
    base: Path | None

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of the models to run, in dbt's notation."""
        layers = ("intermediate", "marts")
        own = (f"{layer}.{name}" for layer in layers for name in ("core", *self.games))
        return ("staging", *own, "marts.quality")


def build(store: Store, *, afresh: bool = False) -> int:
    """Bring the marts up to date and test the data; returns how many dbt models were built.

    The marts are built from one snapshot of the store, that of its last build, and replace the old ones
    atomically.

    afresh
        Build all of them from scratch.

    Raises HeldBack, after publishing the other marts, if a model or a test fails; DbtError, leaving the
    warehouse as it was, if dbt can't run.
    """
    target = path_of(store)
    if "?" in str(target):
        raise DbtError(
            f"DuckDB can't write a database in {target.parent}, because of the question mark in that path; "
            "move the store, or build with --no-marts"
        )
    folder = leftovers.note(target.with_name(f".{target.stem}-{os.getpid()}"))
    draft, sources = folder / dbt_run.WAREHOUSE, folder / "sources.duckdb"
    store = pinned(store, as_built=True)
    try:
        folder.mkdir(exist_ok=True)
        plan = plan_of(store, afresh)
        if plan.base == spare_of(store):
            plan.base.replace(draft)
        else:
            shutil.copyfile(plan.base or _empty(folder), draft)
        write_sources(plan.source, sources)
        nodes = _invoke(draft, sources, target.parent / ".dbt", plan)
        outcome = _publish(store, draft, sources, nodes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if outcome.failures:
        raise HeldBack(outcome)
    return outcome.models


def prepare() -> None:
    """Keep what builds begin with, so that the first one need not wait for it."""
    with scratch.folder() as folder:
        draft, sources = Path(folder) / dbt_run.WAREHOUSE, Path(folder) / "sources.duckdb"
        shutil.copyfile(_empty(Path(folder)), draft)
        write_empty_sources(sources)
        run = dbt_run.Run(warehouse.DBT_PROJECT, draft, sources, Path(folder) / "dbt")
        for full_refresh in (False, True):
            data_tests.compiled(run, None, full_refresh)


def spare_of(store: Store) -> Path:
    """Path of the warehouse that the last build replaced, kept if it was large."""
    return path_of(store).with_name("warehouse-spare.duckdb")


def plan_of(store: PinnedStore, afresh: bool) -> Plan:
    """The data files new to the warehouse; the whole store if they are unknown, or with `afresh`."""
    source, base = store, None
    for path in () if afresh else (path_of(store), spare_of(store)):
        since = _versions(store, path, to_write=path == spare_of(store))
        files = new_files(store, since, HANDS) if since else None
        if files is not None and (base is None or _saves_time(store, files, source)):
            source, base = NewFiles(store, files), path
    return Plan(source, tuple(sorted({game_of(file) for file in source.paths("playedhand")})), base)


def _saves_time(store: PinnedStore, files: dict[str, list[str]], otherwise: PinnedStore) -> bool:
    """Whether it is faster to add the hands of these files to the spare than fewer to a copy."""
    sizes = store.sizes("playedhand")
    more = sum(sizes.get(file, 0) for file in files["playedhand"])
    fewer = sum(sizes.get(file, 0) for file in otherwise.paths("playedhand"))
    return (more - fewer) * HAND_BYTES <= path_of(store).stat().st_size


def _versions(store: PinnedStore, path: Path, to_write: bool) -> dict[str, int]:
    """The table versions that a warehouse was built from, if it can be added to: not if another version of
    cardlog built it, a test failed, or it is to be written to while somebody reads it."""
    if not path.exists():
        return {}
    mode = "read_write" if to_write else "read_only"
    try:
        with duckdb.connect() as connection:
            connection.execute(f"attach {quoted(str(path))} as old ({mode})")
            note = note_in(connection, "old")
    except duckdb.Error:
        return {}
    state = state_of(store)
    if note.get("stale") or any(note.get(name) != state[name] for name in MAKERS):
        return {}
    versions: dict[str, int] = note["versions"]
    return versions


def _empty(folder: Path) -> Path:
    """The warehouse of a store without a hand: all models, seeds and views, without rows."""
    kept = dbt_cache.path_of(warehouse.DBT_PROJECT, "duckdb")
    if kept.exists():
        return dbt_cache.used(kept)
    draft, sources = folder / "empty" / dbt_run.WAREHOUSE, folder / "empty" / "sources.duckdb"
    draft.parent.mkdir()
    write_empty_sources(sources)
    run = dbt_run.Run(warehouse.DBT_PROJECT, draft, sources, draft.parent / "dbt")
    if held_back.failed(dbt_run.build(run, full_refresh=True)):
        return draft  # what fails without hands fails with hands, and is reported then
    return dbt_cache.keep(kept, draft.read_bytes()) or draft


def _invoke(draft: Path, sources: Path, work: Path, plan: Plan) -> list[Node]:
    """Run dbt on a draft, and the data tests."""
    run = dbt_run.Run(warehouse.DBT_PROJECT, draft, sources, work)
    built = dbt_run.build(run, select=plan.folders, full_refresh=plan.base is None)
    return built + data_tests.run(run, built, full_refresh=plan.base is None)


def _publish(store: PinnedStore, draft: Path, sources: Path, nodes: list[Node]) -> Outcome:
    """Replace the warehouse with a draft, except for the marts that are held back."""
    because = held_back.held_back(nodes)
    held = [node for node in nodes if node.is_mart and node.id in because]
    with duckdb.connect(str(draft)) as connection:
        connection.execute(f"attach {quoted(str(sources))} as {SOURCES} (read_only)")
        failures = held_back.keep_rows(connection, held_back.failed(nodes))
        held_back.drop(connection, held)
        connection.execute(f"drop schema if exists {dbt_run.NEW_ROWS} cascade")
    since = _keep_old(store, draft, held)
    stale = {node.name: Stale(since.get(node.name), tuple(because[node.id])) for node in held}
    outcome = Outcome(held_back.models_of(nodes), failures, stale)
    note = json.dumps(state_of(store) | {"versions": store.moment.versions} | outcome.as_json(), indent=1)
    with duckdb.connect(str(draft)) as connection:
        connection.execute(f"create schema if not exists {NOTE.split('.')[0]}")
        connection.execute(f"create or replace table {NOTE} as select ?::varchar as note", [note])
    target = path_of(store)
    target.with_suffix(".json").unlink(missing_ok=True)
    _keep_spare(store)
    draft.replace(target)
    target.with_suffix(".json").write_text(note)
    return outcome


def _keep_spare(store: Store) -> None:
    target, spare = path_of(store), spare_of(store)
    spare.unlink(missing_ok=True)
    with suppress(OSError):  # a disk without hard links
        if target.stat().st_size >= SPARE_BYTES:
            spare.hardlink_to(target)


def _keep_old(store: Store, draft: Path, held: list[Node]) -> dict[str, int | None]:
    """Copy marts from the present warehouse into a draft; returns for each the version of `events` it was
    built from."""
    if not held or not path_of(store).exists():
        return {}
    with duckdb.connect(str(draft)) as connection:
        attach_marts(connection, store, "old")
        with_views = attach_sources(connection, store, "old")
        note = note_in(connection, "old")
        kept = held_back.keep_old(connection, "old", held, with_views)
    then = note.get("versions", {}).get("events")
    stale = note.get("stale", {})
    return {name: stale[name]["events"] if name in stale else then for name in kept}
