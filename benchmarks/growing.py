"""What an ingest costs as the store grows, against the same ingest into an empty one."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from benchmarks.data import Data
from benchmarks.figures import Figure
from benchmarks.memory import peak_of
from benchmarks.timing import Sample, Spread, interleaved, once
from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.compact import compact
from cardlog.pipelines.upkeep.piles import is_piled_up

FLAT: Final = 1.2
"""How much longer an ingest may take in a large store, or after many."""
OTHER: Final = "other"
"""A data set: the same rows are other hands in it."""
FEW: Final = 100
AFTER: Final = 250
"""How many hands a small ingest has, and how many such there are."""
MEDIAN_OF: Final = 9


def growth(data: Data) -> Iterator[Figure]:
    """Ingest the same log into an empty store and into larger ones: time, and memory of a process.

    None of its hands is stored yet. Everything is included: the file's digest, reading, judging, comparing,
    commits.
    """
    sizes = data.sizes
    for hands in (sizes.ingest_hands // 25, sizes.ingest_hands):
        log = data.log(hands)
        stores = {count: data.store(count) for count in (sizes.some_hands, sizes.hands)}
        works: dict[str, Callable[[], object]] = {"0": _into_an_empty_one(data, log)}
        works |= {str(count): _into_a_copy(data, store, log) for count, store in stores.items()}
        found = interleaved(sizes.rounds, **works)
        peaks = {str(count): _peak(data, store, log) for count, store in stores.items()}
        empty = _peak(data, None, log)
        yield Figure(f"ingest of {hands:,} hands into an empty store", found["0"].seconds(), "s",
                     cpu=found["0"].cpu_seconds())  # fmt: skip
        for count in stores:
            mine = found[str(count)]
            what = f"ingest of {hands:,} hands into {count:,}, against an empty store"
            yield Figure(what, mine.over(found["0"]), "×", FLAT, at_most=True, cpu=mine.cpu_over(found["0"]))
            ratio = peaks[str(count)] / empty
            what = f"memory of that ({empty:,.0f} MiB into an empty store)"
            yield Figure(what, Spread(ratio, ratio, ratio), "×", 1.1, at_most=True)


def small_ingests(data: Data) -> Iterator[Figure]:
    """Ingest 100 hands many times over: the last time against the first, and compacts in between."""
    count = data.sizes.part(AFTER)
    lines = data.log(FEW * count).read_bytes().splitlines(keepends=True)
    samples: list[Sample] = []
    compacts: list[Sample] = []
    with data.scratch() as folder:
        store = Store(str(folder / "store"))
        for number in range(count):
            log = folder / f"{number}.csv"
            log.write_bytes(b"".join([lines[0], *lines[1 + FEW * number : 1 + FEW * (number + 1)]]))
            samples.append(once(lambda log=log: runs.ingest(store, [str(log)])))  # type: ignore[misc]
            if is_piled_up(store):
                compacts.append(once(lambda: compact(store, piled_up=True)))
    first, last = samples[1 : 1 + MEDIAN_OF], samples[-MEDIAN_OF:]
    wall = Spread.of([b.wall / a.wall for a, b in itertools.product(first, last)])
    cpu = Spread.of([b.cpu / a.cpu for a, b in itertools.product(first, last)]).median
    yield Figure(f"ingest of {FEW} hands, time {count:,} against the first ones", wall, "×", FLAT, True, cpu)
    mean = sum(sample.cpu for sample in compacts) / count
    yield Figure("compact by itself, CPU time for each of these", Spread(mean, mean, mean), "s")


def _into_an_empty_one(data: Data, log: Path) -> Callable[[], object]:
    def work() -> None:
        with data.scratch() as folder:
            runs.ingest(Store(str(folder / "store")), [str(log)], dataset=OTHER)

    return work


def _into_a_copy(data: Data, store: Store, log: Path) -> Callable[[], object]:
    def work() -> None:
        with data.copy(store) as copy:
            runs.ingest(copy, [str(log)], dataset=OTHER)

    return work


def _peak(data: Data, store: Store | None, log: Path) -> float:
    if store is None:
        with data.scratch() as folder:
            return peak_of("ingest", str(folder / "store"), str(log), OTHER)
    with data.copy(store) as copy:
        return peak_of("ingest", copy.root, str(log), OTHER)
