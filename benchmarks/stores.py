"""The store: ingest and rebuild against the original code, queries against plain DuckDB; size, and starts."""

import gzip
import itertools
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

import duckdb
import pyarrow as pa

from benchmarks import original
from benchmarks.data import FIXTURE, Data
from benchmarks.figures import Figure, Work, interleaved, one_core, process
from cardlog.pipelines import runs
from cardlog.pipelines.sql import query
from cardlog.pipelines.sql.process import ask
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.store import Store

OTHER: Final = "other"
"""A data set: the same rows are other hands in it."""
SMALL: Final = 20_000


def ingest(data: Data) -> Iterator[Figure]:
    """Ingest a playedhand.csv into a fresh store, all cores used, in a process that has warmed up.

    Included: the file's digest, parsing, the judgement of every hand, the comparison of ids, the data files,
    the commits. In turn with the original code: csv.DictReader, replay and points, nothing checked or kept.
    """
    sizes = data.sizes
    large, fixture = data.log(sizes.ingest_hands), _lines(FIXTURE) - 1
    found = interleaved(
        sizes.rounds,
        fixture=lambda: _ingest(data, FIXTURE),
        large=lambda: _ingest(data, large),
        original=lambda: _original_way(FIXTURE, sizes.original_hands),
    )
    few = min(sizes.original_hands, fixture)
    theirs = found["original"]
    yield theirs.rate("the original code: read, replay, points", few, "hands/s")
    for name, count, target in (("large", sizes.ingest_hands, 2.0), ("fixture", fixture, None)):
        yield found[name].rate(f"ingest of {count:,} hands", count, "hands/s")
        what = "the same against the original code"
        yield theirs.over(found[name], what, target, at_most=False, scale=count / few)


def small_ingest(data: Data) -> Iterator[Figure]:
    """Ingest 20,000 hands into a large store, against the same into nothing."""
    log, stored = data.log(SMALL), data.store(data.sizes.hands)

    def into_the_large_one() -> None:
        with data.copy(stored) as copy:
            runs.ingest(copy, [str(log)], dataset=OTHER)

    found = interleaved(data.sizes.rounds, nothing=lambda: _ingest(data, log), large=into_the_large_one)
    what = f"ingest of {SMALL:,} hands into {data.sizes.hands:,}, against into nothing"
    yield found["large"].over(found["nothing"], what, 1.3)


def size(data: Data) -> Iterator[Figure]:
    """Bytes of `events` per hand: its data files as listed in the table's log."""
    stores = {
        "the fixture": data.fixture_store(),
        f"{data.sizes.some_hands:,} simulated hands": data.store(data.sizes.some_hands),
    }
    for what, store in stores.items():
        files = pa.table(store.table("events").get_add_actions()).column("size_bytes").to_pylist()
        each = sum(files) / sum(valid_ingests(store).column("hands_stored").to_pylist())
        yield Figure(f"events of {what}", [each], "bytes/hand", 120, at_most=True)


def _ingest(data: Data, log: Path) -> None:
    """Ingest a log into a new store; making and removing it are timed too."""
    with data.scratch() as folder:
        runs.ingest(Store(str(folder / "store")), [str(log)])


def _original_way(log: Path, hands: int) -> None:
    with gzip.open(log, "rt") as lines:
        for row in itertools.islice(original.rows(lines), hands):
            original.points(row, original.replay(row))


def _lines(log: Path) -> int:
    with gzip.open(log) as stream:
        return sum(1 for _ in stream)


def rebuild(data: Data) -> Iterator[Figure]:
    """A rebuild of `playedhand` and `tricks`, through Beam and without, on one core.

    In turn with it: the original replay of rows that are parsed already, of fewer hands.
    """
    sizes = data.sizes
    with data.log(sizes.hands).open() as lines:
        rows = list(itertools.islice(original.rows(lines), sizes.original_hands))
    with data.copy(data.store(sizes.some_hands)) as store:
        _rebuild(store)  # compiles and loads everything
    with one_core(), data.copy(data.store(sizes.hands)) as store:
        found = interleaved(
            sizes.rounds,
            warm_up=False,
            alone=partial(_rebuild, store),
            beam=partial(_rebuild, store, ("--runner=FnApiRunner",)),
            original=lambda: [original.replay(row) for row in rows],
        )
    theirs, scale = found["original"], sizes.hands / len(rows)
    for name, what in (("alone", ""), ("beam", " through Beam")):
        what = f"rebuild of {sizes.hands:,} hands{what}, one core"
        yield found[name].rate(what, sizes.hands, "hands/s", 180_000)
        what = "the same against the original replay of parsed rows"
        yield theirs.over(found[name], what, 3.0, at_most=False, scale=scale)


def _rebuild(store: Store, options: tuple[str, ...] = ()) -> None:
    runs.build(store, wanted=("playedhand", "tricks"), afresh=True, beam_options=options)


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
    yield found["cardlog"].over(found["duckdb"], f"{what}, connecting too", 1.1)
    with closing(query.connect(store)) as ready, closing(duckdb.connect()) as direct:
        if ready.run(ours).fetchall() != direct.execute(theirs).fetchall():
            raise AssertionError("cardlog and DuckDB differ")
        found = interleaved(
            QUERIES,
            cardlog=lambda: ready.run(ours).fetchall(),
            duckdb=lambda: direct.execute(theirs).fetchall(),
        )
    yield found["cardlog"].over(found["duckdb"], f"{what}, connected", 1.1)


def start(data: Data) -> Iterator[Figure]:
    """The whole process of `cardlog --help` and of `cardlog status`, from its start to its end."""
    store = data.fixture_store()
    found = interleaved(PROCESSES, help=_cardlog("--help"), status=_cardlog("status", "--store", store.root))
    for name, target in (("help", 0.3), ("status", 0.6)):
        took = found[name]
        what = f"cardlog {name}, whole process"
        yield Figure(what, took.walls, "s", target, at_most=True, cpu=median(took.cpus))


def _cardlog(*arguments: str) -> Work:
    return process([sys.executable, "-m", "cardlog", *arguments])
