"""Files to ingest: find them, tell their format, and plan how to read them in blocks of whole lines."""

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from cardlog.pipelines import readers
from cardlog.pipelines.ingest.blocks import Block, split
from cardlog.pipelines.ingest.locations import expand, pipe_of, shown
from cardlog.pipelines.ingest.source_bytes import (
    BROKEN,
    Digested,
    SourceError,
    changed,
    copied,
    open_raw,
    size_of,
    unpacked,
)
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.storage.remote import Folder

__all__ = ["Item", "SourceError", "SourceFile", "examine", "expand", "plan", "texts"]

BLOCK_BYTES: Final = 16 * 2**20
"""Text that is read, judged and written as one part."""


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
            whole = Digested(raw, size)
            text = unpacked(whole)
            head = text.peek().lstrip(b"\r\n")
            if not head and not text.peek():
                raise NothingInIt(f"{shown(path)}: there is nothing in it")
            form = format_name or _format_of(head, shown(path))
            is_large = size is None or size > BLOCK_BYTES
            pieces = _pieces(text, form) if isinstance(text.raw, Digested) and is_large else ()
            while text.read(2**20):
                pass
            source_id = whole.finish()
            if size is not None and whole.size < size:
                raise changed(shown(path))
    except (OSError, *BROKEN) as error:
        raise SourceError(f"{shown(path)}: can't be read: {error}; nothing of it was stored") from error
    first_line = head.split(b"\n", 1)[0].rstrip(b"\r")
    source = Source(source_id, shown(path), dataset or form, first_line, final)
    return SourceFile(source, local, form, whole.size, pieces)


def _format_of(head: bytes, name: str) -> str:
    """The format of a text by its beginning. Raises NotALog."""
    found = readers.detect(head)
    if found is None and json_lines.is_printed_over_lines(head):
        raise NotALog(f"{name}: it looks like JSON, but no known format of it; {json_lines.ADVICE}")
    if found is None:
        raise NotALog(f"{name}: no known format; name one with --format: {', '.join(readers.FORMATS)}")
    return found


def _pieces(text: io.BufferedReader, form: str) -> tuple[Piece, ...]:
    """Where the blocks of a text are, if they can be read by themselves."""
    if _mark(form) is None or hasattr(readers.get(form), "in_blocks"):
        return ()
    return tuple(
        Piece(block.start, block.length, block.first_line, block.is_last, block.sha256)
        for block in split(text, _mark(form), BLOCK_BYTES)
    )


# ---------------------------------------------------------------- read


def plan(files: list[SourceFile]) -> list[Item]:
    """The pieces of work of some files: one a block where blocks can be read by themselves."""
    items = []
    for number, file in enumerate(files):
        for block, piece in enumerate(file.pieces if len(file.pieces) > 1 else (None,)):
            items.append(Item(f"{number:06d}-{block:06d}", file.brief, piece))
    return items


def texts(item: Item) -> Iterator[tuple[Block, int]]:
    """The blocks of an item, as they were when the file was looked at, and the bytes of the file that each
    took.

    Raises SourceError if they are not any more.
    """
    file, piece, mark = item.file, item.piece, _mark(item.file.format)
    name = file.source.path
    try:
        with open_raw(file.path) as raw:
            if piece:
                raw.seek(piece.start)
                text = io.BufferedReader(Digested(raw, piece.length))
                found = list(islice(split(text, mark, sys.maxsize, piece.first_line, sys.maxsize), 2))
                if [(block.length, block.sha256) for block in found] != [(piece.length, piece.sha256)]:
                    raise changed(name)
                yield replace(found[0], is_last=piece.is_last), piece.length
                return
            whole = Digested(raw, file.size)
            before = 0
            for block in split(unpacked(whole), mark, BLOCK_BYTES):
                yield block, whole.size - before
                before = whole.size
            if whole.finish() != file.source.source_id:
                raise changed(name)
    except FileNotFoundError as error:
        raise SourceError(f"{name} is gone; nothing of it was stored") from error
    except BROKEN as error:
        raise changed(name) from error


def _mark(format_name: str) -> bytes | None:
    """Before what a text may be split: the beginning of a line, empty for any; None for nothing."""
    reader = readers.get(format_name)
    if reader.LINE_PER_HAND or hasattr(reader, "in_blocks"):
        return b""
    mark: bytes | None = getattr(reader, "SPLIT_AT", None)
    return mark
