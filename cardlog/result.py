"""The rows of a query."""

from collections.abc import Callable
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeVar

import duckdb
import pyarrow as pa

from cardlog.pipelines.errors import as_our_own
from cardlog.pipelines.sql import query
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.sql.results import cell_text
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal.console import table_text
from cardlog.pipelines.visible import one_line
from cardlog.schemas.errors import CardlogError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

SHOWN_ROWS: Final = 20
"""How many rows a result shows by default."""

Found = TypeVar("Found")


class MissingPackage(CardlogError, ImportError):
    """Something needs a package that is not installed."""


class Result:
    """The rows of a query, over the tables as they were when `Store.sql` was called.

    The query runs each time rows are fetched, as with a DuckDB relation. It is read-only, keeps to its
    limits, and Ctrl-C stops it. All methods raise QueryError if it fails.
    """

    def __init__(self, store: Store, sql: str, most: Limits) -> None:
        self._connection, self._relation = query.over_named(store, sql, most, _bound)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._relation.columns)

    @property
    def types(self) -> list[str]:
        """Types of the columns, as DuckDB names them."""
        return list(map(str, self._relation.types))

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows."""
        return self._run(lambda: self._relation.fetchall())

    def fetchone(self) -> tuple[Any, ...] | None:
        """The first row, or None."""
        return next(iter(self._first(1)), None)

    def df(self) -> "pd.DataFrame":
        """A pandas DataFrame."""
        _need("pandas", ".df()")
        frame: pd.DataFrame = self._run(lambda: self._relation.df())
        return frame

    def pl(self) -> "pl.DataFrame":
        """A polars DataFrame."""
        _need("polars", ".pl()")
        return self._run(lambda: self._relation.pl())

    def arrow(self) -> pa.Table:
        """An Arrow table."""
        return self._run(lambda: self._relation.to_arrow_table())

    def show(self, rows: int = SHOWN_ROWS) -> None:
        """Print the first rows as a table."""
        print(self._text(rows))

    def __repr__(self) -> str:
        return self._text(SHOWN_ROWS)

    def _text(self, rows: int) -> str:
        found = self._first(rows + 1)
        text = table_text(self.columns, [list(map(cell_text, row)) for row in found[:rows]])
        more = f"… and more; these are the first {rows}" if len(found) > rows else ""
        return f"{text.rstrip()}\n{more}".rstrip()

    def _repr_html_(self) -> str:
        found = self._first(SHOWN_ROWS + 1)
        head = "".join(f"<th>{escape(one_line(name))}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(one_line(cell_text(value)))}</td>' for value in row)}</tr>"
            for row in found[:SHOWN_ROWS]
        )
        more = f"<p>… and more; these are the first {SHOWN_ROWS}</p>" if len(found) > SHOWN_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _first(self, count: int) -> list[tuple[Any, ...]]:
        return self._run(lambda: self._relation.limit(count).fetchall())

    def _run(self, work: Callable[[], Found]) -> Found:
        with as_our_own():
            return self._connection.carry_out(work)


def _bound(connection: query.Connection, sql: str) -> tuple[query.Connection, duckdb.DuckDBPyRelation]:
    """The relation of a read-only query. A relation can also write, so it is never handed out."""
    statement = connection.checked(sql)
    return connection, connection.carry_out(lambda: connection.duckdb.sql(statement))


def _need(package: str, method: str) -> None:
    if find_spec(package) is None:
        raise MissingPackage(
            f"{method} needs {package}, which is not installed; .arrow() and .fetchall() don't"
        )
