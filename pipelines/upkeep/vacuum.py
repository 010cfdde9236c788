"""Vacuum: remove what runs that were killed, overlapping logs and rebuilds left in a store.

A file that no table refers to may belong to a run that has not committed yet. Such runs hold a lock on
the store's folder; while one does, files younger than a day are left alone, whatever was asked.
"""

import fcntl
import os
import re
import time
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Final

from cardlog.pipelines.leftovers import delete
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.remote import TEMPORARY, Folder
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.pipelines.upkeep.compact import versions_needed

SAFE_SECONDS: Final = 86_400.0
"""A file this old belongs to no run that is going on."""


def vacuum(store: Store, older_than: float, dry_run: bool) -> list[tuple[str, int]]:
    """Files that nothing refers to and that are older than a limit in seconds, and their sizes; they are
    removed unless it is a dry run.

    Several may go on at once, and beside an ingest or a build.
    """
    with locked(store, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        seconds = older_than if alone else max(older_than, SAFE_SECONDS)
        found = [file for name in SCHEMAS for file in _unused(store, name, seconds)]
        if not dry_run:
            for name, path, _ in found:
                store.remove(name, path)
        left = left_behind(store, time.time() - seconds, dry_run)
        return [(f"{name}/{path}", size) for name, path, size in found] + left


def _unused(store: Store, name: str, seconds: float) -> list[tuple[str, str, int]]:
    """The files of a table that Delta finds in no use and that are older than some seconds, in whole hours;
    not those of versions that are still read."""
    # Files first: what comes later than the list is not looked at, what is committed later is known.
    sizes = store.files_in(name)
    hours = ceil(seconds / 3600)
    unused = set(store.table(name).vacuum(hours, enforce_retention_duration=False, full=True))
    for version in versions_needed(store, name):
        with suppress(StoreError):  # of another store, or older than what is known of this one
            unused.difference_update(store.paths(name, version))
    return [(name, path, sizes[path]) for path in sorted(unused & sizes.keys())]


# ---------------------------------------------------------------- temporary files beside the tables

_PROCESS: Final = re.compile(r"\.warehouse-(\d{1,9})\b")


def left_behind(store: Store, limit: float, dry_run: bool) -> list[tuple[str, int]]:
    """Temporary files and folders beside the tables whose process is gone: drafts, and what dbt builds the
    warehouse in. Behind a URI, what a run's machines exchanged."""
    if not store.is_local:
        return _exchanged(store, limit, dry_run)
    found = []
    for path in sorted([*Path(store.root).glob(".warehouse-*"), *Path(store.root).glob("*.tmp")]):
        with suppress(FileNotFoundError):
            if path.lstat().st_mtime > limit or _is_alive(path.name):
                continue
            found.append((path.name, _size(path)))
            if not dry_run:
                delete(path)
    return found


def _exchanged(store: Store, limit: float, dry_run: bool) -> list[tuple[str, int]]:
    folder = Folder(f"{store.root}/{TEMPORARY}")
    old = {name: size for name, (size, changed) in folder.files().items() if changed <= limit}
    if not dry_run:
        for name in old:
            folder.remove(name)
    return [(f"{TEMPORARY}/{name}", size) for name, size in old.items()]


def _is_alive(name: str) -> bool:
    """Whether a process that a temporary file is named by is still there."""
    process = _PROCESS.match(name)
    try:
        if process:
            os.kill(int(process[1]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # somebody else's
    return process is not None


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]
    return sum(file.lstat().st_size for file in files if file.is_symlink() or file.is_file())
