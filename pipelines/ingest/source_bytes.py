"""The bytes of a source, checked to be the same whenever they are read.

A log may be rotated, cut or replaced while it is read. So a worker that reads it again digests what it
reads, and the ingest fails if the digest differs.
"""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO

from cardlog.pipelines.ingest.blocks import Stream
from cardlog.pipelines.storage.remote import is_remote, open_file
from cardlog.schemas.errors import CardlogError


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


def size_of(raw: IO[bytes]) -> int | None:
    """The size of a file on this machine at this moment; None under a URI."""
    try:
        return os.fstat(raw.fileno()).st_size
    except (AttributeError, OSError):
        return None


def copied(stream: IO[bytes], folder: str) -> str:
    """Copy a pipe to a file in a folder, because it is read more than once."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="copy-", delete=False) as out:
        shutil.copyfileobj(stream, out)
    return out.name
