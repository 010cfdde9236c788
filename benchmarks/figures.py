"""Timing work so that it can be compared on a machine that does other things as well, and showing figures.

What is compared runs in turn in one process, so that a busy minute affects both; the median of several rounds
counts. CPU time is shown next to wall time, since it hardly grows when others use the machine.
"""

import gc
import os
import platform
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Final

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from benchmarks.data import Data
from benchmarks.release import FALLEN, RELEASE

HEADINGS: Final = ("what", "figure", "min – max", "by CPU time", "last release", "target", "ratio", "met")
ROUNDS: Final = 3  # how often work of seconds is timed; shorter work is timed more often
BUSY: Final = 0.25  # load per core from which on wall times mean little

Work = Callable[[], object]


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    values
        The value of each round; the median counts.
    target
        The least value wanted, or with `at_most` the largest; None if the figure is for information.
    cpu
        The same figure from CPU time instead of wall time, where there is one.
    since_release
        How many times as good it is as in the last release, by CPU time where there is one.
    """

    name: str
    values: list[float]
    unit: str
    target: float | None = None
    at_most: bool = False
    cpu: float | None = None
    since_release: float | None = None

    def against(self, before: float | None) -> "Figure":
        """With `since_release`, from the release's value; None if the release has no such figure."""
        if not before:
            return self
        now = median(self.values) if self.cpu is None else self.cpu
        return replace(self, since_release=before / now if self.at_most else now / before)

    @property
    def has_fallen(self) -> bool:
        """Whether it is worse than in the last release by more than a tenth."""
        return self.since_release is not None and self.since_release < FALLEN

    @property
    def ratio(self) -> float | None:
        """How much of the target is reached; it is met from 1 on."""
        if self.target is None:
            return None
        return self.target / median(self.values) if self.at_most else median(self.values) / self.target

    def cells(self) -> list[str]:
        """The row of the table."""
        sign = "≤" if self.at_most else "≥"
        return [
            self.name,
            f"{_number(median(self.values))} {self.unit}".rstrip(),
            f"{_number(min(self.values))} – {_number(max(self.values))}",
            "" if self.cpu is None else _number(self.cpu),
            "" if self.since_release is None else f"× {self.since_release:.2f}",
            "" if self.target is None else f"{sign} {_number(self.target)}",
            "" if self.ratio is None else f"{self.ratio:.2f}",
            "" if self.ratio is None else "[green]yes[/]" if self.ratio >= 1 else "[red]NO[/]",
        ]


Benchmark = Callable[[Data], Iterator[Figure]]


def _number(value: float) -> str:
    """A number rounded to its significant digits."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:,.2f} million"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.2f}"


# ---------------------------------------------------------------- timing


@dataclass(frozen=True)
class Rounds:
    """Seconds that a piece of work took in each round: wall time, and CPU time including child processes."""

    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)

    def rate(self, name: str, amount: float, unit: str, target: float | None = None) -> Figure:
        """An amount of work per second."""
        rates = [amount / wall for wall in self.walls]
        return Figure(name, rates, unit, target, cpu=amount / median(self.cpus))

    def over(
        self,
        other: "Rounds",
        name: str,
        target: float | None = None,
        *,
        at_most: bool = True,
        scale: float = 1,
    ) -> Figure:
        """How many times as long as other work it took, round by round; `scale` is how many times as much the
        other did."""
        values, cpus = (
            [scale * own / reference for own, reference in zip(seconds, others, strict=True)]
            for seconds, others in ((self.walls, other.walls), (self.cpus, other.cpus))
        )
        return Figure(name, values, "×", target, at_most, median(cpus))

    def add(self, work: Work) -> None:
        """Time a round of the work, after a garbage collection."""
        gc.collect()
        wall, cpu = time.perf_counter(), _cpu_seconds()
        work()
        self.walls.append(time.perf_counter() - wall)
        self.cpus.append(_cpu_seconds() - cpu)


def _cpu_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def interleaved(rounds: int, warm_up: bool = True, **works: Work) -> dict[str, Rounds]:
    """Time pieces of work in turn, for some rounds; with `warm_up` each runs once before, untimed."""
    for work in works.values() if warm_up else ():
        work()
    timings = {name: Rounds() for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            timings[name].add(work)
    return timings


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process and those it starts on one core, and Arrow on one thread."""
    threads, cores = pa.cpu_count(), os.sched_getaffinity(0)
    pa.set_cpu_count(1)
    _keep_to({max(cores)})
    try:
        yield
    finally:
        pa.set_cpu_count(threads)
        _keep_to(cores)


def _keep_to(cores: set[int]) -> None:
    """Pin all threads; later ones inherit this from the thread that starts them."""
    for task in Path("/proc/self/task").iterdir():
        try:
            os.sched_setaffinity(int(task.name), cores)
        except ProcessLookupError:
            continue


# ---------------------------------------------------------------- showing


def machine() -> dict[str, Any]:
    """The machine that the measurements run on, and its load before them."""
    lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": lines[0].partition(":")[2].strip() if lines else platform.processor(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("pyarrow", "numpy", "numba", "duckdb")},
        "load": round(os.getloadavg()[0], 2),
    }


def show(console: Console, figures: list[Figure], about: dict[str, Any], quick: bool) -> None:
    """Print the figures as a table, with the machine that they were measured on, see `machine`."""
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    caption = (
        f"Last release: {RELEASE}, run beside it. Ratio: how far the target is reached; 1 or more is met. "
        f"{about['cores']} cores, {about['cpu']}, {about['memory_gib']} GiB, "
        f"Python {about['python']}, {versions}; load {about['load']} before."
    )
    table = Table(*HEADINGS, caption=caption, caption_justify="left")
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for figure in figures:
        table.add_row(*figure.cells())
    console.print(table)
    for figure in figures:
        if figure.has_fallen:
            console.print(f"[red]{figure.name}: {figure.since_release:.2f} times as good as in {RELEASE}[/]")
    if quick:
        console.print("[yellow]--quick: there is too little data for the targets to mean anything.[/]")
    if about["load"] > BUSY * about["cores"]:
        console.print("[yellow]The machine was busy: go by CPU time.[/]")
