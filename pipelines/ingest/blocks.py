"""Split a text, as it streams in, into blocks that can be read by themselves, in bounded memory."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

from cardlog.pipelines.readers import lengths
from cardlog.pipelines.readers.lengths import LINE, MATCH, Overlong, TooLong

BLOCK_LINES: Final = 2**16
"""Where a text may be split before any line, the approximate limit of lines in a block: what can't be read
needs memory line by line."""
CHUNK_BYTES: Final = 2**17
"""What is taken from the stream at once."""


class Stream(Protocol):
    """What blocks are taken from."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes, at most `size`; none at the end."""
        ...


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


def split(
    stream: Stream,
    mark: bytes | None,
    block_bytes: int,
    first_line: int = 1,
    block_lines: int = BLOCK_LINES,
) -> Iterator[Block]:
    """Blocks of at most `size` bytes, if lines and marks allow it, each ending before a line that begins
    with `mark`: empty for any line, None for none. Where it is any, the number of their lines is limited too.

    What is too long depends on the text alone, not on how it comes in.
    """
    # What exceeds a limit then begins in an earlier chunk than it ends in, so nothing within one
    # need be measured.
    size = min(CHUNK_BYTES, lengths.LINE_BYTES, lengths.MATCH_BYTES, lengths.MATCH_LINES, block_bytes)
    return _Splitter(mark, block_bytes, block_lines, first_line).split(_whole_lines(stream, size, first_line))


@dataclass
class _Lines:
    """Lines one after the other: their text, and the bytes that they were and the lines that they are."""

    text: bytearray = field(default_factory=bytearray)
    length: int = 0
    lines: int = 0
    too_long: list[TooLong] = field(default_factory=list)

    def add(self, other: "_Lines") -> None:
        self.text += other.text
        self.length += other.length
        self.lines += other.lines
        self.too_long += other.too_long


def _lines_of(text: bytes | bytearray) -> _Lines:
    return _Lines(bytearray(text), len(text), text.count(b"\n") + (not text.endswith(b"\n")))


def _whole_lines(stream: Stream, size: int, line: int) -> Iterator[_Lines]:
    """The lines of a stream as they come in, those that are too long each by itself and cut."""
    begun = bytearray()
    long: Overlong | None = None
    while chunk := stream.read(size):
        end = chunk.find(b"\n")
        if long is None and len(begun) + (end if end >= 0 else len(chunk)) > lengths.LINE_BYTES:
            long = Overlong(LINE, line)
            long.add(begun)
            begun = bytearray()
        if long is not None:
            long.add(chunk if end < 0 else chunk[:end])
            if end < 0:
                continue
            yield _cut_line(long, line, long.length + 1)
            long, line = None, line + 1
            chunk = chunk[end + 1 :]
        end = chunk.rfind(b"\n") + 1
        begun += chunk[:end]
        if end:
            run = _lines_of(begun)
            line += run.lines
            yield run
            begun = bytearray()
        begun += chunk[end:]
    if long is not None:
        yield _cut_line(long, line, long.length)
    elif begun:
        yield _lines_of(begun)


def _cut_line(long: Overlong, line: int, length: int) -> _Lines:
    """A line that was too long. It gets a line end, or it might be taken for one that goes on."""
    found = long.done(line)
    return _Lines(bytearray(found.raw + b"\n"), length, 1, [found])


class _Splitter:
    """Gathers lines to blocks: those before the last mark that was seen, and those since then."""

    def __init__(self, mark: bytes | None, block_bytes: int, block_lines: int, first_line: int) -> None:
        self._mark = mark
        self._block_bytes = block_bytes
        self._block_lines = block_lines
        self._before = _Lines()
        self._since = _Lines()
        self._skipped: Overlong | None = None
        self._start = 0
        self._line = first_line

    def split(self, runs: Iterator[_Lines]) -> Iterator[Block]:
        for run in runs:
            first, last = self._marks(run.text)
            if first < 0:
                yield from self._go_on(run)
                continue
            yield from self._go_on(_lines_of(run.text[:first])) if first else ()
            yield from self._end_match()
            if last > first:
                yield from self._keep(_lines_of(run.text[first:last]))
            self._since = run if last == 0 else _lines_of(run.text[last:])
            if self._mark == b"":
                yield from self._end_match()
        yield from self._end_match(is_last=True)

    def _marks(self, text: bytearray) -> tuple[int, int]:
        """Where the first and the last line begins that has the mark; -1 if there is none."""
        if self._mark is None:
            return -1, -1
        if self._mark == b"":
            return 0, 0
        at_start = text.startswith(self._mark)
        parting = b"\n" + self._mark
        last = text.rfind(parting) + 1
        if at_start:
            return 0, last
        return (text.find(parting) + 1, last) if last else (-1, -1)

    def _go_on(self, run: _Lines) -> Iterator[Block]:
        """Lines of the match that has begun."""
        if self._skipped is None:
            self._since.add(run)
            if len(self._since.text) <= lengths.MATCH_BYTES and self._since.lines <= lengths.MATCH_LINES:
                return
            yield from self._emit(is_last=False)
            self._skipped = Overlong(MATCH, self._line)
            self._skipped.add(self._since.text)
            self._since.text, self._since.too_long = bytearray(), []
        else:
            self._skipped.add(run.text)
            self._since.length += run.length
            self._since.lines += run.lines

    def _end_match(self, is_last: bool = False) -> Iterator[Block]:
        """The text of a match is complete."""
        since, self._since = self._since, _Lines()
        if self._skipped is None:
            if since.lines:
                yield from self._keep(since)
            if is_last:
                yield from self._emit(is_last)
            return
        found = self._skipped.done(self._line + since.lines - 1)
        self._skipped = None
        yield Block(b"", self._start, since.length, self._line, is_last, (found,))
        self._start += since.length
        self._line += since.lines

    def _keep(self, run: _Lines) -> Iterator[Block]:
        """Lines that a block may end after."""
        before = self._before
        full = len(before.text) + len(run.text) > self._block_bytes
        if full or (self._mark == b"" and before.lines + run.lines > self._block_lines):
            yield from self._emit(is_last=False)
        self._before.add(run)

    def _emit(self, is_last: bool) -> Iterator[Block]:
        run, self._before = self._before, _Lines()
        if run.lines:
            yield Block(bytes(run.text), self._start, run.length, self._line, is_last, tuple(run.too_long))
            self._start += run.length
            self._line += run.lines
