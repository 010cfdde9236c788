"""The store's tables as SQL: views of their data files, for queries and as the sources of dbt."""

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
from deltalake.exceptions import DeltaError

from cardlog.pipelines.sql import old_events
from cardlog.pipelines.storage.moment import Moment, PinnedStore, pinned
from cardlog.pipelines.storage.moved import seen_since
from cardlog.pipelines.storage.store import PARTITIONED, SCHEMAS, Store, StoreError
from cardlog.schemas.tables import PROJECTIONS

SOURCES: Final = "sources"
"""Catalog of the store's tables, for dbt and the warehouse's views."""
SOURCE_SCHEMA: Final = f"{SOURCES}.store"
NEW_HANDS: Final = f"{SOURCE_SCHEMA}.new_hands"
"""The hands for dbt to add to the marts: hand_id, match_id, source_id."""


def attach_tables(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    schema: str,
    keep: bool = False,
    wanted: Collection[str] = tuple(SCHEMAS),
    named: Callable[[str, str], str] | None = None,
) -> Moment:
    """Make the wanted tables of the store readable under their names in a schema of a connection.

    Tables become views of their data files in one snapshot, which is returned. At a URI the files are read
    through Arrow, which only this connection can do; with `keep`, for a database that others open, those
    tables are copied.

    named
        Maps a data file's name in the store and its path to its name in the connection (default: its path).
    """
    store = pinned(store, wanted)
    connection.execute(f"create schema if not exists {schema}")
    attempts = store.attempts() if _COUNTED & set(wanted) else {}
    for name in wanted:
        paths = store.paths(name)
        remote = f"remote_{schema.replace('.', '_')}_{name}"
        kind = "view"
        if not paths or (name in PROJECTIONS and store.lacks_columns(name)):  # the next build makes its rows
            select = _no_rows(SCHEMAS[name])
        elif name == "events" and store.has_old_rows():
            if store.is_local:
                store.check_files((name, path) for path in paths)
            select = old_events.select(connection, store, paths, _names(store, name, named), remote)
            kind = "table" if keep and not store.is_local else "view"
        elif store.is_local:
            store.check_files((name, path) for path in paths)  # DuckDB would not notice
            select = _from_files(map(_names(store, name, named), paths), name)
        else:
            connection.register(remote, store.dataset(name, paths))
            select = f"select {_columns(name)} from {remote}"
            kind = "table" if keep else "view"
        counting = _counting(name, attempts)
        connection.execute(f"create or replace {kind} {schema}.{name} as select * from ({select}){counting}")
    return store.moment


def _names(store: Store, table: str, named: Callable[[str, str], str] | None) -> Callable[[str], str]:
    """A function that maps the data files of a table to their names in a connection; see `attach_tables`."""

    def name_of(path: str) -> str:
        file = f"{store.uri(table)}/{path}"
        return named(f"{table}/{path}", file) if named else file

    return name_of


_COUNTED: Final = {"quarantine", "ingests"}
"""Tables that also hold rows of failed attempts."""


def _columns(name: str) -> str:
    return ", ".join(_identifier(column) for column in SCHEMAS[name].names)


def _from_files(files: Iterable[str], name: str) -> str:
    files = list(files)
    listed = ", ".join(quoted(literal(file)) for file in files)
    columns, options = _columns(name), ""
    if name in PARTITIONED and files[0].count("/game=") > 1:  # the store's own path contains /game=
        options = ", filename = true"
        columns = columns.replace(_identifier("game"), f"regexp_extract(filename, {_GAME}, 1) as game")
    elif name in PARTITIONED:
        options = ", hive_partitioning = true"
    return f"select {columns} from read_parquet([{listed}]{options})"


def literal(path: str) -> str:
    """A path escaped for DuckDB, which would read `*`, `?` and `[` as a glob."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


_GAME: Final = "'/game=([^/]*)/[^/]*$'"


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


# ---------------------------------------------------------------- the sources of dbt


class NewFiles(PinnedStore):
    """A store whose `events` and projections have only some data files, those with new rows."""

    def __init__(self, store: PinnedStore, files: dict[str, list[str]]) -> None:
        super().__init__(store, store.moment)
        self._new = files

    def paths(self, name: str, version: int | None = None) -> list[str]:
        """The new data files of a table; all of them for tables without hands."""
        if version is None and name in self._new:
            return self._new[name]
        return super().paths(name, version)


HANDS: Final = ("events", *PROJECTIONS)
"""Tables with rows of hands."""


def new_files(
    store: PinnedStore, since: dict[str, int], names: tuple[str, ...]
) -> dict[str, list[str]] | None:
    """The data files with rows that some tables did not have at some versions; None if
    another program has rewritten a table or its log is gone."""
    found = {}
    for name in names:
        version = store.moment.versions[name]
        try:
            seen, left = seen_since(store, name, since[name], version)
        except (DeltaError, StoreError, KeyError):
            return None
        files = set(store.paths(name))
        if not seen <= files:
            return None
        found[name] = sorted((files - seen) | left.keys())
    return found


def write_sources(store: PinnedStore, path: Path) -> None:
    """Make the database of dbt's sources: the tables of the store, and the hands new to the marts, which are
    all hands in those tables."""
    kind = "table" if isinstance(store, NewFiles) else "view"
    with _fresh(path) as connection:
        attach_tables(connection, store, SOURCE_SCHEMA, keep=True)
        _name_new_hands(connection, kind)


def write_empty_sources(path: Path) -> None:
    """Make the database of dbt's sources for a store without hands."""
    with _fresh(path) as connection:
        connection.execute(f"create schema {SOURCE_SCHEMA}")
        for name, schema in SCHEMAS.items():
            connection.execute(f"create view {SOURCE_SCHEMA}.{name} as {_no_rows(schema)}")
        _name_new_hands(connection, "view")


def _name_new_hands(connection: duckdb.DuckDBPyConnection, kind: str) -> None:
    hands = f"select hand_id, match_id, source_id from {SOURCE_SCHEMA}.playedhand"
    connection.execute(f"create {kind} {NEW_HANDS} as {hands}")


def _fresh(path: Path) -> duckdb.DuckDBPyConnection:
    path.unlink(missing_ok=True)
    connection = duckdb.connect()
    connection.execute(f"attach {quoted(str(path))} as {SOURCES}")
    return connection
