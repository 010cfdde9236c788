"""SQL over the store against plain DuckDB, and how long the program takes to start."""

import sys
from collections.abc import Iterator
from contextlib import closing
from statistics import median
from typing import Final

import duckdb

from benchmarks.data import Data
from benchmarks.figures import Figure, against
from benchmarks.timing import Work, interleaved, process
from cardlog.pipelines.sql import query
from cardlog.pipelines.sql.process import ask

QUERIES: Final = 15
PROCESSES: Final = 9
BID_SUCCESS: Final = """
    select contract, trump, (declarer - dealer + 4) % 4 as position, count(*) as hands,
        count(*) filter (where if(declarer % 2 = 0, team_0_score, team_1_score) > 0) as made,
        avg(if(declarer % 2 = 0, team_0_points, team_1_points)) as mean_points
    from {table} where status = 'complete' group by all order by all
"""
"""The mart kaiser_bid_success, computed from the projection itself."""


def queries(data: Data) -> Iterator[Figure]:
    """`cardlog query` against DuckDB, interleaved in one process, over the large store.

    Each side connects, asks and takes all rows; then again with a connection that is there. Cardlog's has
    views of all tables and marts and is locked, DuckDB's is given the files.
    """
    store = data.built_store(data.sizes.hands)
    files = [f"{store.uri('playedhand')}/{path}" for path in store.paths("playedhand")]
    ours, theirs = (BID_SUCCESS.format(table=table) for table in ("playedhand", f"read_parquet({files!r})"))

    def ask_cardlog() -> None:
        with closing(ask(store, ours)) as connection:
            connection.fetchall()

    def ask_duckdb() -> None:
        with closing(duckdb.connect()) as connection:
            connection.execute(theirs).fetchall()

    what = f"cardlog query against DuckDB, bid success of {data.sizes.hands:,} hands"
    found = interleaved(QUERIES, cardlog=ask_cardlog, duckdb=ask_duckdb)
    yield against(f"{what}, connecting too", found["cardlog"], found["duckdb"], 1.1)
    with closing(query.connect(store)) as ready, closing(duckdb.connect()) as direct:
        if ready.run(ours).fetchall() != direct.execute(theirs).fetchall():
            raise AssertionError("cardlog and DuckDB differ")
        found = interleaved(
            QUERIES,
            cardlog=lambda: ready.run(ours).fetchall(),
            duckdb=lambda: direct.execute(theirs).fetchall(),
        )
    yield against(f"{what}, connected", found["cardlog"], found["duckdb"], 1.1)


def start(data: Data) -> Iterator[Figure]:
    """The whole process of `cardlog --help` and of `cardlog status`, from its start to its end."""
    store = data.fixture_store()
    found = interleaved(PROCESSES, help=_cardlog("--help"), status=_cardlog("status", "--store", store.root))
    for name, target in (("help", 0.3), ("status", 0.6)):
        took = found[name]
        cpu = median(took.cpus)
        yield Figure(f"cardlog {name}, whole process", took.seconds(), "s", target, at_most=True, cpu=cpu)


def _cardlog(*arguments: str) -> Work:
    return process([sys.executable, "-m", "cardlog", *arguments])
