"""How much memory a rebuild takes, and whether that grows with the store."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.data import ROOT, TABLES, Data
from benchmarks.figures import Figure
from benchmarks.timing import Spread
from pipelines import build
from pipelines.store import Store

MOST_MIB: Final = 1024
FLAT: Final = 1.1
"""Growth that is none: four times the hands may take a tenth more."""


def memory(data: Data) -> Iterator[Figure]:
    """The highest resident memory of a process that rebuilds, for a small and a large store.

    As `cardlog rebuild --no-marts` does it, in a process of its own; with `decisions` and without.
    """
    sizes = data.sizes
    for what, wanted in (("playedhand and tricks", TABLES), ("all tables", build.ALL)):
        peaks = []
        for hands in (sizes.some_hands, sizes.hands):
            with data.copy(data.store(hands)) as store:
                peaks.append(_peak_of_rebuild(store, wanted))
            yield _exact(f"memory, rebuild of {what}, {hands:,} hands", peaks[-1], "MiB", MOST_MIB)
        yield _exact(f"memory, growth of that with {sizes.hands / sizes.some_hands:g} times the hands",
                     peaks[1] / peaks[0], "×", FLAT)  # fmt: skip


def _exact(what: str, value: float, unit: str, target: float) -> Figure:
    return Figure(what, Spread(value, value, value), unit, target, at_most=True)


def _peak_of_rebuild(store: Store, wanted: tuple[str, ...]) -> float:
    """MiB at the highest of a process that rebuilds these tables."""
    arguments = [sys.executable, "-m", "benchmarks.memory", store.root, *wanted]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True, cwd=ROOT)
    return float(json.loads(done.stdout.splitlines()[-1]))


def _main(root: str, wanted: tuple[str, ...]) -> None:
    """Rebuild, and print the peak in MiB.

    The kernel's own peak of this process's memory: `ru_maxrss` would begin with that of the one
    which started it.
    """
    from pipelines import runs

    runs.build(Store(root), wanted=wanted, afresh=True)
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
    print(int(peak) / 1024)


if __name__ == "__main__":
    _main(sys.argv[1], tuple(sys.argv[2:]))
