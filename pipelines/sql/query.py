"""Query the store in SQL, read-only: no writes, no changed settings, no access to other files."""

import os
import re
import time
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb
import pyarrow as pa

from cardlog.pipelines.sql import interruptible, limits, listing, pivots, statements, unknown_names, warehouse
from cardlog.pipelines.sql.held_back import SCHEMA as FAILED_TESTS
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.sql.read_only import READ, SPILL, SPILL_FOLDER, SpillFiles, StoreFiles
from cardlog.pipelines.sql.tables import attach_tables
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.schemas.errors import CardlogError

MEMORY_VARIABLE: Final = "CARDLOG_MEMORY"
MARTS: Final = "marts"
"""Catalog under which the warehouse is attached."""

Found = TypeVar("Found")


class QueryError(CardlogError):
    """A query was refused or failed; the text is for the user."""


class Connection:
    """A DuckDB connection that is read-only, interruptible and limited.

    files
        The files it can read; see `cardlog.pipelines.sql.read_only`.
    duckdb
        The underlying connection, for attaching tables. It has no access to local files.
    """

    def __init__(self, store: Store, most: Limits) -> None:
        self.files = StoreFiles()
        self._limits = most
        self._until: float | None = None
        memory = _memory(most)
        self._memory = limits.shown(memory)
        self._spill, self._spill_limit = _spill(store, memory)
        self.duckdb = duckdb.connect(
            config=limits.duckdb_config(memory)
            | {"python_enable_replacements": False, "autoinstall_known_extensions": False}
            | {"autoload_known_extensions": False}
        )
        self.duckdb.register_filesystem(self.files)
        if self._spill is not None:
            self.duckdb.register_filesystem(self._spill)
            self.duckdb.execute(f"set temp_directory = '{SPILL}://queries'")
            self.duckdb.execute(f"set max_temp_directory_size = '{self._spill_limit}'")
        self.duckdb.execute("set disabled_filesystems = 'LocalFileSystem'")
        self.duckdb.execute("set timezone = 'UTC'")
        self.duckdb.execute("set enable_progress_bar = false")  # it is printed to stdout
        self._finish = weakref.finalize(self, _finish, self.duckdb, self._spill)

    def lock(self) -> None:
        """Allow no more files to be added and no settings to be changed."""
        self.duckdb.execute(f"set allowed_directories = ['{READ}://']")
        self.duckdb.execute("set enable_external_access = false")
        self.duckdb.execute("set lock_configuration = true")

    def checked(self, sql: str) -> str:
        """The statement to run for a text that is one read-only query: the text itself, or with the values of
        its pivots, or for `show tables` and `describe` one with descriptions. Raises QueryError if it is
        anything else."""
        self._begin()
        listed = self._call(lambda: listing.listing(self.duckdb, sql))
        return listed or self._checked(lambda: pivots.checked(self.duckdb, sql))

    def check_condition(self, sql: str) -> None:
        """Raise QueryError unless a text is one read-only expression."""
        self._begin()
        self._checked(lambda: statements.check_condition(self.duckdb, sql))

    def _checked(self, work: Callable[[], Found]) -> Found:
        try:
            return self._call(work)
        except statements.Refused as refused:
            raise QueryError(str(refused)) from refused

    def run(self, sql: str) -> "Connection":
        """Run one query. Raises QueryError if it is refused or fails."""
        statement = self.checked(sql)
        self._call(lambda: self.duckdb.execute(statement))
        return self

    def execute(self, sql: str, values: Sequence[Any] = ()) -> "Connection":
        """Run a statement of cardlog's own. Raises QueryError."""
        self._begin()
        self._call(lambda: self.duckdb.execute(sql, list(values)))
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last."""
        found: tuple[Any, ...] | None = self._call(self.duckdb.fetchone)
        return found

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """The next rows; empty after the last."""
        return self._call(lambda: self.duckdb.fetchmany(size))

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All remaining rows."""
        return self._call(self.duckdb.fetchall)

    def batches(self, sql: str, size: int) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """The Arrow schema and batches of up to `size` rows of one query. Raises QueryError."""
        statement = self.checked(sql)
        reader = self._call(lambda: self.duckdb.sql(statement).to_arrow_reader(size))
        return reader.schema, iter(lambda: self._call(lambda: next(reader, None)), None)

    def carry_out(self, work: Callable[[], Found]) -> Found:
        """Run some work on the connection under its limits. Raises QueryError."""
        self._begin()
        return self._call(work)

    @property
    def description(self) -> list[tuple[Any, ...]]:
        """DB-API's description of each column, its name first."""
        return list(self.duckdb.description or [])

    def close(self) -> None:
        """Close the connection and remove its temporary files."""
        self._finish()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self) -> None:
        seconds = self._limits.seconds
        self._until = None if seconds is None else time.monotonic() + seconds

    def _call(self, work: Callable[[], Found]) -> Found:
        self.files.failure = None
        try:
            return interruptible.call(self.duckdb, work, self._until)
        except interruptible.Overdue:
            raise QueryError(
                f"the query took longer than {self._limits.seconds:g} s and was stopped; "
                "--timeout SECONDS allows more"
            ) from None
        except duckdb.OutOfMemoryException as error:
            raise QueryError(self._out_of_memory(str(error))) from error
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            # Arrow's reader turns DuckDB's errors into OSError; a real one has an errno.
            if isinstance(error, OSError) and error.errno is not None and self.files.failure is None:
                raise
            raise QueryError(self.files.failure or str(error)) from error

    def _out_of_memory(self, error: str) -> str:
        more = f"; --memory or {MEMORY_VARIABLE}, as 2GB, allows more"
        if "max_temp_directory_size" in error and self._spill is not None:
            return (
                f"the query needs more than {self._memory} of memory, and more than the {self._spill_limit} "
                f"that it may write to temporary files, in {self._spill.folder}{more} of both"
            )
        unwritable = "" if self._spill else ", and the store can't be written to put the rest on disk"
        return f"the query needs more than {self._memory} of memory{unwritable}{more}"


