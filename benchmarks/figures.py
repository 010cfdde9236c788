"""Figures that benchmarks measure, and how they are shown."""

import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks.data import Data
from benchmarks.timing import Rounds, Spread

HEADINGS: Final = ("what", "figure", "min – max", "by CPU time", "target", "ratio", "met")
BUSY: Final = 0.25
"""Load per core from which on times on the clock mean little."""


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    spread
        The median of the rounds, the lowest and the highest.
    target
        What is wanted: at least that much, or with `at_most` no more; None for information.
    cpu
        The same figure, from CPU time instead of the clock, where there is one.
    """

    what: str
    spread: Spread
    unit: str
    target: float | None = None
    at_most: bool = False
    cpu: float | None = None

    @property
    def ratio(self) -> float | None:
        """The share of the target that is reached: met from 1 up."""
        if self.target is None:
            return None
        return self.target / self.spread.median if self.at_most else self.spread.median / self.target

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if there is none."""
        return None if self.ratio is None else self.ratio >= 1

    def as_dict(self) -> dict[str, Any]:
        """For a program."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}

    def cells(self) -> list[str]:
        """For a person."""
        sign = "≤" if self.at_most else "≥"
        return [
            self.what,
            f"{_number(self.spread.median)} {self.unit}".rstrip(),
            f"{_number(self.spread.low)} – {_number(self.spread.high)}",
            "" if self.cpu is None else _number(self.cpu),
            "" if self.target is None else f"{sign} {_number(self.target)}",
            "" if self.ratio is None else f"{self.ratio:.2f}",
            {True: "[green]yes[/]", False: "[red]NO[/]", None: ""}[self.met],
        ]


Benchmark = Callable[[Data], Iterator[Figure]]


def rate(what: str, rounds: Rounds, amount: float, unit: str, target: float | None = None) -> Figure:
    """The figure of an amount of work per second."""
    return Figure(what, rounds.rate(amount), unit, target, cpu=rounds.cpu_rate(amount))


def against(what: str, ours: Rounds, theirs: Rounds, most: float | None = None) -> Figure:
    """The figure of how many times as long as something else our work took."""
    return Figure(what, ours.over(theirs), "×", most, at_most=True, cpu=ours.cpu_over(theirs))


def _number(value: float) -> str:
    """A number rounded to its significant digits."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:,.2f} million"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.2f}"


def machine() -> dict[str, Any]:
    """What the measurements ran on, and its load before them."""
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": model[0].partition(":")[2].strip() if model else platform.processor(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("pyarrow", "numpy", "numba", "duckdb")},
        "load": round(os.getloadavg()[0], 2),
    }


def show(console: Console, figures: list[Figure], about: dict[str, Any], quick: bool) -> None:
    """Print the figures as a table, with the machine they were measured on."""
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    caption = (
        "Ratio: how far the target is reached; 1 or more is met. "
        f"{about['cores']} cores, {about['cpu']}, {about['memory_gib']} GiB, "
        f"Python {about['python']}, {versions}; load {about['load']} before."
    )
    table = Table(*HEADINGS, caption=caption, caption_justify="left")
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for figure in figures:
        table.add_row(*figure.cells())
    console.print(table)
    if quick:
        console.print("[yellow]--quick: the data is too small for what the targets speak of.[/]")
    if about["load"] > BUSY * about["cores"]:
        console.print("[yellow]The machine was busy: go by CPU time.[/]")
