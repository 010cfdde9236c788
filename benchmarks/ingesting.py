"""Ingest: reading, judging, writing and committing, against the seed's way; and what events take."""

import gzip
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa

from benchmarks import seed
from benchmarks.data import FIXTURE, Data
from benchmarks.figures import Figure
from benchmarks.timing import Rounds, Spread, interleaved, one_core
from cardlog.pipelines import runs
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.store import Store

WHOSE: Final = {"large": "simulated", "fixture": "the fixture"}


def _ingest(data: Data, log: Path) -> None:
    """Ingest a log into a store that is made for it; that is timed too, its removal as well."""
    with data.scratch() as folder:
        runs.ingest(Store(str(folder / "store")), [str(log)])


def _seeds_way(log: Path, hands: int) -> None:
    """Read, replay and count, as the seed does; nothing is checked or kept."""
    with gzip.open(log, "rt") if log.suffix == ".gz" else log.open() as lines:
        for row in itertools.islice(seed.rows(lines), hands):
            seed.points(row, seed.replay(row))


def ingest(data: Data) -> Iterator[Figure]:
    """Ingest a playedhand.csv into a fresh store on one core, in a process that has warmed up.

    Included: the file's digest, parsing, the judgement of every hand, the comparison of ids, the
    data files, the commits, Beam. Of the fixture's 20,000 hands and of a large simulated file.
    In turn with it the seed's way: csv.DictReader, replay and points.
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
            seed=lambda: _seeds_way(FIXTURE, sizes.seed_hands),
        )
    yield from _ingest_figures(
        {"large": sizes.ingest_hands, "fixture": fixture_hands},
        min(sizes.seed_hands, fixture_hands),
        found,
    )


def _ingest_figures(hands: dict[str, int], seed_hands: int, found: dict[str, Rounds]) -> Iterator[Figure]:
    by_seed = found["seed"]
    whose = {name: f"ingest of {count:,} hands, {WHOSE[name]}" for name, count in hands.items()}
    for name, count in hands.items():
        rate, cpu = found[name].rate(count), found[name].cpu_rate(count)
        yield Figure(f"{whose[name]}, one core", rate, "hands/s", 80_000, cpu=cpu)
    rate, cpu = by_seed.rate(seed_hands), by_seed.cpu_rate(seed_hands)
    yield Figure("the seed's way: read, replay, points", rate, "hands/s", cpu=cpu)
    for name, count in hands.items():
        factor = count / seed_hands
        ratio, cpu = by_seed.over(found[name]).times(factor), by_seed.cpu_over(found[name]) * factor
        yield Figure(f"{whose[name]}, against the seed's way", ratio, "×", 2.0, cpu=cpu)


def size(data: Data) -> Iterator[Figure]:
    """Bytes of `events` a hand: its data files as the table's log has them."""
    stores = {
        "the fixture": data.fixture_store(),
        f"{data.sizes.some_hands:,} simulated hands": data.store(data.sizes.some_hands),
    }
    for what, store in stores.items():
        files = pa.table(store.table("events").get_add_actions()).column("size_bytes").to_pylist()
        each = sum(files) / sum(valid_ingests(store).column("hands_stored").to_pylist())
        yield Figure(f"events of {what}", Spread(each, each, each), "bytes/hand", 120, at_most=True)
