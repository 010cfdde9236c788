"""Ingest: reading, judging, writing and committing, against the original code; and the size of the tables."""

import gzip
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa

from benchmarks import original
from benchmarks.data import FIXTURE, Data
from benchmarks.figures import Figure, against, rate
from benchmarks.timing import Spread, interleaved
from cardlog.pipelines import runs
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
    yield rate("the original code: read, replay, points", theirs, few, "hands/s")
    for name, count, target in (("large", sizes.ingest_hands, 2.0), ("fixture", fixture, None)):
        ours, scale = found[name], count / few
        yield rate(f"ingest of {count:,} hands", ours, count, "hands/s")
        yield Figure("the same against the original code", theirs.over(ours).times(scale), "×",
                     target, cpu=theirs.cpu_over(ours) * scale)  # fmt: skip


def small_ingest(data: Data) -> Iterator[Figure]:
    """Ingest 20,000 hands into a large store, against the same into nothing."""
    log, stored = data.log(SMALL), data.store(data.sizes.hands)

    def into_the_large_one() -> None:
        with data.copy(stored) as copy:
            runs.ingest(copy, [str(log)], dataset=OTHER)

    found = interleaved(data.sizes.rounds, nothing=lambda: _ingest(data, log), large=into_the_large_one)
    what = f"ingest of {SMALL:,} hands into {data.sizes.hands:,}, against into nothing"
    yield against(what, found["large"], found["nothing"], 1.3)


def size(data: Data) -> Iterator[Figure]:
    """Bytes of `events` per hand: its data files as listed in the table's log."""
    stores = {
        "the fixture": data.fixture_store(),
        f"{data.sizes.some_hands:,} simulated hands": data.store(data.sizes.some_hands),
    }
    for what, store in stores.items():
        files = pa.table(store.table("events").get_add_actions()).column("size_bytes").to_pylist()
        each = sum(files) / sum(valid_ingests(store).column("hands_stored").to_pylist())
        yield Figure(f"events of {what}", Spread.of([each]), "bytes/hand", 120, at_most=True)


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
