"""Query the store in SQL, read-only: no writes, no changed settings, no access to other files.

A connection can't write because it has nowhere to write to; see `cardlog.pipelines.sql.read_only`. Users'
queries run in a separate process; see `cardlog.pipelines.sql.process`.
"""

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Self, TypeVar

import duckdb
import pyarrow as pa

from cardlog.pipelines.sql import lines, listing, poker, warehouse
from cardlog.pipelines.sql.answer import Answer, QueryError
from cardlog.pipelines.sql.limits import MORE_MEMORY, Limits, shown
from cardlog.pipelines.sql.read_only import READ, StoreFiles
from cardlog.pipelines.sql.tables import ALL, STORE, attach_tables
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.visible import is_text

MARTS: Final = "marts"
"""Catalog under which the warehouse is attached."""

_QUERIES: Final = ("select", "explain", "multi")
"""Types of statements; "multi" is a pivot that names no values."""
_CONFIG: Final = {
    "temp_directory": "",
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # With these threads and this cache DuckDB 2.0.0 has crashed in closing, on busy machines.
    "async_threads": 0,
    "enable_external_file_cache": False,
}

_IN_FUNCTION: Final = "occurred while executing the UDF: "
_END: Final = re.compile(r";\s*(?:--[^\n]*\s*)*\Z")
"""The end of a statement, perhaps with comments."""

T = TypeVar("T")


class Connection(Answer):
    """A DuckDB connection that can read the store's files and nothing else.

    files
        Its file system; see `cardlog.pipelines.sql.read_only`.
    duckdb
        The underlying connection.
    """

    def __init__(self, store: Store, wanted: Collection[str] | None, limits: Limits) -> None:
        self._no_marts = ""
        self._bound: Any = None
        self._batches: Any = None
        self._memory = shown(limits.memory_or_default())
        self.files = StoreFiles(store.root, warehouse.path_of(store))
        self.duckdb = duckdb.connect(config=_CONFIG | {"memory_limit": self._memory})
        self.duckdb.register_filesystem(self.files)
        self.duckdb.execute("set disabled_filesystems = 'LocalFileSystem'")
        self.duckdb.execute("set secret_directory = ''")  # it names the home folder
        self.duckdb.execute("set timezone = 'UTC'")
        without_progress(self.duckdb)
        poker.add_functions(self.duckdb)
        self.duckdb.execute(f"set variable {STORE} = '{READ}:/'")
        tables = [name for name in ALL if wanted is None or name in wanted]
        attach_tables(self.duckdb, store, wanted=tables)
        if wanted is None or set(wanted) - set(tables):
            self._attach_marts(store)
        self.duckdb.execute(f"set allowed_directories = ['{READ}://']")
        self.duckdb.execute("set enable_external_access = false")
        self.duckdb.execute("set lock_configuration = true")

    def _attach_marts(self, store: Store) -> None:
        """Attach the marts. If they can't be read, only queries that name one fail."""
        path = warehouse.path_of(store)
        if not path.exists():
            self._no_marts = "This store has no marts: run 'cardlog build'."
            return
        try:
            self.duckdb.execute(f"attach '{READ}://{path.name}' as {MARTS} (read_only)")
        except duckdb.Error as error:
            self._no_marts = (
                self.files.failure or f"{path} can't be read; 'cardlog rebuild' recreates it: {error}"
            )
        else:
            self.duckdb.execute(f"set search_path = '{MARTS}.main,memory.main'")

    def run(self, sql: str) -> Self:
        """Run a user's query: one statement that returns rows. Infinite times and dates are the texts
        ``infinity`` and ``-infinity``. Raises QueryError."""
        sql = self._checked(sql)
        description = self.bind(sql).description
        if any(map(_is_temporal, description)):
            columns = ", ".join(map(_with_infinity, range(1, len(description) + 1), description))
            within = f"select {columns} from ({without_end(sql)}\n)"
            with suppress(QueryError):  # what can't be a part of another query stays as it is
                self.bind(within)
                sql = within
        self.execute(sql)
        self.description = description
        return self

    def bind(self, sql: str) -> Self:
        """Prepare a user's query, which sets `description`; `batches` runs it. Raises QueryError."""
        self.duckdb.abort()  # what was asked before and not fetched to its end
        self._bound = self._call(partial(self.duckdb.sql, self._checked(sql)))
        self.description = list(zip(self._bound.columns, map(str, self._bound.types), strict=True))
        return self

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Self:
        """Run one of cardlog's own statements. Raises QueryError."""
        self._call(lambda: self.duckdb.execute(sql, list(values)))
        self.description = [(name, str(kind)) for name, kind, *_ in self.duckdb.description or []]
        return self

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """The next rows; empty after the last."""
        return self._call(lambda: self.duckdb.fetchmany(size))

    def open_batches(self, size: int, form: str = "") -> pa.Schema:
        """Run a bound query, whose rows may become lines of a format; its Arrow schema."""
        bound = self._bound
        if form:
            columns = list(zip(bound.columns, bound.types, strict=True))
            bound = self._call(lambda: bound.project(f"{lines.LINES[form](columns)} as line"))
        self._batches = self._call(lambda: bound.to_arrow_reader(size))
        return self._batches.schema

    def next_batch(self) -> pa.RecordBatch | None:
        """The next batch; None after the last."""
        return self._call(lambda: next(self._batches, None))

    def close(self) -> None:
        """Close the connection."""
        self.duckdb.close()

    def _checked(self, sql: str) -> str:
        """The statement to run: the text itself, or its `listing`.

        Statements that return no rows could only change this connection's own memory. They are refused so
        that nobody thinks they had an effect.
        """
        if "\0" in sql or not is_text(sql):
            raise QueryError("the query is not valid UTF-8, or has a NUL character")
        statements = self._call(lambda: self.duckdb.extract_statements(sql))
        if len(statements) != 1:
            raise QueryError(f"give one query; this is {len(statements)}")
        try:
            kind = str(statements[0].type).rpartition(".")[2].lower()
        except ValueError:
            kind = "no query"  # a type that DuckDB's Python package does not know
        if kind not in _QUERIES:
            raise QueryError(f"only queries are allowed (select, describe, explain …); this is: {kind}")
        return listing.listing(self.duckdb, sql) or sql

    def _call(self, work: Callable[[], T]) -> T:
        self.files.failure = None
        try:
            return work()
        except (duckdb.OutOfMemoryException, MemoryError) as error:
            raise QueryError(f"the query needs more than {self._memory} of memory{MORE_MEMORY}") from error
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            # Arrow's reader turns DuckDB's errors into OSError; a real one has an errno.
            if isinstance(error, OSError) and error.errno is not None and self.files.failure is None:
                raise
            text = self.files.failure or _explained(str(error))
            if isinstance(error, duckdb.CatalogException) and self._no_marts:
                text += f"\n\n{self._no_marts}"
            raise QueryError(text) from error


