"""uPlot, the library that draws charts: a file in a package of the extra, served from where pip put it."""

from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Final

PACKAGE: Final = "metaflow-card-uplot"
"""A package that brings uPlot's file. None of its code is imported."""
FILES: Final = ("uPlot.iife.min.js", "uPlot.min.css")


@cache
def path_of(name: str) -> Path | None:
    """Where one of the library's files is; None if there is no such file."""
    if name not in FILES:
        return None
    try:
        found = [Path(str(file.locate())) for file in files(PACKAGE) or () if file.name == name]
    except PackageNotFoundError:
        return None
    return next((path for path in found if path.is_file()), None)
