"""The store's tables as SQL: views of their data files, for queries and as the sources of dbt."""

import re
from collections.abc import Collection, Mapping
from typing import Final

import duckdb
import pyarrow as pa

from cardlog.pipelines.sql import quarantined
from cardlog.pipelines.storage.errors import Damaged, first_line, mend_file
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.resolutions import resolutions
from cardlog.pipelines.storage.store import PARTITIONED, RECORDS, SCHEMAS, Store, game_of

STORE: Final = "store"
"""The warehouse's schema with the store's tables; also the DuckDB variable with the store's location, for the
warehouse of a store that was moved."""
ALL: Final = (*SCHEMAS, quarantined.NAME)
"""The tables that can be read."""
_HAVE_ATTEMPTS: Final = {"quarantine", "ingests"}
"""Tables that also hold rows of failed attempts."""
_GAME: Final = "'/game=([^/]*)/[^/]*$'"


def attach_tables(
    connection: duckdb.DuckDBPyConnection,
    store: Store | None,
    schema: str = "main",
    wanted: Collection[str] = ALL,
    held: Mapping[str, PinnedStore] = {},
) -> None:
    """Create views of the data files of tables in a schema, from one snapshot of the store; without a store
    they are empty. Files at a URI are read through Arrow, which only this connection can do: in a schema
    that is stored, the rows are copied.

    held
        The snapshot to read for some games instead.
    """
    wanted = {*wanted, *quarantined.READS} if quarantined.NAME in wanted else set(wanted)
    store = pinned(store, wanted) if store else None
    attempts = store.attempts() if store and _HAVE_ATTEMPTS & wanted else {}
    for name in SCHEMAS:
        if name not in wanted:
            continue
        paths = _paths(store, name, held) if store else []
        kind = "table" if store and paths and not store.is_local and schema != "main" else "view"
        try:
            select = _select(connection, store, name, paths, attempts)
            connection.execute(f"create {kind} {schema}.{name} as {select}")
        except duckdb.Error as error:  # DuckDB looks into the first file
            message = f"the data files of {store and store.uri(name)} can't be read: {first_line(error)}"
            raise Damaged(message, mend_file(name)) from error
    if quarantined.NAME in wanted:
        resolved = resolutions(store) if store and schema == "main" else ()  # marts don't change with them
        select = quarantined.select(schema, _columns("quarantine"), resolved)
        connection.execute(f"create view {schema}.{quarantined.NAME} as {select}")
        connection.execute(f"comment on view {schema}.{quarantined.NAME} is {quoted(quarantined.MEANING)}")


def _paths(store: PinnedStore, name: str, held: Mapping[str, PinnedStore]) -> list[str]:
    """The data files of a table; none if the next build will replace all rows."""
    if name not in RECORDS and store.lacks_columns(name):
        return []
    if name not in PARTITIONED:
        return store.paths(name)
    paths = [path for path in store.paths(name) if game_of(path) not in held]
    for game, earlier in held.items():
        paths += [path for path in _paths(earlier, name, {}) if game_of(path) == game]
    return paths


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
        return f"select {columns} from remote_{name}{_where(name, attempts)}"
    if name in PARTITIONED and "/game=" in store.root:
        options = ", filename = true"
        columns = columns.replace(_identifier("game"), f"regexp_extract(filename, {_GAME}, 1) as game")
    elif name in PARTITIONED:
        options = ", hive_partitioning = true"
    names = ", ".join(quoted(literal(f"/{name}/{path}")) for path in paths)
    root = f"coalesce(nullif(getvariable('{STORE}'), ''), {quoted(literal(store.root))})"
    files = f"list_transform([{names}], lambda file: {root} || file)"
    return f"select {columns} from read_parquet({files}{options}){_where(name, attempts)}"


def literal(path: str) -> str:
    """A path escaped for DuckDB, which would read `*`, `?` and `[` as a glob."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


def _no_rows(connection: duckdb.DuckDBPyConnection, schema: pa.Schema) -> str:
    types = connection.from_arrow(schema.empty_table()).types
    columns = zip(schema.names, types, strict=True)
    nulls = ", ".join(f"cast(null as {kind}) as {_identifier(name)}" for name, kind in columns)
    return f"select {nulls} where false"


def _where(name: str, attempts: dict[str, int]) -> str:
    """The condition that selects the rows of committed attempts."""
    if name not in _HAVE_ATTEMPTS:
        return ""
    valid = ", ".join(f"({quoted(ingest)}, {attempt})" for ingest, attempt in attempts.items())
    return f" where (ingest_id, attempt) in ({valid})" if valid else " where false"


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return f'"{name}"'
