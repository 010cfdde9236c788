"""The rows of a query."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa

from cardlog.pipelines.errors import as_our_own
from cardlog.pipelines.sql import process, warehouse
from cardlog.pipelines.sql.answer import BATCH_ROWS, QueryError
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.sql.query import without_end, without_progress
from cardlog.pipelines.sql.results import cell_text
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.opening import stamp_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.screen import table_text
from cardlog.pipelines.text.visible import one_line
from cardlog.schemas.errors import CardlogError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

SHOWN_ROWS: Final = 20
"""How many rows a result shows by default."""

INSTEAD: Final = ".arrow() and .fetchall() don't"


class MissingPackage(CardlogError, ImportError):
    """Something needs a package that is not installed."""


class Result:
    """The rows of a query, over the tables as they were when `Store.sql` was called.

    The query runs each time rows are fetched, as with a DuckDB relation, in a process of its own. It is
    read-only, keeps to its limits, and Ctrl-C stops it. All methods raise QueryError if it fails, or if the
    marts have been built again.
    """

    def __init__(self, store: Store, sql: str, most: Limits) -> None:
        self._store, self._sql, self._limits = pinned(store), sql, most
        self._marts = _marts_of(store)
        self._bound: process.ProcessConnection | None = self._bind()
        self._description = self._bound.description
        self.remarks = self._bound.remarks

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [name for name, _ in self._description]

    @property
    def types(self) -> list[str]:
        """Types of the columns, as DuckDB names them."""
        return [kind for _, kind in self._description]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows."""
        with self._asked() as connection:
            return connection.run(self._sql).fetchall()

    def fetchone(self) -> tuple[Any, ...] | None:
        """The first row, or None."""
        return next(iter(self._first(1)), None)

    def df(self) -> "pd.DataFrame":
        """A pandas DataFrame."""
        need("pandas", ".df()", INSTEAD)
        with without_progress(duckdb.connect()) as converter:
            frame: pd.DataFrame = converter.from_arrow(self.arrow()).df()
        return frame

    def pl(self) -> "pl.DataFrame":
        """A polars DataFrame."""
        need("polars", ".pl()", INSTEAD)
        import polars

        return polars.DataFrame(self.arrow())

    def arrow(self) -> pa.Table:
        """An Arrow table."""
        with self._asked() as connection:
            schema, batches = connection.bind(self._sql).batches(BATCH_ROWS)
            return pa.Table.from_batches(batches, schema)

    def show(self, rows: int = SHOWN_ROWS) -> None:
        """Print the first rows as a table."""
        print(self._text(rows))

    def __repr__(self) -> str:
        return self._text(SHOWN_ROWS)

    def _text(self, rows: int) -> str:
        found = self._first(rows + 1)
        text = table_text(self.columns, [list(map(cell_text, row)) for row in found[:rows]])
        return f"{text.rstrip()}\n{self._more(found, rows)}".rstrip()

    def _more(self, found: list[tuple[Any, ...]], rows: int) -> str:
        """What follows the first rows if these are not all."""
        if len(found) <= rows:
            return ""
        try:
            with self._asked() as connection:
                [[count]] = connection.run(f"select count(*) from ({without_end(self._sql)}\n)").fetchall()
        except QueryError:  # some statements can't be a part of another one
            return f"… and more; these are the first {rows}"
        return f"… {count:,} rows; these are the first {rows}"

    def _repr_html_(self) -> str:
        found = self._first(SHOWN_ROWS + 1)
        head = "".join(f"<th>{escape(one_line(name))}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(one_line(cell_text(value)))}</td>' for value in row)}</tr>"
            for row in found[:SHOWN_ROWS]
        )
        more = self._more(found, SHOWN_ROWS)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return table + f"<p>{more}</p>" * bool(more)

    def _first(self, count: int) -> list[tuple[Any, ...]]:
        with self._asked() as connection:
            return list(connection.run(self._sql).fetchmany(count))

    def _bind(self) -> process.ProcessConnection:
        versions = self._store.moment.versions.items()
        stamps = [stamp_of(self._store.uri(name), version) for name, version in versions]
        key = self._store.moment, stamps, self._marts, self._store.root, self._limits, dict(os.environ)
        connection = process.take(key) or process.connect(self._store, limits=self._limits)
        connection.key = key
        return connection.bind(self._sql)

    @contextmanager
    def _asked(self) -> Iterator[process.ProcessConnection]:
        """A connection to run the query: the one that looked up its columns, then others like it."""
        with as_our_own():
            if self._marts != _marts_of(self._store):
                raise QueryError("the marts have been built again since this was asked; ask again")
            connection, self._bound = self._bound or self._bind(), None
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            process.keep(connection)


def _marts_of(store: Store) -> tuple[int, int] | None:
    """What tells the store's warehouse from the one before; None without one."""
    path = warehouse.path_of(store)
    found = path.stat() if path.exists() else None
    return found and (found.st_ino, found.st_mtime_ns)


def need(package: str, method: str, instead: str) -> None:
    """Raise MissingPackage for a method whose package is not there, with what there is instead."""
    if find_spec(package) is None:
        raise MissingPackage(f"{method} needs {package}, which is not installed; {instead}")
