"""Files to ingest: find them, detect their format, and plan how to read them in blocks of whole lines."""

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from cardlog.pipelines import readers
from cardlog.pipelines.ingest import rotation
from cardlog.pipelines.ingest.blocks import Block, split
from cardlog.pipelines.ingest.disguises import disguised, not_text
from cardlog.pipelines.ingest.locations import expand, pipe_of
from cardlog.pipelines.ingest.source_bytes import (
    BROKEN,
    Digested,
    SourceError,
    changed,
    copied,
    joined,
    open_raw,
    reading,
    shown,
    size_of,
    unpacked,
)
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.options import NO_OPTIONS, ReadOptions
from cardlog.pipelines.runtime.threads import gathered
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.text.visible import is_text

__all__ = ["ReadItem", "SourceError", "SourceFile", "examine", "expand", "logs", "plan", "texts"]

NO_FORMAT: Final = "no known format"
_UNKNOWN: Final = b"?"
"""The beginning of an older file that can't be read: a log may continue it, and then can't be read either."""
BLOCK_BYTES: Final = 16 * 2**20
"""Text that is read, judged and written as one part."""
MANY_FILES: Final = 64
"""With more than so many files, those of at most so many bytes are read together, up to so many in all."""
SMALL_BYTES: Final = 64 * 2**10
TOGETHER_BYTES: Final = 2 * 2**20


class NotALog(SourceError):
    """A file of no known format.

    reason
        What is wrong, for a file that was not named.
    """

    def __init__(self, path: str, reason: str, advice: str) -> None:
        super().__init__(f"{path}: {reason}; {advice}")
        self.reason = f"{reason}; {advice}" if reason != NO_FORMAT else "it is of no known format"


class NothingInIt(SourceError):
    """An empty file."""


@dataclass(frozen=True)
class Piece:
    """The position of a block of a file, and its digest; see `blocks.Block`.

    head
        See `Source.head`.
    """

    start: int
    length: int
    first_line: int
    is_last: bool
    sha256: str
    head: bytes = b""


@dataclass(frozen=True)
class SourceFile:
    """A file that was examined: what its hands are named after, and how to read it.

    path
        Where to open it. For standard input that is a copy; `source.path` is ``-``.
    size
        Bytes on disk.
    pieces
        Its blocks, if it is read in several pieces.
    older
        The files that it continues and that are part of it, oldest first.
    is_small
        Whether it is so small, unpacked, that many can be read together.
    """

    source: Source
    path: str
    format: str
    size: int
    pieces: tuple[Piece, ...] = ()
    older: tuple[str, ...] = ()
    is_small: bool = False

    @property
    def brief(self) -> "SourceFile":
        """The file without its pieces, for workers."""
        return replace(self, pieces=())

    def copied_to(self, folder: Folder) -> "SourceFile":
        """The file, copied to a folder. Raises OSError."""
        return replace(self, path=folder.put(self.source.source_id, Path(self.path)))


@dataclass(frozen=True)
class ReadItem:
    """A work item: some whole lines of a file, or all of it.

    key
        Sorts items in the order of their sources and lines.
    piece
        The block of the file to read; None for all of it.
    others
        Small files of the same format that are read after it, and stored with it.
    texts
        Texts to read instead of the file, each with the number of its first line in it and its context.
    """

    key: str
    file: SourceFile
    piece: Piece | None = None
    texts: tuple[tuple[bytes, int, str], ...] = ()
    others: tuple[SourceFile, ...] = ()

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """All its files."""
        return self.file, *self.others

    @property
    def size(self) -> int:
        """Bytes to read."""
        return self.piece.length if self.piece else sum(file.size for file in self.files)


# ---------------------------------------------------------------- examining


def logs(paths: list[str], format_name: str | None = None) -> Iterator[list[str]]:
    """The files of each log, oldest first: see `rotation.logs`. Empty files, and those whose beginnings show
    that they don't continue one another, are apart, and so is one of the paths that can't be read: to
    examine it says why.
    """
    for files in rotation.logs(paths):
        if len(files) == 1:
            yield files
            continue
        heads = {}
        for path in files:
            try:
                heads[path] = _head(path)
            except SourceError:
                heads[path] = b"" if path in paths else _UNKNOWN
        runs = [[path] for path in files if not heads[path]]
        before = b""
        for path in filter(heads.get, files):
            if not (before and _continues(before, heads[path], format_name)):
                runs.append([])
            runs[-1].append(path)
            before = heads[path]
        yield from (run for run in runs if not set(run).isdisjoint(paths))


