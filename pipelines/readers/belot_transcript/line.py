"""One line: its kind, and the offsets of the name, the number or the card in it.

Only ASCII is relied on, which is the same in every encoding. `lines` decides what depends on other lines.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript import phrases
from cardlog.pipelines.readers.belot_transcript.cards import parse_card, parse_suit
from cardlog.pipelines.readers.bytes import (
    SPACE,
    digits_start,
    ends_with,
    equals,
    find_last,
    is_digit,
    parse_int,
    starts_with,
)
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.events import compiled_dtype

LINE: Final = compiled_dtype(
    [
        ("start", np.int64),  # offsets, without byte order mark and line end
        ("end", np.int64),
        ("name_start", np.int64),  # offsets of the name or other variable part
        ("name_end", np.int64),
        ("number", np.int64),  # the number in it, or the card
        ("kind", np.uint8),  # one of `phrases`
    ]
)
_TAB, _RETURN = 9, 13
_EXCLAMATION_MARK, _BRACKET, _BRACKET_END = 33, 40, 41
_MINUS, _DOT, _COLON, _EQUALS, _GREATER, _W = 45, 46, 58, 61, 62, 87
_SQUARE, _SQUARE_END = 91, 93
_MOST_DIGITS: Final = 5


@compiled
def parse_points(text: Bytes, start: Int, end: Int) -> Int:
    """A number of at most five digits, -1 for anything else."""
    return parse_int(text, start, end, _MOST_DIGITS)


@compiled
def classify_line(text: Bytes, start: Int, whole: Int, acts: bool, sums: bool, line: Any) -> int:
    """The kind of a line; sets the name's offsets and the number in `line`.

    Names may contain anything, so a line that begins with a name may look like one that ends with it. In
    ``Karte dijeli Ana kaže dalje`` either Ana kaže dalje deals, or Karte dijeli Ana passes: that depends on
    the lines before it.

    whole
        Its end, including trailing blanks: they may belong to a name.
    acts
        Whether a bid is expected.
    sums
        Whether the results of a hand or a match are expected.
    """
    end = whole
    while end > start and text[end - 1] in (SPACE, _TAB, _RETURN):
        end -= 1
    _note(line, start, end, 0)
    if start == end:
        return phrases.BLANK
    if ends_with(text, start, end, phrases.TRACEBACK):
        return phrases.CRASH
    if text[start] == _TAB:
        kind = _after_tab(text, start + 1, end, line)
        if kind != phrases.UNKNOWN:
            return kind
    _note(line, line.name_start, end, 0)
    kind = _with_name_first(text, start, end, line)
    name_end, number = line.name_end, line.number
    if kind in (phrases.PASS, phrases.TRUMP):
        if acts:
            if _by_beginning(text, start, end, whole, line) == phrases.PROMPT:
                return phrases.PROMPT
            _note(line, start, name_end, number)
            return kind
    elif kind != phrases.UNKNOWN and sums:
        return kind
    _note(line, start, end, 0)
    other = _with_name_last(text, end, whole, line)
    if other != phrases.UNKNOWN or kind == phrases.UNKNOWN:
        if other in (phrases.DEALER, phrases.PAIR_A, phrases.PAIR_B, phrases.TRICK):
            line.name_end = max(line.name_start, whole)
        return other
    _note(line, start, name_end, number)
    return kind


@compiled
def _note(line: Any, name_start: Int, name_end: Int, number: Int) -> None:
    line.name_start = name_start
    line.name_end = name_end
    line.number = number


@compiled
def _with_name_last(text: Bytes, end: Int, whole: Int, line: Any) -> int:
    """The kind of a line that does not begin with a name."""
    start = line.name_start
    first = text[start]
    if first == SPACE:
        return _after_spaces(text, start, end, line)
    if first == _MINUS:
        return _header(text, start, end, line)
    if first == _GREATER and end - start > 1 and text[start + 1] == SPACE:
        return _trick(text, start, whole, line)
    if parse_suit(text, start, end)[0] >= 0:
        line.number = parse_card(text, start, end)
        return phrases.CARD
    if first == _SQUARE and end - start > 2 and (text[start + 1] == _MINUS or is_digit(text[start + 1])):
        return phrases.CHOICE if text[start + 2] == _SQUARE_END else phrases.NOISE
    if first == _EQUALS and starts_with(text, start, end, phrases.RULE):
        behind = start + len(phrases.RULE)
        for rule in (phrases.SHARING_RULE, phrases.DIJELJENJE_RULE):
            if starts_with(text, behind, end, rule):
                return phrases.SHARING
        return phrases.UNKNOWN
    if starts_with(text, start, end, phrases.PLAYER):
        return _hand_cards(text, start, end, line)
    if starts_with(text, start, end, phrases.FINISHED):
        return _final_points(text, start, end, line)
    if _is_duration(text, start, end):
        return phrases.NOISE
    kind = _by_beginning(text, start, end, whole, line)
    if kind == phrases.UNKNOWN and _is_warning(text, start, end):
        line.number = phrases.WARNED
        return phrases.NOISE
    return kind


@compiled
def _by_beginning(text: Bytes, start: Int, end: Int, whole: Int, line: Any) -> int:
    """The kind of a line by its beginning; some phrases are followed by a name, which may be blank."""
    first = np.int64(text[start])
    for index in range(phrases.BEGINNINGS_BY_BYTE[first], phrases.BEGINNINGS_BY_BYTE[first + 1]):
        begin, stop = phrases.BEGINNING_BOUNDS[index], phrases.BEGINNING_BOUNDS[index + 1]
        if starts_with(text, start, whole, phrases.BEGINNINGS[begin:stop]):
            line.name_start = start + stop - begin
            line.number = phrases.BEGINNING_NUMBERS[index]
            kind = int(phrases.BEGINNING_KINDS[index])
            stands_alone = kind in (
                phrases.BELA, phrases.MUST, phrases.DECLARATIONS, phrases.POINTS, phrases.TOTALS
            )  # fmt: skip
            return phrases.UNKNOWN if stands_alone and line.name_start != end else kind
    return phrases.UNKNOWN


@compiled
def _is_duration(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a line is a duration: ``0:27:35.980478``, ``2 days, 0:27:35.980478``."""
    if start < end and is_digit(text[start]):
        comma = find_last(text, start, end, phrases.AFTER_DAYS)
        if comma > start and find_last(text, start, comma, phrases.DAY) > start:
            start = comma + len(phrases.AFTER_DAYS)
    if end - start < 7 or end - start > 24:
        return False
    colons = 0
    for offset in range(start, end):
        colons += text[offset] == _COLON
        if not (is_digit(text[offset]) or text[offset] == _COLON or text[offset] == _DOT):
            return False
    return colons == 2


