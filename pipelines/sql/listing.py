"""What `show tables` says: the tables and marts with a line on each, first what most questions need, last the
rules of games."""

import re
from collections.abc import Iterable
from typing import Final

import duckdb

from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.sql.tables import quoted
from cardlog.pipelines.storage.store import SCHEMAS
from cardlog.schemas.docs import TABLES

FIRST: Final = ("hands", "seats", "plays", "bids", "matches", "players")
_SHOW_TABLES: Final = re.compile(r"\s*show\s+tables\s*;?\s*", re.IGNORECASE)
_COMMENTS: Final = """
    select view_name, comment from duckdb_views() where comment is not null
    union all
    select table_name, comment from duckdb_tables() where comment is not null
"""


def in_order(names: Iterable[str]) -> list[str]:
    """Marts of every game, the other marts, the store's tables, and tables of rules."""
    seeds = {path.stem for path in (warehouse.DBT_PROJECT / "seeds").glob("*.csv")}

    def position(name: str) -> tuple[int, int, str]:
        if name in FIRST:
            return 0, FIRST.index(name), name
        return (3 if name in seeds else 2 if name in SCHEMAS else 1), 0, name

    return sorted(names, key=position)


def listing(connection: duckdb.DuckDBPyConnection, sql: str) -> str | None:
    """A query for `name` and `description` of what ``show tables`` gives; None for any other text."""
    if not _SHOW_TABLES.fullmatch(sql):
        return None
    names = in_order(name for (name,) in connection.execute("show tables").fetchall())
    described = dict(connection.execute(_COMMENTS).fetchall())
    described |= {name: text for name, (_, text) in TABLES.items()}
    rows = ", ".join(f"({quoted(name)}, {quoted(_first_clause(described.get(name, '')))})" for name in names)
    return f"select * from (values {rows}) as listed (name, description)"


def _first_clause(description: str) -> str:
    """A description up to its first colon, semicolon or full stop."""
    return re.split(r"[:;.](?:\s|$)", " ".join(description.split()))[0]
