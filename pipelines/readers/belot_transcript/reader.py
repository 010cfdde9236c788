"""Belot's transcripts, as three programs of one engine print them.

`phrases` has the kinds of lines, `lines` decides between them, `hands` finds where hands begin and end,
`hand` turns them into events; here players get their names, and hands their openings.
docs/formats/belot-transcript.md describes the format.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from cardlog.models.belote.state import GAME, opening
from cardlog.pipelines.readers.base import BOM, Read, Source
from cardlog.pipelines.readers.belot_transcript.hand import Hand as Parser
from cardlog.pipelines.readers.belot_transcript.hand import Score
from cardlog.pipelines.readers.belot_transcript.hands import JUNK, Finder
from cardlog.pipelines.readers.belot_transcript.lines import Classifier
from cardlog.pipelines.readers.belot_transcript.names import Names, as_text, find_names
from cardlog.pipelines.readers.belot_transcript.phrases import DIALECTS
from cardlog.pipelines.readers.transcript import (
    SPLIT_AT,
    Fault,
    Hand,
    Text,
    read_of_hands,
    read_whole_lines,
    sections,
)

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


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text, whose first line has the number `first_line`."""
    return read_whole_lines(_read_lines, text, source, first_line)


def _read_lines(content: bytes, source: Source, first_line: int) -> Read:
    """The hands of a text of whole lines."""
    text = Text(content, first_line)
    text.starts[0] = 0
    parts = sections(content, source, first_line)
    context = parts[0].context
    classifier = Classifier(text.lines)
    found = Finder([classifier.classify(index) for index in range(len(text))])
    found.find([*(part.first_line - first_line for part in parts), len(text)])
    hands = _hands(found, [part.settings for part in parts], context)
    return read_of_hands(GAME, FORMAT, source, text, hands, _ids(found, [part.match_id for part in parts]))


def _hands(found: Finder, settings: list[dict[str, str]], context: dict[str, Any]) -> Iterator[Hand]:
    """The hands, by the settings of the sections and the context of a hand that is read again."""
    names = _names(found, context)
    befores: list[Score] = [(a, b) for a, b in context.get("before", [])]
    match = -1
    for index, span in enumerate(found.hands):
        if span.match != match and not context:
            befores = [(0, 0)] if found.matches[span.match].is_fresh else []
        match = span.match
        parser = Parser(names[match], span, befores)
        hand = Hand(match, span.number, span.first, span.last, cut=span.is_cut, is_hand=span.stray != JUNK)
        try:
            parser.parse(found.lines)
            hand.events, hand.detail = parser.all_events(), _detail(parser)
        except Fault as fault:
            hand.fault, fault.line = fault, parser.index if fault.line is None else fault.line
            parser.keep_totals()
        of_match = settings[found.matches[match].section]
        hand.context = {"settings": of_match, **_context(names[match], befores)}
        if context:
            hand.number = context["hand_no"] + index
        yield hand
        befores = parser.next_scores()


def _names(found: Finder, context: dict[str, Any]) -> list[Names]:
    """The players of each match. The headers of its first hands show where a pair's names are to be split; if
    the lines that name the pairs are missing or damaged, the totals name them."""
    if context and context["names"]:
        seats, pairs = (tuple(name.encode("latin-1") for name in context[key]) for key in ("names", "pairs"))
        return [Names(seats, pairs)] * len(found.matches)
    names = []
    matches = [span.match for span in found.hands]
    for number, match in enumerate(found.matches):
        hands = found.hands[bisect_left(matches, number) : bisect_left(matches, number + 1)]
        named = [(match.pair_a or b"", match.pair_b or b"")]
        named += [(hand.totals[0][0], hand.totals[1][0]) for hand in hands if hand.totals and hand.is_ended]
        counts = Counter(
            line.fields["name"]
            for hand in hands[:_HANDS_FOR_NAMES]
            for line in found.lines[hand.first : hand.last + 1]
            if line.kind in ("header", "dealer")
        )
        names.append(find_names(named, counts))
    return names


def _ids(found: Finder, ids: list[str]) -> list[str]:
    """The names of the matches: the mark's for the first one of a section that has hands, none for others
    after it."""
    seen: set[int] = set()
    names = []
    for match in found.matches:
        names.append("" if match.section in seen else ids[match.section])
        if match.hands:
            seen.add(match.section)
    return names


def _detail(hand: Parser) -> str:
    """The opening's detail."""
    score = hand.score()
    return opening(
        DIALECTS[hand.dialect],
        hand.dealer,
        players=_players(hand.names, hand.prompted, hand.acted),
        score=list(score) if score else None,
        dealt_order=hand.dealt_order(),
    )


@lru_cache(maxsize=256)
def _players(names: Names, prompted: int, acted: int) -> list[dict[str, str]]:
    """A seat that was asked at the keyboard is a person; one that acted without being asked is a program."""
    players = []
    for seat, name in enumerate(names.seats):
        player = {"name": as_text(name)}
        if prompted >> seat & 1:
            player["kind"] = "human"
        elif acted >> seat & 1:
            player["kind"] = "computer"
        players.append(player)
    return players


def _context(names: Names, befores: list[Score]) -> dict[str, Any]:
    """What is needed to read a hand by itself, besides the settings of its mark."""
    seats, pairs = ([name.decode("latin-1") for name in group] for group in (names.seats, names.pairs))
    return {"names": seats, "pairs": pairs, "before": [list(before) for before in befores]}