@compiled
def _is_warning(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a line is a warning: Python's, ``path/policy.py:210: UserWarning: …``, or one of PyTorch's
    own, ``[W818 12:31:04.151 NNPACK.cpp:61] …``."""
    if text[start] == _SQUARE and start + 1 < end and text[start + 1] == _W:
        return bool(find_last(text, start, end, phrases.CPP) > start)
    if find_last(text, start, end, phrases.WARNING) < 0:
        return False
    offset = start
    while offset < end and not (text[offset] == _COLON and offset + 1 < end and is_digit(text[offset + 1])):
        offset += 1
    offset += 1
    while offset < end and is_digit(text[offset]):
        offset += 1
    return bool(offset + 1 < end and text[offset] == _COLON and text[offset + 1] == SPACE)


@compiled
def _after_tab(text: Bytes, start: Int, end: Int, line: Any) -> int:
    """The kind of a line after a tab: declarations, or a pair and its points."""
    begin = start
    while begin < end and text[begin] == SPACE:
        begin += 1
    for phrase in (phrases.NEMA_ZVANJA, phrases.NO_VOCATION):
        if equals(text, begin, end, phrase):
            return phrases.NO_DECLARATION
    if end > start and text[end - 1] == _SQUARE_END:
        first_set = find_last(text, start, end, phrases.FIRST_SET)
        if first_set >= 0:
            _note(line, start, first_set, first_set + 3)
            return phrases.DECLARATION
    digits = digits_start(text, start, end)
    points = parse_points(text, digits, end)
    if points < 0 or digits - start < 3 or text[digits - 1] != SPACE or text[digits - 2] != _COLON:
        return phrases.UNKNOWN
    _note(line, start, digits - 2, points)
    return phrases.PAIR_POINTS


@compiled
def _with_name_first(text: Bytes, start: Int, end: Int, line: Any) -> int:
    """The kind of a line that begins with a name, by its end."""
    last = text[end - 1]
    line.name_start = start
    if last == phrases.SAYS_FURTHER[-1] and ends_with(text, start, end, phrases.SAYS_FURTHER):
        line.name_end = end - len(phrases.SAYS_FURTHER)
        return phrases.PASS
    if last == phrases.E_DALJE[-1] and ends_with(text, start, end, phrases.E_DALJE):
        line.name_end = find_last(text, max(start, end - 20), end, phrases.KA)
        if line.name_end >= start:
            return phrases.PASS
    elif last in (_EXCLAMATION_MARK, _BRACKET_END):
        return _result(text, start, end, line)
    elif 48 <= last <= 51 or (
        65 <= last <= 90 and find_last(text, max(start, end - 12), end, phrases.SUIT) >= 0
    ):
        return _trump(text, start, end, line)
    line.name_end = end
    return phrases.UNKNOWN


@compiled
def _trump(text: Bytes, start: Int, end: Int, line: Any) -> int:
    """``NAME calling 2 Suit.PIK``, or ``NAME calling 2 2`` from Python 3.11 on; the suit's name, if there is
    one, must agree with the number."""
    begin = max(start, end - 24)
    offset, size = find_last(text, begin, end, phrases.ZOVE), len(phrases.ZOVE)
    calling = find_last(text, begin, end, phrases.CALLING)
    if calling > offset:
        offset, size = calling, len(phrases.CALLING)
    if offset < start or offset + size >= end:
        line.name_end = end
        return phrases.UNKNOWN
    number = np.int64(text[offset + size]) - 48
    rest = offset + size + 1
    if number < 0 or number > 3:
        return phrases.UNKNOWN
    is_number_again = end - rest == 2 and text[rest] == SPACE and text[rest + 1] == text[rest - 1]
    if rest != end and not is_number_again:
        if not starts_with(text, rest, end, phrases.SUIT):
            return phrases.UNKNOWN
        suit, behind = parse_suit(text, rest + len(phrases.SUIT), end)
        if suit != number or behind != end:
            return phrases.UNKNOWN
    line.name_end = offset
    line.number = number
    return phrases.TRUMP


@compiled
def _result(text: Bytes, start: Int, end: Int, line: Any) -> int:
    """A pair that failed, won or took all tricks."""
    for phrase, kind in (
        (phrases.DID_NOT_PASS, phrases.FAILED),
        (phrases.SU_POBJEDILI, phrases.WON),
        (phrases.HAVE_WON, phrases.WON),
    ):
        if ends_with(text, start, end, phrase):
            line.name_end = end - len(phrase)
            return kind
    stop = end - 1 if text[end - 1] == _EXCLAMATION_MARK else end
    if ends_with(text, start, stop, phrases.MADE_ALL_STICHE):
        line.name_end = stop - len(phrases.MADE_ALL_STICHE)
        return phrases.ALL_TRICKS
    offset = find_last(text, start, end, phrases.NISU_PRO)
    if offset > start and ends_with(text, offset, end, phrases.LI) and end - offset < 24:
        line.name_end = offset
        return phrases.FAILED
    offset = find_last(text, start, end, phrases.SU_NAPRAVILI)
    if offset > start and end - offset < 40 and text[end - 1] == _EXCLAMATION_MARK:
        line.name_end = offset
        return phrases.ALL_TRICKS
    return phrases.UNKNOWN


@compiled
def _after_spaces(text: Bytes, start: Int, end: Int, line: Any) -> int:
    """A line that begins with spaces: a header, the rest of a tensor, or anything that may follow a tab."""
    while start < end and text[start] == SPACE:
        start += 1
    if starts_with(text, start, end, phrases.DASHES):
        return _header(text, start, end, line)
    kind = _after_tab(text, start, end, line)
    if kind == phrases.UNKNOWN:
        goes_on = text[start] == _MINUS or is_digit(text[start])
        for word in phrases.TENSOR_WORDS:
            goes_on |= starts_with(text, start, end, word)
        line.number = 0
        kind = phrases.NOISE if goes_on else phrases.UNKNOWN
    return kind


@compiled
def _header(text: Bytes, start: Int, end: Int, line: Any) -> int:
    """``---------- NAME ----------``."""
    begin = start + len(phrases.DASHES)
    if not starts_with(text, start, end, phrases.DASHES):
        return phrases.UNKNOWN
    if not ends_with(text, begin, end, phrases.DASHES_AFTER):
        return phrases.UNKNOWN
    line.name_start, line.name_end = begin, end - len(phrases.DASHES_AFTER)
    return phrases.HEADER


@compiled
def _trick(text: Bytes, start: Int, end: Int, line: Any) -> int:
    """``> Stich (13) made by NAME``."""
    begin = start
    while begin < end and text[begin] != _BRACKET:
        begin += 1
    stop = begin
    while stop < end and text[stop] != _BRACKET_END:
        stop += 1
    line.number = parse_points(text, begin + 1, stop)
    if begin - start > 24 or line.number < 0:
        return phrases.UNKNOWN
    for phrase in (phrases.KUPI, phrases.MADE_BY):
        if starts_with(text, stop, end, phrase):
            line.name_start = stop + len(phrase)
            return phrases.TRICK
    return phrases.UNKNOWN


@compiled
def _hand_cards(text: Bytes, start: Int, end: Int, line: Any) -> int:
    """``Player  1 Cards: [...]``."""
    number = start + len(phrases.PLAYER)
    while number < end and text[number] == SPACE:
        number += 1
    if number >= end or text[number] < 49 or text[number] > 52 or text[end - 1] != _SQUARE_END:
        return phrases.UNKNOWN
    if not starts_with(text, number + 1, end, phrases.CARDS_OF_HAND):
        return phrases.UNKNOWN
    _note(line, number + 1 + len(phrases.CARDS_OF_HAND), end - 1, np.int64(text[number]) - 49)
    return phrases.HAND_CARDS


@compiled
def _final_points(text: Bytes, start: Int, end: Int, line: Any) -> int:
    """``… newPointsA 88 newPointsB 144``: the name's offsets are those of the first number; the second is the
    number."""
    begin = start + len(phrases.FINISHED)
    second = find_last(text, begin, end, phrases.POINTS_B)
    if second < 0:
        return phrases.UNKNOWN
    line.number = parse_points(text, second + len(phrases.POINTS_B), end)
    if line.number < 0 or parse_points(text, begin, second) < 0:
        return phrases.UNKNOWN
    line.name_start, line.name_end = begin, second
    return phrases.FINAL_POINTS
