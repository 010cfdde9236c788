"""Finds where hands and matches begin and end, and lines outside of them."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from cardlog.pipelines.readers.belot_transcript.phrases import NOISE
from cardlog.pipelines.readers.transcript import Line

WHOLE, HALF, JUNK = range(3)
"""A hand; one without its beginning; lines that are not a hand."""
_UNIMPORTANT: Final = NOISE | {"blank", "trace"}
_CLOSING: Final = frozenset(("pair_a", "pair_b", "crash"))
_OPENING: Final = frozenset(("sharing", "dealer"))


@dataclass
class Match:
    """A match.

    section
        Index of its section of the text.
    pair_a, pair_b
        The names of the pairs, if lines name them.
    hands
        Number of its hands so far.
    is_fresh
        Whether it begins here, at 0 : 0.
    """

    section: int
    pair_a: bytes | None = None
    pair_b: bytes | None = None
    hands: int = 0
    is_fresh: bool = False


@dataclass
class Span:
    """The lines of a hand.

    match, number
        Index of its match, and its own in that match.
    first, last
        Indices of its first and last line.
    stray
        `WHOLE`, `HALF` or `JUNK`.
    is_cut
        Whether the text ends in the middle of it.
    totals
        The pairs' names and points in the lines of totals, with which it ends; None until they are read.
    """

    match: int
    first: int
    last: int
    number: int = 0
    stray: int = WHOLE
    is_cut: bool = False
    totals: list[tuple[bytes, int]] | None = None

    @property
    def is_ended(self) -> bool:
        """Whether its last line was seen."""
        return self.totals is not None and len(self.totals) == 2


@dataclass
class Finder:
    """The hands and matches of a text so far."""

    lines: list[Line]
    hands: list[Span] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    is_open: bool = False  # whether the last hand has not ended

    def find(self, sections: list[int]) -> None:
        """Find all hands. A section is the index of its first line; the last one is the number of lines."""
        for section, (first, stop) in enumerate(pairwise(sections)):
            self.matches.append(Match(section))
            for index in range(first, stop):
                self._add(index, self.lines[index])
            if self.is_open:
                self._close(stop)
                # Of the hands cut off by the end of a section, only the last one of the text may go on.
                self.hands[-1].is_cut = self.hands[-1].stray == WHOLE and section == len(sections) - 2

    def _add(self, index: int, line: Line) -> None:
        """Assign the next line to the open hand, to a new one, or to none."""
        kind = line.kind
        if self.is_open and kind not in _OPENING and kind not in _CLOSING:
            self._extend(index, line)
        elif kind in _CLOSING:
            self._close(index)
            if kind != "crash":
                self._name_pair(line)
        elif kind == "dealer" and self.is_open and self.hands[-1].stray == JUNK:
            # The junk was the damaged first line of this hand.
            self._make_half(index)
        elif kind == "dealer" and self.is_open and self._awaits_dealer(index):
            self._extend(index, line)
        elif kind in _OPENING:
            self._close(index)
            self._open(index, HALF if kind == "dealer" else WHOLE)
            self._count()
        elif kind == "won" and self.hands and self._may_be_won():
            self.hands[-1].last = index
        elif kind != "mark" and kind not in _UNIMPORTANT:
            self._open(index, JUNK)
            self._extend(index, line)

    def _name_pair(self, line: Line) -> None:
        """Note a line that names a pair; a new match begins with the first one."""
        match = self.matches[-1]
        goes_on = line.kind == "pair_b" and match.pair_b is None and match.hands == 0
        if (match.is_fresh or match.hands > 0) and not goes_on:
            match = Match(match.section)
            self.matches.append(match)
        match.is_fresh = True
        setattr(match, line.kind, line.fields["name"])

    def _open(self, index: int, stray: int) -> None:
        self.is_open = True
        self.hands.append(Span(len(self.matches) - 1, index, index, stray=stray))

    def _count(self) -> None:
        """Give the last hand its number."""
        self.hands[-1].number = self.matches[-1].hands
        self.matches[-1].hands += 1

    def _extend(self, index: int, line: Line) -> None:
        """Add a line to the open hand, which ends with the second line of totals."""
        hand = self.hands[-1]
        if hand.stray == JUNK and line.kind in ("header", "card"):
            self._make_half(index)
        hand.last = index
        if line.kind == "totals":
            hand.totals = []
        elif line.kind == "pair_points" and hand.totals is not None:
            hand.totals.append((line.fields["name"], line.fields["points"]))
        self.is_open = not hand.is_ended

    def _make_half(self, index: int) -> None:
        """Turn junk into a hand whose beginning is missing."""
        self.hands[-1].stray = HALF
        self.hands[-1].last = index
        self._count()

    def _close(self, stop: int) -> None:
        """Cut off the open hand, if there is one, before line `stop`, without blank lines and noise at its
        end."""
        if not self.is_open:
            return
        self.is_open = False
        hand = self.hands[-1]
        if hand.stray == WHOLE:
            hand.last = stop - 1
        while hand.last > hand.first and self.lines[hand.last].kind in _UNIMPORTANT:
            hand.last -= 1

    def _awaits_dealer(self, index: int) -> bool:
        """Whether the open hand has begun, but not named its dealer."""
        first = self.hands[-1].first
        between = {line.kind for line in self.lines[first + 1 : index]}
        return self.lines[first].kind == "sharing" and between <= NOISE | {"blank", "unknown"}

    def _may_be_won(self) -> bool:
        """Whether a line with the winner can belong to the last hand."""
        hand = self.hands[-1]
        return hand.match == len(self.matches) - 1 and hand.is_ended
