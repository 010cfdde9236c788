"""Turns a text of cardlog-jsonl into lines, hands and events.

The compiled pass of `lines` parses the lines in the usual form, `fallback` the others.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cardlog import models
from cardlog.models.compiled import compiled
from cardlog.models.fold import Records
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.cardlog_jsonl.fallback import Details, LeftLines
from cardlog.pipelines.readers.cardlog_jsonl.hands import gather
from cardlog.pipelines.readers.cardlog_jsonl.lines import (
    BLANK,
    BROKEN,
    CARDS_TEXT,
    LEFT,
    Lines,
    Offsets,
    no_lines,
    read_plain,
)
from cardlog.pipelines.readers.cardlog_jsonl.state import ParsedText
from cardlog.pipelines.readers.scan import BOM, Bytes, line_bounds
from cardlog.schemas.cards import RANK_OF_BYTE, SUIT_OF_BYTE, SUIT_STRIDE, UNKNOWN

FirstPass = Callable[[Bytes, Offsets, Offsets, bool, Lines], None]
"""Parses the lines that it can, and leaves the others to Python."""
_HIDDEN: Final = ord("?")


def parse(
    text: bytes, source: Source, numbers: Offsets, first_line: int, first_pass: FirstPass = read_plain
) -> ParsedText:
    """Parse the lines of a text and group them by hand.

    numbers
        Line numbers of its first lines, which were kept from earlier blocks; the others count from
        `first_line`.
    """
    buffer = np.frombuffer(text, np.uint8)
    starts, ends = line_bounds(buffer)
    if text.startswith(BOM):
        starts[0] += len(BOM)
    lines = no_lines(len(starts))
    first_pass(buffer, starts, ends, is_utf8(text), lines)
    details = Details()
    details.read(text, lines)
    left = LeftLines(len(text), details)
    for line in np.flatnonzero(lines["state"] == LEFT).tolist():
        left.read(lines[line : line + 1], line, text[starts[line] : ends[line]])
    is_open = len(lines) > 0 and not text.endswith(b"\n")
    if is_open and lines["state"][-1] == BROKEN and json_lines.is_torn(text[starts[-1] : ends[-1]]):
        lines["state"][-1] = BLANK
    if left.pieces:
        buffer = np.frombuffer(b"".join([text, *left.pieces]), np.uint8)
    numbers = np.append(numbers, first_line + np.arange(len(starts) - len(numbers)))
    hands = gather(buffer, lines)
    return ParsedText(source, text, starts, ends, numbers, buffer, lines, details.texts, left.problems, hands)


def is_utf8(text: bytes) -> bool:
    """Whether a text is UTF-8."""
    if text.isascii():
        return True
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def events_of(parsed: ParsedText, game: str, chosen: Offsets) -> tuple[Records, Offsets]:
    """The events of some hands of a game, and their offsets, as in a `Batch`."""
    firsts, ends = parsed.hands.bounds[chosen], parsed.hands.bounds[chosen + 1]
    offsets = np.append(0, np.cumsum(ends - firsts))
    events = np.zeros(offsets[-1], models.game(game).EVENT)
    lines = parsed.hands.order[np.arange(len(events)) + np.repeat(firsts - offsets[:-1], ends - firsts)]
    _fill(parsed.buffer, parsed.lines, lines, parsed.numbers, events)
    return events, offsets


@compiled
def _fill(buffer: Bytes, lines: Any, chosen: Offsets, numbers: Offsets, events: Any) -> None:
    """Fill in the events of some lines, one a line."""
    for index in range(len(chosen)):
        line = lines[chosen[index]]
        event = events[index]
        event.action = line.action
        event.seat = line.seat
        event.suit = line.suit
        event.amount = line.amount
        event.line = numbers[chosen[index]]
        event.detail = line.detail
        event.at = line.at
        event.count = line.size[CARDS_TEXT] // 2
        start = line.start[CARDS_TEXT]
        for card in range(event.count):
            first, second = buffer[start + 2 * card], buffer[start + 2 * card + 1]
            event.cards[card] = UNKNOWN
            if first != _HIDDEN:
                event.cards[card] = SUIT_OF_BYTE[second] * SUIT_STRIDE + RANK_OF_BYTE[first]
