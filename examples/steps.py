"""What the examples share: writing results."""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes


def fail(why: str) -> NoReturn:
    """End with exit code 1 and a reason."""
    print(why, file=sys.stderr)
    sys.exit(1)


def new_folder(path: Path) -> Path:
    """Make a folder for the results; it must not exist yet."""
    try:
        path.mkdir(parents=True)
    except OSError as error:
        fail(f"{path} can't be made: {error.strerror}")
    return path


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
