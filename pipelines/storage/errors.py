"""Errors of a store, in words for the user, with what to do about them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pyarrow as pa

from cardlog.schemas.errors import CardlogError
from cardlog.schemas.tables import ANALYSES, PROJECTIONS

_OF_SYSTEM: Final = re.compile(r"\b[A-Z][\w ,]*\(os error \d+\)")
"""The system's error in the last lines of an error of a table's library."""


class StoreError(CardlogError):
    """The store can't do what was asked; the text is for the user.

    what, advice
        What is wrong, and what to do about it, if there is anything.
    """

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(what, advice)
        self.what, self.advice = what, advice

    def __str__(self) -> str:
        return f"{self.what}; {self.advice}" if self.advice else self.what


class Conflict(StoreError):
    """Another writer committed first."""


class Damaged(StoreError):
    """A file of the store is not what was written; the text names it and says what to do."""


def mend_file(table: str) -> str:
    """What to do about a damaged data file of a table."""
    if table in PROJECTIONS:
        return "'cardlog rebuild' recreates it from the events"
    if table in ANALYSES:
        return f"remove the folders of {' and '.join(ANALYSES)}, and 'cardlog analyse' makes them anew"
    return "restore it from a backup; 'cardlog verify' looks for more like it"


def mend_log(table: str) -> str:
    """What to do about a table whose log is damaged or missing, as in a backup."""
    if table in PROJECTIONS:
        return "remove its folder, if it is there, and 'cardlog build' makes it from the events"
    return mend_file(table)


MEND_AHEAD: Final = (
    "restore it from a backup; if it is one, remove the folders of the derived tables, and 'cardlog build' "
    "makes them from the events"
)
"""What to do about `events` if tables were built from a later version of it."""


@contextmanager
def naming(name: str, table: str) -> Iterator[None]:
    """Raise errors of reading as ones that name the data file and say what to do about it."""
    try:
        yield
    except FileNotFoundError as error:
        raise Damaged(f"{name} is missing", mend_file(table)) from error
    except PermissionError as error:
        raise StoreError(f"{name} can't be read: permission denied") from error
    except (pa.ArrowException, OSError) as error:
        if "://" in name:  # an object store that can't be reached raises the same
            raise StoreError(f"{name} can't be read: {first_line(error)}") from error
        raise Damaged(f"{name} is damaged: {first_line(error)}", mend_file(table)) from error


def first_line(error: BaseException) -> str:
    """The first line of an error's text, without a full stop, and what the system said, if another has it;
    the rest is about the library's internals."""
    text = str(error).strip()
    first = next(iter(text.splitlines()), "").rstrip(".") or type(error).__name__
    cause = _OF_SYSTEM.search(text, len(first))
    return f"{first}: {cause[0]}" if cause else first
