"""Reads the output of the Ruter Sju program: one game per match, each after a mark.

docs/formats/ruter-sju-transcript.md describes the text. `hands` finds the games, `seating` their players,
and `parser` turns them into events.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.fold import Records
from cardlog.models.ruter_sju.state import EVENT, GAME, SEATS
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.ruter_sju_transcript import faults, hands
from cardlog.pipelines.readers.ruter_sju_transcript.parser import parse
from cardlog.pipelines.readers.ruter_sju_transcript.seating import Seating, seating_of
from cardlog.pipelines.readers.ruter_sju_transcript.state import NOTHING, PARSER
from cardlog.pipelines.readers.scan import BOM
from cardlog.pipelines.readers.transcript import (
    FOUND,
    SPLIT_AT,
    Findings,
    Section,
    context_of,
    hand_ids,
    read_of,
    read_whole_lines,
)
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SPLIT_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "ruter-sju-transcript"
GAMES: Final = (GAME,)
SUMMARY: Final = "What the Ruter Sju program prints, its three bots and humans at the keyboard"
LINE_PER_HAND: Final = False

_BEGINNING: Final = re.compile(
    rb"(?:" + hands.PROGRESS + rb"\s*)*(?:"
    rb"=== GAME [^\r\n]*\bnumSuits=|"
    rb"(?:Which player starts\?:[^\r\n]*\r?\n\s*)?[^\r\n]*:\r?\n"
    rb"(?:CARDS\r?\n\d+ of [a-z0-9]+(?:,|\r?\n)|GAME\r?\nd: ))"
)


def sniff(head: bytes) -> bool:
    """Whether a text begins with a mark of this game, or with a turn of it."""
    return _BEGINNING.match(head.removeprefix(BOM).lstrip()) is not None


@dataclass(frozen=True)
class _Hand:
    """A hand: its part of the text, and its first and last line from 0."""

    part: Section
    seating: Seating
    first: int
    last: int


@dataclass
class _Transcript:
    """A text, and the rejects so far.

    starts, ends
        Offsets of its lines.
    used
        Number of lines in hands and rejects.
    """

    text: bytes
    source: Source
    first_line: int
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    rejects: list[Reject] = field(default_factory=list)
    used: int = 0

    def line(self, number: int) -> bytes:
        """A line, from 0, without its end."""
        return self.text[int(self.starts[number]) : int(self.ends[number])]

    def end_of(self, number: int) -> int:
        """The offset of the line after this one."""
        return int(self.starts[number + 1]) if number + 1 < len(self.starts) else len(self.text)

    def lines_of(self, part: Section) -> tuple[int, int] | None:
        """The first and the last line of a part that are not blank, from 0; None if all are."""
        first = int(np.searchsorted(self.starts, part.start))
        last = int(np.searchsorted(self.starts, part.end)) - 1
        while last >= first and self.starts[last] == self.ends[last]:
            last -= 1
        while first <= last and self.starts[first] == self.ends[first]:
            first += 1
        return (first, last) if first <= last else None

    def hands(self) -> list[_Hand]:
        """The hands whose players are known; the others are rejected."""
        found = []
        for part in hands.find(self.text, self.source, self.first_line):
            span = self.lines_of(part)
            if span is None:
                continue
            seating = seating_of(self.text, part)
            if isinstance(seating, Seating):
                found.append(_Hand(part, seating, *span))
            else:
                reason = Reason.UNPARSABLE if part.settings else Reason.INCOMPLETE
                self.reject(part, part.match_id, (reason, seating), span)
        return found

    def reject(self, part: Section, match: str, why: tuple[Reason, str], span: tuple[int, int]) -> None:
        """Reject the lines from the first to the last of a span; match is empty if their game has no name."""
        first, last = span
        name = hand_ids(FORMAT, self.source, [match], np.zeros(1, np.int32))[0].decode() if match else None
        raw = self.text[int(self.starts[first]) : self.end_of(last)]
        context = context_of(match, 0, self.context(part))
        lines_at = self.first_line + first, self.first_line + last
        self.rejects.append(Reject(*why, raw, *lines_at, name, GAME, context))
        self.used += last - first + 1

    def goes_on_after(self, part: Section) -> bool:
        """Whether something follows a part, so that it will not grow."""
        return part.end < len(self.text) or bool(part.context.get("over"))

    def context(self, part: Section) -> dict[str, Any]:
        """What is needed to read a part by itself; `over` means that something follows it."""
        return {"settings": part.settings, **({"over": True} if self.goes_on_after(part) else {})}

    def checked(self, hand: _Hand, fault: int, at: int, events: int) -> _Hand | None:
        """A parsed hand, without lines after its end; None if it is rejected, for a fault or for too many
        events."""
        last = hand.last
        if fault != faults.FINE and at == last and faults.is_torn(fault, self.line(at), hand.seating.names):
            fault = faults.FINE
        if fault == faults.AFTER_END:
            self.reject(hand.part, "", self._why(fault, at), (at, last))
            fault, last = faults.FINE, at - 1
            while self.starts[last] == self.ends[last]:
                last -= 1
        if fault == faults.FINE and events > faults.MOST_EVENTS:
            fault, at = faults.TOO_LONG, hand.first
        if fault != faults.FINE:
            self.reject(hand.part, hand.part.match_id, self._why(fault, at), (hand.first, last))
            return None
        self.used += last - hand.first + 1
        return hand if last == hand.last else replace(hand, last=last)

    def _why(self, fault: int, number: int) -> tuple[Reason, str]:
        return faults.sentence(fault, self.line(number), self.first_line + number)


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text: see `cardlog.pipelines.readers.base.Reader`."""
    return read_whole_lines(_read_lines, text, source, first_line)


