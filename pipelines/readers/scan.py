"""Compiled parsers over the bytes of a text: its lines, and fields as Postgres writes them."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled

Bytes = NDArray[np.uint8]

BOM: Final = b"\xef\xbb\xbf"
"""Byte order mark that some programs put before UTF-8."""

BAD_NUMBER: Final = np.int64(2**40)
"""Stands for what is not a number, or does not fit into 32 bits."""
BAD_TIME: Final = np.int64(-(2**62))
"""Stands for what is not a time."""
NULL: Final = 2
"""Stands for NULL among booleans."""
_SECONDS_END: Final = 19
"""Characters of a date and a time without fraction and zone."""
_FIRST_SECOND = np.int64(-62135596800)
_LAST_SECOND = np.int64(253402300799)
"""The years 1 to 9999 in UTC, which every reader of the tables can show."""


@compiled
def line_bounds(buffer: Bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The offsets of each line, without its line end. An unfinished last line counts."""
    count = 0
    for offset in range(len(buffer)):
        count += buffer[offset] == 10
    if len(buffer) and buffer[-1] != 10:
        count += 1
    starts = np.empty(count, np.int64)
    ends = np.empty(count, np.int64)
    line = 0
    start = 0
    for offset in range(len(buffer)):
        if buffer[offset] == 10:
            starts[line] = start
            ends[line] = offset - 1 if offset > start and buffer[offset - 1] == 13 else offset
            line += 1
            start = offset + 1
    if start < len(buffer):
        starts[line] = start
        ends[line] = len(buffer) - 1 if buffer[-1] == 13 else len(buffer)
    return starts, ends


@compiled
def whole_number(buffer: Bytes, start: Int, end: Int) -> Int:
    """A 32-bit decimal number as Postgres writes it: no sign but minus, no leading zeros; else
    `BAD_NUMBER`."""
    if start < end and buffer[start] == 45:
        size = whole_number(buffer, start + 1, end)
        return -size if 0 < size <= 2**31 else BAD_NUMBER
    if end - start < 1 or end - start > 10 or (buffer[start] == 48 and end - start > 1):
        return BAD_NUMBER
    value: Int = np.int64(0)
    for offset in range(start, end):
        digit = np.int64(buffer[offset]) - 48
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
            for offset in range(end - start):
                same &= buffer[start + offset] == word[offset]
            if same:
                return value
    return -1


@compiled
def _digits(buffer: Bytes, start: Int, count: Int) -> Int:
    """The number that `count` decimal digits make, -10**6 or less if one is not a digit."""
    value: Int = 0
    for offset in range(start, start + count):
        digit = np.int64(buffer[offset]) - 48
        if digit < 0 or digit > 9:
            return -1_000_000
        value = value * 10 + digit
    return value


@compiled
def _days(year: Int, month: Int, day: Int) -> Int:
    """Days from 1970-01-01 to a date of the Gregorian calendar, -1 << 40 if there is no such date."""
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
    """``2016-03-01 21:16:07.226159+00`` → microseconds since 1970 UTC, and the offset from UTC in minutes.

    The first is `BAD_TIME` if it is not a time with a zone.
    """
    seconds = _date_and_time(buffer, start, end)
    fraction, zone = _fraction(buffer, start + _SECONDS_END, end)
    shift = _zone(buffer, zone, end)
    if seconds == BAD_TIME or fraction < 0 or shift == BAD_TIME:
        return BAD_TIME, 0
    seconds -= 60 * shift
    if seconds < _FIRST_SECOND or seconds > _LAST_SECOND:
        return BAD_TIME, 0
    return seconds * 1_000_000 + fraction, shift


@compiled
def _date_and_time(buffer: Bytes, start: Int, end: Int) -> Int:
    """The seconds since 1970 of ``2016-03-01 21:16:07``, followed by a zone at least; else `BAD_TIME`."""
    if end - start <= _SECONDS_END:
        return BAD_TIME
    if buffer[start + 4] != 45 or buffer[start + 7] != 45 or buffer[start + 13] != 58:
        return BAD_TIME
    if buffer[start + 16] != 58 or (buffer[start + 10] != 32 and buffer[start + 10] != 84):
        return BAD_TIME
    days = _days(_digits(buffer, start, 4), _digits(buffer, start + 5, 2), _digits(buffer, start + 8, 2))
    hour = _digits(buffer, start + 11, 2)
    minute = _digits(buffer, start + 14, 2)
    second = _digits(buffer, start + 17, 2)
    if days < -(1 << 39) or hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return BAD_TIME
    return ((days * 24 + hour) * 60 + minute) * 60 + second


@compiled
def _fraction(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """The microseconds of ``.226159``, 0 if there is no dot, -1 without one to six digits behind it; and the
    offset after it."""
    if start >= end or buffer[start] != 46:
        return 0, start
    offset = start + 1
    fraction: Int = 0
    scale = 100_000
    while offset < end and 48 <= buffer[offset] <= 57:
        fraction += scale * (np.int64(buffer[offset]) - 48)
        scale //= 10
        offset += 1
    return (fraction if 1 < offset - start <= 7 else -1), offset


@compiled
def _zone(buffer: Bytes, start: Int, end: Int) -> Int:
    """The minutes of ``Z``, ``+05``, ``+0530`` or ``+05:30``, else `BAD_TIME`."""
    size = end - start
    if size == 1 and buffer[start] == 90:
        return np.int64(0)
    if size < 3 or (buffer[start] != 43 and buffer[start] != 45):
        return BAD_TIME
    hours = _digits(buffer, start + 1, 2)
    minutes: Int = 0
    if size == 6 and buffer[start + 3] == 58:
        minutes = _digits(buffer, start + 4, 2)
    elif size == 5:
        minutes = _digits(buffer, start + 3, 2)
    elif size != 3:
        return BAD_TIME
    if hours < 0 or hours > 15 or minutes < 0 or minutes > 59:
        return BAD_TIME
    shift = hours * 60 + minutes
    return -shift if buffer[start] == 45 else shift
