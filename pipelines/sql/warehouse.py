"""The warehouse: a DuckDB file with what dbt makes of the store. It is disposable.

dbt writes to another file, which replaces this one when it is done (see `marts`); so a reader sees the old
marts or the new ones, and a build that is killed leaves the old ones.

The file says nothing of where the store is. Its tables are rows; its views read the catalog `sources`, which
is made anew for every connection: the store's tables, where they are now, at the versions that the marts
were made from. So a store can be moved, and the file alone reads no other file.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import duckdb
from deltalake.exceptions import DeltaError

from cardlog.pipelines.sql import dbt_cache
from cardlog.pipelines.sql.held_back import Stale
from cardlog.pipelines.sql.tables import SOURCE_SCHEMA, SOURCES, attach_tables, quoted
from cardlog.pipelines.storage.moment import Moment, PinnedStore, pinned, take
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.version import VERSION
from cardlog.schemas.events import SCHEMA_VERSION
from cardlog.schemas.tables import PROJECTIONS

FILE: Final = "warehouse.duckdb"
DBT_PROJECT: Final = Path(__file__).resolve().parents[2] / "dbt_project"
NOTE: Final = "cardlog.made_from"
"""Table of the warehouse with one row, what `warehouse.json` says. A reader of the file believes it alone,
since the two files can't be replaced in one step."""


def path_of(store: Store) -> Path:
    """Where a store's warehouse is: beside its tables, or in the working directory if they are
    behind a URI."""
    return Path(store.root) / FILE if store.is_local else Path(FILE).resolve()


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
        connection.execute(f"attach {quoted(name)} as {catalog} (read_only)")
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
    note = note_in(connection, catalog)
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


def note_in(connection: duckdb.DuckDBPyConnection, catalog: str) -> dict[str, Any]:
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
        "dbt": dbt_cache.digest(DBT_PROJECT),
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
