"""The only file system of a query's connection.

It serves the data files of a store's tables and its warehouse, by name and read-only, and DuckDB's temporary
files, which have no name that anybody could find or plant, and vanish with the connection. Whatever statement
DuckDB runs, it can open nothing else and change nothing in the store.
"""

import datetime
import errno
import fcntl
import os
import re
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from fsspec import AbstractFileSystem

from cardlog.pipelines.storage.store import SCHEMAS

READ: Final = "cardlog"
SPILL: Final = f"{READ}://queries"
"""The folder for temporary files."""
_SPILLED: Final = re.compile(r"queries/duckdb_temp_[\w-]+(\.tmp|\.block)?")
"""DuckDB's names of them."""
_DATA: Final = re.compile(rf"({'|'.join(SCHEMAS)})/(game=\w+/)?[^/]+\.parquet")
"""The names of data files, in the store as in the connection."""
_UNCHANGED: Final = datetime.datetime(2000, 1, 1)


class _Handle:
    """An open file with an offset per thread, because DuckDB's threads share the handle."""

    closed = False

    def __init__(self, descriptor: int, files: "StoreFiles | None" = None) -> None:
        self._descriptor, self._files = descriptor, files
        self._offsets: dict[int, int] = {}

    def seek(self, offset: int) -> None:
        self._offsets[threading.get_ident()] = offset

    def tell(self) -> int:
        return self._offsets.get(threading.get_ident(), 0)

    def read(self, size: int) -> bytes:
        found = os.pread(self._descriptor, size, self.tell())
        self.seek(self.tell() + len(found))
        return found

    def write(self, content: bytes) -> int:
        if self._files is None:
            raise PermissionError("a query only reads")
        start, done = self.tell(), 0
        self._files.check_growth(start + len(content) - os.fstat(self._descriptor).st_size)
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


class StoreFiles(AbstractFileSystem):  # type: ignore[misc]
    """The data files below a store's root and its warehouse, read-only, and temporary files.

    folder
        The folder on whose disk the temporary files are.
    most
        Bytes of all temporary files. DuckDB keeps to it itself, but not if a statement copies to such a file.
    failure
        Why the last file could not be opened; DuckDB's own message hides it.
    """

    protocol = READ
    cachable = False

    def __init__(self, root: str, warehouse: Path, folder: str, most: int) -> None:
        super().__init__()
        self._root, self._warehouse, self._folder, self._most = root, warehouse, folder, most
        self._spilled: dict[str, int] = {}
        self._lock = threading.Lock()
        self.failure: str | None = None

    def open(self, path: str, mode: str = "rb", **_: Any) -> _Handle:
        """Open a file. Raises OSError if it can't be read, or is to be written and is no temporary one."""
        name = _name_of(path)
        if _SPILLED.fullmatch(name):
            return self._open_spilled(name, mode)
        if mode != "rb":
            raise PermissionError(f"{path} can't be written: a query only reads")
        file = self._file(name)
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            self.failure = f"{file} can't be read: {error.strerror}"
            raise
        handle = _Handle(descriptor)
        if file == self._warehouse:
            self._check_lock(descriptor)
        return handle

    def _file(self, name: str) -> Path:
        """The file of a name. Raises OSError if it is none of the store's."""
        if name == self._warehouse.name:
            return self._warehouse
        if not _DATA.fullmatch(name):
            raise FileNotFoundError(f"there is no {name}")
        return Path(self._root, name)

    def _check_lock(self, descriptor: int) -> None:
        """Raise OSError if another program has the warehouse open for writing, as DuckDB does."""
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            self.failure = (
                f"{self._warehouse} is open for writing in another program; until it is closed, only the "
                "tables can be read, not the marts"
            )
            raise
        except OSError:
            pass  # A file system without locks; DuckDB also reads without one there.

    def _open_spilled(self, name: str, mode: str) -> _Handle:
        """Open a temporary file. It keeps its content in every mode: DuckDB reopens files in use."""
        with self._lock:
            if name not in self._spilled:
                if mode == "rb":
                    raise FileNotFoundError(f"there is no {name}")
                with tempfile.TemporaryFile(dir=self._folder) as file:
                    self._spilled[name] = os.dup(file.fileno())
            return _Handle(os.dup(self._spilled[name]), self)

    def check_growth(self, growth: int) -> None:
        """Raise OSError if the temporary files together would grow too large. Writers at the same time may
        exceed that by what each of them writes."""
        with self._lock:
            total = sum(os.fstat(descriptor).st_size for descriptor in self._spilled.values())
        if growth > 0 and total + growth > self._most:
            raise OSError(errno.ENOSPC, "the query may not write more to temporary files")

    def glob(self, path: str, **_: Any) -> list[str]:
        """The file of this very name."""
        return [_name_of(path)] if self.exists(path) else []

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """The size of a file. Raises OSError if there is none."""
        name = _name_of(path)
        if name in self._spilled:
            size = os.fstat(self._spilled[name]).st_size
        else:
            size = self._file(name).stat().st_size
        return {"name": path, "size": size, "type": "file"}

    def modified(self, _path: str) -> datetime.datetime:
        """When a file was changed, for DuckDB: never."""
        return _UNCHANGED

    def touch(self, path: str, **_: Any) -> None:
        """Make an empty temporary file."""
        self.open(path, "wb").close()

    def rm(self, path: str, **_: Any) -> None:
        """Remove a temporary file."""
        with self._lock, suppress(KeyError):
            os.close(self._spilled.pop(_name_of(path)))

    def close(self) -> None:
        """Remove all temporary files."""
        for name in list(self._spilled):
            self.rm(name)


def _name_of(path: str) -> str:
    return path.removeprefix(f"{READ}://").strip("/")
