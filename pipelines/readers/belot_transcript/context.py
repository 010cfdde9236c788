"""What only the lines before and after a line of belot's transcripts can tell of it.

Names may look like what a program prints, a person at the keyboard may type anything at a pause, and
where input comes from a file its answers are not seen, so the next line runs on behind the prompt.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote.score import TRICKS
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript import lines
from cardlog.pipelines.readers.belot_transcript.lines import kind_at, starts_with
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.events import compiled_dtype

_BOM: Final = np.frombuffer(b"\xef\xbb\xbf", np.uint8)
_SPOILT_BOM: Final = np.frombuffer(b"\xc3\xaf\xc2\xbb\xc2\xbf", np.uint8)
"""The byte order mark in UTF-8, and that read as cp1252 and written again."""
_FIRST_CHOICE: Final = np.frombuffer(b"[1] ", np.uint8)
_NO_PAUSE, _TRICK_PAUSE, _HAND_PAUSE = range(3)
_PAIRS: Final = 2

_SAME_PROMPT: Final = 8
"""Bytes at its beginning by which a prompt is known."""
_RULE: Final = np.frombuffer(b"=================", np.uint8)
_DASHES: Final = np.frombuffer(b"---------- ", np.uint8)
_NEVER_TYPED: Final = (
    lines.MARK, lines.PAIR_A, lines.PAIR_B, lines.SHARING, lines.DEALER, lines.HEADER, lines.BELA,
    lines.DECLARATION, lines.NO_DECLARATION, lines.TRICK, lines.PAIR_POINTS, lines.WON, lines.CRASH,
    lines.TRACE,
)  # fmt: skip

CONTEXT: Final = compiled_dtype(
    [
        ("after_crash", np.bool_),  # whether lines of a traceback may follow
        ("after_warning", np.bool_),  # whether the line of code that a warning is about may follow
        ("acting", np.bool_),  # whether a header was read, and not yet what the player does
        ("named", np.bool_),  # whether trump is named
        ("cards", np.int16),  # cards of the trick
        ("tricks", np.int16),  # tricks of the hand
        ("totals", np.int8),  # pairs still to come below the line of totals
        ("pause", np.int8),  # whether and where the program may wait for the person at the keyboard
    ]
)
"""What the lines so far tell of the next one."""


@compiled
def classify(
    buffer: Bytes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    begins: NDArray[np.int64],
    finishes: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> None:
    """Say of each line what it is.

    kinds
        Out: what it is.
    begins, finishes
        Out: where the name in it, or what else it is about, begins and ends.
    numbers
        Out: the number or the card in it.
    """
    found = np.zeros(3, np.int64)
    known = np.zeros(1, CONTEXT)[0:1][0]
    for line in range(len(starts)):
        start, end = _after_mark(buffer, starts[line], ends[line]), ends[line]
        acts = known.acting and not known.named
        kind = kind_at(buffer, start, end, acts, known.tricks == TRICKS and not known.acting, found)
        if kind == lines.PROMPT:
            kind = _behind_prompt(buffer, start, starts, ends, line, acts, found)
        indented = start < end and buffer[start] == 32 and kind != lines.BLANK
        if known.after_crash and (kind in (lines.UNKNOWN, lines.NOISE) or indented):
            known.after_crash = indented
            kind = lines.TRACE
        else:
            if known.after_warning and kind == lines.UNKNOWN and indented:
                kind = lines.NOISE
            elif known.pause and _is_typed(buffer, starts, ends, line, kind, known.pause):
                kind, found[2] = lines.NOISE, 0
            if kind != lines.BLANK:
                _go_on(known, kind, found[2])
        kinds[line] = kind
        begins[line] = found[0]
        finishes[line] = found[1]
        numbers[line] = found[2]


@compiled
def _after_mark(buffer: Bytes, start: Int, end: Int) -> Int:
    """Where a line begins behind its byte order mark, if it has one."""
    for mark in (_BOM, _SPOILT_BOM):
        if starts_with(buffer, start, end, mark):
            start += len(mark)
    return start


@compiled
def _next_line(buffer: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], line: Int) -> Int:
    """The next line that is not blank, the number of lines if there is none."""
    line += 1
    while line < len(starts):
        for place in range(starts[line], ends[line]):
            if buffer[place] not in (32, 9, 13):
                return line
        line += 1
    return line


@compiled
def _behind_prompt(
    buffer: Bytes,
    start: Int,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    line: Int,
    acts: bool,
    found: Any,
) -> int:
    """What stands behind a prompt: mostly what was typed; but if input is not echoed, the next line. It
    is what was typed if the program then asks again."""
    place, end = start, ends[line]
    kind = lines.PROMPT
    while kind == lines.PROMPT:
        place += found[2]
        kind = kind_at(buffer, place, end, acts, False, found) if place < end else lines.BLANK
    if kind == lines.CARD:
        is_printed = found[2] != lines.NO_CARD
    else:
        is_printed = kind in (lines.PASS, lines.TRUMP, lines.BELA)
    after = _next_line(buffer, starts, ends, line)
    if is_printed and after < len(starts):
        first = starts[after]
        is_printed = not starts_with(buffer, first, ends[after], _FIRST_CHOICE) and not starts_with(
            buffer, first, ends[after], buffer[start : start + _SAME_PROMPT]
        )
    return kind if is_printed or kind == lines.CRASH else lines.PROMPT


@compiled
def _is_typed(
    buffer: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], line: Int, kind: int, pause: int
) -> bool:
    """Whether a line is what a person typed while the program waited: it stands where the program
    waits, alone, and then the program goes on. What might be said of the game itself is not taken for it."""
    if kind in (lines.BLANK, lines.NOISE) or kind in _NEVER_TYPED:
        return False
    after = _next_line(buffer, starts, ends, line)
    if after == len(starts):
        return kind == lines.UNKNOWN
    first, end = starts[after], ends[after]
    if pause == _HAND_PAUSE:
        return starts_with(buffer, first, end, _RULE)
    while first < end and buffer[first] == 32:
        first += 1
    return starts_with(buffer, first, end, _DASHES)


@compiled
def _go_on(known: Any, kind: int, number: Int) -> None:
    """Note what a line that is not blank tells of the next one."""
    known.after_crash = kind == lines.CRASH
    known.after_warning = kind == lines.NOISE and number == lines.WARNED
    known.pause = _NO_PAUSE
    if kind in (lines.SHARING, lines.DEALER, lines.MARK, lines.PAIR_A, lines.PAIR_B, lines.CRASH):
        known.acting = False
        known.named = False
        known.cards = 0
        known.tricks = 0
        known.totals = 0
        if kind == lines.PAIR_B:
            known.pause = _HAND_PAUSE
    elif kind == lines.HEADER:
        known.acting = True
    elif kind in (lines.PASS, lines.TRUMP, lines.CARD):
        known.acting = False
        known.named |= kind == lines.TRUMP
        known.cards += kind == lines.CARD
    elif kind == lines.TRICK:
        known.cards = 0
        known.tricks += 1
    elif kind == lines.TOTALS:
        known.totals = _PAIRS
    elif kind == lines.PAIR_POINTS and known.totals > 0:
        known.totals -= 1
        if known.totals == 0:
            known.pause = _HAND_PAUSE
    elif kind == lines.WON:
        known.tricks = 0
    before_trick = kind in (lines.DECLARATION, lines.NO_DECLARATION, lines.TRICK) or (
        kind == lines.NOISE and number == lines.BEFORE_TRICK
    )
    if before_trick and known.named and not known.acting and known.cards == 0 and known.tricks < TRICKS:
        known.pause = _TRICK_PAUSE
