"""A lock on the store's folder: runs hold it together, a vacuum tries to hold it alone."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cardlog.pipelines.storage.store import Store

_LOCKS: Final = Path("/proc/locks")
"""Linux's list of all locks: number, kind, mode, access, process, device and inode, range."""


@contextmanager
def at_work(store: Store) -> Iterator[None]:
    """Hold a lock that says that files of this store are not committed yet. It ends with the process
    at the latest. Behind a URI, and on file systems without locks, there is none."""
    with locked(store, fcntl.LOCK_SH):
        yield


@contextmanager
def locked(store: Store, how: int) -> Iterator[bool]:
    """Lock the store's folder; says whether that was possible."""
    if not store.is_local or not Path(store.root).is_dir():
        yield True
        return
    folder = os.open(store.root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, how)
            done = True
        except BlockingIOError:
            done = False
        except OSError:
            done = True  # no locks here
        yield done
    finally:
        os.close(folder)


def someone_at_work(store: Store) -> bool | None:
    """Whether a run holds the lock, found without taking it, so that no vacuum is kept waiting.

    None where that can't be told: behind a URI, and on systems other than Linux.
    """
    if not store.is_local:
        return None
    try:
        held = _LOCKS.read_text()
        folder = Path(store.root).stat().st_ino
    except OSError:
        return None
    # By inode alone: the device is another one than that of `stat` on some file systems.
    locks = (line.split() for line in held.splitlines())
    return any("FLOCK" in lock and lock[-3].endswith(f":{folder}") for lock in locks if len(lock) > 3)
