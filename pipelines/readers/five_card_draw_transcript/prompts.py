"""Compiled: lines of a five-card draw transcript that are printed behind prompts.

A terminal echoes what is typed behind a prompt. Input from a pipe is not echoed: the next line directly
follows the prompt, and what was typed is unknown, even the human's name."""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.bytes import as_word, ends_with, starts_with
from cardlog.pipelines.readers.five_card_draw_transcript import lines, phrases
from cardlog.pipelines.readers.five_card_draw_transcript.lines import NONE, Line, Text, kind_of
from cardlog.pipelines.readers.five_card_draw_transcript.state import UNRESOLVED
from cardlog.pipelines.readers.five_card_draw_transcript.table import seat_of
from cardlog.pipelines.readers.scan import Bytes

_BACKSPACE: Final = 8
_TAB: Final = 9
_CARET: Final = 94
_TYPED_IN_NUMBERS: Final = as_word("0123456789+-_ ")


@compiled
def classified(text: Text, number: Int, piped: bool) -> Line:
    """A line with its kind; behind prompts, the line that follows them."""
    end = text.ends[number]
    kind, start = kind_of(text.buffer, text.starts[number], end)
    prompt: Int = NONE
    while lines.ASKS_GAME <= kind <= lines.ASKS_SWAP:
        if ends_with(text.buffer, start, end, phrases.TRACEBACK) and (
            kind != lines.ASKS_NAME or _crashes(text, number)
        ):
            return Line(number, lines.TRACEBACK, end, end, kind)
        behind, behind_start = _behind(text.buffer, kind, start, end)
        if not _may_follow(kind, behind) or (kind == lines.ASKS_NAME and not _sets_up(text, number)):
            break
        if not piped and _kind_at(text, number + 1) == lines.TRACEBACK:
            break  # the program has refused it, so it was typed
        prompt, kind, start = kind, behind, behind_start
    return Line(number, kind, start, end, prompt)


@compiled
def _kind_at(text: Text, number: Int) -> Int:
    """The kind of a line, `NONE` after the last one."""
    if number >= len(text.starts):
        return NONE
    kind, _ = kind_of(text.buffer, text.starts[number], text.ends[number])
    return kind


@compiled
def _behind(buffer: Bytes, prompt: Int, start: Int, end: Int) -> tuple[Int, Int]:
    """The kind of what follows a prompt, and the offset of its variable part."""
    if prompt != lines.ASKS_NAME:  # a number may be typed without the enter key
        while start < end and _is_one_of(buffer[start], _TYPED_IN_NUMBERS):
            start += 1
    return kind_of(buffer, start, end)


@compiled
def _is_one_of(byte: Int, word: Any) -> bool:
    found = False
    for other in word:
        found |= bool(byte == other)
    return found


@compiled
def _may_follow(prompt: Int, kind: Int) -> bool:
    """Whether the program prints a line of this kind after an answer, or when it is run again after ending at
    the prompt. (A name may be anything.)"""
    if prompt == lines.ASKS_NAME:
        return bool(kind == lines.SETUP)
    if kind == lines.ASKS_GAME or kind == lines.ASKS_NAME:
        return True
    if prompt == lines.ASKS_GAME:
        return bool(kind == lines.SETUP)
    return bool(kind == lines.INFO or kind == (lines.ACTION if prompt == lines.ASKS_BET else lines.CARDS))


@compiled
def _sets_up(text: Text, number: Int) -> bool:
    """Whether ``What's your name?[SETUP] …`` has the chips, not a name that looks like them: after a name the
    line with the chips comes next."""
    if number + 1 >= len(text.starts):
        return True
    end = text.ends[number + 1]
    kind, start = kind_of(text.buffer, text.starts[number + 1], end)
    return not (kind == lines.SETUP and starts_with(text.buffer, start, end, phrases.GIVEN))


@compiled
def _crashes(text: Text, number: Int) -> bool:
    """Whether a line that ends like the first one of a traceback is one, not a name."""
    if number + 1 >= len(text.starts):
        return True
    start, end = text.starts[number + 1], text.ends[number + 1]
    return starts_with(text.buffer, start, end, phrases.TRACEBACK_GOES_ON)


# ---------------------------------------------------------------- the name that was typed


@compiled
def seat_of_human(buffer: Bytes, parser: Any) -> Int:
    """The seat of the human, `NONE` if the name is not in the log or nobody at the table has it."""
    if parser.human == UNRESOLVED:
        parser.human = _find_seat(buffer, parser)
    seat: Int = parser.human
    return seat


@compiled
def _find_seat(buffer: Bytes, parser: Any) -> Int:
    start, end = parser.human_from, parser.human_to
    if end <= start or parser.seats == 0:
        return NONE
    seat = seat_of(buffer, parser, start, end)
    if seat != NONE:
        return seat
    for whole in (True, False):
        typed = np.empty(end - start, np.int64)
        length = _on_screen(buffer, start, end, whole, typed)
        for other in range(parser.seats):
            first, last = parser.name_from[other], parser.name_to[other]
            name = np.empty(2 * (last - first), np.int64)
            if _as_echoed(buffer, first, last, whole, name) == length:
                same = 0
                while same < length and name[same] == typed[same]:
                    same += 1
                if same == length:
                    return other
    return NONE


@compiled
def _character(buffer: Bytes, offset: Int, end: Int, whole: bool) -> tuple[Int, Int]:
    """A number for the character at an offset, and the offset of the next one. A terminal that is not set to
    UTF-8 treats each byte as a character: then `whole` is False."""
    character = np.int64(buffer[offset])
    offset += 1
    while whole and offset < end and buffer[offset] & 0xC0 == 0x80:
        character = (character << 8 | np.int64(buffer[offset])) & 0xFFFFFFFF
        offset += 1
    return character, offset


@compiled
def _on_screen(buffer: Bytes, start: Int, end: Int, whole: bool, shown: Any) -> Int:
    """What a terminal shows after corrections, a number for each character; returns their count. A backspace
    moves back, and what follows is written over it."""
    count: Int = 0
    offset = start
    while offset < end:
        character, offset = _character(buffer, offset, end, whole)
        if character == _BACKSPACE:
            count = max(count - 1, 0)
        else:
            shown[count] = character
            count += 1
    return count


@compiled
def _as_echoed(buffer: Bytes, start: Int, end: Int, whole: bool, shown: Any) -> Int:
    """What a terminal shows of a typed name, as `_on_screen`: control characters as ``^`` and a letter."""
    count: Int = 0
    offset = start
    while offset < end:
        character, offset = _character(buffer, offset, end, whole)
        if character < 32 and character != _TAB:
            shown[count] = _CARET
            count += 1
            character += 64
        shown[count] = character
        count += 1
    return count
