"""Ask the store in SQL, reading only: nothing is written, no setting changed, no other file read."""

import csv
import datetime
import decimal
import json
import math
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines import warehouse
from pipelines.store import SCHEMAS, Store

BATCH_ROWS: Final = 50_000
OUTPUTS: Final = ("table", "csv", "json", "parquet")
MARTS: Final = "marts"
"""Name under which the warehouse is attached."""


class QueryError(Exception):
    """A query that is refused or fails; the text is for the user."""


def connect(store: Store, wanted: Collection[str] | None = None) -> duckdb.DuckDBPyConnection:
    """A connection that can read the store's tables and marts and do nothing else.

    wanted
        Names of tables and marts to make readable; all of them when left out. Each takes some
        milliseconds.

    Raises StoreError if there is no store, QueryError if the warehouse is damaged.
    """
    connection = duckdb.connect(
        config={"python_enable_replacements": False, "autoinstall_known_extensions": False}
    )
    tables = [name for name in SCHEMAS if wanted is None or name in wanted]
    warehouse.attach_tables(connection, store, "main", wanted=tables)
    connection.execute("set timezone = 'UTC'")
    marts = warehouse.path_of(store)
    if marts.exists() and (wanted is None or set(wanted) - set(tables)):
        _attach_marts(connection, marts, wanted)
    connection.execute(
        "set allowed_directories = ?",
        [[store.root, warehouse.literal(store.root)]] if store.is_local else [[]],
    )
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def _attach_marts(connection: duckdb.DuckDBPyConnection, marts: Path, wanted: Collection[str] | None) -> None:
    """Make the wanted marts readable under their own names."""
    try:
        connection.execute(f"attach '{str(marts).replace(chr(39), chr(39) * 2)}' as {MARTS} (read_only)")
    except duckdb.Error as error:
        raise QueryError(f"{marts} can't be read; 'cardlog rebuild' makes it again: {error}") from error
    found = connection.execute(
        "select table_name from information_schema.tables where table_catalog = ? and table_schema = 'main'",
        [MARTS],
    ).fetchall()
    for (name,) in found:
        if wanted is None or name in wanted:
            connection.execute(f'create view main."{name}" as select * from {MARTS}.main."{name}"')


def ask(store: Store, sql: str) -> duckdb.DuckDBPyConnection:
    """Run one query over a connection of its own. Raises StoreError; QueryError as `run` does."""
    wanted = _named_in(sql)
    if wanted:
        try:
            return run(connect(store, wanted), sql)
        except QueryError as error:
            if not isinstance(error.__cause__, duckdb.CatalogException):
                raise
    return run(connect(store), sql)


def _named_in(sql: str) -> set[str]:
    """The tables and marts that a query may be about; none if it may be about any of them."""
    words = set(re.findall(r"\w+", sql.lower()))
    if words & _ABOUT_ALL or any(word.startswith(_CATALOG) for word in words):
        return set()
    marts = {path.stem for path in (warehouse.DBT_PROJECT / "models" / "marts").glob("*.sql")}
    return words & (marts | set(SCHEMAS))


_ABOUT_ALL: Final = {"show", "information_schema", "query_table", MARTS}
_CATALOG: Final = ("duckdb_", "pragma_", "pg_", "sqlite_")
"""Words and beginnings of words of queries that ask what there is."""


def run(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyConnection:
    """Run one query. Raises QueryError if it is not one, or fails."""
    try:
        _check(connection, sql)
        return connection.execute(sql)
    except duckdb.Error as error:
        raise QueryError(str(error)) from error


def _check(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise QueryError(f"give one query; this is {len(statements)}")
    kind = _kind_of(statements[0])
    if kind == "explain":
        # What is explained must itself be a query: "explain analyze" carries it out.
        explained = _EXPLAIN.match(sql)
        if explained is None:
            raise QueryError("write explain, or explain analyze, and a blank before the query")
        _check(connection, sql[explained.end() :])
    elif kind != "select":
        raise QueryError(f"only queries are allowed (select, describe, explain …); this is: {kind}")


_EXPLAIN: Final = re.compile(r"\s*explain\s+(analyze\s+)?", re.IGNORECASE)


def _kind_of(statement: duckdb.Statement) -> str:
    """What a statement does, in a word."""
    try:
        return str(statement.type).rpartition(".")[2].lower()
    except ValueError:
        return "no query"  # one whose number DuckDB's Python package has no name for


def write_csv(result: duckdb.DuckDBPyConnection, out: IO[str]) -> None:
    """The rows as CSV with a header; NULL is empty."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_names(result))
    for rows in _batches(result):
        writer.writerows([_cell(value) for value in row] for row in rows)


def write_json(result: duckdb.DuckDBPyConnection, out: IO[str]) -> None:
    """The rows as one array of objects. Raises QueryError if two columns have the same name."""
    names = _distinct(_names(result))
    before = "["
    for rows in _batches(result):
        for row in rows:
            text = json.dumps(dict(zip(names, map(_plain, row), strict=True)), ensure_ascii=False)
            out.write(f"{before}\n{text}")
            before = ","
    out.write("\n]\n" if before == "," else "[]\n")


def write_parquet(connection: duckdb.DuckDBPyConnection, sql: str, path: Path) -> None:
    """The rows of a query as a Parquet file. Raises QueryError."""
    try:
        _check(connection, sql)
        reader = connection.sql(sql).to_arrow_reader(BATCH_ROWS)
        _distinct(reader.schema.names)
        with pq.ParquetWriter(path, reader.schema, compression="zstd") as writer:
            for batch in reader:
                writer.write_table(pa.Table.from_batches([batch]))
    except (duckdb.Error, pa.ArrowException) as error:
        raise QueryError(str(error)) from error
    except OSError as error:
        if error.errno is not None:
            raise  # of the disk; Arrow's reader makes one of DuckDB's errors too
        raise QueryError(str(error)) from error


def rows(result: duckdb.DuckDBPyConnection, limit: int) -> tuple[list[str], list[list[str]], bool]:
    """Column names, the first rows as texts, and whether there are more."""
    found = result.fetchmany(limit + 1)
    return _names(result), [[_shown(value) for value in row] for row in found[:limit]], len(found) > limit


def _names(result: duckdb.DuckDBPyConnection) -> list[str]:
    return [column[0] for column in result.description or []]


def _distinct(names: list[str]) -> list[str]:
    """The names, if none comes twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise QueryError(f"two columns are named {twice[0]}; name one of them with 'as'")
    return names


def _batches(result: duckdb.DuckDBPyConnection) -> Iterator[list[Any]]:
    while found := result.fetchmany(BATCH_ROWS):
        yield found


def _plain(value: Any) -> Any:
    """A value as JSON has it: times as ISO 8601, NaN as null, a decimal as a number, or as text if a
    reader of JSON would not see all its digits."""
    if isinstance(value, decimal.Decimal):
        if value == value.to_integral_value():
            return int(value)
        return float(value) if decimal.Decimal(repr(float(value))) == value else str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _cell(value: Any) -> Any:
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, (dict, list)) else value


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.1f}"
    return str(_cell(value))
