"""The bytes of a source, checked to be the same whenever they are read.

A log may be rotated, cut or replaced while it is read. So a worker that reads it again digests what it
reads, and the ingest fails if the digest differs. Small files are kept in memory.
"""

import hashlib
import os
import shutil
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from cardlog.pipelines.ingest.blocks import Stream
from cardlog.pipelines.storage.remote import is_remote, open_file
from cardlog.schemas.errors import CardlogError

KEPT_BYTES: Final = 64 * 2**20
"""Bytes of small files that an ingest keeps in memory, so that they are read once."""


class SourceError(CardlogError):
    """A file that can't be ingested; the text is for the user."""


def changed(shown: str) -> SourceError:
    """The error for a source that is not any more what it was."""
    return SourceError(
        f"{shown} changed while it was being read; nothing of it was stored; ingest it again, or a copy of it"
    )


def open_raw(path: str) -> IO[bytes]:
    """A file as it is on disk, or under a URI. Raises OSError."""
    return open_file(path) if is_remote(path) else Path(path).open("rb")


class Digested:
    """The first bytes of a stream, digested as they are read.

    most
        Bytes after which it ends; None for all.
    """

    def __init__(self, stream: Stream, most: int | None = None) -> None:
        self._stream = stream
        self._most = most
        self._digest = hashlib.sha256()
        self.size = 0

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        if self._most is not None:
            left = self._most - self.size
            size = left if size < 0 else min(size, left)
        chunk = self._stream.read(size)
        self._digest.update(chunk)
        self.size += len(chunk)
        return chunk

    def finish(self) -> str:
        """Read the rest; returns the sha256 of all."""
        while self.read(2**20):
            pass
        return self._digest.hexdigest()


def stamp(raw: IO[bytes]) -> tuple[int, ...] | None:
    """What changes when a file on this machine does: its size first; None if there is none."""
    try:
        found = os.fstat(raw.fileno())
    except (AttributeError, OSError):
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def read_at_once(raw: IO[bytes], shown: str) -> bytes:
    """A whole file as it was at one instant.

    Raises SourceError if it keeps changing. What is appended meanwhile is left
    for another time.
    """
    before = stamp(raw)
    size = -1 if before is None else before[0]
    content = raw.read(size)
    if before is not None and (len(content) < size or stamp(raw) != before):
        raw.seek(0)
        if len(content) < size or raw.read(size) != content:
            raise changed(shown)
    return content


# ---------------------------------------------------------------- while an ingest lasts

_kept: Final[dict[str, bytes]] = {}
"""Contents of small files by their sha256, for workers in this process."""
_lock: Final = threading.Lock()


def kept(source_id: str) -> bytes | None:
    """The content with this sha256, if it is kept in this process."""
    return _kept.get(source_id)


class Keeper:
    """What an ingest keeps of its sources while it lasts: small files in memory, copies of pipes.

    folder
        Where the copies are; its creator removes it.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._names: set[str] = set()
        self.left = KEPT_BYTES

    def __enter__(self) -> "Keeper":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            for name in self._names:
                _kept.pop(name, None)

    def keep(self, source_id: str, content: bytes) -> None:
        """Keep a small file."""
        with _lock:
            if source_id not in _kept:
                _kept[source_id] = content
                self._names.add(source_id)
                self.left -= len(content)

    def copy(self, stream: Any) -> str:
        """Copy a pipe to a file, because it is read more than once."""
        with tempfile.NamedTemporaryFile(dir=self._folder, prefix="copy-", delete=False) as out:
            shutil.copyfileobj(stream, out)
        return out.name
