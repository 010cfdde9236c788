"""Rebuild: against the original replay, on all cores against one, and its memory."""

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks import original
from benchmarks.data import ROOT, TABLES, Data
from benchmarks.figures import Figure
from benchmarks.timing import Spread, interleaved, one_core
from cardlog.pipelines import runs
from cardlog.pipelines.build import build
from cardlog.pipelines.storage.store import Store

MOST_MIB: Final = 1024
ONE_WORKER: Final = ("--runner=FnApiRunner",)
"""The options of a rebuild through Beam by one worker."""


def rebuild(data: Data) -> Iterator[Figure]:
    """A rebuild of `playedhand` and `tricks`, through Beam and without, on one core.

    In turn with it: the original replay of rows that are parsed already, of fewer hands.
    """
    sizes = data.sizes
    with data.log(sizes.hands).open() as lines:
        rows = list(itertools.islice(original.rows(lines), sizes.original_hands))
    _warm_up(data)
    with one_core(), data.copy(data.store(sizes.hands)) as store:
        found = interleaved(
            sizes.rounds,
            warm_up=False,
            alone=partial(_rebuild, store),
            beam=partial(_rebuild, store, ONE_WORKER),
            original=lambda: [original.replay(row) for row in rows],
        )
    scale = sizes.hands / len(rows)
    for name, what in (("alone", ""), ("beam", " through Beam")):
        rounds = found[name]
        yield Figure(f"rebuild of {sizes.hands:,} hands{what}, one core", rounds.rate(sizes.hands),
                     "hands/s", 180_000, cpu=rounds.cpu_rate(sizes.hands))  # fmt: skip
        yield Figure("the same against the original replay of parsed rows",
                     found["original"].over(rounds).times(scale), "×", 3.0,
                     cpu=found["original"].cpu_over(rounds) * scale)  # fmt: skip


def workers(data: Data) -> Iterator[Figure]:
    """A rebuild of all tables on all cores against one; needs two idle cores."""
    _warm_up(data)

    def on_one_core(store: Store) -> None:
        with one_core():
            _rebuild(store, wanted=build.ALL)

    with data.copy(data.store(data.sizes.some_hands)) as store:
        found = interleaved(
            data.sizes.rounds,
            warm_up=False,
            one=partial(on_one_core, store),
            all=partial(_rebuild, store, wanted=build.ALL),
        )
    what = f"rebuild of {data.sizes.some_hands:,} hands, all cores against one"
    yield Figure(what, found["one"].over(found["all"]), "×", 1.6)


def memory(data: Data) -> Iterator[Figure]:
    """The highest resident memory of a process that rebuilds all tables, for a small and a large store."""
    peaks = []
    for hands in (data.sizes.some_hands, data.sizes.hands):
        with data.copy(data.store(hands)) as store:
            peaks.append(_peak(store.root))
        what = f"memory, rebuild of all tables, {hands:,} hands"
        yield Figure(what, Spread.of([peaks[-1]]), "MiB", MOST_MIB, at_most=True)
    yield Figure("growth of that", Spread.of([peaks[1] / peaks[0]]), "×", 1.1, at_most=True)


def _rebuild(store: Store, options: tuple[str, ...] = (), wanted: tuple[str, ...] = TABLES) -> None:
    runs.build(store, wanted=wanted, afresh=True, beam_options=options)


def _warm_up(data: Data) -> None:
    """Compile and load everything, by a smaller rebuild."""
    with data.copy(data.store(data.sizes.some_hands)) as store:
        _rebuild(store)


def _peak(root: str) -> float:
    """Peak memory of a process that rebuilds, in MiB; the kernel's own of that process alone."""
    words = [sys.executable, "-m", "benchmarks.rebuilding", root]
    return float(json.loads(subprocess.run(words, check=True, capture_output=True, cwd=ROOT).stdout))


if __name__ == "__main__":
    _rebuild(Store(sys.argv[1]), wanted=build.ALL)
    status = Path("/proc/self/status").read_text().splitlines()
    print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024)
