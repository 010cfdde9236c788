"""Pinochle's protocol: what a client at seat 0 and its server said to each other, in JSON.

`pinochle_lines` reads the lines, `pinochle_hands` finds the hands in them; here these get their names,
their openings and, where something is wrong, a sentence. docs/formats/pinochle-protocol.md describes
the format and its two dialects.
"""

import json
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.pinochle import rules as pinochle
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.pinochle_protocol import fallback as pinochle_json
from cardlog.pipelines.readers.pinochle_protocol import lines as said
from cardlog.pipelines.readers.pinochle_protocol import state as machine
from cardlog.pipelines.readers.pinochle_protocol.hands import find
from cardlog.pipelines.readers.pinochle_protocol.reconnect import pass_over_again
from cardlog.pipelines.readers.scan import line_bounds
from cardlog.pipelines.readers.transcript import (
    FOUND,
    PARTED_AT,
    Section,
    context_of,
    hand_ids,
    is_mark,
    read_of,
    sections,
)
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "PARTED_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "pinochle-protocol"
GAMES: Final = (pinochle.GAME,)
LINE_PER_HAND: Final = False
SUMMARY: Final = "Pinochle's JSON protocol as a client sees it, of 2013 and of 2014"

_ARROWS: Final = (said.TO_CLIENT + b"{", said.TO_SERVER + b"{")
_KINDS_AT_OPTION: Final[dict[int, tuple[str, ...]]] = {
    1: ("computer", "computer", "computer"),
    2: ("computer", "human", "computer"),
    4: ("human", "human", "human"),
}
"""Who plays at seats 1 to 3, by what the client chose in the menu. The other choices do not say which
seat is whose."""
_COMPUTER: Final = "AI"
"""The name of a computer at a table."""


