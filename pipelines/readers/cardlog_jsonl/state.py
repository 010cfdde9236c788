"""A text of cardlog-jsonl whose lines are parsed and grouped by hand."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.readers.base import Source, hand_name
from cardlog.pipelines.readers.cardlog_jsonl.fallback import BadValue
from cardlog.pipelines.readers.cardlog_jsonl.hands import Hands
from cardlog.pipelines.readers.cardlog_jsonl.lines import GAME_TEXT, HAND_TEXT, KEY_TEXT, Lines, Offsets
from cardlog.pipelines.readers.scan import Bytes

FORMAT: Final = "cardlog-jsonl"
_ZERO, _NINE, _A, _F = b"09af"


@dataclass(frozen=True)
class ParsedText:
    """The parsed lines of a text, and its hands.

    starts, ends, numbers
        Offsets of each line, and its number in the file.
    buffer
        The text, followed by the texts from `fallback`; `lines` has offsets in it.
    problems
        The errors of lines, by their index.
    """

    source: Source
    text: bytes
    starts: Offsets
    ends: Offsets
    numbers: Offsets
    buffer: Bytes
    lines: Lines
    details: list[str]
    problems: dict[int, BadValue]
    hands: Hands

    def texts(self, lines: Offsets, which: int) -> list[str]:
        """One of the texts of some lines, such as `GAME_TEXT`."""
        starts, sizes = self.lines["start"][lines, which], self.lines["size"][lines, which]
        return [self.buffer[s : s + n].tobytes().decode() for s, n in zip(starts, sizes, strict=True)]

    def number(self, line: int) -> int:
        """The number of a line in the file."""
        return int(self.numbers[line])

    def raw_line(self, line: int) -> bytes:
        """A line without its end."""
        return self.text[self.starts[line] : self.ends[line]]

    def raw(self, hand: int) -> bytes:
        """The lines of a hand."""
        return b"\n".join(map(self.raw_line, self.hands.lines(hand)))

    def game(self, hand: int) -> str | None:
        """The game that a hand's first line names."""
        game = self.hands.games[hand]
        return self.texts(self.hands.game_lines[[game]], GAME_TEXT)[0] if game >= 0 else None

    def hand_ids(self, chosen: Offsets) -> NDArray[np.bytes_]:
        """The ids of hands: the source's own if it is a valid id, else derived from it."""
        firsts = self.hands.firsts[chosen]
        starts, sizes = self.lines["start"][firsts, HAND_TEXT], self.lines["size"][firsts, HAND_TEXT]
        stem = hand_name(FORMAT, self.source.dataset)
        names = []
        for start, size, is_id in zip(starts, sizes, _are_ids(self.buffer, starts, sizes), strict=True):
            name = self.buffer[start : start + size].tobytes()
            if not is_id:
                digest = stem.copy()
                digest.update(name)
                name = digest.hexdigest().encode()
            names.append(name)
        return np.array(names, "S32")

    def keys(self, chosen: Offsets) -> pa.StringArray:
        """The source's own keys of hands: `source_key`, or else `hand_id`, unless that is a valid id."""
        firsts = self.hands.firsts[chosen]
        starts, sizes = self.lines["start"][firsts, HAND_TEXT], self.lines["size"][firsts, HAND_TEXT]
        names = zip(
            self.texts(firsts, KEY_TEXT),
            self.texts(firsts, HAND_TEXT),
            _are_ids(self.buffer, starts, sizes),
            strict=True,
        )
        return pa.array([key or (None if is_id else name) for key, name, is_id in names], pa.string())


@compiled
def _are_ids(buffer: Bytes, starts: Offsets, sizes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which texts are 32 lower-case hex digits."""
    are = np.empty(len(starts), np.bool_)
    for index in range(len(starts)):
        are[index] = sizes[index] == 32
        for offset in range(starts[index], starts[index] + sizes[index]):
            character = buffer[offset]
            are[index] &= _ZERO <= character <= _NINE or _A <= character <= _F
    return are
