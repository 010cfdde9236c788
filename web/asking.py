"""Queries of the pages: cardlog's own, and those that a person writes. All have the same guard and limits as
`cardlog query`."""

import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any, Final

from cardlog.pipelines.sql import answer, process, results, warehouse
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.storage.store import Store

MOST_ROWS: Final = 1_000
"""Rows of a table on a page."""
MOST_CSV: Final = 1_000_000_000
"""Characters of a CSV file, all of which is written before any of it is sent."""
AT_ONCE: Final = 2
"""Queries that run at the same time; others wait. One that is stopped counts until its process ends."""
DEFAULT: Final = Limits(memory=2**30, seconds=20.0)
"""Limits of a query."""


@dataclass(frozen=True)
class Rows:
    """The first rows of a result.

    rows
        The values of the columns `names`.
    more
        Whether there are more rows.
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
    """Runs queries within limits, `AT_ONCE` at a time."""

    limits: Limits = DEFAULT
    _running: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(AT_ONCE))

    def run_user_query(self, store: Store, sql: str) -> Rows:
        """The first rows of a person's query. Raises QueryError, StoreError."""
        began = time.monotonic()
        with self._running, process.ask(store, sql, self.limits) as connection:
            rows = _first(connection, MOST_ROWS)
            seconds = time.monotonic() - began
            return replace(rows, seconds=seconds, remarks=warehouse.remarks(store))

    def write_csv(self, store: Store, sql: str, out: IO[str]) -> None:
        """Write the result of a person's query as CSV: all of it. Raises QueryError, StoreError."""
        with self._running, process.connect(store, limits=self.limits) as connection:
            results.write_csv(connection.bind(sql), out)

    def run(
        self,
        store: Store,
        tables: Collection[str],
        sql: str,
        values: Sequence[Any] = (),
        limit: int = MOST_ROWS,
    ) -> Rows:
        """The first rows of one of cardlog's queries over tables and marts. Raises QueryError, StoreError."""
        [rows] = self.run_all(store, tables, [sql], values, limit)
        return rows

    def run_all(
        self, store: Store, tables: Collection[str], queries: Sequence[str], values: Sequence[Any], limit: int
    ) -> list[Rows]:
        """The same for several queries with the same values, over one connection."""
        with self._running, process.connect(store, tables, self.limits) as connection:
            return [_first(connection.execute(sql, values), limit) for sql in queries]


def _first(result: answer.Answer, limit: int) -> Rows:
    rows = result.fetchmany(limit + 1)
    return Rows(result.names, rows[:limit], len(rows) > limit)
