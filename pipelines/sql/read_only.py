"""The only file systems of a query's connection.

One serves the files registered beforehand, read-only. The other serves unnamed temporary files, which vanish
with the connection, for data that does not fit into memory. Whatever statement DuckDB runs, it can open
nothing else and change nothing in the store.
"""

import contextlib
import datetime
import errno
import fcntl
import os
import re
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from fsspec import AbstractFileSystem

READ: Final = "cardlog"
SPILL: Final = "cardlog-spill"
_SPILLED: Final = re.compile(r"queries/duckdb_temp_[\w-]+(\.tmp|\.block)?")
"""DuckDB's names of temporary files."""
_UNCHANGED: Final = datetime.datetime(2000, 1, 1)
"""Modification time of every file, for DuckDB: files never change."""


class _Handle:
    """An open file with an offset per thread, because DuckDB's threads share the handle.

    check_size
        Called with the descriptor and the size that the file is to have before it grows.
    """

    closed = False

    def __init__(self, descriptor: int, check_size: Callable[[int, int], None] | None = None) -> None:
        self._descriptor, self._check_size = descriptor, check_size
        self._offsets: dict[int, int] = {}

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        bases = {os.SEEK_SET: 0, os.SEEK_CUR: self.tell(), os.SEEK_END: os.fstat(self._descriptor).st_size}
        self._offsets[threading.get_ident()] = bases[whence] + offset
        return bases[whence] + offset

    def tell(self) -> int:
        return self._offsets.get(threading.get_ident(), 0)

    def read(self, size: int = -1) -> bytes:
        start = self.tell()
        end = os.fstat(self._descriptor).st_size if size < 0 else start + size
        found = os.pread(self._descriptor, max(end - start, 0), start)
        while found and start + len(found) < end:  # one call ends after 2 GB
            more = os.pread(self._descriptor, end - start - len(found), start + len(found))
            if not more:
                break
            found += more
        self.seek(start + len(found))
        return found

    def write(self, content: bytes) -> int:
        if self._check_size is None:
            raise PermissionError("a query only reads")
        start, done = self.tell(), 0
        self._check_size(self._descriptor, start + len(content))
        while done < len(content):
            done += os.pwrite(self._descriptor, memoryview(content)[done:], start + done)
        self.seek(start + done)
        return done

    def flush(self) -> None:
        """Nothing is buffered."""

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            os.close(self._descriptor)

    __del__ = close  # DuckDB drops handles that it no longer needs without closing them


class _Files(AbstractFileSystem):  # type: ignore[misc]
    """Shared by both file systems. What changes files is not supported, unless it is defined."""

    cachable = False

    def _name_of(self, path: str) -> str:
        return path.removeprefix(f"{self.protocol}://").strip("/")

    def glob(self, path: str, **_: Any) -> list[str]:
        return [self._name_of(path)] if self.exists(path) else []

    def _size(self, name: str) -> int:
        """The size of a file. Raises KeyError if there is none."""
        raise NotImplementedError

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """The size of a file. Raises OSError if there is none."""
        try:
            return {"name": path, "size": self._size(self._name_of(path)), "type": "file"}
        except KeyError:
            raise FileNotFoundError(f"there is no {path}") from None

    def modified(self, _path: str) -> datetime.datetime:
        return _UNCHANGED


class StoreFiles(_Files):
    """Files registered under names, read-only.

    failure
        Why the last file could not be opened; DuckDB's own message hides it.
    """

    protocol = READ

    def __init__(self) -> None:
        super().__init__()
        self._paths: dict[str, str] = {}
        self._locked: set[str] = set()
        self.failure: str | None = None

    def add(self, name: str, path: Path | str, lock: bool = False) -> str:
        """Make a file readable; returns its name for DuckDB.

        lock
            Whether to refuse a file that another program has open for writing, as DuckDB does for a database.
        """
        self._paths[name] = str(path)
        if lock:
            self._locked.add(name)
        return f"{READ}://{name}"

    def open(self, path: str, mode: str = "rb", **_: Any) -> _Handle:
        """Open a file for reading. Raises OSError if it can't be read, or for another mode."""
        name = self._name_of(path)
        if mode != "rb":
            raise PermissionError(f"{path} can't be written: a query only reads")
        if name not in self._paths:
            raise FileNotFoundError(f"there is no {path}")
        try:
            handle = _Handle(os.open(self._paths[name], os.O_RDONLY | os.O_CLOEXEC))
        except OSError as error:
            self.failure = f"{self._paths[name]} can't be read: {error.strerror}"
            raise
        try:
            if name in self._locked:
                fcntl.lockf(handle._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            self.failure = (
                f"{self._paths[name]} is open for writing in another program; until it is "
                "closed, only the tables can be read, not the marts"
            )
            raise
        except OSError:
            pass  # A file system without locks; DuckDB also reads without one there.
        return handle

    def _size(self, name: str) -> int:
        return Path(self._paths[name]).stat().st_size


class SpillFiles(_Files):
    """DuckDB's temporary files. They have no name that anybody could find or plant, and vanish when they are
    closed, also if the process is killed.

    folder
        The folder on whose disk they are.
    most
        Bytes of all of them. DuckDB keeps to it itself, but not if a statement copies to such a file.
    """

    protocol = SPILL

    def __init__(self, folder: str, most: int) -> None:
        super().__init__()
        self._folder, self._most = folder, most
        self._open: dict[str, int] = {}
        self._lock = threading.Lock()

    def open(self, path: str, mode: str = "rb", **_: Any) -> _Handle:
        """Open a temporary file of DuckDB. Raises OSError for any other name.

        An existing one keeps its content in every mode: DuckDB reopens files in use.
        """
        name = self._name_of(path)
        if not _SPILLED.fullmatch(name):
            raise PermissionError(f"{path} can't be written: a query only reads")
        with self._lock:
            if name not in self._open:
                if mode == "rb":
                    raise FileNotFoundError(f"there is no {path}")
                with tempfile.TemporaryFile(dir=self._folder) as file:
                    self._open[name] = os.dup(file.fileno())
            return _Handle(os.dup(self._open[name]), self._check_size)

    def _check_size(self, descriptor: int, size: int) -> None:
        """Raise OSError if all files together would be too large. Writers at the same time may exceed that by
        what each of them writes."""
        growth = size - os.fstat(descriptor).st_size
        with self._lock:
            total = sum(os.fstat(other).st_size for other in self._open.values())
        if growth > 0 and total + growth > self._most:
            raise OSError(errno.ENOSPC, "the query may not write more to temporary files")

    def touch(self, path: str, **_: Any) -> None:
        """Make an empty file."""
        self.open(path, "wb").close()

    def rm(self, path: str, **_: Any) -> None:
        """Remove a file."""
        with self._lock, contextlib.suppress(KeyError):
            os.close(self._open.pop(self._name_of(path)))

    def _size(self, name: str) -> int:
        return os.fstat(self._open[name]).st_size

    def close(self) -> None:
        """Remove all remaining files."""
        for name in list(self._open):
            self.rm(name)
