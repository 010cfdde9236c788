"""The only file systems of a query's connection.

One serves the files registered beforehand, read-only. The other serves unnamed temporary files, which vanish
with the connection, for data that does not fit into memory. Whatever statement DuckDB runs, it can open
nothing else and change nothing in the store.
"""

import contextlib
import datetime
import fcntl
import os
import re
import tempfile
import threading
from pathlib import Path
from typing import Any, Final

from fsspec import AbstractFileSystem

READ: Final = "cardlog"
SPILL: Final = "cardlog-spill"
SPILL_FOLDER: Final = ".tmp"
"""Folder in the store; exists only while something is spilled."""
_SPILLED: Final = re.compile(r"[^/]+/duckdb_temp_[\w-]+(\.tmp|\.block)?")
"""DuckDB's names of temporary files, with their folder."""
_UNCHANGED: Final = datetime.datetime(2000, 1, 1)
"""Modification time of every file, for DuckDB: files never change."""


class _Handle:
    """An open file with an offset per thread, because DuckDB's threads share the handle."""

    closed = False

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._offsets: dict[int, int] = {}

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_CUR:
            offset += self.tell()
        elif whence == os.SEEK_END:
            offset += os.fstat(self._descriptor).st_size
        self._offsets[threading.get_ident()] = offset
        return offset

    def tell(self) -> int:
        return self._offsets.get(threading.get_ident(), 0)

    def read(self, size: int = -1) -> bytes:
        start = self.tell()
        if size < 0:
            size = max(os.fstat(self._descriptor).st_size - start, 0)
        found = os.pread(self._descriptor, size, start)
        while 0 < len(found) < size and (more := self._read_on(start + len(found), size - len(found))):
            found += more
        self._offsets[threading.get_ident()] = start + len(found)
        return found

    def _read_on(self, start: int, size: int) -> bytes:
        """The rest of a read that one system call cut short, as it does above 2 GB."""
        return os.pread(self._descriptor, size, start)

    def flush(self) -> None:
        """Nothing is buffered."""

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            os.close(self._descriptor)

    def __del__(self) -> None:
        self.close()  # DuckDB drops handles that it no longer needs without closing them

    def __enter__(self) -> "_Handle":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _WritableHandle(_Handle):
    def write(self, content: bytes) -> int:
        start = self.tell()
        view = memoryview(content)
        done = 0
        while done < len(view):
            done += os.pwrite(self._descriptor, view[done:], start + done)
        self._offsets[threading.get_ident()] = start + done
        return done


class _Files(AbstractFileSystem):  # type: ignore[misc]
    """Shared by both file systems. Operations not defined here are unsupported."""

    cachable = False

    def _name_of(self, path: str) -> str:
        return path.removeprefix(f"{self.protocol}://").strip("/")

    def isdir(self, path: str) -> bool:
        return not self.isfile(path)

    def exists(self, path: str, **_: Any) -> bool:
        return bool(self.isfile(path))

    def glob(self, path: str, **_: Any) -> list[str]:
        return [self._name_of(path)] if self.isfile(path) else []

    def ls(self, _path: str, detail: bool = True, **_: Any) -> list[Any]:
        return []

    def modified(self, _path: str) -> datetime.datetime:
        return _UNCHANGED

    def mkdir(self, path: str, **_: Any) -> None:
        raise PermissionError(f"{path} can't be made: a query only reads")

    makedirs = rmdir = rm = rm_file = mv = cp_file = touch = mkdir


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

    def isfile(self, path: str) -> bool:
        """Whether a file has this name."""
        return self._name_of(path) in self._paths

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
        if name in self._locked:
            self._share(name, handle)
        return handle

    def _share(self, name: str, handle: _Handle) -> None:
        try:
            fcntl.lockf(handle._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            handle.close()
            if isinstance(error, (BlockingIOError, PermissionError)):
                self.failure = (
                    f"{self._paths[name]} is open for writing in another program; until it is "
                    "closed, only the tables can be read, not the marts"
                )
                raise
            # A file system without locks; DuckDB also reads without one there.

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """The size of a file."""
        size = Path(self._paths[self._name_of(path)]).stat().st_size
        return {"name": path, "size": size, "type": "file"}


class SpillFiles(_Files):
    """DuckDB's temporary files. They have no name that anybody could find or plant, and vanish when they are
    closed, also if the process is killed.

    folder
        The folder on whose disk they are, made when needed (default: the machine's temporary folder).
    """

    protocol = SPILL

    def __init__(self, folder: Path | None) -> None:
        super().__init__()
        self._folder = folder
        self._open: dict[str, int] = {}
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path:
        """The folder on whose disk the files are."""
        return self._folder or Path(tempfile.gettempdir())

    def isfile(self, path: str) -> bool:
        """Whether a file has this name."""
        return self._name_of(path) in self._open

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
                self._open[name] = _unnamed_file(self._folder)
            return _WritableHandle(os.dup(self._open[name]))

    def touch(self, path: str, **_: Any) -> None:
        """Make an empty file."""
        self.open(path, "wb").close()

    def rm(self, path: str, **_: Any) -> None:
        """Remove a file."""
        with self._lock:
            descriptor = self._open.pop(self._name_of(path), None)
        if descriptor is not None:
            os.close(descriptor)

    rm_file = rm

    def mkdir(self, path: str, **_: Any) -> None:
        """There are no folders."""

    makedirs = rmdir = mkdir

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """The size of a file."""
        size = os.fstat(self._open[self._name_of(path)]).st_size
        return {"name": path, "size": size, "type": "file"}

    def close(self) -> None:
        """Remove all remaining files."""
        for name in list(self._open):
            self.rm(name)
        if self._folder is not None:
            with contextlib.suppress(OSError):  # missing, or used by another query
                self._folder.rmdir()


def _unnamed_file(folder: Path | None) -> int:
    """A descriptor of a new unnamed file. Where the system has no unnamed files, it has a random name for a
    moment and nobody else can open it."""
    for _ in range(100):
        if folder is not None:
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)
            if folder.is_symlink():
                raise PermissionError(f"{folder} is a link; remove it")
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                return os.dup(file.fileno())
        except FileNotFoundError:
            continue  # Another query has just removed the folder.
    raise FileNotFoundError(f"{folder} can't be made")
