"""Run dbt on a draft of the warehouse, within limits, and return the result of each node."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from cardlog.pipelines.sql import dbt_cache, limits
from cardlog.schemas.errors import CardlogError

MODEL, SEED, TEST = "model", "seed", "test"
BUILT: Final = ("success", "pass", "warn", "no-op")
"""dbt's statuses of a node that succeeded."""
BUILD: Final = ("build", *(f"--exclude-resource-type={kind}" for kind in ("test", "unit_test", "exposure")))
SKIPPED: Final = "skipped"
WAREHOUSE: Final = "warehouse.duckdb"
"""Name of the file to build; dbt derives the database's name from it."""
MEMORY: Final = "CARDLOG_DBT_MEMORY"
ACCESS: Final = "CARDLOG_DBT_ACCESS"
"""How DuckDB opens the warehouse: automatic, or read_only."""
SAME_PROJECT: Final = "CARDLOG_DBT_SAME_PROJECT"
"""Whether what is in the warehouse was made by these models, and `NEW_ROWS` is there: yes or no."""
NEW_ROWS: Final = "new_rows"
"""Schema of a draft, with a table of the rows that an increment adds to each table."""
MARTS: Final = "marts"
"""Folder of the published models."""


class DbtError(CardlogError):
    """dbt could not build or a test of the data failed; the text is for the user."""


@dataclass(frozen=True)
class Node:
    """A model, seed or data test, and its result.

    id
        dbt's unique id.
    name
        The table or view of a model or seed; dbt's name of a test.
    status
        dbt's status: one of `BUILT`, or error, fail, skipped.
    parents
        The ids of the nodes it reads.
    is_view
        Whether it is a view.
    is_mart
        Whether it is published: a mart or a seed, not an intermediate model.
    failures
        How many rows a test found.
    sql
        The query of a test, which returns those rows.
    """

    id: str
    name: str
    kind: str
    status: str
    message: str = ""
    parents: tuple[str, ...] = ()
    is_view: bool = False
    is_mart: bool = False
    failures: int = 0
    sql: str = ""


@dataclass(frozen=True)
class Run:
    """Where dbt runs.

    project
        The folder of the dbt project.
    database, sources
        The DuckDB file to build, named `WAREHOUSE`, and the one with the store's tables in its schema
        `store`.
    work
        A folder for dbt's own files.
    """

    project: Path
    database: Path
    sources: Path
    work: Path


def build(run: Run, *, select: tuple[str, ...] = (), full_refresh: bool = False) -> list[Node]:
    """``dbt build`` in this process, without tests; those of the data are run by `data_tests`.

    select
        Folders of the models to build, with dots (default: all).
    full_refresh
        Make all of them from scratch. Otherwise the same version of the project has made those there are.

    Raises DbtError if dbt can't start. A failing model raises nothing.
    """
    if not full_refresh:
        with duckdb.connect(str(run.database)) as draft:
            _make_new_rows(draft)
    return [_node(found) for found in _selected(BUILD, run, select, full_refresh)]


def _make_new_rows(draft: duckdb.DuckDBPyConnection) -> None:
    tables = draft.execute(
        "select format('{:s}.\"{:s}\"', schema_name, table_name), table_name from duckdb_tables() "
        "where schema_name in ('main', 'steps')"
    ).fetchall()
    statements = [f"drop schema if exists {NEW_ROWS} cascade", f"create schema {NEW_ROWS}"]
    statements += [f'create table {NEW_ROWS}."{name}" as from {table} limit 0' for table, name in tables]
    draft.execute(";".join(statements))


def compile_tests(run: Run, select: tuple[str, ...], full_refresh: bool) -> list[Node]:
    """Data tests with their queries, as ``dbt compile`` makes them.

    select
        Names of tests, or other criteria of dbt's.
    full_refresh
        Whether they test all rows or only those of new hands.

    Raises DbtError if dbt can't start. A test that can't be compiled has the status error, a message and no
    query.
    """
    try:
        results = _selected(("compile",), run, select, full_refresh)
    except DbtError:  # at the first that can't be compiled; `dbt build` goes on, but runs them as well
        results = _selected(("build", "--resource-type=test"), run, select, full_refresh)
    return [_node(found) for found in results]