def _memory(most: Limits) -> int:
    """The memory limit in bytes: as requested, from the environment, or the default."""
    if most.memory is not None:
        return most.memory
    configured = os.environ.get(MEMORY_VARIABLE)
    return limits.bytes_of(configured) if configured else limits.default_memory()


def _spill(store: Store, memory: int) -> tuple[SpillFiles | None, str]:
    """Files to spill to, and their limit; None if the store is read-only.

    They are on the store's disk, or in the machine's temporary folder if the store is at a URI.
    """
    if not store.is_local:
        files = SpillFiles(None)
    elif os.access(store.root, os.W_OK | os.X_OK):
        files = SpillFiles(Path(store.root) / SPILL_FOLDER)
    else:
        return None, ""
    return files, limits.shown(limits.spill_limit(memory, files.folder))


def _finish(connection: duckdb.DuckDBPyConnection, spill: SpillFiles | None) -> None:
    if interruptible.is_busy():
        return  # close() would wait for it
    connection.close()
    if spill is not None:
        spill.close()


def connect(store: Store, wanted: Collection[str] | None = None, most: Limits | None = None) -> Connection:
    """A read-only connection to the store's tables and marts.

    wanted
        Names of the tables and marts to attach (default: all). Each takes some milliseconds.
    most
        Limits of a query.

    All tables are of one snapshot. Raises StoreError if there is no store, or if the warehouse is damaged or
    held open for writing.
    """
    connection = Connection(store, most or Limits())
    tables = [name for name in SCHEMAS if wanted is None or name in wanted]
    attach_tables(connection.duckdb, store, "main", wanted=tables, named=connection.files.add)
    if warehouse.path_of(store).exists() and (wanted is None or set(wanted) - set(tables)):
        _attach_marts(connection, store, wanted)
    connection.lock()
    return connection


