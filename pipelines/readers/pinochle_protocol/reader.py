"""Pinochle's protocol: the JSON messages between a client at seat 0 and its server.

`lines` parses the lines, `hands` finds where hands begin and end, and `parser` turns them into events. Here
hands get their ids and openings, or a message on what is wrong.
docs/formats/pinochle-protocol.md describes the format and its two dialects."""

import json
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.pinochle import rules
from cardlog.models.pinochle.state import SEATS
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.pinochle_protocol.hands import find, pass_over_repeats
from cardlog.pipelines.readers.pinochle_protocol.lines import (
    BAD,
    BLANK_LINE,
    TO_CLIENT,
    TO_SERVER,
    Line,
    parse_line,
)
from cardlog.pipelines.readers.pinochle_protocol.match import UNKNOWN, Hand, Match
from cardlog.pipelines.readers.pinochle_protocol.parser import UNREADABLE, parse
from cardlog.pipelines.readers.transcript import (
    FOUND,
    SPLIT_AT,
    Findings,
    OnDemand,
    Section,
    context_of,
    hand_ids,
    is_mark,
    read_of,
    sections,
)
from cardlog.schemas import cards
from cardlog.schemas.events import NO_DETAIL, NO_TIME
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SPLIT_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "pinochle-protocol"
GAMES: Final = (rules.GAME,)
LINE_PER_HAND: Final = False
SUMMARY: Final = "Pinochle's JSON protocol as a client sees it, of 2013 and of 2014"

_ARROWS: Final = (TO_CLIENT + b"{", TO_SERVER + b"{")
_KINDS_AT_OPTION: Final[dict[int, tuple[str, ...]]] = {
    1: ("computer", "computer", "computer"),
    2: ("computer", "human", "computer"),
    4: ("human", "human", "human"),
}
"""The kinds of players at seats 1 to 3, by the client's choice in the menu. Other choices don't determine
them."""
_COMPUTER: Final = "AI"
"""The name of a computer player."""


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    lines = [line for line in head.splitlines()[:3] if line.strip() and not is_mark(line)]
    return bool(lines) and all(line.startswith(_ARROWS) and b'"Type"' in line for line in lines[:1])


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text.

    text
        Lines of the file, from line `first_line` on; the last one may be incomplete.
    """
    parts = [_SectionHands(text, section, source) for section in sections(text, source, first_line)]
    matches: list[str] = []
    details: dict[str, int] = {}
    events = []
    for part in parts:
        part.first_match = len(matches)
        matches += part.match_names()
        events.append(part.events(details))
    whole = [(part, hand) for part in parts for hand in part.whole]
    sizes = [len(hand.events) for _, hand in whole]
    lines_read = text.count(b"\n") + (text[-1:] not in (b"\n", b""))
    findings = Findings(
        np.concatenate([part.found() for part in parts]),
        matches,
        np.concatenate(events),
        np.append(0, np.cumsum(sizes, dtype=np.int64)),
        list(details),
        OnDemand(len(whole), lambda index: whole[index][0].context(whole[index][1])),
        lines_read,
        lines_read - sum(hand.last - hand.first + 1 for part in parts for hand in part.hands),
    )
    read = read_of(rules.GAME, FORMAT, source, text, findings)
    read.rejects = [reject for part in parts for reject in part.rejects(read.batch.matches, source)]
    return [read]


class _SectionHands:
    """The hands in one section of a text.

    hands, whole
        All, and those that could be parsed.
    first_match
        Index of the section's first match among those of the text.
    """

    def __init__(self, text: bytes, section: Section, source: Source) -> None:
        self.section = section
        self.first_match = 0
        self._text = text
        starts, ends = json_lines.line_bounds(text[section.start : section.end])
        self._starts, self._ends = (starts + section.start).tolist(), (ends + section.start).tolist()
        self._at_end = section.end == len(text)
        bounds = zip(self._starts, self._ends, strict=True)
        self._lines = [parse_line(text[start:end]) for start, end in bounds]
        is_open = self._at_end and bool(self._lines) and not text.endswith(b"\n")
        last = text[self._starts[-1] + len(TO_CLIENT) :] if is_open else b""
        if is_open and self._lines[-1].kind == BAD and json_lines.is_torn(last):
            self._lines[-1] = BLANK_LINE
        pass_over_repeats(self._lines)
        self.hands = find(self._lines)
        match = _match_of(section.context)
        for hand in self.hands:
            parse(self._lines, hand, match)
            hand.cut = hand.cut and not (source.final or section.context.get("ended"))
        self.whole = [hand for hand in self.hands if not hand.fault]

    def match_names(self) -> list[str]:
        """The names of the matches: the mark's id and a number, empty without an id."""
        count = max((hand.match for hand in self.hands), default=0) + 1
        name = self.section.match_id
        if self.section.context:
            return [name] * count
        return [f"{name}/{number}" if name else "" for number in range(count)]

    def events(self, details: dict[str, int]) -> NDArray[np.void]:
        """The events of the whole hands; details: those so far, with their indices."""
        found = [event for hand in self.whole for event in hand.events]
        events = np.zeros(len(found), rules.EVENT)
        events["detail"], events["at"] = NO_DETAIL, NO_TIME
        for name in ("action", "seat", "suit", "amount", "line"):
            events[name] = list(map(attrgetter(name), found))
        events["line"] += self.section.first_line
        codes = [event.cards for event in found]
        events["count"] = list(map(len, codes))
        json_lines.put_cards(events, np.frombuffer(b"".join(codes), np.uint8))
        first = 0
        for hand in self.whole:
            for index, detail in self._details(hand).items():
                events["detail"][first + index] = details.setdefault(detail, len(details))
            first += len(hand.events)
        return events

    def _details(self, hand: Hand) -> dict[int, str]:
        """The details of a hand's events: its opening, and the cards refused before a play."""
        refused: dict[int, list[str]] = {}
        for index, card in hand.refused:
            if index < len(hand.events) and hand.events[index].action == rules.PLAY_CARD:
                refused.setdefault(index, []).append(cards.text(card))
        found = {
            index: json.dumps({"refused": texts}, separators=(",", ":")) for index, texts in refused.items()
        }
        players = self._players(hand)
        return found | {0: rules.opening(hand.dialect, hand.dealer, players, _match_before(hand) or None)}

    def found(self) -> NDArray[np.void]:
        """The whole hands as `FOUND`."""
        rows = [
            (
                self.first_match + hand.match,
                hand.number,
                self._starts[hand.first],
                self._ends[hand.last],
                self.section.first_line + hand.first,
                self.section.first_line + hand.last,
                hand.cut and self._at_end,
            )
            for hand in self.whole
        ]
        return np.array(rows, FOUND)

    def rejects(self, matches: list[str], source: Source) -> list[Reject]:
        """The damaged hands, and lines that are not a hand, for quarantine."""
        return [
            self._reject(hand, matches[self.first_match + hand.match], source)
            for hand in self.hands
            if hand.fault
        ]

    def _reject(self, hand: Hand, match: str, source: Source) -> Reject:
        reason, sentence = self._sentence(hand)
        name, context = None, ""
        if hand.number is not None and match:
            name = hand_ids(FORMAT, source, [match], np.array([hand.number], np.int32))[0].decode()
            context = context_of(match, hand.number, self.context(hand))
        return Reject(
            reason,
            f"Line {self.section.first_line + hand.fault_line}: {sentence}.",
            self._text[self._starts[hand.first] : self._ends[hand.last]],
            self.section.first_line + hand.first,
            self.section.first_line + hand.last,
            name,
            rules.GAME,
            context,
        )

    def _sentence(self, hand: Hand) -> tuple[Reason, str]:
        """The reason and message of a hand that can't be read."""
        line = self._lines[hand.fault_line]
        if hand.fault is UNREADABLE and line.wrong:
            return line.wrong
        reason, sentence = hand.fault or UNREADABLE
        return reason, sentence.format(line=line.kind, wanted=hand.wanted)

    def context(self, hand: Hand) -> dict[str, Any]:
        """What is needed to read a hand by itself; see `_match_of`."""
        return {
            "settings": self.section.settings,
            "dealer": hand.dealer,
            "score": None,
            "hands_played": None,
            "players": self._players(hand),
            "ended": not hand.cut,
            **_match_before(hand),
        }

    def _players(self, hand: Hand) -> list[dict[str, str]]:
        """The players of a hand: the client, at seat 0, is a person."""
        if "players" in self.section.context:
            return list(self.section.context["players"])
        if hand.table is None:
            return [{"kind": "human"}, {}, {}, {}]
        return _players_at(self._lines[hand.table])


