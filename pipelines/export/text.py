"""Text written as bytes by compiled code: numbers, times, and pieces that are prepared.

Every function takes the text, a uint8 array with room enough, and the offset to write at; it returns
the offset after what it wrote.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled

MICROSECONDS: Final = 1_000_000
DAY: Final = 86_400
YEAR_1: Final = -62_135_596_800 * MICROSECONDS
YEAR_10000: Final = 253_402_300_800 * MICROSECONDS
"""Times that have a year of four digits: from the first to before the second."""
MOST_NUMBER: Final = 20
"""Characters of the longest 64-bit number."""

_ZERO = 48
_MINUS = 45


class Pool(NamedTuple):
    """Pieces of text one after the other, and where each ends, with a 0 before."""

    text: NDArray[np.uint8]
    ends: NDArray[np.int64]


def pool(pieces: list[bytes]) -> Pool:
    """The pool of some pieces."""
    ends = np.zeros(len(pieces) + 1, np.int64)
    np.cumsum([len(piece) for piece in pieces], out=ends[1:])
    return Pool(np.frombuffer(b"".join(pieces) or b"\0", np.uint8), ends)


@compiled
def put(text: Any, offset: int, piece: Any, start: int, end: int) -> int:
    """A part of another text."""
    for index in range(end - start):
        text[offset + index] = piece[start + index]
    return offset + end - start


@compiled
def put_digits(text: Any, offset: int, number: int, count: int) -> int:
    """A non-negative number with a fixed number of digits."""
    for index in range(count - 1, -1, -1):
        text[offset + index] = _ZERO + number % 10
        number //= 10
    return offset + count


@compiled
def put_number(text: Any, offset: int, number: int) -> int:
    """A whole number, of 64 bits but not the lowest of them."""
    if number < 0:
        text[offset] = _MINUS
        offset += 1
        number = -number
    count = 1
    left = number // 10
    while left > 0:
        count += 1
        left //= 10
    return put_digits(text, offset, number, count)


@compiled
def put_time(text: Any, offset: int, seconds: int, between: int) -> int:
    """Date and time of a moment, in seconds since 1970, without a zone: ``2016-03-01 21:16:07``,
    with the character `between` in the middle. The year must be from 0 to 9999."""
    day = seconds // DAY
    second = seconds - day * DAY
    # The calendar in eras of 400 years that begin on 1 March (Howard Hinnant, "chrono-compatible
    # low-level date algorithms").
    day += 719_468
    era = day // 146_097
    of_era = day - era * 146_097
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day_of_month = of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    offset = put_digits(text, offset, year + era * 400 + (month <= 2), 4)
    text[offset] = _MINUS
    offset = put_digits(text, offset + 1, month, 2)
    text[offset] = _MINUS
    offset = put_digits(text, offset + 1, day_of_month, 2)
    text[offset] = between
    offset = put_digits(text, offset + 1, second // 3_600, 2)
    text[offset] = 58
    offset = put_digits(text, offset + 1, second // 60 % 60, 2)
    text[offset] = 58
    return put_digits(text, offset + 1, second % 60, 2)
