"""Query the store in SQL, read-only: no writes, no changed settings, no access to other files.

A connection can't write because it has nowhere to write to, see
`cardlog.pipelines.sql.read_only`. What people ask runs on one in a process of its own, see
`cardlog.pipelines.sql.process`.
"""

import os
import re
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, Final, Self, TypeVar

import duckdb
import pyarrow as pa

from cardlog.pipelines.sql import limits, listing, warehouse
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.sql.read_only import READ, SPILL, StoreFiles
from cardlog.pipelines.sql.tables import ALL, STORE, attach_tables
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.schemas.errors import CardlogError

MARTS: Final = "marts"
"""Catalog under which the warehouse is attached."""
BATCH_ROWS: Final = 10_000
"""Rows fetched at once."""

_QUERIES: Final = ("select", "explain", "multi")
"""Kinds of statements; multi is a pivot that names no values."""

Found = TypeVar("Found")


class QueryError(CardlogError):
    """A query was refused or failed; the text is for the user."""


class Answer:
    """The rows of a statement, wherever it runs.

    fetchmany
        The next rows, at most so many; none after the last.
    open_batches, next_batch
        The schema of a bound query's rows as Arrow batches of at most so many; then each of them, and None.
    tables_in
        The tables and marts that a query names, in lower case.
    """

    fetchmany: Callable[[int], list[tuple[Any, ...]]]
    open_batches: Callable[[int], pa.Schema]
    next_batch: Callable[[], pa.RecordBatch | None]
    tables_in: Callable[[str], set[str]]
    close: Callable[[], None]

    @property
    def description(self) -> list[tuple[str, str]]:
        """The name and the type of each column."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last."""
        return next(iter(self.fetchmany(1)), None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All remaining rows."""
        return list(self.rows())

    def rows(self, at_once: int = BATCH_ROWS) -> Iterator[tuple[Any, ...]]:
        """The remaining rows one by one, fetched so many at once."""
        for rows in iter(lambda: self.fetchmany(at_once), []):
            yield from rows

    def batches(self, size: int) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """The Arrow schema and batches of a bound query."""
        return self.open_batches(size), iter(self.next_batch, None)


class Connection(Answer):
    """A DuckDB connection that can read the store's files and nothing else.

    files
        The files it can read; see `cardlog.pipelines.sql.read_only`.
    duckdb
        The underlying connection.
    """

    def __init__(self, store: Store, most: Limits) -> None:
        self._store = store
        self._marts_failed: StoreError | None = None
        self._bound: Any = None
        self._batches: Any = None
        memory = most.memory_or_default()
        self._folder = store.root if store.is_local else tempfile.gettempdir()
        self._can_spill = os.access(self._folder, os.W_OK | os.X_OK)
        spills = limits.spill_limit(memory, self._folder)
        self._memory, self._spills = limits.shown(memory), limits.shown(spills)
        # DuckDB counts blocks in use, and its files have free ones too.
        self.files = StoreFiles(store.root, warehouse.path_of(store), self._folder, spills + spills // 4)
        # Python reads one block at a time, and a connection has few queries: threads that read ahead and a
        # cache bring nothing. DuckDB 2.0.0 has crashed on busy machines in closing, in a thread of its own;
        # in which is not known.
        self.duckdb = duckdb.connect(
            config=limits.duckdb_config(memory)
            | {"python_enable_replacements": False, "autoinstall_known_extensions": False}
            | {"autoload_known_extensions": False}
            | {"async_threads": 0, "enable_external_file_cache": False}
        )
        self.duckdb.register_filesystem(self.files)
        if self._can_spill:
            self.duckdb.execute(f"set temp_directory = '{SPILL}'")
            self.duckdb.execute(f"set max_temp_directory_size = '{self._spills}'")
        self.duckdb.execute("set disabled_filesystems = 'LocalFileSystem'")
        self.duckdb.execute("set secret_directory = ''")  # it names the home folder
        self.duckdb.execute("set timezone = 'UTC'")
        self.duckdb.execute("set enable_progress_bar = false")  # it is printed to stdout
        self._finish = weakref.finalize(self, _finish, self.duckdb, self.files)

    def attach(self, wanted: Collection[str] | None) -> None:
        """Make the wanted tables readable, and the marts unless only tables are wanted; then allow no more
        files and no change of a setting."""
        wanted = ALL if wanted is None else wanted
        tables = [name for name in ALL if name in wanted]
        self.duckdb.execute(f"set variable {STORE} = '{READ}:/'")
        attach_tables(self.duckdb, self._store, wanted=tables)
        if warehouse.path_of(self._store).exists() and (wanted is ALL or set(wanted) - set(tables)):
            self._attach_marts()
        self.duckdb.execute(f"set allowed_directories = ['{READ}://']")
        self.duckdb.execute("set enable_external_access = false")
        self.duckdb.execute("set lock_configuration = true")

    def _attach_marts(self) -> None:
        """Attach the marts; DuckDB looks them up when a query names them. If they can't be read, such a query
        fails, and others don't."""
        path = warehouse.path_of(self._store)
        try:
            self.duckdb.execute(f"attach '{READ}://{path.name}' as {MARTS} (read_only)")
        except duckdb.Error as error:
            why = self.files.failure or f"{path} can't be read; 'cardlog rebuild' recreates it: {error}"
            self._marts_failed = StoreError(why)
        else:
            self.duckdb.execute(f"set search_path = '{MARTS}.main,memory.main'")

    def run(self, sql: str) -> "Connection":
        """Run what a person asks: one statement that gives rows. Raises QueryError."""
        return self.execute(self._checked(sql))

    def bind(self, sql: str) -> "Connection":
        """Look up what a person asks: its columns are known, and `batches` runs it. Raises QueryError."""
        self._bound = self._call(partial(self.duckdb.sql, self._checked(sql)))
        return self

    def execute(self, sql: str, values: Sequence[Any] = ()) -> "Connection":
        """Run a statement of cardlog's own. Raises QueryError."""
        self._bound = None
        self._call(lambda: self.duckdb.execute(sql, list(values)))
        return self

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """The next rows; empty after the last."""
        return self._call(lambda: self.duckdb.fetchmany(size))

    def open_batches(self, size: int) -> pa.Schema:
        """Run a bound query; its Arrow schema."""
        self._batches = self._call(lambda: self._bound.to_arrow_reader(size))
        return self._batches.schema

    def next_batch(self) -> pa.RecordBatch | None:
        """The next batch; None after the last."""
        return self._call(lambda: next(self._batches, None))

    def tables_in(self, sql: str) -> set[str]:
        """The tables and marts that a query names, in lower case; all of them if DuckDB can't tell, as with
        a pivot that names no values."""
        try:
            return {name.lower() for name in self.duckdb.get_table_names(sql)}
        except duckdb.Error:
            return {name for (name,) in self.duckdb.execute("show tables").fetchall()}

    @property
    def description(self) -> list[tuple[str, str]]:
        """The name and the type of each column."""
        if self._bound is not None:
            return list(zip(self._bound.columns, map(str, self._bound.types), strict=True))
        return [(name, str(kind)) for name, kind, *_ in self.duckdb.description or []]

    def close(self) -> None:
        """Close the connection and remove its temporary files."""
        self._finish()

    def _checked(self, sql: str) -> str:
        """The statement to run for a text: itself, or for `show tables` and `describe` one with descriptions.

        Other statements could do nothing, or change this connection's own memory: they are refused so that
        nobody thinks that they did something.
        """
        statements = self._call(lambda: self.duckdb.extract_statements(_text(sql)))
        if len(statements) != 1:
            raise QueryError(f"give one query; this is {len(statements)}")
        kind = _kind(statements[0])
        if kind not in _QUERIES:
            raise QueryError(f"only queries are allowed (select, describe, explain …); this is: {kind}")
        return listing.listing(self.duckdb, sql) or sql

    def _call(self, work: Callable[[], Found]) -> Found:
        self.files.failure = None
        try:
            return work()
        except (duckdb.OutOfMemoryException, MemoryError) as error:
            raise QueryError(self._out_of_memory(str(error))) from error
        except duckdb.CatalogException as error:
            if self._marts_failed is not None and " Function " not in str(error):
                raise self._marts_failed from error
            raise QueryError(listing.explained(str(error))) from error
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            # Arrow's reader turns DuckDB's errors into OSError; a real one has an errno.
            if isinstance(error, OSError) and error.errno is not None and self.files.failure is None:
                raise
            raise QueryError(self.files.failure or _said(str(error))) from error

    def _out_of_memory(self, error: str) -> str:
        if "max_temp_directory_size" in error and self._can_spill:
            return (
                f"the query needs more than {self._memory} of memory, and more than the "
                f"{self._spills} that it may write to temporary files, in "
                f"{self._folder}{limits.MORE} of both"
            )
        unwritable = "" if self._can_spill else ", and the store can't be written to put the rest on disk"
        return f"the query needs more than {self._memory} of memory{unwritable}{limits.MORE}"


def _text(sql: str) -> str:
    """The text, if DuckDB can read all of it. Raises QueryError."""
    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise QueryError(
            f"the query is not valid UTF-8: character {error.start + 1} can't be decoded; "
            "check the encoding of the terminal or script it comes from"
        ) from error
    if "\0" in sql:
        raise QueryError("the query contains a NUL character; remove it")
    return sql


def _kind(statement: duckdb.Statement) -> str:
    """The kind of a statement, in lower case."""
    try:
        return str(statement.type).rpartition(".")[2].lower()
    except ValueError:
        return "no query"  # a kind unknown to DuckDB's Python package


def _said(error: str) -> str:
    """DuckDB's error in words for the user, if it is that there is no such file system."""
    if re.search(r"disabled (by|through) configuration|configuration has been locked", error):
        return f"a query reads the tables and marts of the store, and nothing else: {error}"
    if "Traceback (most recent call last)" in error:  # raised by a file system
        return error.strip().splitlines()[-1].partition(": ")[2]
    return error


def _finish(connection: duckdb.DuckDBPyConnection, files: StoreFiles) -> None:
    connection.close()
    files.close()


def connect(store: Store, wanted: Collection[str] | None = None, most: Limits | None = None) -> Connection:
    """A read-only connection to the store's tables and marts, in this process.

    wanted
        Names of the tables to attach (default: all). The marts come with any name that is no table.
    most
        Limits of a query; those of time and of the whole memory hold in a process of its own only.

    All tables are of one snapshot. Raises StoreError if there is no store.
    """
    connection = Connection(store, most or Limits())
    connection.attach(wanted)
    return connection


def remarks(connection: Answer, store: Store, sql: str) -> list[str]:
    """Warnings about the marts that a query names, if games were held back."""
    stale_games = warehouse.stale_games(store)
    if not stale_games:
        return []
    names = connection.tables_in(sql) - set(SCHEMAS)
    marts = (warehouse.DBT_PROJECT / "models" / "marts").rglob("*")
    folders = {path.parent.name for path in marts if path.stem in names and path.suffix in (".sql", ".py")}
    found = []
    for game, stale in stale_games.items():
        if not folders & {game, "core", "analysis"}:
            continue
        shown = "nothing" if stale.events is None else f"the state of events {stale.events}"
        found.append(
            f"of {game} the marts show {shown}, because of {', '.join(stale.because)}; "
            "run 'cardlog build' for details"
        )
    return found
