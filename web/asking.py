"""Queries of the pages: those of cardlog, and those that a person writes. All go through the same guard and
limits as `cardlog query`."""

import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import IO, Any, Final

from cardlog.pipelines.sql import process, query, results, warehouse
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.storage.store import Store

MOST_ROWS: Final = 1_000
"""Rows of a table on a page."""
MOST_CSV_ROWS: Final = 1_000_000
AT_ONCE: Final = 2
"""Queries that run at the same time; others wait. One that is stopped counts until its process has ended."""
DEFAULT: Final = Limits(memory=2**30, seconds=20.0)
"""Limits of a query."""


@dataclass(frozen=True)
class Rows:
    """The first rows of an answer.

    rows
        Values, with the columns of `names`.
    more
        Whether there are more of them.
    """

    names: list[str]
    rows: list[tuple[Any, ...]]
    more: bool
    seconds: float = 0.0
    remarks: list[str] = field(default_factory=list)

    def dicts(self) -> list[dict[str, Any]]:
        """Each row by column."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]


@dataclass(frozen=True)
class Asking:
    """The limits of one query, and how many run at once."""

    limits: Limits = DEFAULT
    _running: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(AT_ONCE))

    def person(self, store: Store, sql: str, most: int = MOST_ROWS) -> Rows:
        """The answer to what a person asked. Raises QueryError, StoreError."""
        began = time.monotonic()
        with self._running, process.ask(store, sql, self.limits) as connection:
            found = _first(connection, most)
            seconds = time.monotonic() - began
            return replace(found, seconds=seconds, remarks=warehouse.remarks(store))

    def csv(self, store: Store, sql: str, out: IO[str]) -> None:
        """Write the answer to what a person asked as CSV. Raises QueryError, StoreError."""
        with self._running, process.ask(store, sql, self.limits) as connection:
            results.write_csv(connection.names, islice(connection.rows(), MOST_CSV_ROWS), out)

    def own(
        self,
        store: Store,
        tables: Collection[str],
        sql: str,
        values: Sequence[Any] = (),
        most: int = MOST_ROWS,
    ) -> Rows:
        """The answer to a query of cardlog's own over tables and marts. Raises QueryError, StoreError."""
        [found] = self.all(store, tables, [sql], values, most)
        return found

    def all(
        self, store: Store, tables: Collection[str], queries: Sequence[str], values: Sequence[Any], most: int
    ) -> list[Rows]:
        """The same for several queries with the same values, over one connection."""
        with self._running, process.connect(store, tables, self.limits) as connection:
            return [_first(connection.execute(sql, values), most) for sql in queries]


def _first(result: query.Answer, most: int) -> Rows:
    rows = result.fetchmany(most + 1)
    return Rows(result.names, rows[:most], len(rows) > most)
