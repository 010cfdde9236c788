"""A lock on the store's folder: runs hold it together, a vacuum tries to hold it alone."""

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cardlog.pipelines.storage.store import Store

_LOG: Final = logging.getLogger(__name__)
_FOR_ALL: Final = "the other cardlog processes that use this store"
_FOR_ONE: Final = "another cardlog process, which has this store to itself"


@contextmanager
def at_work(store: Store) -> Iterator[None]:
    """Hold a lock that says that files of this store are not committed yet. It ends with the process
    at the latest. Behind a URI, and on file systems without locks, there is none."""
    with locked(store, fcntl.LOCK_SH):
        yield


@contextmanager
def locked(store: Store, how: int) -> Iterator[bool]:
    """Lock the store's folder; says whether that was possible. Logs a warning if others must end first."""
    if not store.is_local or not Path(store.root).is_dir():
        yield True
        return
    folder = os.open(store.root, os.O_RDONLY)
    try:
        yield _lock(folder, how)
    finally:
        os.close(folder)


def _lock(folder: int, how: int) -> bool:
    """Lock a folder that is open, which file systems without locks leave out; returns whether that was
    possible, which with `LOCK_NB` it need not be."""
    try:
        fcntl.flock(folder, how | fcntl.LOCK_NB)
    except BlockingIOError:
        if how & fcntl.LOCK_NB:
            return False
        _LOG.warning("waiting for %s", _FOR_ALL if how & fcntl.LOCK_EX else _FOR_ONE)
        fcntl.flock(folder, how)
    except OSError:
        pass
    return True


def someone_at_work(store: Store) -> bool | None:
    """Whether a run holds the lock; None behind a URI, where that can't be told."""
    if not store.is_local:
        return None
    with locked(store, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        return not alone
