"""Summaries of long tests, one line each, printed at the end of the pytest run."""

import os
from pathlib import Path

from tests.support.shared import FOLDER


def report(line: str) -> None:
    """Keep a line for the end, in a form ready for docs/reliability.md."""
    with _file().open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def reported() -> list[str]:
    """The lines of all processes of this run."""
    return _file().read_text(encoding="utf-8").splitlines() if _file().exists() else []


def _file() -> Path:
    return Path(os.environ[FOLDER]) / "figures.txt"
