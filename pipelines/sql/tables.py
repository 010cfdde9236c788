"""The store's tables as SQL: views of their data files, for queries and as the sources of dbt."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final

import duckdb
import pyarrow as pa

from cardlog.pipelines.sql import quarantined
from cardlog.pipelines.storage.errors import Damaged, first_line, mend_file
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.store import PARTITIONED, SCHEMAS, Store, game_of
from cardlog.schemas.tables import PROJECTIONS

STORE: Final = "store"
"""Schema of the warehouse with the store's tables; and the DuckDB variable that says where the store is, for
those who open the warehouse of a store that was moved."""
TESTED: Final = f"{STORE}.tested"
"""View with one row, the highest `ingest_no` whose hands an earlier build has tested."""


def attach_tables(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    wanted: Collection[str],
    named: Callable[[str, str], str],
) -> None:
    """Make the wanted tables of the store readable under their names, as views of their data files in one
    snapshot. At a URI the files are read through Arrow, which only this connection can do.

    named
        Maps a data file's name in the store and its path to its name in the connection.
    """
    read = quarantined.READS if quarantined.NAME in wanted else ()
    tables = [name for name in SCHEMAS if name in {*wanted, *read}]
    store = pinned(store, tables)
    attempts = store.attempts() if _COUNTED & set(tables) else {}
    for name in tables:
        paths = _readable(store, name)
        files = [quoted(literal(named(f"{name}/{path}", f"{store.uri(name)}/{path}"))) for path in paths]
        try:
            select = _select(connection, store, name, paths, f"[{', '.join(files)}]", attempts)
            connection.execute(f"create view main.{name} as {select}")
        except duckdb.Error as error:  # DuckDB looks into the first file
            why = f"the data files of {store.uri(name)} can't be read: {first_line(error)}"
            raise Damaged(f"{why}; {mend_file(name)}") from error
    if read:
        _name_quarantined(connection, "main")


def write_store_views(
    connection: duckdb.DuckDBPyConnection,
    store: PinnedStore | None,
    tested: int,
    held: Mapping[str, PinnedStore],
) -> None:
    """Make the store's tables readable in the schema `STORE` of a warehouse; if there is no store, tables
    without rows.

    A view names its files below the value of the variable `store`, or below where the store is now if that is
    not set. At a URI, which DuckDB can't read, the rows are copied.

    tested
        The row of `TESTED`.
    held
        Games whose rows are those of an earlier moment, or none if that is of no build.
    """
    connection.execute(f"drop schema if exists {STORE} cascade; create schema {STORE}")
    attempts = store.attempts() if store else {}
    for name in SCHEMAS:
        paths = [] if store is None else _paths(store, name, held)
        listed = ", ".join(quoted(literal(f"/{name}/{path}")) for path in paths)
        root = quoted(literal(store.root if store else ""))
        files = (
            f"list_transform([{listed}], "
            f"lambda file: coalesce(nullif(getvariable('{STORE}'), ''), {root}) || file)"
        )
        select = _select(connection, store, name, paths, files, attempts)
        kind = "view" if store is None or store.is_local or not paths else "table"
        connection.execute(f"create {kind} {STORE}.{name} as {select}")
    _name_quarantined(connection, STORE)
    connection.execute(f"create view {TESTED} as select {tested}::bigint as ingest_no")


def _paths(store: PinnedStore, name: str, held: Mapping[str, PinnedStore]) -> list[str]:
    """The data files of a table, of games that are held back those of their earlier moment."""
    if name not in PARTITIONED:
        return _readable(store, name)
    paths = [path for path in _readable(store, name) if game_of(path) not in held]
    for game, then in held.items():
        paths += [path for path in _readable(then, name) if game_of(path) == game]
    return paths


def _name_quarantined(connection: duckdb.DuckDBPyConnection, schema: str) -> None:
    """Make the hands in quarantine readable in a schema that has what they are read from."""
    select = quarantined.select(schema, _columns("quarantine"))
    connection.execute(f"create or replace view {schema}.{quarantined.NAME} as {select}")
    connection.execute(f"comment on view {schema}.{quarantined.NAME} is {quoted(quarantined.MEANING)}")


def _readable(store: PinnedStore, name: str) -> list[str]:
    """The data files of a table. None if the next build makes the rows anew."""
    if name in PROJECTIONS and store.lacks_columns(name):
        return []
    return store.paths(name)


_COUNTED: Final = {"quarantine", "ingests"}
"""Tables that also hold rows of failed attempts."""


def _columns(name: str) -> str:
    return ", ".join(_identifier(column) for column in SCHEMAS[name].names)


def _select(
    connection: duckdb.DuckDBPyConnection,
    store: Store | None,
    name: str,
    paths: list[str],
    files: str,
    attempts: dict[str, int],
) -> str:
    """A query for the committed rows of some data files of a table.

    files
        A list of them in SQL.
    """
    columns, options = _columns(name), ""
    if store is None or not paths:
        return _no_rows(connection, SCHEMAS[name])
    if not store.is_local:
        connection.register(f"remote_{name}", store.dataset(name, paths))
        return f"select {columns} from remote_{name}{_counting(name, attempts)}"
    if name in PARTITIONED and "/game=" in store.root:
        options = ", filename = true"
        columns = columns.replace(_identifier("game"), f"regexp_extract(filename, {_GAME}, 1) as game")
    elif name in PARTITIONED:
        options = ", hive_partitioning = true"
    return f"select {columns} from read_parquet({files}{options}){_counting(name, attempts)}"


_GAME: Final = "'/game=([^/]*)/[^/]*$'"


def literal(path: str) -> str:
    """A path escaped for DuckDB, which would read `*`, `?` and `[` as a glob."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


def _no_rows(connection: duckdb.DuckDBPyConnection, schema: pa.Schema) -> str:
    empty = connection.from_arrow(schema.empty_table())
    named = zip(schema.names, empty.types, strict=True)
    columns = (f"cast(null as {kind}) as {_identifier(name)}" for name, kind in named)
    return f"select {', '.join(columns)} where false"


def _counting(name: str, attempts: dict[str, int]) -> str:
    """The condition that selects the rows of committed attempts."""
    if name not in _COUNTED:
        return ""
    valid = ", ".join(f"({quoted(ingest)}, {attempt})" for ingest, attempt in attempts.items())
    return f" where (ingest_id, attempt) in ({valid})" if valid else " where false"


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return f'"{name}"'
