"""Temporary folders that get removed even if the process that created them was killed.

A process holds a lock on its folder, which ends with the process; the next process to create a folder removes
the unlocked ones.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from cardlog.pipelines.runtime.leftovers import note

PREFIX: Final = "cardlog-scratch-"


@contextmanager
def folder() -> Iterator[str]:
    """A folder that exists while the context is open."""
    remove_abandoned()
    path, lock = _new()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _new() -> tuple[str, int]:
    """A new folder and the lock on it."""
    while True:
        path = note(tempfile.mkdtemp(prefix=PREFIX))
        with suppress(FileNotFoundError, BlockingIOError):
            lock = os.open(path, os.O_RDONLY)
            try:
                _lock(lock)
                # Another process may have removed it as abandoned before it was locked.
                Path(path).stat()
            except BaseException:
                os.close(lock)
                raise
            return path, lock


def _lock(folder: int) -> None:
    """Lock a folder, if the file system has locks. Raises BlockingIOError if another process holds it."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return


def remove_abandoned() -> None:
    """Remove this user's folders whose process is gone."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(lock).st_uid == os.getuid():
                    shutil.rmtree(path)
            finally:
                os.close(lock)
