"""Build the marts: dbt works on a copy of the warehouse, which then replaces it.

Most marts are views of the store's tables; incremental models add the rows of commits after the last one they
saw. So in a build dbt only runs the incremental models of games with new hands and the data tests of the new
rows; it rebuilds the marts of the analysis when that has changed. A build from scratch starts from the empty
warehouse in the user's cache, which has all models.
"""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import duckdb

from cardlog.pipelines.runtime import leftovers, scratch
from cardlog.pipelines.sql import aliases, dbt_cache, dbt_run, user_project, warehouse
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.sql.held_back import Failure, HeldBack, failures_in
from cardlog.pipelines.sql.tables import STORE, attach_tables, literal
from cardlog.pipelines.sql.warehouse import NOTE, Stale, as_noted, path_of
from cardlog.pipelines.storage.layout import ANALYSED
from cardlog.pipelines.storage.lock import at_work
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.store import Store, game_of

NOTHING_TESTED: Final = -1
"""Below the `ingest_no` of every row."""
STORAGE: Final = "v1.3.0"
"""The oldest DuckDB that can open the warehouse."""
ANALYSIS: Final = "analysis"
"""The folder of the models and tests that read the results of `cardlog analyse`."""
ALL_MODELS: Final = ("--full-refresh", "--resource-type=model", "--resource-type=seed")
"""Arguments with which dbt builds all models."""
NEW_HANDS: Final = ("--resource-type=model", "--resource-type=test", "--indirect-selection=empty")
"""Arguments with which dbt builds and tests only what is selected."""


def build(store: Store, *, afresh: bool = False) -> int:
    """Bring the marts up to date and test the data; returns the number of dbt models built.

    The marts are built from one snapshot of the store, that of its last build, and replace the old ones
    atomically.

    afresh
        Build all of them from scratch.

    Raises HeldBack, after publishing the other games, if a model or a test fails; DbtError, leaving the
    warehouse as it was, if dbt can't run or all games are held back.
    """
    target = path_of(store)
    if "?" in str(target):
        raise DbtError(
            f"DuckDB can't write a database in {target.parent}, because of the question mark in that path; "
            "move the store, or build with --no-marts"
        )
    folder = leftovers.note(target.with_name(f".{target.stem}-{os.getpid()}"))
    try:
        folder.mkdir(exist_ok=True)
        with at_work(store):  # before the snapshot: a forget would remove its files
            return _Build(pinned(store, as_built=True), folder, afresh).run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Build:
    """One build of the marts in a temporary folder."""

    def __init__(self, store: PinnedStore, folder: Path, afresh: bool) -> None:
        self._store = store
        self._draft = folder / warehouse.FILE
        self._note = warehouse.note_inside(store) or {}
        self._is_usable = warehouse.can_be_added_to(self._note, store)
        self._base = path_of(store) if self._is_usable and not afresh and not self._note["held"] else None
        self._held: dict[str, PinnedStore] = {}
        noted = self._note.get("project") if self._base else None
        self._project = user_project.built(noted) if noted else None

    def run(self) -> int:
        """Build, repeat without the new hands of the games in which something fails, and publish."""
        failures: list[Failure] = []
        while True:
            results, new_failures = self._run_dbt()
            failures += new_failures
            games = {game for failure in new_failures for game in failure.games} - self._held.keys()
            if not games:
                break
            self._held |= {game: self._before(game) for game in games}
        stale = {
            game: Stale(
                self._held[game].moment.versions["events"] or None,
                tuple(failure.name for failure in failures if game in failure.games),
            )
            for game in sorted(self._held)
        }
        models: int = sum(
            result.node.resource_type == "model" and not dbt_run.failed(result) for result in results
        )
        if new_failures:
            raise DbtError(f"{HeldBack(models, failures, stale)}\nThe warehouse is as it was.")
        try:
            models += self._build_users_project()
        except user_project.Failed as failed:
            failures += failed.failures
            shown = self._project.events if self._project else None
            stale[failed.project] = Stale(shown, tuple(one.name for one in failed.failures))
        self._publish(stale)
        if failures:
            raise HeldBack(models, failures, stale)
        return models

    def _build_users_project(self) -> int:
        """Build the user's project in the draft, if there is one; returns the number of its models. Removes
        what is left of one that is no longer wanted. Raises user_project.Failed."""
        folder = user_project.remembered(path_of(self._store))
        if self._project and self._project.folder != str(folder):
            with duckdb.connect(str(self._draft)) as draft:
                user_project.drop(draft, set(self._project.relations))
            self._project = None
        if folder is None:
            return 0
        work = path_of(self._store).parent / ".dbt" / "project"
        old, events = self._project, self._store.moment.versions["events"]
        is_new = old is None or old.events != self._note["versions"]["events"]
        models, self._project = user_project.build(folder, self._draft, work, old, events, afresh=is_new)
        return models

    def _run_dbt(self) -> tuple[list[Any], list[Failure]]:
        """In a new draft, run the models of games with new hands and the tests of these hands."""
        tested = self._note["versions"]["events"] if self._base else NOTHING_TESTED
        if self._base:
            shutil.copyfile(self._base, self._draft)
        else:
            self._draft.write_bytes(empty())
        with duckdb.connect(str(self._draft)) as draft:
            _write_views(draft, self._store, tested, self._held)
            new = f"select distinct game from {STORE}.playedhand where ingest_no > {tested} order by game"
            games = tuple(game for (game,) in draft.execute(new).fetchall())
        select = []
        for folder in ("core", *games) if games else ():
            select += [f"fqn:*.{folder}.*,config.materialized:incremental", f"fqn:{folder}.*"]
        # The marts of the analysis are rebuilt as a whole if there is a new analysis, or new hands of a game
        # that has been analysed.
        analysed = self._store.committed("analysis", [ANALYSED]) != self._note.get("analysed", {})
        if analysed or not set(games).isdisjoint(map(game_of, self._store.paths("analysis"))):
            select += [f"fqn:*.{ANALYSIS}.*,config.materialized:table", f"fqn:{ANALYSIS}.*"]
        if not select:
            return [], []
        run = dbt_run.Run(self._draft, path_of(self._store).parent / ".dbt")
        results = dbt_run.results(run, "build", *NEW_HANDS, "--select", *select)
        with duckdb.connect(str(self._draft)) as draft:
            return results, failures_in(results, draft, games)

    def _before(self, game: str) -> PinnedStore:
        """The store at the versions that the marts show of a game now; empty if they show nothing."""
        none = dict.fromkeys(self._store.moment.versions, 0)
        versions = self._note["held"].get(game, self._note["versions"]) if self._is_usable else none
        return as_noted(self._store, versions)

    def _publish(self, stale: dict[str, Stale]) -> None:
        """Replace the warehouse with the draft."""
        versions = self._store.moment.versions
        note = warehouse.makers(self._store) | warehouse.state_of(self._store)
        note |= {"versions": versions, "commit": warehouse.commit_of(self._store, versions["events"])}
        note |= {"held": {game: earlier.moment.versions for game, earlier in self._held.items()}}
        note |= {"stale": {game: asdict(state) for game, state in stale.items()}}
        note |= {"project": asdict(self._project) if self._project else None}
        text = json.dumps(note, indent=1)
        with duckdb.connect(str(self._draft)) as draft:
            draft.execute(f"create schema if not exists {NOTE.split('.')[0]}")
            draft.execute(f"create or replace table {NOTE} as select ?::varchar as note", [text])
        target = path_of(self._store)
        target.with_suffix(".json").unlink(missing_ok=True)
        self._draft.replace(target)
        target.with_suffix(".json").write_text(text)


