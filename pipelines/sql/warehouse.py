"""The warehouse: a DuckDB file that dbt builds from the store. It is disposable.

dbt writes to another file, which then replaces this one (see `marts`). So a reader sees the old marts or the
new ones, and a build that is killed leaves the old ones.

The file does not contain the store's path. Its views read the catalog `sources`, which is created for every
connection: the store's tables at their current path, at the versions that the marts were built from. So a
store can be moved, and the file by itself reads no other file.
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
from cardlog.pipelines.sql.tables import SOURCE_SCHEMA, SOURCES, attach_tables, new_files, quoted
from cardlog.pipelines.storage.moment import Moment, PinnedStore, pinned, take
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.pipelines.version import VERSION
from cardlog.schemas.events import SCHEMA_VERSION
from cardlog.schemas.tables import PROJECTIONS

FILE: Final = "warehouse.duckdb"
DBT_PROJECT: Final = Path(__file__).resolve().parents[2] / "dbt_project"
STEPS: Final = "steps"
"""Schema of the models that marts are made from."""
NOTE: Final = "cardlog.made_from"
"""Table of the warehouse with one row, the content of `warehouse.json`. Readers of the warehouse trust only
this table, since the two files can't be replaced in one step."""


def path_of(store: Store) -> Path:
    """Path of a store's warehouse: beside its tables, or in the working directory if they are at a URI."""
    return Path(store.root) / FILE if store.is_local else Path(FILE).resolve()


# ---------------------------------------------------------------- the marts as SQL


def attach_marts(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    catalog: str,
    named: Callable[[str, str], str] | None = None,
) -> None:
    """Attach the warehouse, read-only, as a catalog of a connection.

    Its views can be read once `attach_sources` has been called. `named` is as for `attach_tables`. Raises
    StoreError if it can't be read.
    """
    path = path_of(store)
    name = named(path.name, str(path)) if named else str(path)
    try:
        connection.execute(f"attach {quoted(name)} as {catalog} (read_only)")
    except duckdb.Error as error:
        raise StoreError(_explain(path, error)) from error


def attach_sources(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    catalog: str,
    named: Callable[[str, str], str] | None = None,
) -> bool:
    """Attach the store's tables for the views of the attached warehouse, at the versions it was built from.

    False if an older cardlog built it: its views name files, which may be those of another store.
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
                f"{path_of(store)} was built from table versions that no longer exist; "
                "'cardlog build' recreates it"
            ) from error
    return bool(note)


def note_in(connection: duckdb.DuckDBPyConnection, catalog: str) -> dict[str, Any]:
    """The note in an attached warehouse; empty if an older cardlog built it."""
    schema, table = NOTE.split(".")
    exists = connection.execute(
        "select 1 from duckdb_tables() where database_name = ? and schema_name = ? and table_name = ?",
        [catalog, schema, table],
    ).fetchall()
    if not exists:
        return {}
    [(text,)] = connection.execute(f"from {catalog}.{NOTE}").fetchall()
    note: dict[str, Any] = json.loads(text)
    return note


def _explain(path: Path, error: duckdb.Error) -> str:
    """A message that says why the warehouse can't be read, and what to do."""
    text = str(error)
    if isinstance(error, duckdb.ResourceInUseException) or "lock on file" in text:
        holder = re.search(r"held in (.*?)(?: by user .*?)? \(PID (\d+)\)", text)
        who = f"process {holder[2]} ({holder[1]})" if holder else "this process"
        return (
            f"{path} is open for writing in {who}; until it is closed, only the tables can be "
            "read, not the marts"
        )
    if "permission denied" in text.lower():
        return f"{path} can't be opened: permission denied"
    return f"{path} can't be read; 'cardlog rebuild' recreates it: {text}"


# ---------------------------------------------------------------- versions


MAKERS: Final = ("schema", "cardlog", "dbt")
"""What of the state is not of the store."""


def state_of(store: Store) -> dict[str, Any]:
    """The versions that a warehouse built now would be built from.

    Which rows of `quarantine` and `ingests` count follows from the version of `events`, so theirs are left
    out.
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
    """The content of `warehouse.json`: what the marts were built from, and which are stale. Empty if
    missing."""
    try:
        note = json.loads(path_of(store).with_suffix(".json").read_text())
        return note if isinstance(note, dict) and path_of(store).exists() else {}
    except (OSError, ValueError):
        return {}


def versions_in_use(store: Store) -> list[dict[str, int]]:
    """Table versions in use: the current ones, and those that the warehouse's views read."""
    found: list[dict[str, int]] = [take(store).versions, note_of(store).get("versions", {})]
    return found


def stale_marts(store: Store) -> dict[str, Stale]:
    """The marts that the last run of dbt held back."""
    found: dict[str, dict[str, Any]] = note_of(store).get("stale", {})
    return {name: Stale(stale["events"], tuple(stale["because"])) for name, stale in found.items()}


def is_of(store: Store, mart: str | None = None) -> bool:
    """Whether the warehouse was built from the store's current state, and `mart` was not held back."""
    note = note_of(store)
    state = state_of(store)
    if mart in note.get("stale", {}) or any(state[name] != note.get(name) for name in MAKERS):
        return False
    versions = note["versions"]
    if state["versions"] == {name: versions.get(name) for name in state["versions"]}:
        return True
    new = new_files(pinned(store), versions, tuple(SCHEMAS))
    return new is not None and not any(new.values())  # a compact has only moved rows


def is_current(store: Store) -> bool:
    """Whether the warehouse was built from the store's current state, and no mart was held back."""
    return is_of(store) and not stale_marts(store)