def _read_lines(text: bytes, source: Source, first_line: int) -> Read:
    """The hands of a text of whole lines."""
    transcript = _Transcript(text, source, first_line, *hands.line_spans(text))
    found = transcript.hands()
    parsers = np.zeros(len(found), PARSER)
    parsers["first"] = [hand.first for hand in found]
    parsers["last"] = [hand.last + 1 for hand in found]
    names, starts = parsers["names"], parsers["start"]
    for index, hand in enumerate(found):
        names[index], starts[index] = hand.seating.names_row[0], hand.seating.start[0]
    events = np.empty(len(transcript.starts) + (SEATS + 1) * len(found), EVENT)
    offsets = np.zeros(len(found) + 1, np.int64)
    buffer = np.frombuffer(text, np.uint8)
    parse(buffer, transcript.starts, transcript.ends, parsers, events, offsets)
    results = (parsers[name].tolist() for name in ("fault", "line", "events"))
    checked = [transcript.checked(*hand) for hand in zip(found, *results, strict=True)]
    kept = np.array([hand is not None for hand in checked], np.bool_)
    sizes = np.diff(offsets)
    events = events[: offsets[-1]]
    events["line"] += first_line
    if not kept.all():
        events = events[np.repeat(kept, sizes)]
    is_whole = parsers["expected"][kept] == NOTHING
    return _read_of(transcript, [hand for hand in checked if hand], is_whole, events, sizes[kept])


def _read_of(
    transcript: _Transcript,
    found: list[_Hand],
    is_whole: NDArray[np.bool_],
    events: Records,
    sizes: NDArray[np.int64],
) -> Read:
    """The result of reading a text.

    is_whole
        Whether each hand's game is complete: shape (hands,).
    sizes
        Number of events of each hand: shape (hands,).
    """
    offsets = np.append(0, np.cumsum(sizes))
    rows = np.zeros(len(found), FOUND)
    details: dict[str, int] = {}
    events["detail"][offsets[:-1]] = [details.setdefault(hand.seating.detail, len(details)) for hand in found]
    rows["match"] = np.arange(len(found))
    first = np.array([hand.first for hand in found], np.int64)
    last = np.array([hand.last for hand in found], np.int64)
    rows["start"] = transcript.starts[first]
    rows["end"] = np.append(transcript.starts[1:], len(transcript.text))[last]
    rows["first_line"] = transcript.first_line + first
    rows["last_line"] = transcript.first_line + last
    rows["cut"] = np.array([not transcript.goes_on_after(hand.part) for hand in found], np.bool_) & ~is_whole
    findings = Findings(
        rows,
        [hand.part.match_id for hand in found],
        events,
        offsets,
        list(details),
        [transcript.context(hand.part) for hand in found],
        lines_read=len(transcript.starts),
        other_lines=len(transcript.starts) - transcript.used,
        rejects=transcript.rejects,
    )
    return read_of(GAME, FORMAT, transcript.source, transcript.text, findings)
