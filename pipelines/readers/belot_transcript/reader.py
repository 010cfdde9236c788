"""Belot's transcripts, as three programs of one engine print them.

`lines` has the kinds of lines, `names` finds the players, `hand` turns the lines of a hand into events; here
hands and matches begin and end. docs/formats/belot-transcript.md describes the format.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import count, groupby
from operator import attrgetter
from typing import Any, Final

from cardlog.models.belote.state import GAME
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.belot_transcript.hand import HALF, JUNK, WHOLE, Hand, Score
from cardlog.pipelines.readers.belot_transcript.lines import NOISE, Classifier
from cardlog.pipelines.readers.belot_transcript.names import Match, Names, find_names
from cardlog.pipelines.readers.transcript import SPLIT_AT, Line, Text

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SPLIT_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "belot-transcript"
GAMES: Final = (GAME,)
LINE_PER_HAND: Final = False
SUMMARY: Final = "Belot's hands as the programs of one engine print them, in three wordings"

_STARTS: Final = (
    b"PAR A: ", b"PAIR A: ", b"Karte dijeli ", b"Card dealer", b"[RL] ",
    b"================= DIJELJENJE", b"================= SHARING",
)  # fmt: skip
"""Beginnings of lines that no other format has."""
_HANDS_FOR_NAMES: Final = 2
"""Number of hands in which the names of a match's players are looked up."""


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    return any(line.startswith(_STARTS) for line in head.removeprefix(BOM).split(b"\n"))


@transcript.transcript(GAME, FORMAT)
def read(text: Text) -> Iterator[Hand]:
    """The hands of a text."""
    text.starts[0] = 0  # a byte order mark is part of any line
    classifier = Classifier(text)
    lines = [classifier.classify(index) for index in range(len(text))]
    context = text.sections[0].context
    befores: list[Score] = [(a, b) for a, b in context.get("before", [])]
    numbers = count(context.get("hand_no", 0))
    for match, group in groupby(_Finder(lines).find(text), attrgetter("match")):
        hands = [*group]
        names = _names(match, hands, lines, context)
        if not context:
            befores = [(0, 0)] if match.is_fresh else []
        for hand in hands:
            hand.read(lines, names, befores)
            hand.context = {"settings": match.settings, **_context(names, befores)}
            if context:
                hand.number = next(numbers)
            yield hand
            befores = hand.next_scores()


# ---------------------------------------------------------------- names


def _names(match: Match, hands: list[Hand], lines: list[Line], context: dict[str, Any]) -> Names:
    """The players of a match. The headers of its first hands show where a pair's names are to be split; if
    the lines that name the pairs are missing or damaged, the totals name them."""
    if context and context["names"]:
        seats, pairs = (tuple(name.encode("latin-1") for name in context[key]) for key in ("names", "pairs"))
        return Names(seats, pairs)
    named = [(match.pair_a or b"", match.pair_b or b"")]
    named += [(hand.totals[0][0], hand.totals[1][0]) for hand in hands if hand.totals and hand.is_ended]
    counts = Counter(
        line.fields["name"]
        for hand in hands[:_HANDS_FOR_NAMES]
        for line in lines[hand.first : hand.last + 1]
        if line.kind in ("header", "dealer")
    )
    return find_names(named, counts)


def _context(names: Names, befores: list[Score]) -> dict[str, Any]:
    """What is needed to read a hand by itself, besides the settings of its mark."""
    seats, pairs = ([name.decode("latin-1") for name in group] for group in (names.seats, names.pairs))
    return {"names": seats, "pairs": pairs, "before": [list(before) for before in befores]}


# ---------------------------------------------------------------- where hands begin and end

_UNIMPORTANT: Final = NOISE | {"blank", "trace"}
_CLOSING: Final = frozenset(("pair_a", "pair_b", "crash"))
_OPENING: Final = frozenset(("sharing", "dealer"))


class _Finder:
    """Finds where hands and matches begin and end, and lines outside of them."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.hands: list[Hand] = []
        self.match = Match()
        self.open: Hand | None = None  # the last hand, unless it has ended

    def find(self, text: Text) -> list[Hand]:
        """All hands of a text."""
        for part in text.sections:
            self.match = Match(part.match_id, settings=part.settings)
            for index in range(part.first, part.stop):
                self._add(index, self.lines[index])
            # Of the hands cut off by the end of a section, only the last one of the text may go on.
            if self.open:
                self.open.cut = self.open.stray == WHOLE and part is text.sections[-1]
            self._close(part.stop)
        return self.hands

    def _add(self, index: int, line: Line) -> None:
        """Assign the next line to the open hand, to a new one, or to none."""
        kind, hand = line.kind, self.open
        if hand and kind not in _OPENING and kind not in _CLOSING:
            self._extend(hand, index, line)
        elif kind in _CLOSING:
            self._close(index)
            if kind != "crash":
                self._name_pair(line)
        elif hand and kind == "dealer" and hand.stray == JUNK:
            # The junk was the damaged first line of this hand.
            self._make_half(hand, index)
        elif hand and kind == "dealer" and self._awaits_dealer(hand, index):
            self._extend(hand, index, line)
        elif kind in _OPENING:
            self._close(index)
            self._count(self._begin(index, HALF if kind == "dealer" else WHOLE))
        elif kind == "won" and self.hands and self.hands[-1].match is self.match and self.hands[-1].is_ended:
            self.hands[-1].last = index
        elif kind != "mark" and kind not in _UNIMPORTANT:
            self._extend(self._begin(index, JUNK), index, line)

    def _name_pair(self, line: Line) -> None:
        """Note a line that names a pair; a new match begins with the first one. The mark names only the first
        match that has hands."""
        match = self.match
        goes_on = line.kind == "pair_b" and match.pair_b is None and match.hands == 0
        if (match.is_fresh or match.hands > 0) and not goes_on:
            self.match = Match("" if match.hands else match.name, settings=match.settings)
        self.match.is_fresh = True
        setattr(self.match, line.kind, line.fields["name"])

    def _begin(self, index: int, stray: int) -> Hand:
        self.open = Hand(self.match, index, stray)
        self.hands.append(self.open)
        return self.open

    def _count(self, hand: Hand) -> None:
        """Give a hand its number."""
        hand.number = self.match.hands
        self.match.hands += 1

    def _extend(self, hand: Hand, index: int, line: Line) -> None:
        """Add a line to the open hand, which ends with the second line of totals."""
        if hand.stray == JUNK and line.kind in ("header", "card"):
            self._make_half(hand, index)
        hand.last = index
        if line.kind == "totals":
            hand.totals = []
        elif line.kind == "pair_points" and hand.totals is not None:
            hand.totals.append((line.fields["name"], line.fields["points"]))
        if hand.is_ended:
            self.open = None

    def _make_half(self, hand: Hand, index: int) -> None:
        """Turn junk into a hand whose beginning is missing."""
        hand.stray, hand.last = HALF, index
        self._count(hand)

    def _close(self, stop: int) -> None:
        """Cut off the open hand, if there is one, before line `stop`, without blank lines and noise at its
        end."""
        hand, self.open = self.open, None
        if hand:
            hand.last = stop - 1 if hand.stray == WHOLE else hand.last
            while hand.last > hand.first and self.lines[hand.last].kind in _UNIMPORTANT:
                hand.last -= 1

    def _awaits_dealer(self, hand: Hand, index: int) -> bool:
        """Whether the open hand has begun, but not named its dealer."""
        between = {line.kind for line in self.lines[hand.first + 1 : index]}
        return self.lines[hand.first].kind == "sharing" and between <= NOISE | {"blank", "unknown"}
