"""Figures that benchmarks measure, and how they are shown."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks import machine
from benchmarks.data import Data
from benchmarks.timing import Spread

HEADINGS: Final = ("what", "figure", "min – max", "by CPU time", "target", "ratio", "met")


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


def _number(value: float) -> str:
    """A number rounded to its significant digits."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:,.2f} million"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.2f}"


def show(console: Console, figures: list[Figure], about: dict[str, Any], quick: bool) -> None:
    """Print the figures as a table, with the machine they were measured on."""
    table = Table(*HEADINGS, caption=_caption(about), caption_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
        column.no_wrap = True
    for figure in figures:
        table.add_row(*figure.cells())
    console.print(table)
    if quick:
        console.print("[yellow]--quick: the data is too small for what the targets speak of.[/]")
    missed = [figure.what for figure in figures if figure.met is False]
    if missed:
        console.print(f"[red]{len(missed)} of the targets missed:[/] {'; '.join(missed)}", highlight=False)
    if machine.is_busy(about["load"]):
        console.print(
            f"[yellow]The machine was busy before (load {about['load']}): "
            "times on the clock are worse than they would be, CPU times somewhat.[/]",
            highlight=False,
        )


def _caption(about: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return (
        "Ratio: how far the target is reached; 1 or more is met. "
        f"{about['cores']} cores, {about['cpu']}, {about['memory_gib']} GiB, "
        f"Python {about['python']}, {versions}; load {about['load']} before, {machine.load()} after."
    )
