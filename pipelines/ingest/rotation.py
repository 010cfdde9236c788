"""Rotated logs: the files that continue one another, by their names.

A log ``x`` continues ``x.1``, which continues ``x.2.gz``, or ``x-20260101`` and so on. A line or a hand may
begin in one file and end in the next, and its match may begin in an older one. So they are read as one text.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_NAME: Final = re.compile(
    r"(?P<log>.*?[^/])"
    r"(?:[.-](?P<date>(?:19|20)\d\d-?[01]\d-?[0-3]\d(?:[-_T]?\d+)*))?"
    r"(?:\.(?P<number>\d{1,3}))?"
    r"(?P<packed>\.(?:gz|xz|zst|bz2))?",
    re.DOTALL,
)
"""The path of a log, and what logrotate and logging libraries append to it."""


class _Age(NamedTuple):
    """Sorts the files of a log, oldest first: dates by the calendar, then numbers downwards, then the log."""

    kind: int
    date: str = ""
    number: int = 0


_DATED, _NUMBERED, _LOG = range(3)


def _parsed(path: str) -> tuple[str, _Age]:
    """The path of the log that a file is part of, and its age."""
    name = _NAME.fullmatch(path)
    assert name is not None
    number = int(name["number"] or 0)
    if name["date"]:
        return name["log"], _Age(_DATED, re.sub(r"\D", "", name["date"]), number)
    return name["log"], _Age(_LOG) if name["number"] is None else _Age(_NUMBERED, number=-number)


def logs(paths: Iterable[str]) -> list[list[str]]:
    """The files of each log, oldest first: those at some paths, and on this machine the older ones beside
    them, unless one is missing in between. A log comes where its first path does."""
    given = defaultdict[str, list[str]](list)
    for path in paths:
        given[_parsed(path)[0] if "://" in path or Path(path).is_file() else path].append(path)
    beside = _logs_in({log.rpartition("/")[:2] for log in given if "://" not in log})
    return [run for log, files in given.items() for run in _runs(log, files, beside.get(log, []))]


def _logs_in(folders: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The paths in some folders, by the log that each is part of. A folder is given as the beginning of
    paths: its name, and the slash after it unless it is this one."""
    found = defaultdict[str, list[str]](list)
    for folder, slash in folders:
        with suppress(OSError), os.scandir(folder + slash or ".") as entries:
            for entry in entries:
                path = f"{folder}{slash}{entry.name}"
                found[_parsed(path)[0]].append(path)
    return found


def _runs(log: str, given: list[str], beside: list[str]) -> list[list[str]]:
    """The files of a log that are to be read, in runs that have no gaps; `beside` are those in its folder."""
    newest = max(_parsed(path)[1] for path in given)
    older = {path for path in beside if _parsed(path)[1] < newest}
    of_age: dict[_Age, str] = {}
    for path in [*sorted(given), *sorted(older.difference(given))]:
        if path in given or Path(path).is_file():
            of_age.setdefault(_parsed(path)[1], path)
    # A file that is just being compressed is there twice.
    runs = [[path] for path in given if path not in of_age.values()]
    ages = sorted(of_age)
    for before, age in zip([None, *ages], ages, strict=False):
        if before is None or not _is_next(before, age):
            runs.append([])
        runs[-1].append(of_age[age])
    return [run for run in runs if not set(run).isdisjoint(given)]


def _is_next(before: _Age, after: _Age) -> bool:
    """Whether no file is known to be missing between two of a log."""
    if before.kind == _NUMBERED:
        return before.number in ((-1, 0) if after.kind == _LOG else (after.number - 1,))
    return before.kind == _DATED