def sniff(head: bytes) -> bool:
    """Whether a file that begins so looks like this format."""
    lines = [line for line in head.splitlines()[:3] if line.strip() and not is_mark(line)]
    return bool(lines) and all(line.startswith(_ARROWS) and b'"Type"' in line for line in lines[:1])


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text.

    text
        Lines of the file, from line `first_line` on; it may end in the middle of one.
    """
    parts = sections(text, source, first_line)
    buffer = np.frombuffer(text, np.uint8)
    found = [_Part(text, buffer, part, source) for part in parts]
    return [_joined(found, text, source, first_line)]


class _Part:
    """The hands in one section of a text.

    hands, starts, ends
        What the machine found, `machine.HAND`, and where each is in the text, in bytes.
    events, offsets
        The events of the hands, none for a damaged one; `line` is a place among the section's lines.
    refused
        Cards that seat 0 was refused, `machine.REFUSED`.
    """

    def __init__(self, text: bytes, buffer: NDArray[np.uint8], section: Section, source: Source) -> None:
        self.section = section
        self._text = text
        starts, ends = line_bounds(buffer[section.start : section.end])
        starts += section.start
        ends += section.start
        self._bounds = starts, ends
        lines = np.zeros(len(starts), said.LINE)
        said.scan(buffer, starts, ends, lines)
        self.wrong: dict[int, tuple[Reason, str]] = {}
        for place in np.flatnonzero(lines["kind"] == said.BAD).tolist():
            lines[place], reason, sentence = pinochle_json.parsed(self.line(place))
            self.wrong[place] = reason, sentence
        torn = section.end == len(text) and not text.endswith(b"\n") and len(lines) > 0
        if torn and lines["kind"][-1] == said.BAD:
            lines["kind"][-1] = said.TORN
        pass_over_again(lines)
        self._lines = lines
        self.at_end = section.end == len(text)
        memory = np.zeros(1, machine.MEMORY)[0]
        machine.start(memory)
        if section.context:
            _remember(memory, section.context)
        hands = np.zeros(len(lines), machine.HAND)
        events = np.zeros(2 * len(lines) + 5 * np.count_nonzero(lines["kind"] == said.DEAL), pinochle.EVENT)
        offsets = np.zeros(len(lines) + 1, np.int64)
        refused = np.zeros(len(lines), machine.REFUSED)
        count = find(lines, memory, hands, events, offsets, refused)
        self.hands = hands[:count]
        self.offsets = offsets[: count + 1]
        self.events = events[: offsets[count]]
        self.events["line"] += section.first_line
        self.refused = refused[: memory["refused"]]
        self.starts = starts[self.hands["first"]]
        self.ends = ends[self.hands["last"]]
        if source.final or section.context.get("ended"):
            self.hands["cut"] = 0

    def line(self, place: int) -> bytes:
        """A line's text."""
        return self._text[self._bounds[0][place] : self._bounds[1][place]]

    def raw(self, place: int) -> bytes:
        """A hand's text."""
        return self._text[self.starts[place] : self.ends[place]]

    def players(self, hand: np.void) -> list[dict[str, str]]:
        """Who plays a hand: the client, at seat 0, is a person."""
        if "players" in self.section.context:
            return list(self.section.context["players"])
        if hand["table"] == machine.NO_LINE:
            return [{"kind": "human"}, {}, {}, {}]
        return _players(self.line(int(hand["table"])), int(self._lines["option"][hand["table"]]))

    def sentence(self, hand: np.void) -> tuple[Reason, str]:
        """Why a hand can't be read."""
        fault, place = int(hand["fault"]), int(hand["fault_line"])
        number = self.section.first_line + place
        reason = Reason(int(machine.FAULT_REASONS[fault]))
        kind = int(self._lines["kind"][place])
        if fault == machine.UNREADABLE and place in self.wrong and self.wrong[place][1]:
            reason, sentence = self.wrong[place]
            return reason, f"Line {number}: {sentence}."
        name = said.NAMES.get(kind, "something")
        waited_for = machine.WANTED[int(hand["waited_for"])]
        return reason, f"Line {number}: " + {
            machine.UNREADABLE: f"{name} stands in the middle of a hand",
            machine.UNEXPECTED: f"{name}, where {waited_for} must come",
            machine.HEADLESS: f"{name}, before any deal: the beginning of the hand is missing",
            machine.REQUEST: "the request names another hand, lead, trump or winning card than there is",
            machine.TRICK_NUMBER: "the message counts the tricks differently",
            machine.TAKER: "another seat takes the trick than the message says",
            machine.SAID_SCORES: "the score is not what the message says",
            machine.SAID_HANDS: "the message counts the hands differently",
            machine.SAID_OVER: "by the scores the game ends otherwise than it says",
            machine.DEALT_COUNT: "the deal must be twelve cards, for seat 0",
            machine.DEALT_THRICE: "a card is dealt three times",
            machine.UNFINISHED_LINE: "the text ends in the middle of the line",
        }[fault] + "."  # fmt: skip


@lru_cache(maxsize=1024)
def _players(line: bytes, option: int) -> list[dict[str, str]]:
    """Who plays, from the line of the table or of the choice in the menu."""
    names = pinochle_json.players_of(line)
    if len(names) == pinochle.SEATS:
        return [
            {"kind": "computer"} if name == _COMPUTER else {"kind": "human", "name": name} if name else {}
            for name in names
        ]
    others = _KINDS_AT_OPTION.get(option)
    return [{"kind": "human"}, *([{"kind": kind} for kind in others] if others else [{}, {}, {}])]


def _remember(memory: Any, context: dict[str, Any]) -> None:
    """What is known before a hand that is read by itself."""
    memory["number"] = context["hand_no"]
    memory["next_dealer"] = context["dealer"]
    if context["score"] is not None:
        memory["before"] = context["score"]
        memory["known"] = 1
    if "trump" in context:
        memory["trump_before"] = _suit_number(context["trump"])
    if context["hands_played"] is not None:
        memory["hands_played"] = context["hands_played"]


def _suit_number(letter: str | None) -> int:
    return cards.NO_SUIT if letter is None else cards.SUITS.index(letter)


def _match_before(hand: np.void) -> dict[str, Any]:
    """What is known of the match before a hand."""
    known: dict[str, Any] = {}
    if hand["known"]:
        known["score"] = hand["before"].tolist()
    if hand["hands_played"] != machine.NOT_KNOWN:
        known["hands_played"] = int(hand["hands_played"])
    if hand["trump_before"] != machine.NOT_KNOWN:
        trump = int(hand["trump_before"])
        known["trump"] = None if trump == cards.NO_SUIT else cards.SUITS[trump]
    return known


