"""What `show tables` and `describe` say: tables and marts with a line on each, first what most questions
need, last the rules of games; and columns with what they mean."""

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
_DESCRIBE: Final = re.compile(r"\s*desc(ribe)?\s+(?P<table>(\w+\.){0,2}\w+)\s*;?\s*", re.IGNORECASE)
_COMMENTS: Final = """
    select view_name, comment from duckdb_views() where comment is not null
    union all
    select table_name, comment from duckdb_tables() where comment is not null
"""
_COLUMN_COMMENTS: Final = """
    select column_name, comment from duckdb_columns() where lower(table_name) = ? and comment is not null
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
    """A query that answers ``show tables`` or ``describe TABLE`` with a description of each table or column;
    None for any other text, and for a table that does not exist."""
    if _SHOW_TABLES.fullmatch(sql):
        return _of_rows(("name", "description"), descriptions(connection).items())
    described = _DESCRIBE.fullmatch(sql)
    return _columns(connection, described["table"]) if described else None


def descriptions(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """A line on each table and mart that can be asked, in order."""
    names = in_order(name for (name,) in connection.execute("show tables").fetchall())
    texts = dict(connection.execute(_COMMENTS).fetchall())
    texts |= {name: text for name, (_, text) in TABLES.items()}
    return {name: _first_clause(texts.get(name, "")) for name in names}


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> str | None:
    """A query for the columns of a table, their types and what they mean."""
    try:
        found = connection.execute(f"describe {table}").fetchall()
    except duckdb.Error:
        return None
    name = table.rpartition(".")[2].lower()
    texts = dict(connection.execute(_COLUMN_COMMENTS, [name]).fetchall())
    if name in TABLES:
        texts |= {field.name: field.metadata[b"doc"].decode() for field in TABLES[name][0]}
    rows = [(column, kind, " ".join(texts.get(column, "").split())) for column, kind, *_ in found]
    return _of_rows(("column_name", "column_type", "description"), rows)


def _first_clause(description: str) -> str:
    """A description up to its first colon, semicolon or full stop."""
    return re.split(r"[:;.](?:\s|$)", " ".join(description.split()))[0]


def _of_rows(names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A query for rows of texts."""
    values = ", ".join(f"({', '.join(map(quoted, row))})" for row in rows)
    return f"select * from (values {values}) as listed ({', '.join(names)})"
