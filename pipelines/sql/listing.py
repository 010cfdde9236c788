"""The order in which tables and marts are listed: first what most questions need, last the rules of games."""

import re
from collections.abc import Iterable
from typing import Final

import duckdb

from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.sql.tables import quoted
from cardlog.pipelines.storage.store import SCHEMAS

FIRST: Final = ("hands", "seats", "plays", "bids", "matches", "players")
_SHOW_TABLES: Final = re.compile(r"\s*show\s+tables\s*;?\s*", re.IGNORECASE)


def in_order(names: Iterable[str]) -> list[str]:
    """Marts of every game, the other marts, the store's tables, and tables of rules."""
    seeds = {path.stem for path in (warehouse.DBT_PROJECT / "seeds").glob("*.csv")}

    def position(name: str) -> tuple[int, int, str]:
        if name in FIRST:
            return 0, FIRST.index(name), name
        return (3 if name in seeds else 2 if name in SCHEMAS else 1), 0, name

    return sorted(names, key=position)


def listing(connection: duckdb.DuckDBPyConnection, sql: str) -> str | None:
    """A query that gives in this order what ``show tables`` gives; None for any other text."""
    if not _SHOW_TABLES.fullmatch(sql):
        return None
    names = in_order(name for (name,) in connection.execute("show tables").fetchall())
    return f"select unnest([{', '.join(map(quoted, names))}]::varchar[]) as name"
