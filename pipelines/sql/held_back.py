"""Which games are held back when a model or a data test fails.

The marts then show these games as the last build did, and all others as they are now: a view reads the data
files of the earlier build, and incremental models do not get the new rows. The rows that a test found are
kept in the warehouse, in a schema of their own.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import duckdb
import pyarrow as pa

from cardlog.models import GAMES
from cardlog.pipelines import visible
from cardlog.pipelines.sql.dbt_run import DbtError, failed
from cardlog.pipelines.sql.warehouse import Stale

SCHEMA: Final = "failed_tests"
"""Schema of the warehouse with one table per failed data test: the rows it found."""
KEPT_ROWS: Final = 1000
"""Most rows kept per failed test."""
SHOWN_ROWS: Final = 3
"""Most rows quoted in the message."""
LONGEST_VALUE: Final = 80


@dataclass(frozen=True)
class Failure:
    """A model that could not be built or a data test that found rows.

    games
        The games that it holds back.
    rows
        How many rows the test found.
    found
        At most `KEPT_ROWS` of them.
    """

    name: str
    message: str
    games: tuple[str, ...]
    rows: int = 0
    found: pa.Table | None = field(default=None, repr=False, compare=False)

    @property
    def table(self) -> str | None:
        """The table of the warehouse that holds the rows found."""
        return None if self.found is None else f"{SCHEMA}.{self.name}"


@dataclass(frozen=True)
class Outcome:
    """The result of a dbt run: how many models were built, what failed, which games were held back."""

    models: int
    failures: tuple[Failure, ...] = ()
    stale: dict[str, Stale] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As stored in the note and printed with --json."""
        names = ("name", "message", "rows", "table")
        failed = [{name: getattr(failure, name) for name in names} for failure in self.failures]
        return {"failed": failed, "stale": {name: asdict(stale) for name, stale in self.stale.items()}}


class HeldBack(DbtError):
    """Models or data tests failed; the games concerned were held back, the others published."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(_message(outcome))
        self.outcome = outcome


def _message(outcome: Outcome) -> str:
    """What failed, what the marts show, and what to do."""
    lines = ["dbt found problems:"]
    for failure in outcome.failures:
        lines.append(f"{failure.name}: {failure.message}")
        if failure.table:
            lines.append(f"  all rows: cardlog query 'from {failure.table}'")
    for game, stale in outcome.stale.items():
        shown = "nothing" if stale.events is None else f"the state of events {stale.events}"
        lines.append(f"Of {game} the marts show {shown}; its tables are up to date.")
    lines.append("All other games are up to date.")
    lines.append(
        "'cardlog show HAND_ID' shows a hand, 'cardlog forget --hand HAND_ID' erases one; "
        "then 'cardlog build' tries again."
    )
    return "\n".join(lines)


def failures_in(
    results: Iterable[Any], draft: duckdb.DuckDBPyConnection, games: tuple[str, ...]
) -> list[Failure]:
    """The failures among dbt's results, with the rows that tests found.

    games
        The games with new hands, which a failure holds back if it is not of one game.
    """
    return [_failure(result, draft, games) for result in results if failed(result)]


def _failure(result: Any, draft: duckdb.DuckDBPyConnection, games: tuple[str, ...]) -> Failure:
    node, count, folder = result.node, result.failures or 0, result.node.fqn[-2]
    own = (folder,) if folder in GAMES else games
    if not count or node.resource_type != "test":
        return Failure(node.name, " ".join(str(result.message).split()), own)
    rows = draft.sql(f"select * from ({node.compiled_code}\n) limit {KEPT_ROWS}").to_arrow_table()
    if own is games and "game" in rows.column_names:
        own = tuple(sorted(set(rows.column("game").to_pylist())))
    shown = "; ".join(_shown(row) for row in rows.slice(0, SHOWN_ROWS).to_pylist())
    more = "; …" if count > SHOWN_ROWS else ""
    message = f"{count:,} {'row' if count == 1 else 'rows'}: {shown}{more}"
    return Failure(node.name, message, own, count, rows)


def _shown(row: dict[str, Any]) -> str:
    return ", ".join(f"{name}={visible.shown(value, LONGEST_VALUE)}" for name, value in row.items())


def keep_rows(warehouse: duckdb.DuckDBPyConnection, failures: Iterable[Failure]) -> None:
    """Keep the rows that failed tests found, in tables of `SCHEMA`; those of earlier builds go."""
    warehouse.execute(f"drop schema if exists {SCHEMA} cascade")
    for failure in failures:
        if failure.found is not None:
            warehouse.execute(f"create schema if not exists {SCHEMA}")
            warehouse.register("found", failure.found)
            warehouse.execute(f'create table {SCHEMA}."{failure.name}" as from found')
            warehouse.unregister("found")
