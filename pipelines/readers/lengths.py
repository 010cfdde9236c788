"""How long a line and a hand of a log may be, and what is kept of one that is longer.

Without a limit a few megabytes of gzip could fill the memory: a line or a hand is held whole while it
is read. What exceeds a limit goes to quarantine with its beginning, its length and its sha256.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

LINE_BYTES: Final = 2**20
"""Most bytes of a line, without its line end."""
HAND_BYTES: Final = 16 * 2**20
"""Most bytes of a hand that are kept in quarantine, and that are put together in `cardlog-jsonl`."""
WAITING_BYTES: Final = 2 * HAND_BYTES
"""Most bytes of hands that go on side by side in `cardlog-jsonl`; beyond them the largest is given up."""
MATCH_BYTES: Final = 64 * 2**20
"""Most bytes of the text of a match, which transcripts can't be split within."""
MATCH_LINES: Final = 2**22
"""Most lines of it: readers need memory for each line, however short."""
BEGINNING_BYTES: Final = 1000
"""What is kept of a line that is too long."""
HAND_BEGINNING_BYTES: Final = 64 * 2**10
"""What is kept of a hand that is too long."""

LINE: Final = "line"
HAND: Final = "hand"
MATCH: Final = "match"
_LIMITS: Final = {
    LINE: f"a line may have {LINE_BYTES:,}",
    HAND: f"a hand may have {HAND_BYTES:,}, and hands that go on side by side {WAITING_BYTES:,} together",
    MATCH: f"a match may have {MATCH_BYTES:,} and {MATCH_LINES:,} lines",
}


@dataclass(frozen=True)
class TooLong:
    """A line, a hand or the text of a match that is longer than it may be.

    beginning
        Its first bytes.
    length, sha256
        Of all of it, without the line end.
    """

    what: str
    beginning: bytes
    length: int
    sha256: str
    first_line: int
    last_line: int

    @property
    def raw(self) -> bytes:
        """What is kept of it, with a note that the rest is not. No format has such a line."""
        left_out = self.length - len(self.beginning)
        note = f"[cardlog left out {left_out} of {self.length} bytes; sha256 of all of them: {self.sha256}]"
        return self.beginning + b" " + note.encode()

    @property
    def message(self) -> str:
        """A sentence for a person."""
        lines = f"line {self.first_line}"
        if self.last_line != self.first_line:
            lines = f"lines {self.first_line} to {self.last_line}"
        what = f"L{lines[1:]}" if self.what == LINE else f"The {self.what} in {lines}"
        return (
            f"{what} has {self.length:,} bytes; {_LIMITS[self.what]}. Only the first "
            f"{len(self.beginning):,} are kept here; the sha256 of all is {self.sha256}."
        )


class Overlong:
    """Takes in, bit by bit, what is too long: its beginning, length and digest."""

    def __init__(self, what: str, first_line: int) -> None:
        self._what = what
        self._first_line = first_line
        self._most = BEGINNING_BYTES if what == LINE else HAND_BEGINNING_BYTES
        self._beginning = bytearray()
        self._digest = hashlib.sha256()
        self.length = 0

    def add(self, piece: bytes | bytearray) -> None:
        """Take in the next bytes."""
        if len(self._beginning) < self._most:
            self._beginning += piece[: self._most - len(self._beginning)]
        self._digest.update(piece)
        self.length += len(piece)

    def done(self, last_line: int) -> TooLong:
        """What it was, now that it has ended."""
        return TooLong(
            self._what,
            _whole_characters(bytes(self._beginning)),
            self.length,
            self._digest.hexdigest(),
            self._first_line,
            last_line,
        )


def _whole_characters(text: bytes) -> bytes:
    """A text without the part of a UTF-8 character that it may end with."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        if error.end == len(text) and error.reason == "unexpected end of data":
            return text[: error.start]
    return text
