"""Run dbt on a DuckDB file, within a memory limit."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cardlog.pipelines.sql import dbt_cache, limits, warehouse
from cardlog.schemas.errors import CardlogError

MEMORY: Final = "CARDLOG_DBT_MEMORY"
_MAX_DEFAULT: Final = 2 * 2**30
"""Of the bytes that DuckDB may use: with these, a build of four million hands takes less than 4 GB."""


class DbtError(CardlogError):
    """dbt could not build or a test of the data failed; the text is for the user."""


@dataclass(frozen=True)
class Run:
    """What dbt works on.

    database
        The DuckDB file, named `warehouse.FILE`, with the store's tables as views in its schema `store`.
    work
        A folder for dbt's own files.
    store
        The store's location if dbt only reads the database.
    project
        A user's project that has ours as a package; None for ours.
    """

    database: Path
    work: Path
    store: str = ""
    project: Path | None = None

    def environment(self) -> dict[str, str]:
        """The environment variables that the dbt profile reads. Raises LimitError."""
        is_read = bool(self.store)
        return {
            "CARDLOG_WAREHOUSE": str(self.database),
            "CARDLOG_DBT_PACKAGES": str(dbt_cache.packages(self.work)),
            "CARDLOG_DBT_ACCESS": "read_only" if is_read else "automatic",
            "CARDLOG_DBT_STORE": self.store,
            "CARDLOG_DBT_SPILL": str(self.work / "spill" if is_read else self.database.with_suffix(".tmp")),
            MEMORY: limits.shown(limits.memory_in(MEMORY, _MAX_DEFAULT)),
            "DO_NOT_TRACK": "1",
        }


def results(run: Run, *command: str) -> list[Any]:
    """Run a dbt command, such as ``build``, in this process; returns the results of its nodes without the
    project's hooks.

    Raises DbtError if dbt can't start, but not if a model or test fails.
    """
    return [result for result in invoke(run, *command) if result.node.resource_type != "operation"]


def failed(result: Any) -> bool:
    """Whether the node itself failed; a skipped one did not."""
    return result.status not in ("success", "pass", "warn", "no-op", "skipped")


def invoke(run: Run, *command: str) -> Any:
    """Run a dbt command in this process and return its result. Raises DbtError if dbt can't start."""
    with _environment(run):
        return _dbt(run, manifest(run), *command)


def manifest(run: Run) -> Any:
    """dbt's manifest of a project and its packages, from the cache. Raises DbtError if it can't be parsed."""
    from dbt.contracts.graph.manifest import Manifest

    def parse() -> bytes:
        return bytes(_dbt(run, None, "parse").to_msgpack())

    projects = [warehouse.DBT_PROJECT, *filter(None, [run.project])]
    with _environment(run):
        found = Manifest.from_msgpack(dbt_cache.kept("msgpack", parse, *projects))
        if any(os.environ.get(name) != value for name, value in found.env_vars.items()):
            found = Manifest.from_msgpack(parse())
    found.build_flat_graph()
    return found


@contextmanager
def _environment(run: Run) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(run.environment())
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _dbt(run: Run, manifest: Any, *command: str) -> Any:
    """Run a dbt command. Raises DbtError if dbt can't start."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager
    from dbt.cli.main import dbtRunner

    ours = str(warehouse.DBT_PROJECT)
    arguments = [
        "--no-use-colors", "--no-send-anonymous-usage-stats", "--no-version-check", "--no-partial-parse",
        "--no-write-json", "--no-print",
        "--log-level", "none", "--log-level-file", "none",  # stdout is for data
        *command,
        "--project-dir", str(run.project or ours), "--profiles-dir", ours,
        "--profile", "cardlog", "--target", "warehouse",
        "--target-path", str(run.work), "--log-path", str(run.work),
    ]  # fmt: skip
    try:
        outcome = dbtRunner(manifest=manifest).invoke(arguments)
    finally:
        DuckDBConnectionManager.close_all_connections()
    if outcome.exception is not None:
        if not isinstance(outcome.exception, Exception):
            raise outcome.exception  # Ctrl-C
        raise DbtError(f"dbt could not run: {outcome.exception}")
    return outcome.result
