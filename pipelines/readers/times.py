"""Times as Postgres and others write them, and as numbers."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

_YEAR: Final = "(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
_CLOCK: Final = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
BARE: Final = rf"{_YEAR}-[0-9]{{2}}-[0-9]{{2}}[ T]{_CLOCK}(?:\.[0-9]{{1,6}})?"
"""``2016-03-01 21:16:07.226159``, for `re` and for Arrow; also days that don't exist, as 02-30."""
_OFFSET: Final = "[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9])?"
PATTERN: Final = rf"{BARE}(?:Z|{_OFFSET})"
"""The same with a zone, ``2016-03-01 21:16:07.226159+00``."""
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""Microseconds since 1970: the years 1 to 9999, which every reader of the tables can show."""
NO_SUCH_TIME: Final = LAST + 1
_ZERO: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_NUMBERS: Final = 631_152_000, 4_102_444_800
"""Seconds since 1970 at which the years 1990 and 2100 begin: numbers are times between these, which no two
units have in common."""
_UNITS: Final = (1, 10**3, 10**6, 10**9)
"""Of numbers, as parts of a second."""
EPOCH: Final = "seconds, milliseconds, microseconds or nanoseconds since 1970 in the years 1990 to 2099"
"""The numbers that are times."""

ABBREVIATIONS: Final = {
    "ET": "America/New_York", "CT": "America/Chicago", "MT": "America/Denver", "PT": "America/Los_Angeles",
    "EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00",
    "PST": "-08:00", "PDT": "-07:00", "CEST": "+02:00", "EEST": "+03:00", "GMT": "UTC", "UTC": "UTC",
    "WET": "Europe/Lisbon", "CET": "Europe/Berlin", "EET": "Europe/Athens", "MSK": "Europe/Moscow",
}  # fmt: skip
"""The time zones that abbreviations stand for where poker is written down."""
NOT_SHOWN: Final = "is no time of the years 1 to 9999 on the clock of"
"""What a time without a zone is that `instants` does not find."""


def microseconds(text: str) -> int:
    """Microseconds from 1970 UTC to a time like `PATTERN`; `NO_SUCH_TIME` if there is no such day."""
    try:
        return (datetime.fromisoformat(text) - _ZERO) // _MICROSECOND
    except ValueError:
        return NO_SUCH_TIME


def of_number(number: float) -> int:
    """Microseconds since 1970 by a number in one of the units of `EPOCH`, which its size tells; else
    `NO_SUCH_TIME`."""
    for unit in _UNITS:
        if _NUMBERS[0] * unit <= number < _NUMBERS[1] * unit:
            return number * 10**6 // unit if isinstance(number, int) else round(number * (10**6 / unit))
    return NO_SUCH_TIME


@lru_cache
def zone(name: str) -> tzinfo | None:
    """The time zone of a name or an offset from UTC; None for an empty name. Raises ValueError."""
    if not name or name == "UTC":
        return UTC if name else None
    if re.fullmatch(_OFFSET, name):
        offset = datetime.fromisoformat(f"2000-01-01T00:00:00{name}").utcoffset()
        return timezone(offset or timedelta())
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        examples = "a name such as Europe/Oslo or an offset such as +01:00"
        raise ValueError(f"there is no time zone {name!r}; it must be {examples}") from None


def instants(at: datetime, clock: tzinfo) -> list[int]:
    """Microseconds from 1970 UTC to a time without a zone on the clock of one: two if the clock shows it
    twice, none if it skips it or the year is not of 1 to 9999 in UTC."""
    offsets = [at.replace(tzinfo=clock, fold=fold).utcoffset() or timedelta() for fold in (0, 1)]
    if offsets[0] < offsets[1]:
        return []
    bare = at - _ZERO.replace(tzinfo=None)
    found = sorted({(bare - offset) // _MICROSECOND for offset in offsets})
    return [instant for instant in found if FIRST <= instant <= LAST]


@lru_cache(maxsize=2**12)
def with_zone(text: str, name: str) -> str:
    """A time like `BARE` in a zone, like `PATTERN`; unchanged if its clock skips that time. A time that the
    clock shows twice is the first of the two."""
    clock = zone(name)
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return text
    return text + at.replace(tzinfo=clock).strftime("%z") if clock and instants(at, clock) else text