def _players_at(line: Line) -> list[dict[str, str]]:
    """The players, by the line with the table or the choice in the menu."""
    names = line.fields.get("MyTable", {}).get("Players")
    if isinstance(names, list) and len(names) == SEATS and all(isinstance(name, str) for name in names):
        return [
            {"kind": "computer"} if name == _COMPUTER else {"kind": "human", "name": name} if name else {}
            for name in names
        ]
    others = _KINDS_AT_OPTION.get(line.fields.get("Option", 0))
    return [{"kind": "human"}, *([{"kind": kind} for kind in others] if others else [{}, {}, {}])]


def _match_before(hand: Hand) -> dict[str, Any]:
    """What is known of the match before a hand."""
    known: dict[str, Any] = {}
    if hand.score is not None:
        known["score"] = list(hand.score)
    if hand.hands_played is not None:
        known["hands_played"] = hand.hands_played
    if hand.trump_before != UNKNOWN:
        known["trump"] = None if hand.trump_before == cards.NO_SUIT else cards.SUITS[hand.trump_before]
    return known


def _match_of(context: dict[str, Any]) -> Match:
    """The match before the first hand: nothing is known of it, unless a hand is read by itself."""
    if not context:
        return Match()
    match = Match(next_number=context["hand_no"], next_dealer=context["dealer"])
    match.score = tuple(context["score"]) if context["score"] is not None else None
    match.hands_played = context["hands_played"]
    if "trump" in context:
        trump = context["trump"]
        match.trump = cards.NO_SUIT if trump is None else cards.SUITS.index(trump)
    return match
