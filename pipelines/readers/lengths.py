"""Limits on the length of lines, hands and matches, and what is kept of longer ones.

A line or a hand is held in memory while it is read, so without a limit a few megabytes of gzip could
exhaust it. What exceeds a limit goes to quarantine with its beginning, its length and its sha256.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

LINE_BYTES: Final = 2**20
"""Most bytes of a line, without its line end."""
HAND_BYTES: Final = 16 * 2**20
"""Most bytes of a hand that are kept in quarantine, or collected in `cardlog-jsonl`."""
WAITING_BYTES: Final = 2 * HAND_BYTES
"""Most bytes of all unfinished hands in `cardlog-jsonl`; beyond that the largest are given up."""
MATCH_BYTES: Final = 64 * 2**20
"""Most bytes of a match in a transcript, which can't be split further."""
MATCH_LINES: Final = 2**22
"""Most lines of a match: readers need memory for each line, however short."""
BEGINNING_BYTES: Final = 1000
"""Bytes kept of a line that is too long."""
HAND_BEGINNING_BYTES: Final = 64 * 2**10
"""Bytes kept of a hand that is too long."""

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
    """A line, a hand or a match that is longer than allowed."""

    what: str
    beginning: bytes  # its first bytes
    length: int  # of all of it, without the line end
    sha256: str  # likewise
    first_line: int
    last_line: int

    @property
    def raw(self) -> bytes:
        """The beginning, and a note on the omitted rest that no format accepts as a line."""
        left_out = self.length - len(self.beginning)
        note = f"[cardlog left out {left_out} of {self.length} bytes; sha256 of all of them: {self.sha256}]"
        return self.beginning + b" " + note.encode()

    @property
    def message(self) -> str:
        """A sentence for the user."""
        lines = f"line {self.first_line}"
        if self.last_line != self.first_line:
            lines = f"lines {self.first_line} to {self.last_line}"
        subject = lines.capitalize() if self.what == LINE else f"The {self.what} in {lines}"
        return (
            f"{subject} has {self.length:,} bytes; {_LIMITS[self.what]}. Only the first "
            f"{len(self.beginning):,} are kept here; the sha256 of all is {self.sha256}."
        )


class Overlong:
    """Collects the beginning, length and digest of what is too long, piece by piece."""

    def __init__(self, what: str, first_line: int) -> None:
        self._what = what
        self._first_line = first_line
        self._most = BEGINNING_BYTES if what == LINE else HAND_BEGINNING_BYTES
        self._beginning = bytearray()
        self._digest = hashlib.sha256()
        self.length = 0

    def add(self, piece: bytes | bytearray) -> None:
        """Add the next bytes."""
        self._beginning += piece[: self._most - len(self._beginning)]
        self._digest.update(piece)
        self.length += len(piece)

    def done(self, last_line: int) -> TooLong:
        """The result, once all bytes are added."""
        return TooLong(
            self._what,
            _whole_characters(bytes(self._beginning)),
            self.length,
            self._digest.hexdigest(),
            self._first_line,
            last_line,
        )


def _whole_characters(text: bytes) -> bytes:
    """A text without an incomplete UTF-8 character at its end."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        if error.end == len(text) and error.reason == "unexpected end of data":
            return text[: error.start]
    return text
