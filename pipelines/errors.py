"""Errors whose text is for the user: our own, and those of the libraries below.

A library's errors are looked up only once it is loaded, because loading one takes a while.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from cardlog.schemas.errors import CardlogError

_LIBRARIES: Final = {"deltalake.exceptions": "DeltaError", "duckdb": "Error", "pyarrow.lib": "ArrowException"}
"""The base class of each library's errors, by its module."""


def for_user(error: BaseException) -> Exception | None:
    """The error to show in place of this one, by its text alone; None if it is a bug."""
    if isinstance(error, RuntimeError) and isinstance(error.__context__, OSError):
        return error.__context__  # as a worker raised it; Beam makes a RuntimeError of it
    loaded = ((sys.modules.get(module), name) for module, name in _LIBRARIES.items())
    theirs = (getattr(module, name) for module, name in loaded if module)
    kinds: tuple[type[Exception], ...] = (CardlogError, OSError, *theirs)
    return error if isinstance(error, kinds) else None


@contextmanager
def as_our_own() -> Iterator[None]:
    """Raise a library's errors, and the system's, as a CardlogError of the same text."""
    try:
        yield
    except CardlogError:
        raise
    except Exception as error:
        found = for_user(error)
        if found is None:
            raise
        raise CardlogError(str(found).strip()) from error
