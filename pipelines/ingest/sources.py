"""Files to ingest: find them, tell their format, and plan how to read them in blocks of whole lines."""

import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, cast

from cardlog.pipelines import readers
from cardlog.pipelines.ingest.blocks import Block, Stream, split
from cardlog.pipelines.ingest.locations import expand, pipe_of, shown
from cardlog.pipelines.ingest.source_bytes import (
    Digested,
    SourceError,
    changed,
    copied,
    open_raw,
    size_of,
)
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.storage.remote import Folder

__all__ = ["Item", "SourceError", "SourceFile", "examine", "expand", "plan", "texts"]

BLOCK_BYTES: Final = 16 * 2**20
"""Text that is read, judged and written as one part."""
HEAD_BYTES: Final = 64 * 2**10
GZIP_MAGIC: Final = b"\x1f\x8b"
_UNREADABLE: Final = (OSError, EOFError, zlib.error)
"""What a file raises that can't be read to its end."""


class NotALog(SourceError):
    """A file that looks like none of the formats."""


class NothingInIt(SourceError):
    """A file without any text."""


@dataclass(frozen=True)
class Piece:
    """Where a block of a file is, and the digest of what it was; see `blocks.Block`."""

    start: int
    length: int
    first_line: int
    is_last: bool
    sha256: str


@dataclass(frozen=True)
class SourceFile:
    """A file that was looked at: what its hands are named after, and how to read it.

    path
        Where to open it. Of standard input that is a copy; `source.path` says ``-``.
    size
        Bytes on disk.
    pieces
        Its blocks, if it is read in several pieces.
    """

    source: Source
    path: str
    format: str
    size: int
    is_gzip: bool
    pieces: tuple[Piece, ...] = ()

    @property
    def brief(self) -> "SourceFile":
        """The same without its pieces, for workers."""
        return replace(self, pieces=())

    def copied_to(self, folder: Folder) -> "SourceFile":
        """The same with a copy of the file in a folder. Raises OSError."""
        return replace(self, path=folder.put(self.source.source_id, Path(self.path)))


@dataclass(frozen=True)
class Item:
    """A piece of work: some whole lines of a file, or all of it.

    key
        Sorts items in the order of their sources and lines.
    piece
        Which block of the file it is; None for all of it.
    texts
        Texts to read instead of the file, each with the number of its first line in it and its
        context.
    """

    key: str
    file: SourceFile
    piece: Piece | None = None
    texts: tuple[tuple[bytes, int, str], ...] = ()

    @property
    def size(self) -> int:
        """Bytes to read."""
        return self.piece.length if self.piece else self.file.size


class Text(NamedTuple):
    """A block of an item, the bytes of the file that it took, and what it is from: before another block, no
    hand is cut off that could still go on."""

    block: Block
    taken: int
    source: Source


# ---------------------------------------------------------------- look at


def examine(
    path: str, format_name: str | None, dataset: str | None, final: bool, folder: str | None = None
) -> SourceFile:
    """Read a file once: its digest, its first line, its format and where its blocks are.

    folder
        For copies of pipes, which can't be read without.

    Raises SourceError if it can't be read to its end, is no format we know (NotALog) or not the one
    named, or is empty (NothingInIt).
    """
    if format_name is not None and format_name not in readers.FORMATS:
        raise SourceError(f"there is no format {format_name}; there are: {', '.join(readers.FORMATS)}")
    try:
        local, pipe = path, pipe_of(path)
        if pipe is not None:
            if folder is None:
                raise ValueError(f"{path} can be read only once; it needs a folder for a copy")
            with pipe as stream:
                local = copied(stream, folder)
        with open_raw(local) as raw:
            size = size_of(raw)
            bytes_read = Digested(cast(Stream, raw), size)
            source = Source("", shown(path), dataset or "", final=final)
            found = _look_at(bytes_read, source, format_name, size)
            if size is not None and bytes_read.size < size:
                raise changed(source.path)
    except _UNREADABLE as error:
        raise SourceError(f"{shown(path)}: can't be read: {error}; nothing of it was stored") from error
    return replace(found, path=local)


