"""Compiled parsers over the bytes of a text: its lines, and fields as Postgres writes them."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled

Bytes = NDArray[np.uint8]

BOM: Final = b"\xef\xbb\xbf"
"""Byte order mark that some programs put before UTF-8."""

BAD_NUMBER: Final = np.int64(2**40)
"""Stands for a number that is none, or does not fit into 32 bits."""
BAD_TIME: Final = np.int64(-(2**62))
"""Stands for a time that is none."""
NULL: Final = 2
"""Stands for NULL among booleans."""
_FIRST_SECOND = np.int64(-62135596800)
_LAST_SECOND = np.int64(253402300799)
"""The years 1 to 9999 in UTC, which every reader of the tables can show."""


@compiled
def line_bounds(buffer: Bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each line begins and ends, without its line end. An unfinished last line counts."""
    count = 0
    for place in range(len(buffer)):
        count += buffer[place] == 10
    if len(buffer) and buffer[-1] != 10:
        count += 1
    starts = np.empty(count, np.int64)
    ends = np.empty(count, np.int64)
    line = 0
    start = 0
    for place in range(len(buffer)):
        if buffer[place] == 10:
            starts[line] = start
            ends[line] = place - 1 if place > start and buffer[place - 1] == 13 else place
            line += 1
            start = place + 1
    if start < len(buffer):
        starts[line] = start
        ends[line] = len(buffer) - 1 if buffer[-1] == 13 else len(buffer)
    return starts, ends


@compiled
def whole_number(buffer: Bytes, start: Int, end: Int) -> Int:
    """A decimal number as Postgres writes it: no sign but minus, no leading zeros, 32 bits."""
    if start < end and buffer[start] == 45:
        size = whole_number(buffer, start + 1, end)
        return -size if 0 < size <= 2**31 else BAD_NUMBER
    if end - start < 1 or end - start > 10 or (buffer[start] == 48 and end - start > 1):
        return BAD_NUMBER
    value: Int = np.int64(0)
    for place in range(start, end):
        digit = np.int64(buffer[place]) - 48
        if digit < 0 or digit > 9:
            return BAD_NUMBER
        value = value * 10 + digit
    return value if value < 2**31 else BAD_NUMBER


@compiled
def is_null(buffer: Bytes, start: Int, end: Int) -> bool:
    """Whether a field is NULL: empty, or ``\\N`` as in COPY's text format."""
    return end == start or (end - start == 2 and buffer[start] == 92 and buffer[start + 1] == 78)


@compiled
def boolean(buffer: Bytes, start: Int, end: Int) -> Int:
    """1 for t or true, 0 for f or false, 2 for NULL, -1 for anything else."""
    if is_null(buffer, start, end):
        return 2
    for value, word in ((1, b"true"), (0, b"false")):
        if end - start == 1 or end - start == len(word):
            same = True
            for place in range(end - start):
                same &= buffer[start + place] == word[place]
            if same:
                return value
    return -1


@compiled
def _digits(buffer: Bytes, start: Int, count: Int) -> Int:
    """`count` decimal digits, -10**6 or less if one of them is none."""
    value: Int = 0
    for place in range(start, start + count):
        digit = np.int64(buffer[place]) - 48
        if digit < 0 or digit > 9:
            return -1_000_000
        value = value * 10 + digit
    return value


@compiled
def _days(year: Int, month: Int, day: Int) -> Int:
    """Days from 1970-01-01 to a date of the Gregorian calendar, -1 << 40 if there is none such."""
    if year < 1 or month < 1 or month > 12 or day < 1:
        return -(1 << 40)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    length = 30 + (month + month // 8) % 2
    if month == 2:
        length = 29 if leap else 28
    if day > length:
        return -(1 << 40)
    shifted = year - (month <= 2)
    era_year = shifted % 400
    month_days = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return (shifted // 400) * 146097 + era_year * 365 + era_year // 4 - era_year // 100 + month_days - 719468


@compiled
def timestamp(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """``2016-03-01 21:16:07.226159+00`` → microseconds since 1970 UTC, and the offset in minutes.

    The first is `BAD_TIME` if it is no time with a zone.
    """
    if end - start < 20:
        return BAD_TIME, 0
    if buffer[start + 4] != 45 or buffer[start + 7] != 45 or buffer[start + 13] != 58:
        return BAD_TIME, 0
    if buffer[start + 16] != 58 or (buffer[start + 10] != 32 and buffer[start + 10] != 84):
        return BAD_TIME, 0
    days = _days(_digits(buffer, start, 4), _digits(buffer, start + 5, 2), _digits(buffer, start + 8, 2))
    hour = _digits(buffer, start + 11, 2)
    minute = _digits(buffer, start + 14, 2)
    second = _digits(buffer, start + 17, 2)
    if days < -(1 << 39) or hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return BAD_TIME, 0
    place = start + 19
    fraction: Int = 0
    if place < end and buffer[place] == 46:
        place += 1
        scale = 100_000
        first = place
        while place < end and 48 <= buffer[place] <= 57:
            fraction += scale * (np.int64(buffer[place]) - 48)
            scale //= 10
            place += 1
        if place == first or place - first > 6:
            return BAD_TIME, 0
    left = end - place
    offset: Int = 0
    if left == 1 and buffer[place] == 90:
        offset = 0
    elif left >= 3 and (buffer[place] == 43 or buffer[place] == 45):
        hours = _digits(buffer, place + 1, 2)
        minutes: Int = 0
        if left == 6 and buffer[place + 3] == 58:
            minutes = _digits(buffer, place + 4, 2)
        elif left == 5:
            minutes = _digits(buffer, place + 3, 2)
        elif left != 3:
            return BAD_TIME, 0
        if hours < 0 or hours > 15 or minutes < 0 or minutes > 59:
            return BAD_TIME, 0
        offset = hours * 60 + minutes
        if buffer[place] == 45:
            offset = -offset
    else:
        return BAD_TIME, 0
    seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    if seconds < _FIRST_SECOND or seconds > _LAST_SECOND:
        return BAD_TIME, 0
    return seconds * 1_000_000 + fraction, offset
