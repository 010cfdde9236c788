"""Times with a zone, as Postgres and others write them."""

from datetime import UTC, datetime, timedelta
from typing import Final

_YEAR: Final = "(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
_CLOCK: Final = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
PATTERN: Final = (
    rf"{_YEAR}-[0-9]{{2}}-[0-9]{{2}}[ T]{_CLOCK}(?:\.[0-9]{{1,6}})?"
    r"(?:Z|[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9])?)"
)
"""``2016-03-01 21:16:07.226159+00``, for `re` and for Arrow; also days that don't exist, as 02-30."""
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""Microseconds since 1970: the years 1 to 9999, which every reader of the tables can show."""
NO_SUCH_TIME: Final = LAST + 1
_ZERO: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def microseconds(text: str) -> int:
    """Microseconds from 1970 UTC to a time like `PATTERN`; `NO_SUCH_TIME` if there is no such day."""
    try:
        return (datetime.fromisoformat(text) - _ZERO) // _MICROSECOND
    except ValueError:
        return NO_SUCH_TIME
