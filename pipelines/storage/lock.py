"""A lock on the store's folder: runs hold it together, a vacuum tries to hold it alone."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cardlog.pipelines.storage.store import Store


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
