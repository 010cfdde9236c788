"""How much memory a rebuild and an export take, and whether that grows with the store."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.data import GAME, ROOT, TABLES, Data
from benchmarks.figures import Figure
from benchmarks.timing import Spread
from cardlog.pipelines.build import build
from cardlog.pipelines.storage.store import Store

MOST_MIB: Final = 1024
FLAT: Final = 1.1
"""Growth that counts as none: four times the hands may take a tenth more."""


def memory(data: Data) -> Iterator[Figure]:
    """The highest resident memory of a process that rebuilds or exports, for a small and a large store.

    As `cardlog rebuild --no-marts` does it, in a process of its own; with `decisions` and without. And
    as `cardlog export --format parquet` does it, from a fifth of the hands.
    """
    sizes = data.sizes
    for what, wanted in (("playedhand and tricks", TABLES), ("all tables", build.ALL)):
        peaks = []
        for hands in (sizes.some_hands, sizes.hands):
            with data.copy(data.store(hands)) as store:
                peaks.append(peak_of("rebuild", store.root, *wanted))
            yield _exact(f"memory, rebuild of {what}, {hands:,} hands", peaks[-1], "MiB", MOST_MIB)
        yield _exact(f"memory, growth of that with {sizes.hands / sizes.some_hands:g} times the hands",
                     peaks[1] / peaks[0], "×", FLAT)  # fmt: skip
    for hands in (sizes.some_hands // 5, sizes.hands // 5):
        store = data.decided_store(hands)
        with data.scratch() as folder:
            peak = peak_of("export", store.root, str(folder / "out"))
        rows = store.rows("decisions")
        yield _exact(f"memory, export of {rows:,} decisions as Parquet", peak, "MiB", MOST_MIB)


def _exact(what: str, value: float, unit: str, target: float) -> Figure:
    return Figure(what, Spread(value, value, value), unit, target, at_most=True)


def peak_of(what: str, *words: str) -> float:
    """Peak memory of a process, in MiB."""
    arguments = [sys.executable, "-m", "benchmarks.memory", what, *words]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True, cwd=ROOT)
    return float(json.loads(done.stdout.splitlines()[-1]))


def _main(what: str, root: str, *words: str) -> None:
    """Rebuild the tables that are named, ingest a log into a data set, or export to a folder; print the peak
    in MiB.

    The kernel's own peak of this process's memory: `ru_maxrss` would begin with that of the one
    which started it.
    """
    if what == "rebuild":
        from cardlog.pipelines import runs

        runs.build(Store(root), wanted=words, afresh=True)
    elif what == "ingest":
        from cardlog.pipelines import runs

        runs.ingest(Store(root), [words[0]], dataset=words[1])
    else:
        from cardlog.pipelines.export.export import export

        export(Store(root), GAME, "parquet", *words)
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
    print(int(peak) / 1024)


if __name__ == "__main__":
    _main(*sys.argv[1:])
