"""Which marts are held back when some models or data tests fail.

Marts that depend on a failure keep their previous content; all others are published. The rows that a data
test found are kept in the warehouse, in a schema of their own.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import duckdb

from cardlog.pipelines.sql.dbt_run import BUILT, SEED, SKIPPED, TEST, DbtError, Node, ancestors

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

    rows
        How many rows the test found.
    table
        The table that holds them, `failed_tests.<name>`, or None.
    """

    name: str
    message: str
    rows: int = 0
    table: str | None = None


@dataclass(frozen=True)
class Stale:
    """A mart that was held back.

    events
        The version of `events` it was built from; None if it was never built and so does not exist.
    because
        The failures it depends on.
    """

    events: int | None
    because: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """The result of a dbt run."""

    models: int
    failures: tuple[Failure, ...] = ()
    stale: dict[str, Stale] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As stored in the note and printed with --json."""
        return {
            "failed": [asdict(failure) for failure in self.failures],
            "stale": {name: asdict(stale) for name, stale in self.stale.items()},
        }


class HeldBack(DbtError):
    """Models or data tests failed; the marts that depend on them were held back, the others published.

    outcome
        The result of the dbt run.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(_message(outcome))
        self.outcome = outcome


def _message(outcome: Outcome) -> str:
    """What failed, and which marts are affected."""
    lines = ["dbt found problems:"]
    for failure in outcome.failures:
        lines.append(f"{failure.name}: {failure.message}")
        if failure.table:
            lines.append(f"  all rows: cardlog query 'from {failure.table}'")
    old = [
        f"{name} (of events {stale.events})"
        for name, stale in outcome.stale.items()
        if stale.events is not None
    ]
    absent = [name for name, stale in outcome.stale.items() if stale.events is None]
    if old:
        lines.append(f"stale, with their previous content: {', '.join(old)}")
    if absent:
        lines.append(f"missing, because no build of them has succeeded: {', '.join(absent)}")
    lines.append("All other marts are up to date.")
    return "\n".join(lines)


def failed(nodes: list[Node]) -> list[Node]:
    """The nodes that failed themselves."""
    return [node for node in nodes if node.status not in (*BUILT, SKIPPED)]


def held_back(nodes: list[Node]) -> dict[str, list[str]]:
    """The ids of the models and seeds that depend on a failure, each with the names of its failures.

    A test that compares several models blames those furthest downstream; their ancestors are assumed to be
    right.
    """
    above = ancestors({node.id: node.parents for node in nodes})
    because: dict[str, list[str]] = {}
    for failure in failed(nodes):
        blamed = {failure.id}
        if failure.kind == TEST:
            blamed = set(failure.parents).difference(*(above.get(parent, ()) for parent in failure.parents))
        for node in nodes:
            if node.kind != TEST and (node.id in blamed or above[node.id] & blamed):
                because.setdefault(node.id, []).append(failure.name)
    return because


# ---------------------------------------------------------------- in the draft of the warehouse


def keep_rows(draft: duckdb.DuckDBPyConnection, nodes: Iterable[Node]) -> tuple[Failure, ...]:
    """Keep the rows that failed tests found, in tables of `SCHEMA`; returns the failures."""
    found = []
    for node in nodes:
        if node.kind != TEST or not node.failures:
            found.append(Failure(node.name, _first_lines(node.message)))
            continue
        table = f'{SCHEMA}."{node.name}"'
        draft.execute(f"create schema if not exists {SCHEMA}")
        draft.execute(f"create or replace table {table} as select * from ({node.sql}\n) limit {KEPT_ROWS}")
        rows = draft.execute(f"from {table} limit {SHOWN_ROWS}")
        names = [column[0] for column in rows.description or []]
        shown = "; ".join(_shown(names, row) for row in rows.fetchall())
        message = f"{node.failures:,} {'row' if node.failures == 1 else 'rows'}: {shown}"
        if node.failures > SHOWN_ROWS:
            message += "; …"
        found.append(Failure(node.name, message, node.failures, f"{SCHEMA}.{node.name}"))
    return tuple(found)


def _shown(names: list[str], row: tuple[Any, ...]) -> str:
    return ", ".join(f"{name}={_cut(str(value))}" for name, value in zip(names, row, strict=True))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def _first_lines(message: str) -> str:
    return " ".join(line.strip() for line in message.strip().splitlines() if line.strip())


def drop(draft: duckdb.DuckDBPyConnection, nodes: Iterable[Node]) -> None:
    """Drop the marts that are held back from a draft."""
    existing = _relations(draft)
    for node in nodes:
        if node.name in existing:
            draft.execute(f'drop {existing[node.name]} main."{node.name}"')


def keep_old(draft: duckdb.DuckDBPyConnection, old: str, nodes: Iterable[Node], with_views: bool) -> set[str]:
    """Copy some marts from the old warehouse, an attached catalog, into the draft; returns the names of those
    that it has.

    with_views
        Whether its views can be read. They become tables, since their sources will change.
    """
    existing = _relations(draft, old)
    kept = set()
    for node in nodes:
        if node.name in existing and (with_views or existing[node.name] == "table"):
            draft.execute(f'create table main."{node.name}" as from {old}.main."{node.name}"')
            kept.add(node.name)
    return kept


def _relations(connection: duckdb.DuckDBPyConnection, catalog: str | None = None) -> dict[str, str]:
    """The tables and views of a catalog's main schema, by name: ``table`` or ``view``."""
    found = connection.execute(
        "select table_name, if(table_type = 'VIEW', 'view', 'table') from information_schema.tables "
        "where table_catalog = coalesce(?, current_database()) and table_schema = 'main'",
        [catalog],
    ).fetchall()
    return dict(found)


def models_of(nodes: list[Node]) -> int:
    """How many models were built."""
    return sum(node.kind not in (SEED, TEST) and node.status in BUILT for node in nodes)
