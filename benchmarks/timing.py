"""Time work so that it can be compared on a machine that does other things as well.

What is compared runs in turn in one process, so that a busy minute falls on both; the median of several
rounds counts. CPU time stands beside the time on the clock: it hardly grows when others use the machine.
"""

import gc
import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

Work = Callable[[], object]


@dataclass(frozen=True)
class Spread:
    """The median of several rounds, the lowest and the highest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> "Spread":
        """The spread of some values."""
        return cls(statistics.median(values), min(values), max(values))

    def times(self, factor: float) -> "Spread":
        """The same, scaled."""
        return Spread(self.median * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Rounds:
    """Seconds that a piece of work took in each round: wall time, and CPU time, of child processes too."""

    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)

    def rate(self, amount: float) -> Spread:
        """Amount per second of wall time."""
        return Spread.of([amount / wall for wall in self.walls])

    def cpu_rate(self, amount: float) -> float:
        """Amount per second of CPU time, the median."""
        return amount / statistics.median(self.cpus)

    def seconds(self) -> Spread:
        """Wall time."""
        return Spread.of(self.walls)

    def over(self, other: "Rounds") -> Spread:
        """How many times as long as another it took, round by round."""
        return Spread.of([a / b for a, b in zip(self.walls, other.walls, strict=True)])

    def cpu_over(self, other: "Rounds") -> float:
        """The same by CPU time, the median."""
        return statistics.median(a / b for a, b in zip(self.cpus, other.cpus, strict=True))

    def add(self, work: Work) -> None:
        """Time a piece of work once more, after a garbage collection."""
        gc.collect()
        wall, cpu = time.perf_counter(), _cpu_seconds()
        work()
        self.walls.append(time.perf_counter() - wall)
        self.cpus.append(_cpu_seconds() - cpu)


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def interleaved(rounds: int, warm_up: bool = True, **works: Work) -> dict[str, Rounds]:
    """Time pieces of work in turn, for some rounds; each is run once before, untimed, if it is to warm up."""
    for work in works.values() if warm_up else ():
        work()
    found = {name: Rounds() for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            found[name].add(work)
    return found


def process(arguments: list[str]) -> Work:
    """A whole process as a piece of work; its output is dropped."""

    def run() -> None:
        subprocess.run(arguments, check=True, capture_output=True)

    return run


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process and what it starts on one core, Arrow on one thread."""
    threads, cores = pa.cpu_count(), os.sched_getaffinity(0)
    pa.set_cpu_count(1)
    _keep_to({max(cores)})
    try:
        yield
    finally:
        pa.set_cpu_count(threads)
        _keep_to(cores)


def _keep_to(cores: set[int]) -> None:
    """All threads; later ones inherit from the one that starts them."""
    for task in Path("/proc/self/task").iterdir():
        try:
            os.sched_setaffinity(int(task.name), cores)
        except ProcessLookupError:
            continue
