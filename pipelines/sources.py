"""Files to ingest: find them, tell their format, and cut them into blocks of whole lines."""

import glob
import gzip
import hashlib
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final, cast

from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

from pipelines import readers
from pipelines.readers.base import Source

BLOCK_BYTES: Final = 16 * 2**20
"""Text that is read, judged and written as one part."""
HEAD_BYTES: Final = 64 * 2**10
GZIP_MAGIC: Final = b"\x1f\x8b"
STANDARD_INPUT: Final = "-"


class SourceError(Exception):
    """A file that can't be ingested; the text is for the user."""


@dataclass(frozen=True)
class SourceFile:
    """A file that was looked at: what its hands are named after, and how to read it.

    path
        Where to open it. Of standard input that is a copy; `source.path` says ``-``.
    size
        Bytes on disk.
    """

    source: Source
    path: str
    format: str
    size: int
    is_gzip: bool


@dataclass(frozen=True)
class Item:
    """A piece of work: some whole lines of a file, or all of it.

    key
        Sorts items in the order of their sources and lines.
    start, length
        Bytes of the file; length is 0 for all of it.
    is_last
        Whether the file ends with them.
    pieces
        Texts to read instead of the file, each with the number of its first line in it and its
        context.
    """

    key: str
    file: SourceFile
    start: int = 0
    length: int = 0
    first_line: int = 1
    is_last: bool = True
    pieces: tuple[tuple[bytes, int, str], ...] = ()


def expand(paths: list[str]) -> list[str]:
    """The files that some files, folders, globs or URIs stand for, each once.

    Raises SourceError for one that stands for nothing.
    """
    found: list[str] = []
    for path in (path.removeprefix("file://") for path in paths):
        if path == STANDARD_INPUT:
            found.append(path)
        elif "://" in path:
            try:
                matches = [m.path for m in FileSystems.match([path])[0].metadata_list]
            except (OSError, ValueError) as error:
                raise SourceError(f"{path}: can't be reached: {error}") from error
            if not matches:
                raise SourceError(f"{path}: there is no such file")
            found += sorted(matches)
        elif Path(path).is_dir():
            inside = sorted(
                str(p) for p in Path(path).rglob("*") if p.is_file() and not p.name.startswith(".")
            )
            if not inside:
                raise SourceError(f"{path}: the folder is empty")
            found += inside
        elif Path(path).exists():
            found.append(path)
        else:
            matches = sorted(p for p in glob.glob(path, recursive=True) if Path(p).is_file())  # noqa: PTH207
            if not matches:
                raise SourceError(f"{path}: there is no such file")
            found += matches
    return list(dict.fromkeys(found))


def examine(path: str, format_name: str | None, dataset: str | None, final: bool) -> SourceFile:
    """Read a file once: its digest, its first line and its format.

    Raises SourceError if it can't be read to its end, is no format we know, or not the one named.
    """
    if path != STANDARD_INPUT:
        return _examine(path, path, format_name, dataset, final)
    copy = _spool()
    try:
        return _examine(copy, path, format_name, dataset, final)
    except BaseException:
        Path(copy).unlink()
        raise


def _examine(path: str, shown: str, format_name: str | None, dataset: str | None, final: bool) -> SourceFile:
    try:
        digest, size, head, is_gzip = _scan(path)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{shown}: can't be read: {error}; nothing of it was stored") from error
    known = ", ".join(readers.FORMATS)
    head = head.lstrip(b"\r\n")
    if format_name is None:
        format_name = readers.detect(head)
        if format_name is None:
            raise SourceError(f"{shown}: no known format; name one with --format: {known}")
    elif format_name not in readers.FORMATS:
        raise SourceError(f"there is no format {format_name}; there are: {known}")
    first_line = head.split(b"\n", 1)[0].rstrip(b"\r")
    source = Source(digest, shown, dataset or format_name, first_line, final)
    return SourceFile(source, path, format_name, size, is_gzip)


def _spool() -> str:
    """Copy standard input to a file, because it is read more than once."""
    with tempfile.NamedTemporaryFile(prefix="cardlog-stdin-", delete=False) as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    return copy.name


