"""The store's tables as SQL: views of their data files, for queries and as the sources of dbt."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final

import duckdb
import pyarrow as pa

from cardlog.pipelines.sql import quarantined
from cardlog.pipelines.storage.moment import Moment, PinnedStore, pinned
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
    schema: str,
    wanted: Collection[str] = (*SCHEMAS, quarantined.NAME),
    named: Callable[[str, str], str] | None = None,
) -> Moment:
    """Make the wanted tables of the store readable under their names in a schema of a connection.

    Tables become views of their data files in one snapshot, which is returned. At a URI the files are read
    through Arrow, which only this connection can do.

    named
        Maps a data file's name in the store and its path to its name in the connection (default: its path).
    """
    read = quarantined.READS if quarantined.NAME in wanted else ()
    tables = [name for name in SCHEMAS if name in {*wanted, *read}]
    store = pinned(store, tables)
    connection.execute(f"create schema if not exists {schema}")
    attempts = _attempts(store, tables)
    for name in tables:
        paths = _readable(store, name)
        files = [f"{store.uri(name)}/{path}" for path in paths]
        if not paths:
            select = _no_rows(SCHEMAS[name])
        elif store.is_local:
            if named:
                files = [named(f"{name}/{path}", file) for path, file in zip(paths, files, strict=True)]
            select = _rows(f"[{', '.join(quoted(literal(file)) for file in files)}]", name, store.root)
        else:
            remote = f"remote_{schema.replace('.', '_')}_{name}"
            connection.register(remote, store.dataset(name, paths))
            select = f"select {_columns(name)} from {remote}"
        counting = _counting(name, attempts)
        connection.execute(f"create or replace view {schema}.{name} as from ({select}){counting}")
    if read:
        _name_quarantined(connection, schema)
    return store.moment


def write_store_views(
    connection: duckdb.DuckDBPyConnection, store: PinnedStore, tested: int, held: Mapping[str, PinnedStore]
) -> None:
    """Make the store's tables readable in the schema `STORE` of a warehouse.

    A view names its files below the value of the variable `store`, or below where the store is now if that is
    not set. At a URI, which DuckDB can't read, the rows are copied.

    tested
        The row of `TESTED`.
    held
        Games whose rows are those of an earlier moment, or none if that is of no build.
    """
    connection.execute(f"create schema if not exists {STORE}")
    attempts = _attempts(store, SCHEMAS)
    root = f"coalesce(nullif(getvariable('{STORE}'), ''), {quoted(literal(store.root))})"
    for name in SCHEMAS:
        paths = [
            path for path in _readable(store, name) if not (name in PARTITIONED and game_of(path) in held)
        ]
        if name in PARTITIONED:
            for game, then in held.items():
                paths += [path for path in _readable(then, name) if game_of(path) == game]
        kind, select = "view", _no_rows(SCHEMAS[name])
        if paths and store.is_local:
            listed = ", ".join(quoted(literal(f"/{name}/{path}")) for path in paths)
            files = f"list_transform([{listed}], lambda file: {root} || file)"
            select = _rows(files, name, store.root)
        elif paths:
            connection.register("remote", store.dataset(name, paths))
            kind, select = "table", f"select {_columns(name)} from remote"
        counting = _counting(name, attempts)
        connection.execute(f"drop {_kind_of(connection, name)} if exists {STORE}.{name}")
        connection.execute(f"create {kind} {STORE}.{name} as from ({select}){counting}")
    _name_quarantined(connection, STORE)
    connection.execute(f"create or replace view {TESTED} as select {tested}::bigint as ingest_no")


def write_empty_views(connection: duckdb.DuckDBPyConnection) -> None:
    """The same for a store without hands."""
    connection.execute(f"create schema {STORE}")
    for name, schema in SCHEMAS.items():
        connection.execute(f"create view {STORE}.{name} as {_no_rows(schema)}")
    _name_quarantined(connection, STORE)
    connection.execute(f"create view {TESTED} as select -1::bigint as ingest_no")


def _name_quarantined(connection: duckdb.DuckDBPyConnection, schema: str) -> None:
    """Make the hands in quarantine readable in a schema that has what they are read from."""
    select = quarantined.select(schema, _columns("quarantine"))
    connection.execute(f"create or replace view {schema}.{quarantined.NAME} as {select}")
    connection.execute(f"comment on view {schema}.{quarantined.NAME} is {quoted(quarantined.MEANING)}")


def _kind_of(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    found = connection.execute(
        "select 1 from duckdb_tables() where schema_name = ? and table_name = ?", [STORE, name]
    ).fetchall()
    return "table" if found else "view"


def _readable(store: PinnedStore, name: str) -> list[str]:
    """The data files of a table, which are checked, since DuckDB would not notice damage. None if the next
    build makes the rows anew."""
    if name in PROJECTIONS and store.lacks_columns(name):
        return []
    paths = store.paths(name)
    store.check_files((name, path) for path in paths)
    return paths


_COUNTED: Final = {"quarantine", "ingests"}
"""Tables that also hold rows of failed attempts."""


def _attempts(store: Store, wanted: Collection[str]) -> dict[str, int]:
    return store.attempts() if _COUNTED & set(wanted) else {}


def _columns(name: str) -> str:
    return ", ".join(_identifier(column) for column in SCHEMAS[name].names)


def _rows(files: str, name: str, root: str) -> str:
    """A query for the rows of data files of a table, which are listed in SQL."""
    columns, options = _columns(name), ""
    if name in PARTITIONED and "/game=" in root:
        options = ", filename = true"
        columns = columns.replace(_identifier("game"), f"regexp_extract(filename, {_GAME}, 1) as game")
    elif name in PARTITIONED:
        options = ", hive_partitioning = true"
    return f"select {columns} from read_parquet({files}{options})"


_GAME: Final = "'/game=([^/]*)/[^/]*$'"


def literal(path: str) -> str:
    """A path escaped for DuckDB, which would read `*`, `?` and `[` as a glob."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


def _no_rows(schema: pa.Schema) -> str:
    columns = (f"cast(null as {_sql_type(field.type)}) as {_identifier(field.name)}" for field in schema)
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


def _sql_type(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        return "varchar"
    if pa.types.is_list(kind):
        return _sql_type(kind.value_type) + "[]"
    names = {
        pa.string(): "varchar",
        pa.bool_(): "boolean",
        pa.int8(): "tinyint",
        pa.int16(): "smallint",
        pa.int32(): "integer",
        pa.int64(): "bigint",
        pa.float32(): "float",
        pa.timestamp("us", "UTC"): "timestamptz",
    }
    return names[kind]