def _context(part: _Part, hand: np.void, players: list[dict[str, str]]) -> dict[str, Any]:
    """What it takes to read a hand by itself; see `_remember`."""
    return {
        "settings": part.section.settings,
        "dealer": int(hand["dealer"]),
        "score": None,
        "hands_played": None,
        "players": players,
        "ended": not hand["cut"],
        **_match_before(hand),
    }


def _joined(parts: list[_Part], text: bytes, source: Source, first_line: int) -> Read:
    """The hands of all sections as one read: names, openings, refused cards and rejects."""
    matches: list[str] = []
    rows: list[np.void] = []
    contexts: list[dict[str, Any]] = []
    damaged: list[tuple[_Part, int, int]] = []
    events: list[NDArray[np.void]] = []
    sizes: list[int] = []
    details: dict[str, int] = {}
    inside = 0
    for part in parts:
        base = len(matches)
        matches += _match_names(part)
        _note_refused(part, details)
        inside += int((part.hands["last"] - part.hands["first"] + 1).sum())
        good = part.hands["fault"] == machine.FINE
        for place in np.flatnonzero(~good).tolist():
            damaged.append((part, place, base + int(part.hands["match"][place])))
        for place in np.flatnonzero(good).tolist():
            hand = part.hands[place]
            players = part.players(hand)
            match = _match_before(hand) or None
            opening = pinochle.opening(
                machine.DIALECTS[int(hand["dialect"])], int(hand["dealer"]), players, match
            )
            part.events["detail"][part.offsets[place]] = details.setdefault(opening, len(details))
            contexts.append(_context(part, hand, players))
            rows.append(_found(part, place, base))
        events.append(part.events)
        sizes += np.diff(part.offsets)[good].tolist()
    lines = text.count(b"\n") + (text[-1:] not in (b"\n", b""))
    read = read_of(
        pinochle.GAME, FORMAT, source, text, np.array(rows, FOUND), matches,
        np.concatenate(events) if events else np.zeros(0, pinochle.EVENT),
        np.append(0, np.cumsum(sizes, dtype=np.int64)), list(details), contexts,
        rejects=[], lines_read=lines, other_lines=lines - inside,
    )  # fmt: skip
    read.rejects = [_reject(part, place, read.batch.matches[match], source) for part, place, match in damaged]
    return read


def _match_names(part: _Part) -> list[str]:
    """The matches of a section: the mark's id and the place in it, nothing if there is no id."""
    count = int(part.hands["match"].max(initial=0)) + 1
    if part.section.context:
        return [part.section.match_id] * count
    name = part.section.match_id
    return [f"{name}/{number}" if name else "" for number in range(count)]


def _note_refused(part: _Part, details: dict[str, int]) -> None:
    """Put the cards that were refused into the detail of the play that was taken instead."""
    together: dict[int, list[str]] = {}
    for row in part.refused:
        together.setdefault(int(row["event"]), []).append(cards.text(int(row["card"])))
    for event, refused in together.items():
        detail = json.dumps({"refused": refused}, separators=(",", ":"))
        if event < len(part.events) and part.events["action"][event] == pinochle.PLAY_CARD:
            part.events["detail"][event] = details.setdefault(detail, len(details))


def _found(part: _Part, place: int, base: int) -> Any:
    """A hand as `FOUND` has it; base is the number of its section's first match."""
    hand = part.hands[place]
    first = part.section.first_line
    return (
        base + hand["match"], hand["number"], part.starts[place], part.ends[place],
        first + hand["first"], first + hand["last"], hand["cut"] and part.at_end,
    )  # fmt: skip


def _reject(part: _Part, place: int, match: str, source: Source) -> Reject:
    """A damaged hand, or lines that are none, for quarantine."""
    hand = part.hands[place]
    reason, sentence = part.sentence(hand)
    first = part.section.first_line
    name, context = None, ""
    if hand["number"] != machine.NO_LINE and match:
        number = int(hand["number"])
        name = hand_ids(FORMAT, source, [match], np.array([number], np.int32))[0].decode()
        context = context_of(match, number, _context(part, hand, part.players(hand)))
    return Reject(
        reason,
        sentence,
        part.raw(place),
        first + int(hand["first"]),
        first + int(hand["last"]),
        name,
        pinochle.GAME,
        context,
    )
