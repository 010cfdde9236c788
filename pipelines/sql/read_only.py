"""The only file system that a query's connection has.

It serves the data files of a store's tables and its warehouse, by name and read-only. Whatever statement
DuckDB runs, it can open nothing else and has nowhere to write to.
"""

import datetime
import errno
import fcntl
import os
import re
import threading
from pathlib import Path
from typing import Any, Final

from fsspec import AbstractFileSystem

from cardlog.pipelines.storage.store import SCHEMAS

READ: Final = "cardlog"
"""The protocol of its paths."""
_DATA: Final = re.compile(rf"({'|'.join(SCHEMAS)})/(game=\w+/)?[^/]+\.parquet")
"""The names of data files, in the store as in the connection."""
_UNCHANGED: Final = datetime.datetime(2000, 1, 1)


class _Handle:
    """An open file with an offset per thread, because DuckDB's threads share the handle."""

    closed = False

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._offsets: dict[int, int] = {}

    def seek(self, offset: int) -> None:
        self._offsets[threading.get_ident()] = offset

    def tell(self) -> int:
        return self._offsets.get(threading.get_ident(), 0)

    def read(self, size: int) -> bytes:
        content = os.pread(self.descriptor, size, self.tell())
        self.seek(self.tell() + len(content))
        return content

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            os.close(self.descriptor)

    __del__ = close  # DuckDB drops handles that it no longer needs without closing them


def _is_locked(descriptor: int) -> bool:
    """Whether another program has the file open for writing, as DuckDB does."""
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:  # file systems without locks raise another errno
        return error.errno in (errno.EAGAIN, errno.EACCES)
    return False


class StoreFiles(AbstractFileSystem):  # type: ignore[misc]
    """The data files below a store's root and its warehouse, read-only.

    failure
        Why the last file could not be opened; DuckDB's own message hides it.
    """

    protocol = READ
    cachable = False

    def __init__(self, root: str, warehouse: Path) -> None:
        super().__init__()
        self._root, self._warehouse = root, warehouse
        self.failure: str | None = None

    def open(self, path: str, mode: str = "rb", **_: Any) -> _Handle:
        """Open a file for reading. Raises OSError if it is not one of the store's or can't be read, and for
        any other mode."""
        if mode != "rb":
            raise PermissionError(f"{path} can't be written: a query only reads")
        file = self._file(path)
        try:
            handle = _Handle(os.open(file, os.O_RDONLY | os.O_CLOEXEC))
        except OSError as error:
            self.failure = f"{file} can't be read: {error.strerror}"
            raise
        if file == self._warehouse and _is_locked(handle.descriptor):
            self.failure = (
                f"{file} is open for writing in another program; until it is closed, only the tables can be "
                "read, not the marts"
            )
            raise PermissionError(self.failure)
        return handle

    def _file(self, path: str) -> Path:
        """The file for a path of this file system. Raises OSError if it is not one of the store's."""
        name = path.removeprefix(f"{READ}://").strip("/")
        if name == self._warehouse.name:
            return self._warehouse
        if not _DATA.fullmatch(name):
            raise FileNotFoundError(f"there is no {name}")
        return Path(self._root, name)

    def glob(self, path: str, **_: Any) -> list[str]:
        """The path itself if the file exists; nothing is read as a pattern."""
        return [path.removeprefix(f"{READ}://")] if self.exists(path) else []

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """The size of a file. Raises OSError if there is none."""
        return {"name": path, "size": self._file(path).stat().st_size, "type": "file"}

    def modified(self, _path: str) -> datetime.datetime:
        """A constant, since DuckDB need not look for changes."""
        return _UNCHANGED
