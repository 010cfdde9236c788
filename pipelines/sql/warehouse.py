"""The warehouse: a DuckDB file with what dbt makes of the store. It is disposable.

dbt writes a new file, which takes the old one's place when it is done; so a reader sees the old
marts or the new ones, and a build that is cut leaves the old ones.

The file says nothing of where the store is. Its tables are rows; its views read the catalog `sources`, which
is made anew for every connection: the store's tables, where they are now, at the versions that the marts
were made from. So a store can be moved, and the file alone reads no other file.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa
from deltalake.exceptions import DeltaError

from cardlog.pipelines import leftovers
from cardlog.pipelines.sql import dbt_manifest, dbt_run, held_back, old_events
from cardlog.pipelines.sql.dbt_run import DbtError as DbtError
from cardlog.pipelines.sql.dbt_run import Node
from cardlog.pipelines.sql.held_back import HeldBack, Outcome, Stale
from cardlog.pipelines.storage.moment import Moment, PinnedStore, pinned, take
from cardlog.pipelines.storage.store import PARTITIONED, SCHEMAS, Store, StoreError
from cardlog.pipelines.version import VERSION
from cardlog.schemas.events import SCHEMA_VERSION
from cardlog.schemas.tables import PROJECTIONS

FILE: Final = "warehouse.duckdb"
DBT_PROJECT: Final = Path(__file__).resolve().parents[2] / "dbt_project"
SOURCES: Final = "sources"
"""Catalog in which dbt and the views of the warehouse find the tables of the store."""
SOURCE_SCHEMA: Final = f"{SOURCES}.store"
NOTE: Final = "cardlog.made_from"
"""Table of the warehouse with one row, what `warehouse.json` says. A reader of the file believes it alone,
since the two files can't be replaced in one step."""


def path_of(store: Store) -> Path:
    """Where a store's warehouse is: beside its tables, or in the working directory if they are
    behind a URI."""
    return Path(store.root) / FILE if store.is_local else Path(FILE).resolve()


# ---------------------------------------------------------------- the store's tables as SQL


def attach_tables(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    schema: str,
    keep: bool = False,
    wanted: Collection[str] = tuple(SCHEMAS),
    named: Callable[[str, str], str] | None = None,
) -> Moment:
    """Make the wanted tables of the store readable under their names in a schema of a connection.

    Tables become views of their data files as they are at one moment, which is returned. Behind a URI
    the files are read through Arrow, which only this connection can do; with `keep`, for a database
    that others open, those tables are copied.

    named
        Tells what the connection calls a data file, given its name in the store and its path; it
        calls it by its path if left out.
    """
    store = pinned(store, wanted)
    connection.execute(f"create schema if not exists {schema}")
    attempts = store.attempts() if _COUNTED & set(wanted) else {}
    for name in wanted:
        paths = store.paths(name)
        remote = f"remote_{schema.replace('.', '_')}_{name}"
        kind = "view"
        if not paths or store.lacks_columns(name):  # the next build makes its rows anew
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
    """What a connection calls the data files of a table, as `attach_tables` is told."""

    def name_of(path: str) -> str:
        file = f"{store.uri(table)}/{path}"
        return named(f"{table}/{path}", file) if named else file

    return name_of


_COUNTED: Final = {"quarantine", "ingests"}
"""Tables that also hold rows of attempts that came to nothing."""


def _columns(name: str) -> str:
    return ", ".join(_identifier(column) for column in SCHEMAS[name].names)


def _from_files(files: Iterable[str], name: str) -> str:
    files = list(files)
    quoted = ", ".join(_quoted(literal(file)) for file in files)
    columns, options = _columns(name), ""
    if name in PARTITIONED and files[0].count("/game=") > 1:  # the store is in a folder of such a name
        options = ", filename = true"
        columns = columns.replace(_identifier("game"), f"regexp_extract(filename, {_GAME}, 1) as game")
    elif name in PARTITIONED:
        options = ", hive_partitioning = true"
    return f"select {columns} from read_parquet([{quoted}]{options})"


