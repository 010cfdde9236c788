"""Belot's transcripts, as three programs of one engine print them.

`lines` has the kinds of lines, `outline` finds hands and matches, `names` finds the players, and `hand` turns
the lines of a hand into events. docs/formats/belot-transcript.md describes the format.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from cardlog.models.belote.state import GAME
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.belot_transcript.hand import Hand, Score
from cardlog.pipelines.readers.belot_transcript.outline import Outline
from cardlog.pipelines.readers.belot_transcript.wording import Match, Names, find_names
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
    text.starts[0] = 0  # a byte order mark is part of the line
    outline, context = Outline(text), text.sections[0].context
    scores: list[Score] = [*map(tuple, context.get("before", []))]
    for match, group in groupby(outline.hands, attrgetter("match")):
        hands = [*group]
        names = _names(match, hands, outline.lines, context)
        seats, pairs = ([name.decode("latin-1") for name in group] for group in (names.seats, names.pairs))
        if not context:
            scores = [(0, 0)] if match.pairs else []
        for hand in hands:
            hand.read(outline.lines, outline.steps, names, scores)
            match.begins |= hand is hands[0] and hand.begins_match
            hand.context = {"settings": match.settings, "names": seats, "pairs": pairs, "before": scores}
            yield hand
            scores = hand.next_scores()


def _names(match: Match, hands: list[Hand], lines: list[Line], context: dict[str, Any]) -> Names:
    """The players of a match. The headers of its first hands show where to split the names of a pair; if the
    lines that name the pairs are missing or damaged, the totals name them."""
    if context and context["names"]:
        seats, pairs = (tuple(name.encode("latin-1") for name in context[key]) for key in ("names", "pairs"))
        return Names(seats, pairs)
    pairs_named = [(match.pairs.get("pair_a", b""), match.pairs.get("pair_b", b""))]
    pairs_named += [(hand.totals[0][0], hand.totals[1][0]) for hand in hands if hand.totals and hand.is_ended]
    counts = Counter(
        line.fields["name"]
        for hand in hands[:_HANDS_FOR_NAMES]
        for line in lines[hand.first : hand.last + 1]
        if line.kind in ("header", "dealer")
    )
    return find_names(pairs_named, counts)