def _look_at(whole: Digested, source: Source, format_name: str | None, size: int | None) -> SourceFile:
    """Read a file once, all of it; size is that of the file, None if it is not known."""
    name = source.path
    begin = whole.read(HEAD_BYTES)
    is_gzip = begin.startswith(GZIP_MAGIC)
    stream: Stream = _Joined(begin, whole)
    if is_gzip:
        stream = cast(Stream, gzip.GzipFile(fileobj=cast(Any, stream)))
        begin = stream.read(HEAD_BYTES)
    if not begin:
        raise NothingInIt(f"{name}: there is nothing in it")
    head = begin.lstrip(b"\r\n")
    format_name = format_name or readers.detect(head)
    if format_name is None:
        found = f"{name}: no known format; name one with --format: {', '.join(readers.FORMATS)}"
        if json_lines.is_printed_over_lines(head):
            found = f"{name}: it looks like JSON, but no known format of it; {json_lines.ADVICE}"
        raise NotALog(found)
    pieces: tuple[Piece, ...] = ()
    if is_gzip:
        while stream.read(2**20):
            pass
    elif _is_split(format_name) and (size is None or size > BLOCK_BYTES):
        pieces = tuple(
            Piece(block.start, block.length, block.first_line, block.is_last, block.sha256)
            for block in split(stream, _mark(format_name), BLOCK_BYTES)
        )
    first_line = head.split(b"\n", 1)[0].rstrip(b"\r")
    dataset = source.dataset or format_name
    source = replace(source, source_id=whole.finish(), dataset=dataset, head=first_line)
    return SourceFile(source, name, format_name, whole.size, is_gzip, pieces)


class _Joined:
    """Bytes that were read from a stream, and what comes after them."""

    def __init__(self, begin: bytes, rest: Stream) -> None:
        self._begin = io.BytesIO(begin)
        self._rest = rest

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        return self._begin.read(size) or self._rest.read(size)


def digest_of(path: str) -> str:
    """sha256 of a file. Raises OSError."""
    with open_raw(path) as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()  # type: ignore[arg-type]


# ---------------------------------------------------------------- read


def plan(files: list[SourceFile]) -> list[Item]:
    """The pieces of work of some files: one a block where blocks can be read by themselves."""
    items = []
    for number, file in enumerate(files):
        for block, piece in enumerate(file.pieces if len(file.pieces) > 1 else (None,)):
            items.append(Item(f"{number:06d}-{block:06d}", file.brief, piece))
    return items


def texts(item: Item) -> Iterator[Text]:
    """The blocks of an item, as they were when the file was looked at.

    Raises SourceError if they are not any more.
    """
    file = item.file
    name = file.source.path
    try:
        with open_raw(file.path) as raw:
            yield from _texts(item, raw)
    except FileNotFoundError as error:
        raise SourceError(f"{name} is gone; nothing of it was stored") from error
    except _UNREADABLE as error:
        if file.is_gzip:
            raise changed(name) from error
        raise


def _texts(item: Item, raw: IO[bytes]) -> Iterator[Text]:
    file = item.file
    if item.piece:
        raw.seek(item.piece.start)
        yield _text_of(item.piece, file, Digested(cast(Stream, raw), item.piece.length))
        return
    whole = Digested(cast(Stream, raw), file.size)
    text = cast(Stream, gzip.GzipFile(fileobj=cast(Any, whole)) if file.is_gzip else whole)
    before = 0
    for block in split(text, _mark(file.format), BLOCK_BYTES):
        yield Text(block, whole.size - before, _before(file.source, block.is_last))
        before = whole.size
    if whole.finish() != file.source.source_id:
        raise changed(file.source.path)


def _text_of(piece: Piece, file: SourceFile, stream: Stream) -> Text:
    """A block of a file. Raises SourceError if it is another one now."""
    blocks = split(stream, _mark(file.format), sys.maxsize, piece.first_line, sys.maxsize)
    found = list(islice(blocks, 2))
    if len(found) != 1 or found[0].length != piece.length or found[0].sha256 != piece.sha256:
        raise changed(file.source.path)
    block = replace(found[0], is_last=piece.is_last)
    return Text(block, piece.length, _before(file.source, piece.is_last))


def _before(source: Source, is_last: bool) -> Source:
    return source if is_last else replace(source, final=True)


def _is_split(format_name: str) -> bool:
    """Whether blocks of a format can be read by themselves."""
    return _mark(format_name) is not None and not hasattr(readers.get(format_name), "in_blocks")


def _mark(format_name: str) -> bytes | None:
    """Before what a text may be split: the beginning of a line, empty for any; None for nothing."""
    reader = readers.get(format_name)
    if reader.LINE_PER_HAND or hasattr(reader, "in_blocks"):
        return b""
    mark: bytes | None = getattr(reader, "SPLIT_AT", None)
    return mark


@contextmanager
def open_text(path: str) -> Iterator[IO[bytes]]:
    """A file's text, unpacked if it is gzip."""
    with open_raw(path) as raw:
        is_gzip = raw.read(2) == GZIP_MAGIC
        raw.seek(0)
        if not is_gzip:
            yield raw
            return
        with gzip.open(raw) as text:
            yield cast(IO[bytes], text)
