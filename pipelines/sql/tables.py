"""The store's tables as SQL: views of their data files, for queries and as the sources of dbt."""

import re
from collections.abc import Collection, Mapping
from typing import Final

import duckdb
import pyarrow as pa

from cardlog.pipelines.sql import quarantined
from cardlog.pipelines.storage.errors import Damaged, first_line, mend_file
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.store import PARTITIONED, RECORDS, SCHEMAS, Store, game_of

STORE: Final = "store"
"""Schema of the warehouse with the store's tables; and the DuckDB variable that says where the store is, for
those who open the warehouse of a store that was moved."""

ALL: Final = (*SCHEMAS, quarantined.NAME)
"""What can be read of a store."""


def attach_tables(
    connection: duckdb.DuckDBPyConnection,
    store: Store | None,
    schema: str = "main",
    wanted: Collection[str] = ALL,
    held: Mapping[str, PinnedStore] = {},
) -> None:
    """Make tables of one snapshot of the store readable in a schema, as views of their data files; without a
    store they have no rows. At a URI files are read through Arrow, which only this connection can do: in a
    schema that stays, the rows are copied.

    held
        Games whose rows are those of an earlier moment.
    """
    wanted = {*wanted, *quarantined.READS} if quarantined.NAME in wanted else set(wanted)
    store = pinned(store, wanted) if store else None
    attempts = store.attempts() if store and _COUNTED & wanted else {}
    for name in SCHEMAS:
        if name not in wanted:
            continue
        paths = _paths(store, name, held) if store else []
        kind = "table" if store and paths and not store.is_local and schema != "main" else "view"
        try:
            select = _select(connection, store, name, paths, attempts)
            connection.execute(f"create {kind} {schema}.{name} as {select}")
        except duckdb.Error as error:  # DuckDB looks into the first file
            why = f"the data files of {store and store.uri(name)} can't be read: {first_line(error)}"
            raise Damaged(f"{why}; {mend_file(name)}") from error
    if quarantined.NAME in wanted:
        select = quarantined.select(schema, _columns("quarantine"))
        connection.execute(f"create view {schema}.{quarantined.NAME} as {select}")
        connection.execute(f"comment on view {schema}.{quarantined.NAME} is {quoted(quarantined.MEANING)}")


def _paths(store: PinnedStore, name: str, held: Mapping[str, PinnedStore]) -> list[str]:
    """The data files of a table; none if the next build makes the rows anew."""
    if name not in RECORDS and store.lacks_columns(name):
        return []
    if name not in PARTITIONED:
        return store.paths(name)
    paths = [path for path in store.paths(name) if game_of(path) not in held]
    for game, then in held.items():
        paths += [path for path in _paths(then, name, {}) if game_of(path) == game]
    return paths


_COUNTED: Final = {"quarantine", "ingests"}
"""Tables that also hold rows of failed attempts."""


def _columns(name: str) -> str:
    return ", ".join(_identifier(column) for column in SCHEMAS[name].names)


def _select(
    connection: duckdb.DuckDBPyConnection,
    store: Store | None,
    name: str,
    paths: list[str],
    attempts: dict[str, int],
) -> str:
    """A query for the committed rows of some data files of a table."""
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
    listed = ", ".join(quoted(literal(f"/{name}/{path}")) for path in paths)
    root = f"coalesce(nullif(getvariable('{STORE}'), ''), {quoted(literal(store.root))})"
    files = f"list_transform([{listed}], lambda file: {root} || file)"
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
