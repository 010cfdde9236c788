"""Finds where the hands of a Ruter Sju text begin and end.

A game is one hand. It begins with its mark, or after the final order of the game before, and ends at the
latest where the program crashes."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.transcript import Section, Text, sections

PROGRESS: Final = rb"(?:\x1b\[[0-9;]*[A-Za-z])*Progress: \d+(?:\.\d+)?%[ \t]*(?:\r?\n|\Z)"
"""Printed by the author's data script between games, after the codes that clear the terminal."""
_PROGRESSES: Final = re.compile(rb"^" + PROGRESS, re.MULTILINE)
_TRACEBACK: Final = b"Traceback (most recent call last):"
_CRASH: Final = re.compile(
    rb"^(?:During handling of the above [^\r\n]*\r?\n\s*)?"
    rb"(?P<before>[^\r\n]*?)(?:\^C)?Traceback \(most recent call last\):[ \t]*(?:\r?\n|\r?\Z)"
    rb"(?:[ \t]+\S[^\n]*(?:\n|\Z))*(?:[A-Za-z_][\w.]*(?::[^\n]*)?(?:\n|\Z))?",
    re.MULTILINE,
)
"""A traceback of Python, and a prompt before it on the same line."""
_MARKED_PLAYERS: Final = re.compile(rb" players=(.*?)(?: ===)?[\r\n]*\Z")
_FINAL_ORDER: Final = re.compile(rb"^Final Order:\r?\n", re.MULTILINE)
_SECTION: Final = re.compile(rb"(?:CARDS|GAME)\r?\n")


def find(text: Text, source: Source) -> Iterator[Section]:
    """The hands of a text, in order. Lines that are not part of a game are made blank."""
    _blank(text)
    for marked in sections(text.text, source, text.first_line):
        _complete_mark(text.text, marked)
        yield from _hands(text.text, marked)


def _blank(text: Text) -> None:
    found = [(match.span(), 0) for match in _PROGRESSES.finditer(text.text) if b"Progress: " in text.text]
    if _TRACEBACK in text.text:
        found += [(crash.span(), crash.end("before")) for crash in _CRASH.finditer(text.text)]
    for (start, end), kept in found:
        first, after = bisect_left(text.starts, start), bisect_left(text.starts, end)
        text.lines[first:after] = [b""] * (after - first)
        text.lines[first] = text.text[start:kept]


def _complete_mark(text: bytes, part: Section) -> None:
    """Restore players' names with blanks in the settings of a mark, whose words were split there."""
    if part.settings and not part.context:
        mark = text[text.rfind(b"\n", 0, max(part.start - 1, 0)) + 1 : part.start]
        players = _MARKED_PLAYERS.search(mark)
        if players and len(players[1].split()) != 1:
            part.settings["players"] = players[1].decode("utf-8", "replace")


def _hands(text: bytes, part: Section) -> list[Section]:
    """The hands of a part of the text: one if it has a mark, else each ends with its final order; a crash
    ends a game."""
    stops = []
    if text.find(_TRACEBACK, part.start, part.end) >= 0:
        stops = [(crash.end("before"), crash.end()) for crash in _CRASH.finditer(text, part.start, part.end)]
    is_named = bool(part.settings or part.match_id or part.context)
    if is_named and not stops:
        return [part]
    unmarked = stops[0][1] if is_named else part.start
    stops += [(end, end) for end in _ends_of_orders(text, unmarked, part.end)]
    found: list[Section] = []
    start, line = part.start, part.first_line
    for end, after in [*sorted(stops), (part.end, part.end)]:
        if not found and is_named:
            found.append(replace(part, end=end))
        elif text[start:end].strip() or not (found or stops):
            found.append(Section("", {}, start, end, line))
        line += text.count(b"\n", start, after)
        start = after
    return found


def _ends_of_orders(text: bytes, start: int, end: int) -> Iterator[int]:
    """The ends of final orders, whose lines count up from 1. A player may be called ``4. Eva``, and begin the
    next game."""
    for order in _FINAL_ORDER.finditer(text, start, end):
        offset, number = order.end(), 1
        while offset < end and text.startswith(b"%d. " % number, offset):
            after = text.find(b"\n", offset, end) + 1 or end
            if _SECTION.match(text, after):
                break
            offset, number = after, number + 1
        if number > 1:
            yield offset
