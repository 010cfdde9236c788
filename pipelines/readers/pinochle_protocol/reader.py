"""Pinochle's protocol: the JSON messages between a client at seat 0 and its server.

`lines` describes the lines, `scanner` and `fallback` parse them, `hands` finds where hands begin and end, and
`parser` turns them into events. Here hands get their ids and openings, or a message on what is wrong.
docs/formats/pinochle-protocol.md describes the format and its two dialects."""

import json
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.pinochle import rules
from cardlog.models.pinochle.state import SEATS
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.pinochle_protocol.fallback import parse_line, players_of
from cardlog.pipelines.readers.pinochle_protocol.hands import find
from cardlog.pipelines.readers.pinochle_protocol.lines import LINE, NAMES, TO_CLIENT, TO_SERVER, Kind
from cardlog.pipelines.readers.pinochle_protocol.parser import parse
from cardlog.pipelines.readers.pinochle_protocol.reconnect import pass_over_repeats
from cardlog.pipelines.readers.pinochle_protocol.scanner import scan
from cardlog.pipelines.readers.pinochle_protocol.state import (
    DIALECTS,
    FAULTS,
    FIRST_EVENTS,
    HAND,
    NO_LINE,
    NO_NUMBER,
    REFUSED,
    UNKNOWN,
    WANTED,
    Fault,
    Parsed,
    Stage,
    parser_state,
)
from cardlog.pipelines.readers.scan import line_bounds
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
    buffer = np.frombuffer(text, np.uint8)
    parts = [_SectionHands(text, buffer, section, source) for section in sections(text, source, first_line)]
    matches: list[str] = []
    details: dict[str, int] = {}
    for part in parts:
        part.first_match = len(matches)
        matches += part.match_names()
        part.add_details(details)
    whole = [(part, hand) for part in parts for hand in part.whole.tolist()]
    sizes = np.concatenate([np.diff(part.offsets)[part.whole] for part in parts])
    lines_read = text.count(b"\n") + (text[-1:] not in (b"\n", b""))
    findings = Findings(
        np.concatenate([part.found() for part in parts]),
        matches,
        np.concatenate([part.events for part in parts]),
        np.append(0, np.cumsum(sizes, dtype=np.int64)),
        list(details),
        OnDemand(len(whole), lambda index: whole[index][0].context(whole[index][1])),
        lines_read,
        lines_read - sum(part.lines_of_hands for part in parts),
    )
    read = read_of(rules.GAME, FORMAT, source, text, findings)
    read.rejects = [reject for part in parts for reject in part.rejects(read.batch.matches, source)]
    return [read]