def ancestors(parents: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """The ids of all ancestors of each node, from those of its parents."""
    found: dict[str, set[str]] = {}

    def of(id: str) -> set[str]:
        if id not in found:
            found[id] = set().union(*({parent} | of(parent) for parent in parents.get(id, ())))
        return found[id]

    return {id: of(id) for id in parents}


def _selected(command: tuple[str, ...], run: Run, select: tuple[str, ...], full_refresh: bool) -> Any:
    """The results of a dbt command for some nodes, or all."""
    words = [*command, *(["--full-refresh"] if full_refresh else [])]
    words += ["--select", *select] if select else []
    environment = settings(run.database, run.sources) | {SAME_PROJECT: "no" if full_refresh else "yes"}
    return _invoke(tuple(words), run, environment)


def document(run: Run) -> Path:
    """``dbt docs generate``, with read-only databases; returns the page, a file in `work`.

    Raises DbtError if dbt can't start.
    """
    environment = settings(run.database, run.sources) | {ACCESS: "read_only"}
    _invoke(("docs", "generate", "--static", "--exclude", "resource_type:test"), run, environment)
    return run.work / "static_index.html"


def _invoke(command: tuple[str, ...], run: Run, environment: dict[str, str]) -> Any:
    """Run a dbt command in this process and return its result; the parsed project is cached."""
    with _environment(environment):
        return _dbt(command, run, _manifest(run))


def parsed(run: Run) -> Any:
    """dbt's manifest of the project. Raises DbtError if dbt can't parse it."""
    with _environment(settings(run.database, run.sources)):
        return _manifest(run)


def _manifest(run: Run) -> Any:
    found = dbt_cache.manifest(run.project)
    return dbt_cache.keep_manifest(run.project, _dbt(("parse",), run)) if found is None else found


def _dbt(command: tuple[str, ...], run: Run, manifest: Any = None) -> Any:
    """Run a dbt command. Raises DbtError if dbt can't start."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager
    from dbt.cli.main import dbtRunner

    arguments = [
        "--no-use-colors", "--no-send-anonymous-usage-stats", "--no-version-check", "--no-partial-parse",
        "--no-write-json",
        "--log-level", "none", "--log-level-file", "none",  # stdout is for data
        *command,
        "--project-dir", str(run.project), "--profiles-dir", str(run.project),
        "--target-path", str(run.work), "--log-path", str(run.work),
    ]  # fmt: skip
    try:
        answer = dbtRunner(manifest=manifest).invoke(arguments)
    finally:
        DuckDBConnectionManager.close_all_connections()
    if answer.exception is not None:
        if not isinstance(answer.exception, Exception):
            raise answer.exception  # Ctrl-C
        raise DbtError(f"dbt could not run: {answer.exception}")
    return answer.result


def limits_for(database: Path) -> dict[str, str]:
    """DuckDB's settings for the memory and disk that building a database may use. Raises DbtError."""
    requested = os.environ.get(MEMORY)
    try:
        memory = limits.default_memory() if requested is None else limits.bytes_of(requested)
    except limits.LimitError as error:
        raise DbtError(f"{MEMORY}: {error}") from error
    return limits.duckdb_config(memory, spill_to=spill_folder(database))


def settings(database: Path, sources: Path) -> dict[str, str]:
    """The environment variables that the dbt profile reads."""
    config = limits_for(database)
    return {
        "CARDLOG_WAREHOUSE": str(database),
        "CARDLOG_SOURCES": str(sources),
        "CARDLOG_DBT_SPILL": config["temp_directory"],
        "CARDLOG_DBT_SPILL_LIMIT": config["max_temp_directory_size"],
        MEMORY: config["memory_limit"],
        "DO_NOT_TRACK": "1",
    }


def spill_folder(database: Path) -> Path:
    """Folder for temporary files that do not fit into memory while a database is built."""
    return database.with_suffix(".tmp")


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables while the context is open."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _node(result: Any) -> Node:
    node = result.node
    kind = str(node.resource_type)
    return Node(
        node.unique_id,
        node.alias if kind != TEST else node.name,
        kind,
        str(result.status),
        str(result.message or ""),
        () if kind == SEED else tuple(node.depends_on.nodes),
        node.config.materialized == "view",
        kind == SEED or (kind == MODEL and MARTS in node.fqn),
        int(result.failures or 0) if kind == TEST else 0,
        str(getattr(node, "compiled_code", None) or "") if kind == TEST else "",
    )
