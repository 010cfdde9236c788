"""SQL over the store against plain DuckDB, and how long the program takes to start."""

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import duckdb

from benchmarks.data import Data
from benchmarks.figures import Figure
from benchmarks.timing import Rounds, Work, interleaved, process
from cardlog.pipelines.sql import query, warehouse
from cardlog.pipelines.sql.process import ask
from cardlog.pipelines.storage.store import Store

QUERIES: Final = 15
PROCESSES: Final = 9
PROGRAM: Final = "from cardlog.pipelines.terminal.cli import main; main()"
DIRECTLY: Final = "import sys, duckdb; print(duckdb.sql(sys.argv[1]).fetchall())"


@dataclass(frozen=True)
class Question:
    """A query with a placeholder for its table, and that table's name; `is_mart` if dbt made it."""

    what: str
    sql: str
    table: str
    is_mart: bool


BID_SUCCESS: Final = Question(
    "bid success from playedhand",
    """
    select contract, trump, (declarer - dealer + 4) % 4 as position, count(*) as hands,
        count(*) filter (where if(declarer % 2 = 0, team_0_score, team_1_score) > 0) as made,
        avg(if(declarer % 2 = 0, team_0_points, team_1_points)) as mean_points
    from {table} where status = 'complete' group by all order by all
    """,
    "playedhand",
    False,
)
"""The mart kaiser_bid_success, computed from the projection itself."""
HANDS: Final = Question(
    "the same from dbt's hands",
    """
    select contract, trump, (declarer - dealer + 4) % 4 as position, count(*) as hands,
        count(*) filter (where made) as made, avg(declarer_points) as mean_points
    from {table} where status = 'complete' group by all order by all
    """,
    "hands",
    True,
)


def queries(data: Data) -> Iterator[Figure]:
    """`cardlog query` against DuckDB, interleaved in one process, over the large store.

    Each side connects, asks and takes all rows; then again with a connection that is there.
    Cardlog's has views of all tables and marts and is locked, DuckDB's is given the files, or the
    warehouse. At last the whole processes.
    """
    hands = data.sizes.hands
    store = data.built_store(hands)
    for question in (BID_SUCCESS, HANDS):
        what = f"cardlog query against DuckDB, {question.what}, {hands:,} hands"
        yield _against(f"{what}, connecting too", _connecting(store, question), 1.1)
        yield _against(f"{what}, connected", _connected(store, question))
    found = _processes(store)
    yield Figure("whole process of that cardlog query", found["cardlog"].seconds(), "s")
    yield Figure("whole process of python asking DuckDB", found["duckdb"].seconds(), "s")


def _against(what: str, found: dict[str, Rounds], target: float | None = None) -> Figure:
    return Figure(
        what,
        found["cardlog"].over(found["duckdb"]),
        "×",
        target,
        at_most=True,
        cpu=found["cardlog"].cpu_over(found["duckdb"]),
    )


def _connecting(store: Store, question: Question) -> dict[str, Rounds]:
    """Connect and query, by cardlog and by DuckDB."""

    def by_cardlog() -> None:
        with closing(ask(store, question.sql.format(table=question.table))) as connection:
            connection.fetchall()

    def by_duckdb() -> None:
        with closing(_connect_directly(store, question)) as connection:
            connection.execute(_direct_sql(store, question)).fetchall()

    return interleaved(QUERIES, cardlog=by_cardlog, duckdb=by_duckdb)


def _connected(store: Store, question: Question) -> dict[str, Rounds]:
    """The query alone, by cardlog and by DuckDB; both must give the same rows."""
    sql, direct_sql = question.sql.format(table=question.table), _direct_sql(store, question)
    with closing(query.connect(store)) as ours, closing(_connect_directly(store, question)) as theirs:
        if ours.run(sql).fetchall() != theirs.execute(direct_sql).fetchall():
            raise AssertionError(f"cardlog and DuckDB differ: {sql}")
        return interleaved(
            QUERIES,
            cardlog=lambda: ours.run(sql).fetchall(),
            duckdb=lambda: theirs.execute(direct_sql).fetchall(),
        )


def _connect_directly(store: Store, question: Question) -> duckdb.DuckDBPyConnection:
    if question.is_mart:
        return duckdb.connect(str(warehouse.path_of(store)), read_only=True)
    return duckdb.connect()


def _direct_sql(store: Store, question: Question) -> str:
    if question.is_mart:
        return question.sql.format(table=question.table)
    files = [f"{store.uri(question.table)}/{path}" for path in store.paths(question.table)]
    return question.sql.format(table=f"read_parquet({files!r})")


def _processes(store: Store) -> dict[str, Rounds]:
    """The first question from the command line, and by a Python that does nothing else."""
    sql = BID_SUCCESS.sql.format(table=BID_SUCCESS.table)
    return interleaved(
        PROCESSES,
        cardlog=_cardlog("query", sql, "--output", "csv", "--store", store.root),
        duckdb=process([sys.executable, "-c", DIRECTLY, _direct_sql(store, BID_SUCCESS)]),
    )


def _cardlog(*arguments: str) -> Work:
    return process([sys.executable, "-c", PROGRAM, *arguments])


def start(data: Data) -> Iterator[Figure]:
    """The whole process of `cardlog --help` and of `cardlog status`, from its start to its end."""
    store = data.fixture_store()
    found = interleaved(PROCESSES, help=_cardlog("--help"), status=_cardlog("status", "--store", store.root))
    for name, what, target in (("help", "cardlog --help", 0.3), ("status", "cardlog status", 0.6)):
        cpu = found[name].cpu_seconds()
        yield Figure(f"{what}, whole process", found[name].seconds(), "s", target, at_most=True, cpu=cpu)
