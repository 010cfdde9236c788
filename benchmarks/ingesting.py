"""Ingest: reading, judging, writing and committing, against the original code; and the size of events."""

import gzip
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa

from benchmarks import original
from benchmarks.data import FIXTURE, Data
from benchmarks.figures import Figure
from benchmarks.timing import Rounds, Spread, interleaved, one_core
from cardlog.pipelines import runs
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.store import Store

WHOSE: Final = {"large": "simulated", "fixture": "the fixture"}


def _ingest(data: Data, log: Path) -> None:
    """Ingest a log into a new store; making and removing it are timed too."""
    with data.scratch() as folder:
        runs.ingest(Store(str(folder / "store")), [str(log)])


def _original_way(log: Path, hands: int) -> None:
    """Read, replay and count, as the original code does; nothing is checked or kept."""
    with gzip.open(log, "rt") if log.suffix == ".gz" else log.open() as lines:
        for row in itertools.islice(original.rows(lines), hands):
            original.points(row, original.replay(row))


def ingest(data: Data) -> Iterator[Figure]:
    """Ingest a playedhand.csv into a fresh store on one core, in a process that has warmed up.

    Included: the file's digest, parsing, the judgement of every hand, the comparison of ids, the
    data files, the commits, Beam. Of the fixture's 20,000 hands and of a large simulated file.
    Interleaved with it the original code: csv.DictReader, replay and points.
    """
    sizes = data.sizes
    log = data.log(sizes.ingest_hands)
    with gzip.open(FIXTURE, "rt") as lines:
        fixture_hands = sum(1 for _ in lines) - 1
    with one_core():
        found = interleaved(
            sizes.rounds,
            fixture=lambda: _ingest(data, FIXTURE),
            large=lambda: _ingest(data, log),
            original=lambda: _original_way(FIXTURE, sizes.original_hands),
        )
    yield from _ingest_figures(
        {"large": sizes.ingest_hands, "fixture": fixture_hands},
        min(sizes.original_hands, fixture_hands),
        found,
    )


def _ingest_figures(hands: dict[str, int], original_hands: int, found: dict[str, Rounds]) -> Iterator[Figure]:
    by_original = found["original"]
    whose = {name: f"ingest of {count:,} hands, {WHOSE[name]}" for name, count in hands.items()}
    for name, count in hands.items():
        rate, cpu = found[name].rate(count), found[name].cpu_rate(count)
        yield Figure(f"{whose[name]}, one core", rate, "hands/s", 80_000, cpu=cpu)
    rate, cpu = by_original.rate(original_hands), by_original.cpu_rate(original_hands)
    yield Figure("the original code: read, replay, points", rate, "hands/s", cpu=cpu)
    for name, count in hands.items():
        factor = count / original_hands
        ratio, cpu = by_original.over(found[name]).times(factor), by_original.cpu_over(found[name]) * factor
        yield Figure(f"{whose[name]}, against the original code", ratio, "×", 2.0, cpu=cpu)


def size(data: Data) -> Iterator[Figure]:
    """Bytes of `events` per hand: its data files as listed in the table's log."""
    stores = {
        "the fixture": data.fixture_store(),
        f"{data.sizes.some_hands:,} simulated hands": data.store(data.sizes.some_hands),
    }
    for what, store in stores.items():
        files = pa.table(store.table("events").get_add_actions()).column("size_bytes").to_pylist()
        each = sum(files) / sum(valid_ingests(store).column("hands_stored").to_pylist())
        yield Figure(f"events of {what}", Spread(each, each, each), "bytes/hand", 120, at_most=True)
