"""Run dbt on a DuckDB file, within limits; gives dbt's result of each node."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cardlog.pipelines.sql import dbt_cache, limits
from cardlog.schemas.errors import CardlogError

WAREHOUSE: Final = "warehouse.duckdb"
"""Name of the file to build; dbt derives the database's name from it, and its views contain that."""
MEMORY: Final = "CARDLOG_DBT_MEMORY"
ACCESS: Final = "CARDLOG_DBT_ACCESS"
"""How DuckDB opens the warehouse: automatic, or read_only."""
SPILL: Final = "CARDLOG_DBT_SPILL"
PLACE: Final = "CARDLOG_DBT_STORE"
"""Where the store is, if it was moved since the warehouse was built."""


class DbtError(CardlogError):
    """dbt could not build or a test of the data failed; the text is for the user."""


@dataclass(frozen=True)
class Run:
    """Where dbt runs.

    project
        The folder of the dbt project.
    database
        The DuckDB file to build, named `WAREHOUSE`, with the store's tables as views in its schema `store`.
    work
        A folder for dbt's own files.
    store
        Where the store is (default: where it was when its views were made).
    """

    project: Path
    database: Path
    work: Path
    store: str = ""


def build(run: Run, *arguments: str) -> list[Any]:
    """``dbt build`` in this process, with these arguments: its results, but for the project's hooks, whose
    failure is dbt's own.

    Raises DbtError if dbt can't start. A failing model or test raises nothing.
    """
    return _without_hooks(_invoke(("build", *arguments), run, _settings(run.database)))


def test(run: Run, *arguments: str) -> list[Any]:
    """``dbt test`` on a database that is only read; otherwise as `build`."""
    return _without_hooks(_invoke(("test", *arguments), run, _reading(run)))


def _without_hooks(results: Any) -> list[Any]:
    return [result for result in results if result.node.resource_type != "operation"]


def failed(result: Any) -> bool:
    """Whether a node failed itself."""
    return result.status not in ("success", "pass", "warn", "no-op", "skipped")


def document(run: Run) -> Path:
    """``dbt docs generate`` on a database that is only read; returns the page, a file in `work`.

    Raises DbtError if dbt can't start.
    """
    _invoke(("docs", "generate", "--static", "--exclude", "resource_type:test"), run, _reading(run))
    return run.work / "static_index.html"


def _reading(run: Run) -> dict[str, str]:
    """Settings to read a database, in whose folder perhaps nothing can be written."""
    changed = {ACCESS: "read_only", SPILL: str(run.work / "spill"), PLACE: run.store}
    return _settings(run.database) | changed


def _invoke(command: Sequence[str], run: Run, settings: dict[str, str]) -> Any:
    """Run a dbt command in this process and return its result."""
    before = dict(os.environ)
    os.environ.update(settings)
    try:
        return _dbt(command, run, _manifest(run))
    finally:
        for name in settings.keys() - before.keys():
            del os.environ[name]
        os.environ.update({name: before[name] for name in settings.keys() & before.keys()})


def _manifest(run: Run) -> Any:
    """The parsed project."""
    from dbt.contracts.graph.manifest import Manifest

    packed = dbt_cache.kept(run.project, "msgpack", lambda: bytes(_dbt(("parse",), run, None).to_msgpack()))
    manifest = Manifest.from_msgpack(packed)
    manifest.build_flat_graph()
    return manifest


def _dbt(command: Sequence[str], run: Run, manifest: Any) -> Any:
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


def _settings(database: Path) -> dict[str, str]:
    """The environment variables that the dbt profile reads. Raises DbtError."""
    requested = os.environ.get(MEMORY)
    try:
        memory = limits.default_memory() if requested is None else limits.bytes_of(requested)
    except limits.LimitError as error:
        raise DbtError(f"{MEMORY}: {error}") from error
    config = limits.duckdb_config(memory, database.with_suffix(".tmp"))
    return {
        "CARDLOG_WAREHOUSE": str(database),
        SPILL: config["temp_directory"],
        "CARDLOG_DBT_SPILL_LIMIT": config["max_temp_directory_size"],
        MEMORY: config["memory_limit"],
        "DO_NOT_TRACK": "1",
    }
