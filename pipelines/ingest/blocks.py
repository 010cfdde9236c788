"""Split a text, as it streams in, into blocks that can be read by themselves, in bounded memory."""

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import IO, Final

from cardlog.pipelines.readers import lengths
from cardlog.pipelines.readers.lengths import LINE, MATCH, Overlong, TooLong

BLOCK_LINES: Final = 2**16
"""Where a text may be split before any line, the approximate limit of lines in a block: what can't be read
needs memory line by line."""
CHUNK_BYTES: Final = 2**17
"""What is taken from the stream at once."""


@dataclass(frozen=True)
class Block:
    """Some whole lines of a text.

    text
        What the reader is given. A line that was too long is cut in it, and has a note of that.
    start, length
        Where it is in the text that came in, in bytes.
    is_last
        Whether the text ends with it.
    too_long
        Lines that were cut; or, if `text` is empty, all of this block.
    """

    text: bytes
    start: int
    length: int
    first_line: int
    is_last: bool
    too_long: tuple[TooLong, ...] = ()

    @property
    def sha256(self) -> str:
        """A digest of all that it was: the notes hold a digest of what was cut."""
        digest = hashlib.sha256(self.text)
        if not self.text:
            for piece in self.too_long:
                digest.update(piece.raw)
        return digest.hexdigest()


@dataclass
class _Lines:
    """Lines one after the other: their text, and the bytes that they were and the lines that they are.

    too_long
        Those that were cut in the text.
    skipped
        A match that was longer than allowed; then there is no text.
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
    """Blocks of at most `size` bytes, if lines and marks allow it, each ending before a line that begins
    with `mark`: empty for any line, None for none. Where it is any, the number of their lines is limited too.

    What is too long depends on the text alone, not on how it comes in.
    """
    # A match that exceeds a limit then ends in a later run of lines than it begins in, so nothing within one
    # need be measured.
    size = min(CHUNK_BYTES, lengths.LINE_BYTES, lengths.MATCH_BYTES, lengths.MATCH_LINES, block_bytes)
    parts = _whole_lines(stream, size, first_line)
    if mark != b"":
        parts, block_lines = _matches(parts, mark, first_line), sys.maxsize
    start, line, held = 0, first_line, _Lines()
    for part in parts:
        fits = len(held.text) + len(part.text) <= block_bytes and held.lines + part.lines <= block_lines
        if held.lines and fits and not (held.skipped or part.skipped):
            held.add(part)
            continue
        if held.lines:
            yield held.block(start, line, is_last=False)
        start, line, held = start + held.length, line + held.lines, part
    if held.lines:
        yield held.block(start, line, is_last=True)


def _lines_of(text: bytes | bytearray) -> _Lines:
    return _Lines(bytearray(text), len(text), text.count(b"\n") + (not text.endswith(b"\n")))


def _whole_lines(stream: IO[bytes], size: int, line: int) -> Iterator[_Lines]:
    """The lines of a stream as they come in, those that are too long each by itself and cut."""
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


def _cut_line(stream: IO[bytes], begun: bytes, size: int, line: int) -> _Lines:
    """A line that is too long, of which the rest is still to come. It gets a line end, or it might be taken
    for one that goes on."""
    long, length = Overlong(LINE, line), 0
    while begun:
        long.add(begun.removesuffix(b"\n"))
        length += len(begun)
        begun = b"" if begun.endswith(b"\n") else stream.readline(size)
    found = long.done(line)
    return _Lines(bytearray(found.raw + b"\n"), length, 1, [found])


def _matches(runs: Iterator[_Lines], mark: bytes | None, line: int) -> Iterator[_Lines]:
    """Lines from one mark to another, or all of them without a mark."""
    match = _Lines()
    for run in runs:
        after_end, parting = b"\n" + run.text, b"\n" + (mark or b"")
        marks = {after_end.find(parting), after_end.rfind(parting)} - {-1} if mark else ()
        for number, (start, end) in enumerate(pairwise([0, *sorted(marks), len(run.text)])):
            if number and match.lines:
                yield match
                line, match = line + match.lines, _Lines()
            if start < end:
                _go_on(match, run if end - start == len(run.text) else _lines_of(run.text[start:end]), line)
    if match.lines:
        yield match


def _go_on(match: _Lines, run: _Lines, line: int) -> None:
    """Add lines to a match that begins with a line; from its limits on, what it was is only digested."""
    match.add(run)
    if match.skipped:
        match.skipped.add(run.text)
    elif len(match.text) > lengths.MATCH_BYTES or match.lines > lengths.MATCH_LINES:
        match.skipped = Overlong(MATCH, line)
        match.skipped.add(match.text)
    if match.skipped:
        match.text, match.too_long = bytearray(), []