def literal(path: str) -> str:
    """A path in which DuckDB sees no pattern, though the store's folder be named like one."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


_GAME: Final = "'/game=([^/]*)/[^/]*$'"


def _no_rows(schema: pa.Schema) -> str:
    columns = (f"cast(null as {_sql_type(field.type)}) as {_identifier(field.name)}" for field in schema)
    return f"select {', '.join(columns)} where false"


def _counting(name: str, attempts: dict[str, int]) -> str:
    """The condition that only attempts of ingests that were committed count."""
    if name not in _COUNTED:
        return ""
    valid = ", ".join(f"({_quoted(ingest)}, {attempt})" for ingest, attempt in attempts.items())
    return f" where (ingest_id, attempt) in ({valid})" if valid else " where false"


def _quoted(text: str) -> str:
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


# ---------------------------------------------------------------- the marts as SQL


def attach_marts(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    catalog: str,
    named: Callable[[str, str], str] | None = None,
) -> None:
    """Attach the warehouse, for reading only, as a catalog of a connection.

    Its views can be read once `attach_sources` has been called. `named` is as for `attach_tables`. Raises
    StoreError if it can't be read.
    """
    path = path_of(store)
    name = named(path.name, str(path)) if named else str(path)
    try:
        connection.execute(f"attach {_quoted(name)} as {catalog} (read_only)")
    except duckdb.Error as error:
        raise StoreError(_why_not(path, error)) from error


def attach_sources(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    catalog: str,
    named: Callable[[str, str], str] | None = None,
) -> bool:
    """Make the store's tables as they were when the attached warehouse was made, for its views.

    False if an older cardlog made it: its views name files, which may be those of another store.
    `named` is as for `attach_tables`.
    """
    note = _note_in(connection, catalog)
    if note:
        connection.execute(f"attach ':memory:' as {SOURCES}")
        then = PinnedStore(store, Moment(note["versions"], note["versions"]["events"]))
        try:
            attach_tables(connection, then, SOURCE_SCHEMA, named=named)
        except DeltaError as error:
            raise StoreError(
                f"{path_of(store)} is made from tables as nobody knows them any more; "
                "'cardlog build' makes it again"
            ) from error
    return bool(note)


def _note_in(connection: duckdb.DuckDBPyConnection, catalog: str) -> dict[str, Any]:
    """The note in an attached warehouse; empty if an older cardlog made it, without one."""
    schema, table = NOTE.split(".")
    there = connection.execute(
        "select 1 from duckdb_tables() where database_name = ? and schema_name = ? and table_name = ?",
        [catalog, schema, table],
    ).fetchall()
    if not there:
        return {}
    [(text,)] = connection.execute(f"from {catalog}.{NOTE}").fetchall()
    note: dict[str, Any] = json.loads(text)
    return note


def _why_not(path: Path, error: duckdb.Error) -> str:
    """Why the warehouse can't be read, and what to do."""
    text = str(error)
    if isinstance(error, duckdb.ResourceInUseException) or "lock on file" in text:
        holder = re.search(r"held in (.*?)(?: by user .*?)? \(PID (\d+)\)", text)
        who = f"process {holder[2]} ({holder[1]})" if holder else "this process"
        return (
            f"{path} is open for writing in {who}; the marts can be read when that has closed it, "
            "the tables at any time"
        )
    if "permission denied" in text.lower():
        return f"{path} can't be opened: permission denied"
    return f"{path} can't be read; 'cardlog rebuild' makes it again: {text}"


# ---------------------------------------------------------------- what it was made from


def state_of(store: Store) -> dict[str, Any]:
    """What a warehouse made now would be made from.

    Which rows of `quarantine` and `ingests` count follows from the version of `events`, so their
    versions are left out.
    """
    store = pinned(store, [*PROJECTIONS, "events"])
    versions = {name: store.moment.versions[name] for name in ("events", *PROJECTIONS)}
    return {
        "versions": versions,
        "schema": SCHEMA_VERSION,
        "cardlog": VERSION,
        "dbt": dbt_manifest.digest(DBT_PROJECT),
    }


def note_of(store: Store) -> dict[str, Any]:
    """What `warehouse.json` says: what the marts are made from, and which are stale. Empty without one."""
    try:
        note = json.loads(path_of(store).with_suffix(".json").read_text())
        return note if isinstance(note, dict) and path_of(store).exists() else {}
    except (OSError, ValueError):
        return {}


def versions_in_use(store: Store) -> list[dict[str, int]]:
    """Versions of tables that are read: at the present moment, and by the views of the warehouse."""
    found: list[dict[str, int]] = [take(store).versions, note_of(store).get("versions", {})]
    return found


