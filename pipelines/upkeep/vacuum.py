"""Vacuum: remove what runs that were killed, overlapping logs and rebuilds left in a store.

A file that no table refers to may belong to a run that has not committed yet. Such runs hold a lock on
the store's folder; while one does, files younger than a day are left alone, whatever was asked.
"""

import fcntl
import os
import re
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from deltalake.exceptions import DeltaError

from cardlog.pipelines.sql.warehouse import versions_in_use
from cardlog.pipelines.storage.erasures import leftovers
from cardlog.pipelines.storage.known_keys import path_of
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.log_entries import info_of, removed_by
from cardlog.pipelines.storage.remote import TEMPORARY, Folder
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.schemas.tables import PROJECTIONS

SAFE_SECONDS: Final = 86_400.0
"""A file this old belongs to no run that is going on."""


def vacuum(store: Store, older_than: float, dry_run: bool) -> list[tuple[str, int]]:
    """Files that nothing refers to and that are older than a limit in seconds, and their sizes; they are
    removed unless it is a dry run.

    Several may go on at once, and beside an ingest or a build.
    """
    with locked(store, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        limit = time.time() - (older_than if alone else max(older_than, SAFE_SECONDS))
        found = []
        for name in SCHEMAS:
            # Files first: what comes later than the list is not looked at, what is committed later is known.
            files = store.files_in(name)
            known = _in_use(store, name, limit) | _pinned(store, name)
            known |= {path_of(path) for path in known}
            for path, size, changed in files:
                if path not in known and changed <= limit:
                    found.append((f"{name}/{path}", size))
                    if not dry_run:
                        store.remove(name, path)
        return (
            found + _erased(store, {name for name, _ in found}, dry_run) + left_behind(store, limit, dry_run)
        )


def _erased(store: Store, found: Collection[str], dry_run: bool) -> list[tuple[str, int]]:
    """Files that may have what a `forget` that was cut has erased: they are not kept for readers. They belong
    to no run that is going on, since `forget` waits for those."""
    left = [file for file in leftovers(store) if "/".join(file[:2]) not in found]
    if not dry_run:
        for name, path, _ in left:
            store.remove(name, path)
    return [(f"{name}/{path}", size) for name, path, size in left]


def _in_use(store: Store, name: str, since: float) -> set[str]:
    """The data files of a table, and those that were taken out of it since then, which someone may
    still be reading."""
    paths = set(store.paths(name))
    log = store.log(name)
    for version in reversed(log.versions()):
        actions = log.entry(version)
        if info_of(actions).get("timestamp", time.time() * 1000) / 1000 <= since:
            break
        paths |= removed_by(actions)
    return paths


def _pinned(store: Store, name: str) -> set[str]:
    """The data files of a table that are read although it has newer versions: while a build is going on, by
    marts that are older, or of `events` by who asks for those that the projections are of."""
    paths: set[str] = set()
    built = ({"events": at} for at in map(store.built_from, PROJECTIONS) if at is not None)
    for versions in [*versions_in_use(store), *built]:
        with suppress(
            DeltaError, StoreError, KeyError
        ):  # of another store, or older than what is known of this one
            paths |= set(store.paths(name, versions[name]))
    return paths


# ---------------------------------------------------------------- temporary files beside the tables

_TEMPORARY: Final = re.compile(r"\.tmp|\.warehouse-.*|.*\.tmp")
_PROCESS: Final = re.compile(r"\d+")


def left_behind(store: Store, limit: float, dry_run: bool) -> list[tuple[str, int]]:
    """Temporary files and folders in the store's own folder, not in its tables, whose process is gone:
    drafts of the warehouse, and files that queries spilled. Behind a URI, what a run's machines exchanged."""
    if not store.is_local:
        return _exchanged(store, limit, dry_run)
    found = []
    for path in _temporary(Path(store.root)):
        with suppress(FileNotFoundError):
            if path.lstat().st_mtime > limit or _is_alive(path.name):
                continue
            found.append((path.relative_to(store.root).as_posix(), _size(path)))
            if dry_run:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    return found


def _exchanged(store: Store, limit: float, dry_run: bool) -> list[tuple[str, int]]:
    folder = Folder(f"{store.root}/{TEMPORARY}")
    old = {name: size for name, (size, changed) in folder.files().items() if changed <= limit}
    if not dry_run:
        for name in old:
            folder.remove(name)
    return [(f"{TEMPORARY}/{name}", size) for name, size in old.items()]


def _temporary(root: Path) -> Iterator[Path]:
    """What is temporary in a folder; of `.tmp` what is in it, since others may be using it."""
    for path in sorted(root.iterdir()):
        if path.name == ".tmp" and path.is_dir() and not path.is_symlink():
            yield from sorted(path.iterdir())
        elif _TEMPORARY.fullmatch(path.name):
            yield path


def _is_alive(name: str) -> bool:
    """Whether a process that a temporary file is named by is still there."""
    return any(_runs(int(number)) for number in _PROCESS.findall(name) if 1 < int(number) < 2**22)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]
    return sum(file.lstat().st_size for file in files if file.is_symlink() or file.is_file())