def _head(path: str) -> bytes:
    """The beginning of a file's text."""
    with reading(path), open_raw(path) as raw:
        return unpacked(Digested(raw)).peek()


def _continues(before: bytes, head: bytes, format_name: str | None) -> bool:
    """Whether a text with a certain beginning may continue another one: both are text, it is no copy of it,
    has no header and is of the same format."""
    if any(not_text(text, "") for text in (before, head)):
        return False
    old, new = (format_name or readers.detect(text) for text in (before, head))
    is_header = getattr(readers.get(new), "is_header", None) if new else None
    common = min(before, head, key=len)
    is_copy = b"\n" in common and before.startswith(common) and head.startswith(common)
    return not (is_copy or (old and new and old != new) or (is_header and is_header(head.split(b"\n", 1)[0])))


def examine(
    path: str,
    format_name: str | None,
    dataset: str | None,
    final: bool,
    folder: str | None = None,
    older: Sequence[str] = (),
) -> SourceFile:
    """Read a file once for its digest, its first line, its format and its blocks.

    folder
        For copies of pipes and rotated logs, which can't be read without it.
    older
        Files that it continues, oldest first: their texts are read before it, as one source.

    Raises SourceError if it can't be read to its end, for an unknown format, if it looks like no known
    format (NotALog), or if it is empty (NothingInIt).
    """
    if format_name is not None and format_name not in readers.FORMATS:
        raise SourceError(f"there is no format {format_name}; there are: {', '.join(readers.FORMATS)}")
    if dataset is not None and not is_text(dataset):
        raise SourceError(f"the name of the data set, {shown(dataset)}, is not valid UTF-8")
    with reading(path):
        local = _copied(path, older, folder) or path
        with open_raw(local) as raw:
            size = size_of(raw)
            digested = Digested(raw, size)
            text = unpacked(digested)
            head = text.peek().lstrip(b"\r\n")
            if not head and not text.peek():
                raise NothingInIt(f"{shown(path)}: there is nothing in it")
            if wrong := not_text(head, shown(path)):
                raise NotALog(shown(path), *wrong)
            format_name = format_name or _format_of(head, shown(path))
            first_line = head.split(b"\n", 1)[0].rstrip(b"\r")
            is_large = size is None or size > BLOCK_BYTES
            pieces = (
                _pieces(text, format_name, first_line) if isinstance(text.raw, Digested) and is_large else ()
            )
            while text.read(2**20):
                pass
            is_small = size is not None and size <= SMALL_BYTES and isinstance(text.raw, Digested)
            source_id = digested.finish()
            if size is not None and digested.size < size:
                raise changed(path)
    source = Source(source_id, shown(path), dataset or format_name, first_line, final)
    return SourceFile(source, local, format_name, digested.size, pieces, tuple(map(shown, older)), is_small)


def with_options(file: SourceFile, options: ReadOptions) -> SourceFile:
    """A file, read as a user says. Raises SourceError if its reader refuses to read it like that."""
    if hasattr(readers.get(file.format), "refusal"):
        head = _head(file.path).lstrip(b"\r\n")
        if why := _refusal(file.format, head, options):
            if wrong := disguised(head, file.source.path, _is_log):
                raise NotALog(file.source.path, *wrong)
            raise SourceError(f"{file.source.path}: {why}")
    return replace(file, source=replace(file.source, options=options))


def _refusal(format_name: str, head: bytes, options: ReadOptions) -> str:
    """Why a format's reader refuses a text, by its beginning; empty if it doesn't."""
    refusal = getattr(readers.get(format_name), "refusal", None)
    return refusal(head, options) if refusal else ""


def _is_log(head: bytes) -> bool:
    """Whether a text begins like a log that can be read."""
    format_name = readers.detect(head)
    return format_name is not None and not _refusal(format_name, head, NO_OPTIONS)


