"""Compiled: lines outside of hands in a five-card draw transcript: the beginning of a match, its end if it
has no hand, and junk."""

from typing import Any

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.bytes import equals
from cardlog.pipelines.readers.five_card_draw_transcript import lines, phrases
from cardlog.pipelines.readers.five_card_draw_transcript.lines import (
    NONE,
    Line,
    Text,
    kind_of,
    name_before,
    number_in,
)
from cardlog.pipelines.readers.five_card_draw_transcript.state import BROKEN_OFF, GOES_ON, OVER, UNRESOLVED
from cardlog.pipelines.readers.scan import Bytes


@compiled
def begins_match(line: Line) -> bool:
    """Whether a line comes before the first hand of a match: a question, also one at which the program has
    crashed, or the setup."""
    if line.kind == lines.TRACEBACK:
        return bool(line.prompt == lines.ASKS_GAME or line.prompt == lines.ASKS_NAME)
    return bool(line.kind in (lines.SETUP, lines.ASKS_NAME, lines.ASKS_GAME))


@compiled
def next_match(parser: Any) -> None:
    """Reset the state for the next match."""
    parser.match += 1
    parser.hand_no = 0
    parser.over = GOES_ON
    parser.seats = 0
    parser.trusted = 0
    parser.human = UNRESOLVED
    parser.human_from = 0
    parser.human_to = 0
    parser.piped = 0
    parser.given = NONE
    parser.ante = NONE
    parser.total = NONE
    parser.left = 0


@compiled
def add_junk(parser: Any, junk: Any, first: Int, last: Int) -> None:
    """Note lines as junk, joined with junk just before them."""
    if parser.junk > 0 and junk[parser.junk - 1, 1] == first:
        junk[parser.junk - 1, 1] = last
        return
    junk[parser.junk, 0] = first
    junk[parser.junk, 1] = last
    parser.junk += 1


@compiled
def before_hand(text: Text, line: Line, parser: Any, junk: Any) -> bool:
    """Parse a line outside of hands; False if a hand begins with it."""
    kind, number = line.kind, line.number
    if begins_match(line) and (parser.over != GOES_ON or parser.hand_no > 0):
        next_match(parser)
    if kind in (lines.SETUP, lines.ASKS_NAME, lines.ASKS_GAME):
        if line.prompt == lines.ASKS_NAME:
            parser.piped = 1
        if parser.preamble == NONE:
            parser.preamble = number
        if not _set_up(text.buffer, line, parser):
            parser.preamble_wrong = number
        return True
    if kind == lines.BLANK or (parser.over == OVER and kind == lines.WARNING):
        return True
    if kind == lines.NEW_ROUND:
        if parser.over != GOES_ON:
            next_match(parser)
        return False
    if parser.over != GOES_ON:
        if parser.over == OVER or (kind != lines.UNREADABLE and kind != lines.TRACEBACK):
            add_junk(parser, junk, number, number + 1)
        return True  # otherwise it is output of the crash
    if parser.hand_no > 0 or kind in (lines.BUTTON, lines.CARDS, lines.ANTE):
        return False
    if kind == lines.TRACEBACK or (kind == lines.END and _ends_at_once(text.buffer, line, parser)):
        if kind == lines.TRACEBACK or equals(text.buffer, line.start, line.end, phrases.THANKS):
            _end_without_hands(text, line, parser, junk)
        return True
    if parser.preamble == NONE:
        parser.preamble = number
    if kind != lines.WARNING:
        parser.preamble_wrong = number
    return True


@compiled
def _set_up(buffer: Bytes, line: Line, parser: Any) -> bool:
    """Parse a line before the first hand: the human's name, the chips, the ante. Returns whether it can be
    read."""
    if line.kind == lines.ASKS_GAME:
        return True
    if line.kind == lines.ASKS_NAME:
        parser.human = UNRESOLVED
        parser.human_from = line.start
        parser.human_to = line.end
        return bool(line.end > line.start)
    number = number_in(buffer, line.start, line.end, phrases.GIVEN, phrases.CHIPS_DOT)
    if number != NONE:
        parser.given = number
        return True
    number = number_in(buffer, line.start, line.end, phrases.ANTE_SET, phrases.CHIPS_DOT)
    if number != NONE:
        parser.ante = number
        return True
    return False


@compiled
def _ends_at_once(buffer: Bytes, line: Line, parser: Any) -> bool:
    """Whether a line reports the end of a match in which no hand can be played: the human has no chips, or
    one player sits alone."""
    if parser.given == NONE or parser.ante == NONE:
        return False
    start, end = line.start, line.end
    if equals(buffer, start, end, phrases.THANKS) or name_before(buffer, start, end, phrases.HAS_WON) != NONE:
        return True
    lost = name_before(buffer, start, end, phrases.BETTER_LUCK) != NONE
    return bool(lost and parser.given == 0)


@compiled
def _end_without_hands(text: Text, line: Line, parser: Any, junk: Any) -> None:
    """End a match that is over, or has crashed, before its first hand; unreadable lines of it are junk."""
    wrong = parser.preamble_wrong
    if wrong != NONE:
        kind, _ = kind_of(text.buffer, text.starts[wrong], text.ends[wrong])
        if kind != lines.ASKS_NAME:  # the crash was caused by an empty name
            add_junk(parser, junk, parser.preamble, line.number)
    parser.preamble = parser.preamble_wrong = NONE
    parser.over = BROKEN_OFF if line.kind == lines.TRACEBACK else OVER