class _SectionHands:
    """The hands in one section of a text.

    hands
        `HAND`; `_column[field][index]` has the same as lists.
    whole
        Indices of the hands that could be parsed.
    events, offsets
        The events of the hands; damaged ones have none.
    first_match
        Index of the section's first match among those of the text.
    """

    def __init__(self, text: bytes, buffer: NDArray[np.uint8], section: Section, source: Source) -> None:
        self.section = section
        self.first_match = 0
        self._text = text
        starts, ends = line_bounds(buffer[section.start : section.end])
        self._starts, self._ends = starts + section.start, ends + section.start
        self._at_end = section.end == len(text)
        self._read_lines(buffer)
        self._parse()
        if source.final or section.context.get("ended"):
            self.hands["cut"] = 0
        self._column: dict[str, list[Any]] = {name: self.hands[name].tolist() for name in HAND.names or ()}

    def _read_lines(self, buffer: NDArray[np.uint8]) -> None:
        """Parse each line, with the json module if the scanner can't."""
        lines = np.zeros(len(self._starts), LINE)
        scan(buffer, self._starts, self._ends, lines)
        self._wrong: dict[int, tuple[Reason, str]] = {}
        for index in np.flatnonzero(lines["kind"] == Kind.BAD).tolist():
            lines[index], reason, sentence = parse_line(self._line(index))
            if sentence:
                self._wrong[index] = reason, sentence
        is_open = self._at_end and len(lines) > 0 and not self._text.endswith(b"\n")
        if is_open and lines["kind"][-1] == Kind.BAD and json_lines.is_torn(self._line(-1)[len(TO_CLIENT) :]):
            lines["kind"][-1] = Kind.BLANK
        pass_over_repeats(lines)
        self._lines = lines

    def _parse(self) -> None:
        """Find the hands and turn them into events."""
        lines = self._lines
        parsed = Parsed(
            hands=np.zeros(len(lines), HAND),
            events=np.zeros(
                2 * len(lines) + FIRST_EVENTS * np.count_nonzero(lines["kind"] == Kind.DEAL), rules.EVENT
            ),
            offsets=np.zeros(len(lines) + 1, np.int64),
            refused=np.zeros(len(lines), REFUSED),
        )
        parser = parser_state()
        if self.section.context:
            _resume(parser, self.section.context)
        count = find(lines, parsed.hands)
        parse(lines, parser, parsed, count)
        self.hands = parsed.hands[:count]
        self.offsets = parsed.offsets[: count + 1]
        self.events = parsed.events[: self.offsets[count]]
        self.events["line"] += self.section.first_line
        self._refused = parsed.refused[: parser["refused"]]
        self.whole = np.flatnonzero(self.hands["fault"] == Fault.FINE)

    @property
    def lines_of_hands(self) -> int:
        """Number of lines in hands, including damaged ones."""
        return int((self.hands["last"] - self.hands["first"] + 1).sum())

    def match_names(self) -> list[str]:
        """The names of the matches: the mark's id and a number, empty without an id."""
        count = int(self.hands["match"].max(initial=0)) + 1
        name = self.section.match_id
        if self.section.context:
            return [name] * count
        return [f"{name}/{number}" if name else "" for number in range(count)]

    def add_details(self, details: dict[str, int]) -> None:
        """Set the details of events: each hand's opening, and the cards refused before a play. details: those
        so far, with their indices."""
        refused: dict[int, list[str]] = {}
        for event, card in zip(self._refused["event"].tolist(), self._refused["card"].tolist(), strict=True):
            refused.setdefault(event, []).append(cards.text(card))
        plays = self.events["action"] == rules.PLAY_CARD
        for event, texts in refused.items():
            detail = json.dumps({"refused": texts}, separators=(",", ":"))
            if event < len(plays) and plays[event]:
                self.events["detail"][event] = details.setdefault(detail, len(details))
        numbers = []
        for hand in self.whole.tolist():
            opening = rules.opening(
                DIALECTS[self._column["dialect"][hand]],
                self._column["dealer"][hand],
                self._players(hand),
                self._match_before(hand) or None,
            )
            numbers.append(details.setdefault(opening, len(details)))
        self.events["detail"][self.offsets[self.whole]] = numbers

    def found(self) -> NDArray[np.void]:
        """The whole hands as `FOUND`."""
        hands = self.hands[self.whole]
        found = np.zeros(len(hands), FOUND)
        found["match"] = self.first_match + hands["match"]
        found["number"] = hands["number"]
        found["start"] = self._starts[hands["first"]]
        found["end"] = self._ends[hands["last"]]
        found["first_line"] = self.section.first_line + hands["first"]
        found["last_line"] = self.section.first_line + hands["last"]
        found["cut"] = (hands["cut"] == 1) & self._at_end
        return found

    def rejects(self, matches: list[str], source: Source) -> list[Reject]:
        """The damaged hands, and lines that are not a hand, for quarantine."""
        return [
            self._reject(hand, matches[self.first_match + self._column["match"][hand]], source)
            for hand in np.flatnonzero(self.hands["fault"] != Fault.FINE).tolist()
        ]

    def _reject(self, hand: int, match: str, source: Source) -> Reject:
        reason, sentence = self._sentence(hand)
        first, last = self._column["first"][hand], self._column["last"][hand]
        number = self._column["number"][hand]
        name, context = None, ""
        if number != NO_NUMBER and match:
            name = hand_ids(FORMAT, source, [match], np.array([number], np.int32))[0].decode()
            context = context_of(match, number, self.context(hand))
        return Reject(
            reason,
            sentence,
            self._text[self._starts[first] : self._ends[last]],
            self.section.first_line + first,
            self.section.first_line + last,
            name,
            rules.GAME,
            context,
        )

    def _sentence(self, hand: int) -> tuple[Reason, str]:
        """The reason and message of a hand that can't be read."""
        fault, index = Fault(self._column["fault"][hand]), self._column["fault_line"][hand]
        if fault == Fault.UNREADABLE and index in self._wrong:
            reason, sentence = self._wrong[index]
        else:
            reason, sentence = FAULTS[fault]
            line = NAMES.get(Kind(self._lines["kind"][index]), "something")
            sentence = sentence.format(line=line, wanted=WANTED[Stage(self._column["wanted"][hand])])
        return reason, f"Line {self.section.first_line + index}: {sentence}."

    def context(self, hand: int) -> dict[str, Any]:
        """What is needed to read a hand by itself; see `_resume`."""
        return {
            "settings": self.section.settings,
            "dealer": self._column["dealer"][hand],
            "score": None,
            "hands_played": None,
            "players": self._players(hand),
            "ended": not self._column["cut"][hand],
            **self._match_before(hand),
        }

    def _match_before(self, hand: int) -> dict[str, Any]:
        """What is known of the match before a hand."""
        known: dict[str, Any] = {}
        if self._column["score_known"][hand]:
            known["score"] = self._column["score"][hand]
        if self._column["hands_played"][hand] != UNKNOWN:
            known["hands_played"] = self._column["hands_played"][hand]
        trump = self._column["trump_before"][hand]
        if trump != UNKNOWN:
            known["trump"] = None if trump == cards.NO_SUIT else cards.SUITS[trump]
        return known

    def _players(self, hand: int) -> list[dict[str, str]]:
        """The players of a hand: the client, at seat 0, is a person."""
        if "players" in self.section.context:
            return list(self.section.context["players"])
        table = self._column["table"][hand]
        if table == NO_LINE:
            return [{"kind": "human"}, {}, {}, {}]
        return _players_at(self._line(table), int(self._lines["option"][table]))

    def _line(self, index: int) -> bytes:
        return self._text[self._starts[index] : self._ends[index]]


@lru_cache(maxsize=1024)
def _players_at(line: bytes, option: int) -> list[dict[str, str]]:
    """The players, by the line with the table or the choice in the menu."""
    names = players_of(line)
    if len(names) == SEATS:
        return [
            {"kind": "computer"} if name == _COMPUTER else {"kind": "human", "name": name} if name else {}
            for name in names
        ]
    others = _KINDS_AT_OPTION.get(option)
    return [{"kind": "human"}, *([{"kind": kind} for kind in others] if others else [{}, {}, {}])]


def _resume(parser: Any, context: dict[str, Any]) -> None:
    """Restore what is known before a hand that is read by itself."""
    parser["next_number"] = context["hand_no"]
    parser["next_dealer"] = context["dealer"]
    if context["score"] is not None:
        parser["score"] = context["score"]
        parser["score_known"] = 1
    if "trump" in context:
        trump = context["trump"]
        parser["trump"] = cards.NO_SUIT if trump is None else cards.SUITS.index(trump)
    if context["hands_played"] is not None:
        parser["hands_played"] = context["hands_played"]
