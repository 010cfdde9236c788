"""Vacuum: remove what killed runs, overlapping logs and rebuilds left in a store.

A file that no table refers to may belong to a run that has not committed yet. Such runs hold a lock on the
store's folder; while one does, files younger than a day are left alone, whatever was asked.
"""

import fcntl
import os
import re
import time
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Final

from cardlog.pipelines.runtime.leftovers import delete
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.remote import TEMPORARY, Folder
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.pipelines.upkeep.compact import versions_needed
from cardlog.schemas.errors import CardlogError

SAFE_SECONDS: Final = 86_400.0
"""A file this old belongs to no current run."""
MOST_SECONDS: Final = 10_000 * 365 * 86_400.0
"""The greatest age, since no date is older."""


class AgeError(CardlogError):
    """An age is negative, too great or no number; the text is for the user."""


def seconds_of(age: float, unit: float) -> float:
    """An age in seconds, from one in units of so many seconds. Raises AgeError."""
    if not 0 <= age * unit <= MOST_SECONDS:
        raise AgeError(f"--older-than {age:g}: give a number from 0 to {MOST_SECONDS / unit:.0f}")
    return age * unit


def vacuum(store: Store, older_than: float, dry_run: bool) -> list[tuple[str, int]]:
    """Remove files that nothing refers to and that are older than a limit in seconds, unless it is a dry run;
    returns them with their sizes. Other vacuums, ingests and builds may run at the same time."""
    with locked(store, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        seconds = older_than if alone else max(older_than, SAFE_SECONDS)
        unused = [file for name in SCHEMAS for file in _unused(store, name, seconds)]
        if not dry_run:
            for path, _ in unused:
                store.folder.remove(path)
        return unused + left_behind(store, time.time() - seconds, dry_run)


def _unused(store: Store, name: str, seconds: float) -> list[tuple[str, int]]:
    """The files of a table that no version in use refers to and that are older than some seconds, rounded up
    to hours, with their sizes."""
    # The files are listed before the log is read: those that a run adds later are not in the list.
    sizes = store.files_in(name)
    hours = ceil(seconds / 3600)
    unused = set(store.table(name).vacuum(hours, enforce_retention_duration=False, full=True))
    for version in versions_needed(store, name):
        with suppress(StoreError):  # of another store, or older than the log
            unused.difference_update(store.paths(name, version))
    return [(f"{name}/{path}", sizes[path]) for path in sorted(unused & sizes.keys())]


# ---------------------------------------------------------------- temporary files beside the tables

_PROCESS: Final = re.compile(r"\.warehouse-(\d{1,9})\b")


def left_behind(store: Store, limit: float, dry_run: bool) -> list[tuple[str, int]]:
    """Remove, unless it is a dry run, temporary files and folders beside the tables whose process is gone:
    drafts, and folders in which dbt builds the warehouse; at a URI, what the machines of a run exchanged.
    Returns them with their sizes.

    limit
        The time of modification from which on they are kept.
    """
    if not store.is_local:
        return _exchanged(store, limit, dry_run)
    left = []
    for path in sorted([*Path(store.root).glob(".warehouse-*"), *Path(store.root).glob("*.tmp")]):
        with suppress(FileNotFoundError):
            if path.lstat().st_mtime > limit or _is_alive(path.name):
                continue
            left.append((path.name, _size(path)))
            if not dry_run:
                delete(path)
    return left


def _exchanged(store: Store, limit: float, dry_run: bool) -> list[tuple[str, int]]:
    folder = Folder(f"{store.root}/{TEMPORARY}")
    old = {name: size for name, (size, changed) in folder.files().items() if changed <= limit}
    if not dry_run:
        for name in old:
            folder.remove(name)
    return [(f"{TEMPORARY}/{name}", size) for name, size in old.items()]


def _is_alive(name: str) -> bool:
    """Whether the process whose number is in the name of a temporary file still runs."""
    match = _PROCESS.match(name)
    try:
        if match:
            os.kill(int(match[1]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # another user's
    return match is not None


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]
    return sum(file.lstat().st_size for file in files if file.is_symlink() or file.is_file())