def stale_marts(store: Store) -> dict[str, Stale]:
    """The marts that were held back when dbt ran last."""
    found: dict[str, dict[str, Any]] = note_of(store).get("stale", {})
    return {name: Stale(stale["events"], tuple(stale["because"])) for name, stale in found.items()}


def is_of(store: Store, mart: str | None = None) -> bool:
    """Whether the warehouse is made from the store as it is, and a mart was not held back then."""
    note = note_of(store)
    state = state_of(store)
    versions = note.get("versions", {})
    ours = {name: versions.get(name) for name in state["versions"]}
    return state == {name: note.get(name) for name in state} | {"versions": ours} and mart not in note.get(
        "stale", {}
    )


def is_current(store: Store) -> bool:
    """Whether the warehouse is made from the store as it is, and no mart was held back."""
    return is_of(store) and not stale_marts(store)


# ---------------------------------------------------------------- dbt


def run_dbt(store: Store) -> int:
    """Build every dbt model and test the data; returns how many models were built.

    The marts are made of one moment of the store, that of its last build. They take the place of the old
    ones in one step.

    Raises HeldBack, once the others are published, if a model or a test fails and marts that depend on
    it are held back; DbtError, and leaves the warehouse as it was, if dbt can't run.
    """
    target = path_of(store)
    if "?" in str(target):
        raise DbtError(
            f"DuckDB can't write a database in {target.parent}, because of the question mark in that path; "
            "move the store, or build with --no-marts"
        )
    folder = leftovers.note(target.with_name(f".{target.stem}-{os.getpid()}"))
    draft, sources = folder / dbt_run.WAREHOUSE, folder / "sources.duckdb"
    store = pinned(store, as_built=True)
    try:
        folder.mkdir(exist_ok=True)
        write_sources(store, sources)
        nodes = _invoke(draft, sources, target.parent / ".dbt")
        outcome = _publish(store, draft, sources, nodes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if outcome.failures:
        raise HeldBack(outcome)
    return outcome.models


def _invoke(database: Path, sources: Path, work: Path) -> list[Node]:
    """Run dbt."""
    return dbt_run.run(DBT_PROJECT, database, sources, work)


def write_sources(store: Store, path: Path) -> None:
    """Make the database in which dbt finds the tables of the store."""
    path.unlink(missing_ok=True)
    with duckdb.connect() as connection:
        connection.execute(f"attach {_quoted(str(path))} as {SOURCES}")
        attach_tables(connection, store, SOURCE_SCHEMA, keep=True)


def _publish(store: PinnedStore, draft: Path, sources: Path, nodes: list[Node]) -> Outcome:
    """Put a draft in the place of the warehouse, but for the marts that are held back."""
    because = held_back.held_back(nodes)
    held = [node for node in nodes if node.is_mart and node.id in because]
    with duckdb.connect(str(draft)) as connection:
        connection.execute(f"attach {_quoted(str(sources))} as {SOURCES} (read_only)")
        failures = held_back.keep_rows(connection, held_back.failed(nodes))
        held_back.drop(connection, held)
    since = _keep_old(store, draft, held)
    stale = {node.name: Stale(since.get(node.name), tuple(because[node.id])) for node in held}
    outcome = Outcome(held_back.models_of(nodes), failures, stale)
    note = json.dumps(state_of(store) | {"versions": store.moment.versions} | outcome.as_json(), indent=1)
    with duckdb.connect(str(draft)) as connection:
        connection.execute(f"create schema {NOTE.split('.')[0]}")
        connection.execute(f"create table {NOTE} as select ?::varchar as note", [note])
    target = path_of(store)
    target.with_suffix(".json").unlink(missing_ok=True)
    draft.replace(target)
    target.with_suffix(".json").write_text(note)
    return outcome


def _keep_old(store: Store, draft: Path, held: list[Node]) -> dict[str, int | None]:
    """Copy what the present warehouse has of marts into a draft; says for each the version of `events` that
    it is of."""
    if not held or not path_of(store).exists():
        return {}
    with duckdb.connect(str(draft)) as connection:
        attach_marts(connection, store, "old")
        with_views = attach_sources(connection, store, "old")
        note = _note_in(connection, "old")
        kept = held_back.keep_old(connection, "old", held, with_views)
    then = note.get("versions", {}).get("events")
    stale = note.get("stale", {})
    return {name: stale[name]["events"] if name in stale else then for name in kept}