def _write_views(
    draft: duckdb.DuckDBPyConnection,
    store: PinnedStore | None,
    tested: int = NOTHING_TESTED,
    held: Mapping[str, PinnedStore] = {},
) -> None:
    """Create dbt's sources in a draft: the store's tables, and the highest `ingest_no` whose hands an earlier
    build has tested."""
    draft.execute(f"drop schema if exists {STORE} cascade; create schema {STORE}")
    attach_tables(draft, store, STORE, held=held)
    draft.execute(aliases.function(aliases.persons(path_of(store)) if store else {}))
    draft.execute(f"create view {STORE}.tested as select {tested}::bigint as ingest_no")


def empty() -> bytes:
    """The warehouse of an empty store, from which builds start: all models, seeds and views. It is cached."""
    return dbt_cache.kept("duckdb", _build_empty, warehouse.DBT_PROJECT)


def _build_empty() -> bytes:
    with scratch.folder() as folder:
        draft = Path(folder) / warehouse.FILE
        with duckdb.connect(str(draft), config={"storage_compatibility_version": STORAGE}) as connection:
            _write_views(connection, None)
        run = dbt_run.Run(draft, draft.parent / "dbt")
        failures = list(filter(dbt_run.failed, dbt_run.results(run, "build", *ALL_MODELS)))
        if failures:
            reasons = "\n".join(f"{failure.node.name}: {failure.message}" for failure in failures)
            raise DbtError(f"models can't be built, even without hands:\n{reasons}")
        return draft.read_bytes()


def page(store: Store) -> bytes:
    """dbt's documentation of the marts as one HTML file, which needs no network or server.

    Raises DbtError if there is no warehouse, or if dbt can't run.
    """
    path = path_of(store)
    if not path.exists():
        raise DbtError(f"there is no {path}; 'cardlog build' makes it")
    with scratch.folder() as folder:
        work, root, project = Path(folder) / "dbt", literal(store.root), user_project.remembered(path)
        run = user_project.run_of(project, path, work, root) if project else dbt_run.Run(path, work, root)
        dbt_run.invoke(run, "docs", "generate", "--static", "--exclude", "resource_type:test")
        return (run.work / "static_index.html").read_bytes()
