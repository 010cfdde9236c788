"""Split a stream of text into blocks that can be read independently, in bounded memory."""

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import IO, Final

from cardlog.pipelines.readers import lengths
from cardlog.pipelines.readers.lengths import LINE, MATCH, Overlong, TooLong

BLOCK_LINES: Final = 2**16
"""Approximate limit of lines in a block of a text that may be split before any line: each line that can't be
read takes memory."""
CHUNK_BYTES: Final = 2**17
"""Bytes read from the stream at once."""


@dataclass(frozen=True)
class Block:
    """Some whole lines of a text.

    text
        The lines for the reader, in which those that are too long are cut and marked.
    start, length
        Where it is in the stream, in bytes.
    is_last
        Whether the text ends with it.
    too_long
        The lines that were cut; if `text` is empty, the whole block.
    """

    text: bytes
    start: int
    length: int
    first_line: int
    is_last: bool
    too_long: tuple[TooLong, ...] = ()

    @property
    def sha256(self) -> str:
        """A digest of its bytes in the stream: what was cut is digested in `too_long`."""
        digest = hashlib.sha256(self.text)
        if not self.text:
            for piece in self.too_long:
                digest.update(piece.raw)
        return digest.hexdigest()


@dataclass
class _Lines:
    """Consecutive lines: their text, their length in the stream and their number.

    too_long
        Those that were cut in the text.
    skipped
        A match that is longer than allowed; then there is no text.
    """

    text: bytearray = field(default_factory=bytearray)
    length: int = 0
    lines: int = 0
    too_long: list[TooLong] = field(default_factory=list)
    skipped: Overlong | None = None

    def add(self, other: "_Lines") -> None:
        self.text += other.text
        self.length += other.length
        self.lines += other.lines
        self.too_long += other.too_long

    def block(self, start: int, first_line: int, is_last: bool) -> Block:
        cut = [self.skipped.done(first_line + self.lines - 1)] if self.skipped else self.too_long
        return Block(bytes(self.text), start, self.length, first_line, is_last, tuple(cut))


def split(
    stream: IO[bytes],
    mark: bytes | None,
    block_bytes: int,
    first_line: int = 1,
    block_lines: int = BLOCK_LINES,
) -> Iterator[Block]:
    """Blocks of at most `block_bytes`, if lines and marks allow it, each ending before a line that begins
    with `mark`: empty for any line, None for none. For any line, the number of lines is limited too.

    What is too long depends on the text alone, not on the chunks in which it is read.
    """
    # With this size a match that exceeds a limit ends in a later run of lines than it begins in, so matches
    # within a run need not be measured.
    size = min(CHUNK_BYTES, lengths.LINE_BYTES, lengths.MATCH_BYTES, lengths.MATCH_LINES, block_bytes)
    runs = _whole_lines(stream, size, first_line)
    if mark != b"":
        runs, block_lines = _matches(runs, mark, first_line), sys.maxsize
    start, line, lines = 0, first_line, _Lines()
    for run in runs:
        fits = len(lines.text) + len(run.text) <= block_bytes and lines.lines + run.lines <= block_lines
        if lines.lines and fits and not (lines.skipped or run.skipped):
            lines.add(run)
            continue
        if lines.lines:
            yield lines.block(start, line, is_last=False)
        start, line, lines = start + lines.length, line + lines.lines, run
    if lines.lines:
        yield lines.block(start, line, is_last=True)


def _lines_of(text: bytes | bytearray) -> _Lines:
    return _Lines(bytearray(text), len(text), text.count(b"\n") + (not text.endswith(b"\n")))


def _whole_lines(stream: IO[bytes], size: int, line: int) -> Iterator[_Lines]:
    """The lines of a stream in runs; a line that is too long is a run by itself, and cut."""
    while text := stream.read(size):
        end = text.rfind(b"\n") + 1
        if end:
            yield (run := _lines_of(text[:end]))
            line += run.lines
        if last := text[end:]:
            last += stream.readline(lengths.LINE_BYTES + 1 - len(last))
            is_long = len(last) > lengths.LINE_BYTES and not last.endswith(b"\n")
            yield _cut_line(stream, last, size, line) if is_long else _lines_of(last)
            line += 1


def _cut_line(stream: IO[bytes], start: bytes, size: int, line: int) -> _Lines:
    """A line that is too long, whose rest is read from the stream. It always gets a line end, or it would
    look like one that may grow."""
    overlong, length, piece = Overlong(LINE, line), 0, start
    while piece:
        overlong.add(piece.removesuffix(b"\n"))
        length += len(piece)
        piece = b"" if piece.endswith(b"\n") else stream.readline(size)
    cut = overlong.done(line)
    return _Lines(bytearray(cut.raw + b"\n"), length, 1, [cut])


def _matches(runs: Iterator[_Lines], mark: bytes | None, line: int) -> Iterator[_Lines]:
    """The lines from one mark to the next, or all of them without a mark."""
    match = _Lines()
    for run in runs:
        text, separator = b"\n" + run.text, b"\n" + (mark or b"")
        marks = {text.find(separator), text.rfind(separator)} - {-1} if mark else ()
        for number, (start, end) in enumerate(pairwise([0, *sorted(marks), len(run.text)])):
            if number and match.lines:
                yield match
                line, match = line + match.lines, _Lines()
            if start < end:
                _extend(match, run if end - start == len(run.text) else _lines_of(run.text[start:end]), line)
    if match.lines:
        yield match


def _extend(match: _Lines, run: _Lines, line: int) -> None:
    """Add lines to a match whose first line has a number; beyond its limits they are only digested."""
    match.add(run)
    if match.skipped:
        match.skipped.add(run.text)
    elif len(match.text) > lengths.MATCH_BYTES or match.lines > lengths.MATCH_LINES:
        match.skipped = Overlong(MATCH, line)
        match.skipped.add(match.text)
    if match.skipped:
        match.text, match.too_long = bytearray(), []
