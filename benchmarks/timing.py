"""Time work so that it can be compared on a machine that does other things as well.

What is compared runs turn by turn in one process, so that a busy minute falls on both; of several
rounds the median counts, and the spread is kept. CPU time stands beside the time on the clock: it
hardly grows when others use the machine.
"""

import gc
import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

Work = Callable[[], object]


@dataclass(frozen=True)
class Sample:
    """How long something took once, in seconds: wall time, and CPU time of this process and
    the children it has waited for."""

    wall: float
    cpu: float


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
    """The samples of one piece of work."""

    samples: list[Sample]

    def rate(self, amount: float) -> Spread:
        """Amount per second of wall time."""
        return Spread.of([amount / sample.wall for sample in self.samples])

    def cpu_rate(self, amount: float) -> float:
        """Amount per second of CPU time, the median."""
        return Spread.of([amount / sample.cpu for sample in self.samples]).median

    def seconds(self) -> Spread:
        """Wall time."""
        return Spread.of([sample.wall for sample in self.samples])

    def cpu_seconds(self) -> float:
        """CPU time, the median."""
        return Spread.of([sample.cpu for sample in self.samples]).median

    def over(self, other: "Rounds") -> Spread:
        """How many times as long as another it took, round by round."""
        return Spread.of([a.wall / b.wall for a, b in zip(self.samples, other.samples, strict=True)])

    def cpu_over(self, other: "Rounds") -> float:
        """The same by CPU time, the median."""
        return Spread.of([a.cpu / b.cpu for a, b in zip(self.samples, other.samples, strict=True)]).median


def once(work: Work) -> Sample:
    """Time a piece of work, after a garbage collection."""
    gc.collect()
    wall, cpu = time.perf_counter(), _cpu_seconds()
    work()
    return Sample(time.perf_counter() - wall, _cpu_seconds() - cpu)


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def interleaved(rounds: int, warm_up: bool = True, **works: Work) -> dict[str, Rounds]:
    """Time pieces of work interleaved, for some rounds; each is run once before, untimed, if it is to
    warm up."""
    samples: dict[str, list[Sample]] = {name: [] for name in works}
    if warm_up:
        for work in works.values():
            work()
    for _ in range(rounds):
        for name, work in works.items():
            samples[name].append(once(work))
    return {name: Rounds(found) for name, found in samples.items()}


def process(arguments: list[str]) -> Work:
    """A whole process as a piece of work; its output is dropped."""

    def run() -> None:
        subprocess.run(arguments, check=True, capture_output=True)

    return run


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process and what it starts on one core, Arrow on one thread."""
    threads = pa.cpu_count()
    cores = _cores()
    pa.set_cpu_count(1)
    if cores:
        _keep_to({max(cores)})
    try:
        yield
    finally:
        pa.set_cpu_count(threads)
        if cores:
            _keep_to(cores)


def _cores() -> set[int]:
    """The cores this process may use; none where the system does not say."""
    return set(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else set()


def _keep_to(cores: set[int]) -> None:
    """All threads; later ones inherit from the one that starts them."""
    for task in Path("/proc/self/task").iterdir():
        try:
            os.sched_setaffinity(int(task.name), cores)
        except ProcessLookupError:
            continue
