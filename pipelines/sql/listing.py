"""`show tables` and `describe` with the meaning of each table and column."""

import re
from collections.abc import Iterable
from typing import Final

import duckdb

from cardlog.pipelines.sql.tables import quoted
from cardlog.schemas.docs import TABLES

FIRST: Final = ("hands", "seats", "plays", "bids", "matches", "players")
"""The marts that most queries need."""
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


def listing(connection: duckdb.DuckDBPyConnection, sql: str) -> str | None:
    """A query to run instead of ``show tables`` or ``describe TABLE``, with a description of each table or
    column; None for any other text, and for a table that does not exist."""
    if _SHOW_TABLES.fullmatch(sql):
        return _select_values(("name", "description"), descriptions(connection).items())
    match = _DESCRIBE.fullmatch(sql)
    return _columns(connection, match["table"]) if match else None


def descriptions(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """One line on each table and mart: those in `FIRST`, then all others by name."""
    texts = {name: text for name, (_, text) in TABLES.items()}
    texts |= dict(connection.execute(_COMMENTS).fetchall())
    names = [name for (name,) in connection.execute("show tables").fetchall()]
    ordered = [name for name in FIRST if name in names] + sorted(set(names) - set(FIRST))
    return {name: re.split(r"[:;.](?:\s|$)", _line(texts.get(name)))[0] for name in ordered}


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> str | None:
    """A query for the columns of a table, their types and their meaning."""
    try:
        columns = connection.execute(f"describe {table}").fetchall()
    except duckdb.Error:
        return None
    name = table.rpartition(".")[2].lower()
    texts = {field.name: field.metadata[b"doc"].decode() for field in TABLES.get(name, ((), ""))[0]}
    texts |= dict(connection.execute(_COLUMN_COMMENTS, [name]).fetchall())
    rows = [(column, kind, _line(texts.get(column))) for column, kind, *_ in columns]
    return _select_values(("column_name", "column_type", "description"), rows)


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def _select_values(names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A query that returns these rows."""
    values = ", ".join(f"({', '.join(map(quoted, row))})" for row in rows)
    return f"select * from (values {values}) as listed ({', '.join(names)})"