def _attach_marts(connection: Connection, store: Store, wanted: Collection[str] | None) -> None:
    """Make the wanted marts, their steps and the tables of failed tests readable under their own names."""
    database, files = connection.duckdb, connection.files
    try:
        warehouse.attach_marts(database, store, MARTS, named=partial(files.add, lock=True))
    except StoreError as error:
        raise (StoreError(files.failure) if files.failure else error) from error
    found = database.execute(
        "select table_schema, table_name, table_type = 'VIEW' from information_schema.tables "
        "where table_catalog = ? and table_schema in ('main', ?, ?)",
        [MARTS, warehouse.STEPS, FAILED_TESTS],
    ).fetchall()
    found = [row for row in found if wanted is None or row[1] in wanted]
    with_views = any(is_view for _, _, is_view in found)
    if with_views and not warehouse.attach_sources(database, store, MARTS, named=files.add):
        found = [row for row in found if not row[2]]
    for schema, name, _ in found:
        database.execute(f"create schema if not exists {schema}")
        database.execute(f'create view {schema}."{name}" as select * from {MARTS}.{schema}."{name}"')


def ask(store: Store, sql: str, most: Limits | None = None) -> Connection:
    """Run one query over a connection of its own. Raises StoreError; QueryError as `run` does."""
    return over_named(store, sql, most, run)


def over_named(
    store: Store, sql: str, most: Limits | None, work: Callable[[Connection, str], Found]
) -> Found:
    """Call `work` with a query and a connection to the tables that it names, or to all if it needs more."""
    wanted = _named_in(sql)
    if wanted:
        try:
            return work(connect(store, wanted, most), sql)
        except QueryError as error:
            if not isinstance(error.__cause__, duckdb.CatalogException):
                raise
    connection = connect(store, most=most)
    try:
        return work(connection, sql)
    except QueryError as error:
        if not isinstance(error.__cause__, duckdb.CatalogException):
            raise
        text = unknown_names.explained(str(error), store, _readable(connection))
        raise QueryError(text) from error.__cause__


def _readable(connection: Connection) -> list[str]:
    """The tables, marts and steps of a connection, as queries write their names."""
    found = connection.execute(
        "select if(table_schema = 'main', '', table_schema || '.') || table_name "
        "from information_schema.tables "
        "where table_catalog = current_database() and table_schema in ('main', ?)",
        [warehouse.STEPS],
    )
    return [name for (name,) in found.fetchall()]


def _named_in(sql: str) -> set[str]:
    """The tables and marts that a query names; empty if it may refer to any of them."""
    words = set(re.findall(r"\w+", sql.lower()))
    if words & _CATALOG_WORDS or any(word.startswith(_CATALOG_PREFIXES) for word in words):
        return set()
    marts = {path.stem for path in (warehouse.DBT_PROJECT / "models" / "marts").rglob("*.sql")}
    return words & (marts | set(SCHEMAS))


def remarks(store: Store, sql: str) -> list[str]:
    """Warnings about the marts that a query names: stale or missing."""
    words = set(re.findall(r"\w+", sql.lower()))
    found = []
    for name, stale in warehouse.stale_marts(store).items():
        if name in words:
            state = "is missing" if stale.events is None else f"is stale, of events {stale.events}"
            failures = ", ".join(stale.because)
            found.append(f"{name} {state}, because of {failures}; run 'cardlog build' for details")
    return found


_CATALOG_WORDS: Final = {"show", "information_schema", "query_table", MARTS, warehouse.STEPS, FAILED_TESTS}
_CATALOG_PREFIXES: Final = ("duckdb_", "pragma_", "pg_", "sqlite_")
"""Words and prefixes that mark queries about the catalog."""


def run(connection: Connection, sql: str) -> Connection:
    """Run one query. Raises QueryError if it is refused or fails."""
    return connection.run(sql)
