"""The bytes of a source, checked to be the same whenever they are read.

A log may be rotated, truncated or replaced while it is read. So a worker that reads it again digests it, and
the ingest fails if the digest differs.
"""

import bz2
import codecs
import gzip
import hashlib
import io
import lzma
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

from cardlog.pipelines.storage.remote import is_remote, open_file
from cardlog.schemas.errors import CardlogError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEAD_BYTES: Final = 64 * 2**10
"""Bytes of a text by which its format is detected."""
MARKS: Final = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
"""The encodings of texts by their byte order marks; the first that fits is right."""
BROKEN: Final = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError)
"""Errors of a compressed file that can't be unpacked to its end; OSError is another."""


def _zstd(packed: IO[bytes]) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(packed, "r"), "zstd")


_UNPACK: Final[dict[bytes, Callable[[Any], Any]]] = {
    b"\x1f\x8b": lambda packed: gzip.GzipFile(fileobj=packed),
    b"\xfd7zXZ\0": lzma.LZMAFile,
    b"BZh": bz2.BZ2File,
    b"\x28\xb5\x2f\xfd": _zstd,
}
"""How to unpack a file that begins with certain bytes."""


class SourceError(CardlogError):
    """A file that can't be ingested; the text is for the user."""


def shown(path: str) -> str:
    """A path as text that can be stored and printed, whatever its bytes are."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


@contextmanager
def reading(path: str, log: str = "") -> Iterator[None]:
    """Raise SourceError if a file can't be read: a log, or an older file that it continues."""
    try:
        yield
    except (OSError, *BROKEN) as error:
        what = f"{shown(path)}: can't be read: {error}"
        if log not in ("", path):
            what = f"{shown(log)}: the older file {shown(path)} of this log can't be read: {error}"
            what += "; mend it, or move it away"
        raise SourceError(f"{what}; nothing of it was stored") from error


def changed(path: str) -> SourceError:
    """The error for a source that has changed."""
    return SourceError(
        f"{shown(path)} changed while it was being read; nothing of it was stored; "
        "ingest it again, or a copy of it"
    )


def open_raw(path: str) -> IO[bytes]:
    """A file as it is on disk, or under a URI. Raises OSError."""
    return open_file(path) if is_remote(path) else Path(path).open("rb")


class Digested(io.RawIOBase):
    """The first bytes of a file, digested as they are read.

    limit
        Bytes after which it ends (default: all).
    """

    def __init__(self, raw: IO[bytes], limit: int | None = None) -> None:
        self._raw = raw
        self._limit = sys.maxsize if limit is None else limit
        self._digest = hashlib.sha256()
        self.size = 0

    def readable(self) -> bool:
        """True, for `io.BufferedReader`."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read the next bytes; returns their number."""
        view = memoryview(buffer)
        chunk = self._raw.read(min(len(view), self._limit - self.size))
        view[: len(chunk)] = chunk
        self._digest.update(chunk)
        self.size += len(chunk)
        return len(chunk)

    def finish(self) -> str:
        """Read the rest; returns the sha256 of all."""
        while self.read(2**20):
            pass
        return self._digest.hexdigest()


class _AsUtf8(io.RawIOBase):
    """A text in another encoding as UTF-8. A character that is not complete yet is left out."""

    def __init__(self, text: io.BufferedReader, encoding: str) -> None:
        self._text = text
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = b""

    def readable(self) -> bool:
        """True, for `io.BufferedReader`."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read the next bytes; returns their number."""
        while not self._ready and (piece := self._text.read(HEAD_BYTES)):
            self._ready = self._decoder.decode(piece).encode()
        view = memoryview(buffer)
        chunk, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(chunk)] = chunk
        return len(chunk)


def unpacked(raw: io.RawIOBase) -> io.BufferedReader:
    """A file's text as UTF-8, unpacked if it is compressed. Reading it raises OSError or one of `BROKEN` if
    the file is truncated."""
    text = io.BufferedReader(cast(Any, raw), HEAD_BYTES)
    for magic, unpack in _UNPACK.items():
        if text.peek().startswith(magic):
            text = io.BufferedReader(unpack(text), HEAD_BYTES)
            break
    encodings = (encoding for mark, encoding in MARKS.items() if text.peek().startswith(mark))
    encoding = next(encodings, None)
    return io.BufferedReader(_AsUtf8(text, encoding), HEAD_BYTES) if encoding else text


def size_of(raw: IO[bytes]) -> int | None:
    """The current size of a file on this machine; None under a URI."""
    try:
        return os.fstat(raw.fileno()).st_size
    except (AttributeError, OSError):
        return None


def copied(stream: IO[bytes], folder: str) -> str:
    """Copy a pipe to a file in a folder, since it is read more than once; returns its path."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="copy-", delete=False) as out:
        shutil.copyfileobj(stream, out)
    return out.name


def joined(paths: list[str], folder: str) -> str:
    """Copy the texts of a log's files, oldest first, to a file in a folder; returns its path.

    Raises SourceError if one can't be read, or is renamed or truncated meanwhile.
    """
    with ExitStack() as stack, tempfile.NamedTemporaryFile(dir=folder, prefix="copy-", delete=False) as out:
        raws = []
        for path in paths:
            with reading(path, paths[-1]):
                raws.append(stack.enter_context(open_raw(path)))
        sizes = [size_of(raw) for raw in raws]
        for path, raw, size in zip(paths, raws, sizes, strict=True):
            if size is not None and not os.path.samestat(os.fstat(raw.fileno()), Path(path).stat()):
                raise changed(path)
            digested = Digested(raw, size)
            with reading(path, paths[-1]):
                shutil.copyfileobj(unpacked(digested), out)
                digested.finish()
            if size is not None and digested.size < size:
                raise changed(path)
    return out.name