def _copied(path: str, older: Sequence[str], folder: str | None) -> str | None:
    """A copy of a source that is not one file; None if it is."""
    pipe = pipe_of(path)
    if pipe is None and not older:
        return None
    if folder is None:
        raise ValueError(f"{path} can't be read as a file; it needs a folder for a copy")
    if pipe is None:
        return joined([*older, path], folder)
    with pipe as stream:
        return copied(stream, folder)


def _format_of(head: bytes, path: str) -> str:
    """The format of a text, detected from its beginning, or after a line that a rotation has cut in two.
    Raises NotALog."""
    format_name = readers.detect(head)
    if format_name is not None:
        return format_name
    after_cut = readers.detect(head.partition(b"\n")[2])
    if after_cut is not None and not hasattr(readers.get(after_cut), "is_header"):
        return after_cut
    if wrong := disguised(head, path):
        raise NotALog(path, *wrong)
    if json_lines.is_printed_over_lines(head):
        raise NotALog(path, "it looks like JSON, but no known format of it", json_lines.ADVICE)
    raise NotALog(path, NO_FORMAT, f"name one with --format: {', '.join(readers.FORMATS)}")


def _pieces(text: io.BufferedReader, format_name: str, head: bytes) -> tuple[Piece, ...]:
    """The blocks of a text with a first line, if they can be read independently."""
    mark = _mark(format_name)
    if mark is None or hasattr(readers.get(format_name), "in_blocks"):
        return ()
    head_after, pieces = getattr(readers.get(format_name), "head_after", None), []
    for block in split(text, mark, BLOCK_BYTES):
        place = block.start, block.length, block.first_line, block.is_last
        pieces.append(Piece(*place, block.sha256, head))
        head = head_after(block.text, head) if head_after else head
    return tuple(pieces)


# ---------------------------------------------------------------- reading


def plan(files: list[SourceFile], *, together: bool = False) -> list[ReadItem]:
    """The work items of some files: one for each block where blocks can be read independently.

    together
        Whether many small files may be one item.
    """
    if together and len(files) > MANY_FILES:
        return _plan_together(files)
    items = []
    for number, file in enumerate(files):
        for block, piece in enumerate(file.pieces if len(file.pieces) > 1 else (None,)):
            items.append(ReadItem(f"{number:06d}-{block:06d}", file.brief, piece))
    return items


def _plan_together(files: list[SourceFile]) -> list[ReadItem]:
    """The work items of many files, of which small ones that follow one another are one."""
    items: list[ReadItem] = []
    numbered = groupby(enumerate(files), key=lambda pair: pair[1].is_small and pair[1].format)
    for form, pairs in numbered:
        for group in gathered(pairs, lambda pair: pair[1].size, TOGETHER_BYTES if form else 0):
            number, file = group[0]
            for item in plan([file]):
                key = f"{number:06d}{item.key[6:]}"
                items.append(replace(item, key=key, others=tuple(other for _, other in group[1:])))
    return items


def texts(item: ReadItem) -> Iterator[tuple[Block, int]]:
    """The blocks of an item, each with the number of bytes of the file it took. Raises SourceError if they
    have changed since the file was examined."""
    file, piece, mark = item.file, item.piece, _mark(item.file.format)
    name = file.source.path
    try:
        with open_raw(file.path) as raw:
            if piece:
                raw.seek(piece.start)
                text = io.BufferedReader(Digested(raw, piece.length))
                blocks = list(islice(split(text, mark, sys.maxsize, piece.first_line, sys.maxsize), 2))
                if [(block.length, block.sha256) for block in blocks] != [(piece.length, piece.sha256)]:
                    raise changed(name)
                yield replace(blocks[0], is_last=piece.is_last), piece.length
                return
            digested = Digested(raw, file.size)
            before = 0
            for block in split(unpacked(digested), mark, BLOCK_BYTES):
                yield block, digested.size - before
                before = digested.size
            if digested.finish() != file.source.source_id:
                raise changed(name)
    except FileNotFoundError as error:
        raise SourceError(f"{name} is gone; nothing of it was stored") from error
    except BROKEN as error:
        raise changed(name) from error


def _mark(format_name: str) -> bytes | None:
    """The beginning of the lines before which a text may be split: empty for any line, None for none."""
    reader = readers.get(format_name)
    if reader.LINE_PER_HAND or hasattr(reader, "in_blocks"):
        return b""
    mark: bytes | None = getattr(reader, "SPLIT_AT", None)
    return mark
