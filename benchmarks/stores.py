"""The store: ingest and rebuild against the original code, queries against plain DuckDB; sizes and starts."""

import gzip
import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

import duckdb
import pyarrow as pa

from benchmarks import original
from benchmarks.data import FIXTURE, Data
from benchmarks.figures import ROUNDS, Figure, Work, interleaved, one_core
from cardlog.pipelines import runs
from cardlog.pipelines.sql import query
from cardlog.pipelines.sql.process import ask
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.store import Store

ORIGINAL_HANDS: Final = 20_000
"""Hands that the original code is timed on; it is as fast with more."""


def ingest(data: Data) -> Iterator[Figure]:
    """Ingest a playedhand.csv into a fresh store on all cores, in a process that has warmed up.

    Included: the file's digest, parsing, the judgement of every hand, the comparison of ids, the data files
    and the commits. In turn with the original code: csv.DictReader, replay and points, nothing checked or
    stored.
    """
    large, hands = data.log(data.some_hands), data.part(ORIGINAL_HANDS)
    with gzip.open(FIXTURE) as lines:
        fixture_hands = sum(1 for _ in lines) - 1
    timings = interleaved(
        ROUNDS,
        fixture=lambda: _ingest(data, FIXTURE),
        large=lambda: _ingest(data, large),
        original=lambda: _replay_original(hands),
    )
    baseline = timings["original"]
    yield baseline.rate("the original code: read, replay, points", hands, "hands/s")
    for log, count, target in (("large", data.some_hands, 2.0), ("fixture", fixture_hands, None)):
        yield timings[log].rate(f"ingest of {count:,} hands", count, "hands/s")
        name = "the same against the original code"
        yield baseline.over(timings[log], name, target, at_most=False, scale=count / hands)


def size(data: Data) -> Iterator[Figure]:
    """Bytes of `events` per hand: its data files as listed in the table's log."""
    store = data.fixture_store()
    sizes = pa.table(store.table("events").get_add_actions()).column("size_bytes").to_pylist()
    per_hand = sum(sizes) / sum(valid_ingests(store).column("hands_stored").to_pylist())
    yield Figure("events of the fixture", [per_hand], "bytes/hand", 120, at_most=True)


def _ingest(data: Data, log: Path) -> None:
    """Ingest a log into a new store, and remove the store."""
    with data.scratch() as folder:
        runs.ingest(Store(str(folder / "store")), [str(log)])


def _replay_original(hands: int) -> None:
    with gzip.open(FIXTURE, "rt") as lines:
        for row in itertools.islice(original.rows(lines), hands):
            original.points(row, original.replay(row))


def rebuild(data: Data) -> Iterator[Figure]:
    """A rebuild of `playedhand` and `tricks` through Beam, on one core.

    In turn with it: the original replay of fewer hands, of rows that are already parsed.
    """
    with data.log(data.hands).open() as lines:
        rows = list(itertools.islice(original.rows(lines), data.part(ORIGINAL_HANDS)))
    with data.copy(data.store(data.some_hands)) as store:
        _rebuild(store)  # compiles and loads everything
    with one_core(), data.copy(data.store(data.hands)) as store:
        timings = interleaved(
            ROUNDS,
            warm_up=False,
            beam=lambda: _rebuild(store),
            original=lambda: [original.replay(row) for row in rows],
        )
    name = f"rebuild of {data.hands:,} hands through Beam, one core"
    yield timings["beam"].rate(name, data.hands, "hands/s", 180_000)
    name, scale = "the same against the original replay of parsed rows", data.hands / len(rows)
    yield timings["original"].over(timings["beam"], name, 3.0, at_most=False, scale=scale)


def _rebuild(store: Store) -> None:
    runs.build(store, wanted=("playedhand", "tricks"), afresh=True, beam_options=("--runner=FnApiRunner",))


QUERIES: Final = 15
PROCESSES: Final = 9
BID_SUCCESS: Final = """
    select contract, trump, (declarer - dealer + 4) % 4 as position, count(*) as hands,
        count(*) filter (where if(declarer % 2 = 0, team_0_score, team_1_score) > 0) as made,
        avg(if(declarer % 2 = 0, team_0_points, team_1_points)) as mean_points
    from {table} where status = 'complete' group by all order by all
"""
"""The mart kaiser_bid_success, computed directly from the projection."""


def queries(data: Data) -> Iterator[Figure]:
    """`cardlog query` against DuckDB, interleaved in one process, over the large store.

    Each side connects, runs the query and fetches all rows; then again with an open connection. Cardlog's
    has views of all tables and marts and is locked, DuckDB's reads the files.
    """
    store = data.built_store(data.hands)
    files = [f"{store.uri('playedhand')}/{path}" for path in store.paths("playedhand")]
    by_table = BID_SUCCESS.format(table="playedhand")
    by_files = BID_SUCCESS.format(table=f"read_parquet({files!r})")

    def ask_cardlog() -> None:
        with ask(store, by_table) as connection:
            connection.fetchall()

    def ask_duckdb() -> None:
        with duckdb.connect() as connection:
            connection.execute(by_files).fetchall()

    name = f"cardlog query against DuckDB, bid success of {data.hands:,} hands"
    timings = interleaved(QUERIES, cardlog=ask_cardlog, duckdb=ask_duckdb)
    yield timings["cardlog"].over(timings["duckdb"], f"{name}, connecting too", 1.1)
    with query.connect(store) as cardlog, duckdb.connect() as direct:
        if cardlog.run(by_table).fetchall() != direct.execute(by_files).fetchall():
            raise AssertionError("cardlog and DuckDB differ")
        timings = interleaved(
            QUERIES,
            cardlog=lambda: cardlog.run(by_table).fetchall(),
            duckdb=lambda: direct.execute(by_files).fetchall(),
        )
    yield timings["cardlog"].over(timings["duckdb"], f"{name}, connected", 1.1)


def start(data: Data) -> Iterator[Figure]:
    """The whole process of `cardlog --help` and of `cardlog status`, from start to end."""
    store = data.fixture_store()
    timings = interleaved(
        PROCESSES, help=_cardlog("--help"), status=_cardlog("status", "--store", store.root)
    )
    for name, target in (("help", 0.3), ("status", 0.6)):
        walls, cpu = timings[name].walls, median(timings[name].cpus)
        yield Figure(f"cardlog {name}, whole process", walls, "s", target, at_most=True, cpu=cpu)


def _cardlog(*arguments: str) -> Work:
    """A run of the command line."""
    command = [sys.executable, "-m", "cardlog", *arguments]
    return lambda: subprocess.run(command, check=True, capture_output=True)