def without_end(sql: str) -> str:
    """A query as a part of another one takes it."""
    return _END.sub("", sql)


def without_progress(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A connection that shows no progress bar, as DuckDB does in interactive sessions, on standard output."""
    with suppress(duckdb.InvalidInputException):  # in a notebook without ipywidgets, where there is none
        connection.execute("set enable_progress_bar = false")
    return connection


def _is_temporal(column: tuple[str, str]) -> bool:
    return "DATE" in column[1] or "TIMESTAMP" in column[1]


def _with_infinity(number: int, column: tuple[str, str]) -> str:
    """An expression for a column of which DuckDB's Python package gives infinite times as the last or first
    day that Python has: such values as text."""
    if not _is_temporal(column):
        return f"#{number}"
    union = f"union(value {column[1]}, text varchar)"
    return f"if(contains(#{number}::varchar, 'infinity'), #{number}::varchar::{union}, #{number}::{union})"


def _explained(error: str) -> str:
    """DuckDB's error for the user: the message alone if `StoreFiles` raised it."""
    if _IN_FUNCTION in error:
        return error.partition(_IN_FUNCTION)[2].partition(": ")[2]
    if "disabled by configuration" in error:
        return f"a query reads the tables and marts of the store, and nothing else: {error}"
    if "Traceback (most recent call last)" in error:
        return error.strip().splitlines()[-1].partition(": ")[2]
    return error


def connect(store: Store, wanted: Collection[str] | None = None, limits: Limits | None = None) -> Connection:
    """A read-only connection to the store's tables and marts, in this process.

    wanted
        Names of the tables to attach (default: all). Any other name attaches all marts.
    limits
        Here only DuckDB's own memory is limited; `process` limits the time and all memory.

    All tables are of one snapshot. Raises StoreError if there is no store.
    """
    return Connection(store, wanted, limits or Limits())
