"""Classifies the lines of a transcript, also by the lines around them.

Names may look like the program's own lines, people may type anything at a pause, and input from a file is
not echoed, so the next line follows directly behind the prompt.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote.score import TRICKS
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript import phrases
from cardlog.pipelines.readers.belot_transcript.line import LINE, classify_line
from cardlog.pipelines.readers.bytes import NO_CARD, SPACE, matches, starts_with
from cardlog.pipelines.readers.scan import Bytes, line_bounds
from cardlog.schemas.events import compiled_dtype

_NO_PAUSE, _TRICK_PAUSE, _HAND_PAUSE = range(3)
_PAIRS: Final = 2
_SAME_PROMPT: Final = 8
"""The first bytes of a prompt, which identify it."""
_NEVER_TYPED: Final = (
    phrases.MARK, phrases.PAIR_A, phrases.PAIR_B, phrases.SHARING, phrases.DEALER, phrases.HEADER,
    phrases.BELA, phrases.DECLARATION, phrases.NO_DECLARATION, phrases.TRICK, phrases.PAIR_POINTS,
    phrases.WON, phrases.CRASH, phrases.TRACE,
)  # fmt: skip

_EXPECTED: Final = compiled_dtype(
    [
        ("after_crash", np.bool_),  # whether a traceback may follow
        ("after_warning", np.bool_),  # whether a warning's line of code may follow
        ("acting", np.bool_),  # whether a header was read, but no act of the player
        ("named", np.bool_),  # whether trump is named
        ("cards", np.int16),  # lines of cards since the last trick
        ("tricks", np.int16),  # lines of tricks in the hand
        ("totals", np.int8),  # pairs expected below the line of totals
        ("pause", np.int8),  # whether and where the program may wait for input
    ]
)
"""What the lines so far let expect of the next one, before hands are known."""


def classify(text: bytes) -> NDArray[np.void]:
    """The lines of a text, `LINE`."""
    buffer = np.frombuffer(text, np.uint8)
    starts, ends = line_bounds(buffer)
    lines = np.zeros(len(starts), LINE)
    lines["start"], lines["end"] = starts, ends
    _classify(buffer, lines, np.zeros(1, _EXPECTED))
    return lines


@compiled
def _classify(text: Bytes, lines: Any, expectations: Any) -> None:
    expected = expectations[0]
    first = len(phrases.BOM) if matches(text, 0, phrases.BOM) else 0
    for index in range(len(lines)):
        line = lines[index]
        start, end = max(line.start, first), line.end
        for mark in (phrases.BOM, phrases.GARBLED_BOM):
            if starts_with(text, start, end, mark):
                start += len(mark)
        acts = expected.acting and not expected.named
        kind = classify_line(text, start, end, acts, expected.tricks == TRICKS and not expected.acting, line)
        if kind == phrases.PROMPT:
            kind = _behind_prompt(text, start, lines, index, acts)
        indented = start < end and text[start] == SPACE and kind != phrases.BLANK
        if expected.after_crash and (kind in (phrases.UNKNOWN, phrases.NOISE) or indented):
            expected.after_crash = indented
            kind = phrases.TRACE
        else:
            if expected.after_warning and kind == phrases.UNKNOWN and indented:
                kind = phrases.NOISE
            elif expected.pause and _is_typed(text, lines, index, kind, expected.pause):
                kind, line.number = phrases.NOISE, 0
            if kind != phrases.BLANK:
                _expect(expected, kind, line.number)
        line.kind = kind


@compiled
def _next_line(text: Bytes, lines: Any, index: Int) -> Int:
    """Index of the next line that is not blank, the number of lines if there is none."""
    index += 1
    while index < len(lines):
        for offset in range(lines[index].start, lines[index].end):
            if text[offset] not in (32, 9, 13):
                return index
        index += 1
    return index


@compiled
def _behind_prompt(text: Bytes, start: Int, lines: Any, index: Int, acts: bool) -> int:
    """The kind of what follows a prompt: the answer, or the next line if input is not echoed. It is the
    answer if the program then asks again."""
    line = lines[index]
    offset, end = start, line.end
    kind = phrases.PROMPT
    while kind == phrases.PROMPT:
        offset += line.number
        kind = classify_line(text, offset, end, acts, False, line) if offset < end else phrases.BLANK
    if kind == phrases.CARD:
        is_printed = line.number != NO_CARD
    else:
        is_printed = kind in (phrases.PASS, phrases.TRUMP, phrases.BELA)
    after = _next_line(text, lines, index)
    if is_printed and after < len(lines):
        first, stop = lines[after].start, lines[after].end
        asks_again = starts_with(text, first, stop, phrases.FIRST_CHOICE) or starts_with(
            text, first, stop, text[start : start + _SAME_PROMPT]
        )
        is_printed = not asks_again
    return kind if is_printed or kind == phrases.CRASH else phrases.PROMPT


@compiled
def _is_typed(text: Bytes, lines: Any, index: Int, kind: int, pause: int) -> bool:
    """Whether a line was typed by a person: it is the only one where the program waits, and then the program
    goes on. A line that may belong to the game is never taken for it."""
    if kind in (phrases.BLANK, phrases.NOISE) or kind in _NEVER_TYPED:
        return False
    after = _next_line(text, lines, index)
    if after == len(lines):
        return kind == phrases.UNKNOWN
    first, end = lines[after].start, lines[after].end
    if pause == _HAND_PAUSE:
        return starts_with(text, first, end, phrases.RULE)
    while first < end and text[first] == SPACE:
        first += 1
    return starts_with(text, first, end, phrases.DASHES)


@compiled
def _expect(expected: Any, kind: int, number: Int) -> None:
    """Update what is expected after a line that is not blank."""
    expected.after_crash = kind == phrases.CRASH
    expected.after_warning = kind == phrases.NOISE and number == phrases.WARNED
    expected.pause = _NO_PAUSE
    if kind in (
        phrases.SHARING, phrases.DEALER, phrases.MARK, phrases.PAIR_A, phrases.PAIR_B, phrases.CRASH
    ):  # fmt: skip
        expected.acting = False
        expected.named = False
        expected.cards = 0
        expected.tricks = 0
        expected.totals = 0
        if kind == phrases.PAIR_B:
            expected.pause = _HAND_PAUSE
    elif kind == phrases.HEADER:
        expected.acting = True
    elif kind in (phrases.PASS, phrases.TRUMP, phrases.CARD):
        expected.acting = False
        expected.named |= kind == phrases.TRUMP
        expected.cards += kind == phrases.CARD
    elif kind == phrases.TRICK:
        expected.cards = 0
        expected.tricks += 1
    elif kind == phrases.TOTALS:
        expected.totals = _PAIRS
    elif kind == phrases.PAIR_POINTS and expected.totals > 0:
        expected.totals -= 1
        if expected.totals == 0:
            expected.pause = _HAND_PAUSE
    elif kind == phrases.WON:
        expected.tricks = 0
    before_trick = kind in (phrases.DECLARATION, phrases.NO_DECLARATION, phrases.TRICK) or (
        kind == phrases.NOISE and number == phrases.BEFORE_TRICK
    )
    is_between = not expected.acting and expected.cards == 0 and expected.tricks < TRICKS
    if before_trick and expected.named and is_between:
        expected.pause = _TRICK_PAUSE
