"""What the examples share: the command line, and writing results."""

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
    """Parse the command line and do the work, into a new folder; exits with 1 and a message if that fails.

    options
        By name what `argparse` needs to add each option, with a default. `work` gets their values, integers
        unless there is another type, by name.
    """
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument("out", type=Path, help="new folder for the results")
    for name, option in options.items():
        if "action" not in option:
            option = {"type": int, **option, "help": f"{option['help']} [%(default)s]"}
        parser.add_argument(f"--{name}", **option)
    arguments = vars(parser.parse_args())
    out = arguments.pop("out")
    try:
        out.mkdir(parents=True)
    except OSError as error:
        sys.exit(f"{out} can't be made: {error.strerror}")
    try:
        work(out, **arguments)
    except cardlog.CardlogError as error:
        sys.exit(str(error))


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows with the same keys."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def new_plot(title: str, x_label: str, y_label: str) -> Axes:
    """An empty plot."""
    _, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    axes.grid(alpha=0.3)
    return axes


def save_plot(axes: Axes, path: Path) -> None:
    """Write a plot as an image."""
    axes.figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(axes.figure)