def discard_copy(file: SourceFile) -> None:
    """Remove the copy that was made of standard input, if this file is one."""
    if file.source.path == STANDARD_INPUT:
        Path(file.path).unlink(missing_ok=True)


def _scan(path: str) -> tuple[str, int, bytes, bool]:
    """sha256, size, the first bytes of text, and whether the file is gzip; reads all of it."""
    digest = hashlib.sha256()
    size = 0
    with _open_raw(path) as raw:
        while chunk := raw.read(2**20):
            digest.update(chunk)
            size += len(chunk)
        raw.seek(0)
        with _unpacked(raw) as text:
            head = text.read(HEAD_BYTES)
            is_gzip = text is not raw
            while is_gzip and text.read(2**20):
                pass
        return digest.hexdigest(), size, head, is_gzip


def digest_of(path: str) -> str:
    """sha256 of a file. Raises OSError."""
    with _open_raw(path) as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()  # type: ignore[arg-type]


def _open_raw(path: str) -> IO[bytes]:
    stream: IO[bytes] = FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED)
    return stream


def plan(files: list[SourceFile]) -> list[Item]:
    """The pieces of work of some files: one a block where blocks can be read by themselves."""
    items = []
    for number, file in enumerate(files):
        whole = Item(f"{number:06d}-000000", file)
        if file.is_gzip or file.size <= BLOCK_BYTES:
            items.append(whole)
            continue
        with _open_raw(file.path) as raw:
            start, line = 0, 1
            for block, (text, is_last) in enumerate(_blocks(raw, _mark(file))):
                key = f"{number:06d}-{block:06d}"
                length = 0 if is_last and not block else len(text)
                items.append(
                    replace(whole, key=key, start=start, length=length, first_line=line, is_last=is_last)
                )
                start += len(text)
                line += text.count(b"\n")
    return items


def texts(item: Item) -> Iterator[tuple[bytes, int, int, Source]]:
    """The blocks of an item: text, number of its first line, bytes of the file it took, and what
    it is from: before another block, no hand is cut off that could still go on."""
    source = item.file.source
    with _open_raw(item.file.path) as raw, _unpacked(raw) as text:
        if item.length:
            raw.seek(item.start)
            yield raw.read(item.length), item.first_line, item.length, _before(source, item.is_last)
            return
        line, before = 1, 0
        for block, is_last in _blocks(text, _mark(item.file)):
            yield block, line, raw.tell() - before, _before(source, is_last)
            before = raw.tell()
            line += block.count(b"\n")


def _before(source: Source, is_last: bool) -> Source:
    return source if is_last else replace(source, final=True)


def _mark(file: SourceFile) -> bytes | None:
    """Before what a text may be parted: the beginning of a line, empty for any; None for nothing."""
    reader = readers.get(file.format)
    mark: bytes | None = b"" if reader.LINE_PER_HAND else getattr(reader, "PARTED_AT", None)
    return mark


@contextmanager
def open_text(path: str) -> Iterator[IO[bytes]]:
    """A file's text, unpacked if it is gzip."""
    with _open_raw(path) as raw, _unpacked(raw) as text:
        yield text


@contextmanager
def _unpacked(raw: IO[bytes]) -> Iterator[IO[bytes]]:
    is_gzip = raw.read(2) == GZIP_MAGIC
    raw.seek(0)
    if not is_gzip:
        yield raw
        return
    with gzip.open(raw) as text:
        yield cast(IO[bytes], text)


def _blocks(stream: IO[bytes], mark: bytes | None) -> Iterator[tuple[bytes, bool]]:
    """Blocks of about `BLOCK_BYTES`, each ending before a line that begins with `mark`, and whether
    it is the last. Where no such line comes, a block is longer."""
    if mark is None:
        yield stream.read(), True
        return
    parting = b"\n" + mark
    held = b""
    chunk = stream.read(BLOCK_BYTES)
    while chunk:
        known = max(len(held) - len(parting), 0)
        held += chunk
        chunk = stream.read(BLOCK_BYTES)
        end = held.rfind(parting, known) + 1
        if end and chunk:
            yield held[:end], False
            held = held[end:]
    if held:
        yield held, True
