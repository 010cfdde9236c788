"""Run benchmarks and print their figures next to the targets. Exit 0 even if a target is missed."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console

from benchmarks import figures, poker, rules, stores, training, web
from benchmarks.data import Data
from benchmarks.figures import Benchmark, Figure
from benchmarks.release import Release, release

BENCHMARKS: Final[dict[str, Benchmark]] = {
    "fold": rules.fold_alone,
    "read": rules.read,
    "phh": poker.phh,
    "ingest": stores.ingest,
    "size": stores.size,
    "rebuild": stores.rebuild,
    "query": stores.queries,
    "start": stores.start,
    "players": rules.players,
    "ranks": rules.rank_hands,
    "odds": rules.equity,
    "encoders": training.encoders,
    "exports": training.exports,
    "loaders": training.loaders,
    "web": web.web,
}
PLAIN_WIDTH: Final = 180


def _arguments(words: list[str]) -> argparse.Namespace:
    summaries = "\n".join(f"  {name:22} {_summary(benchmark)}" for name, benchmark in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        "python -m benchmarks",
        description=__doc__,
        epilog=f"benchmarks:\n{summaries}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="which to run; all of them if none is named")
    parser.add_argument("--quick", action="store_true", help="on little data: to see that it runs")
    arguments = parser.parse_args(words)
    unknown = [name for name in arguments.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]}; there are: {', '.join(BENCHMARKS)}")
    return arguments


def _summary(benchmark: Benchmark) -> str:
    return (benchmark.__doc__ or "").split("\n", 1)[0]


def _measure(names: list[str], data: Data, before: Release | None) -> Iterator[Figure]:
    messages = Console(stderr=True)
    for name in names:
        messages.print(f"[bold]{name}[/]: {_summary(BENCHMARKS[name])}", highlight=False)
        figures = _compared(name, data, before)
        if any(
            figure.has_fallen for figure in figures
        ):  # or the machine was busy: the better one of two counts
            again = _compared(name, data, before)
            figures = [
                max(pair, key=lambda figure: figure.since_release or 0)
                for pair in zip(figures, again, strict=True)
            ]
        for figure in figures:
            messages.print(f"  {' '.join(figure.cells()[:2])}", highlight=False)
        yield from figures


def _compared(name: str, data: Data, before: Release | None) -> list[Figure]:
    """The figures of a benchmark, next to those of the last release."""
    figures = list(BENCHMARKS[name](data))
    values = before.measure(name) if before else {}
    return [figure.against(values.get(figure.name)) for figure in figures]


def main(words: list[str]) -> None:
    """Run the benchmarks named, and show their figures."""
    arguments = _arguments(words)
    machine = figures.machine()
    names = [name for name in BENCHMARKS if name in arguments.names or not arguments.names]
    quick = arguments.quick
    with TemporaryDirectory(prefix="cardlog-bench-") as folder, release(Path(folder), quick=quick) as before:
        measured = list(_measure(names, Data(Path(folder), quick=quick), before))
    console = Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    figures.show(console, measured, machine, arguments.quick)


if __name__ == "__main__":
    main(sys.argv[1:])
