"""What the examples share: the command line, writing results."""

import argparse
import csv
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import cardlog


def main(doc: str | None, work: Callable[..., object], **options: dict[str, Any]) -> None:
    """Read a command line and do the work, into a new folder; exits with 1 and a reason if that fails.

    options
        Numbers that the work is given by name: how `argparse` adds each, with a default.
    """
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument("out", type=Path, help="new folder for what comes out")
    for name, how in options.items():
        parser.add_argument(f"--{name}", **{"type": int, **how, "help": f"{how['help']} [%(default)s]"})
    given = vars(parser.parse_args())
    out = given.pop("out")
    try:
        out.mkdir(parents=True)
    except OSError as error:
        sys.exit(f"{out} can't be made: {error.strerror}")
    try:
        work(out, **given)
    except cardlog.CardlogError as error:
        sys.exit(str(error))


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows with the same keys."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def new_plot(title: str, across: str, up: str) -> Axes:
    """An empty plot."""
    _, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    axes.set(title=title, xlabel=across, ylabel=up)
    axes.grid(alpha=0.3)
    return axes


def save_plot(axes: Axes, path: Path) -> None:
    """Write a plot as an image."""
    axes.figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(axes.figure)
