"""A lock on the store's folder: shared by runs, exclusive for a forget and, if possible, a vacuum."""

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from cardlog.pipelines.storage.store import Store

_LOG: Final = logging.getLogger(__name__)
_FOR_ALL: Final = "the other cardlog processes that use this store"
_FOR_ONE: Final = "another cardlog process, which has this store to itself"


def at_work(store: Store) -> AbstractContextManager[bool]:
    """Hold the shared lock, which says that this process has files that are not committed yet, or builds from
    a snapshot of the store. It ends with the process at the latest. At a URI, and on file systems without
    locks, there is none."""
    return locked(store, fcntl.LOCK_SH)


@contextmanager
def locked(store: Store, operation: int, table: str = "") -> Iterator[bool]:
    """Lock the store's folder, or that of a table, by an operation of `flock`; yields False if another
    process holds the lock and the operation has `LOCK_NB`. Logs a warning if it has to wait."""
    if not store.is_local or not Path(store.root).is_dir():
        yield True
        return
    folder = os.open(store.uri(table), os.O_RDONLY)
    try:
        yield _lock(folder, operation)
    finally:
        os.close(folder)


def _lock(folder: int, operation: int) -> bool:
    try:
        fcntl.flock(folder, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        if operation & fcntl.LOCK_NB:
            return False
        _LOG.warning("waiting for %s", _FOR_ALL if operation & fcntl.LOCK_EX else _FOR_ONE)
        fcntl.flock(folder, operation)
    except OSError:
        pass  # a file system without locks
    return True


def someone_at_work(store: Store) -> bool | None:
    """Whether a process holds the lock; None at a URI, where that can't be known."""
    if not store.is_local:
        return None
    with locked(store, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        return not alone
