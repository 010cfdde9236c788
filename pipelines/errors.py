"""Errors whose text is for the user: cardlog's own, and those of its libraries.

A library's errors are looked up only if it is already imported, because importing is slow.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from cardlog.schemas.errors import CardlogError

_LIBRARIES: Final = {"deltalake.exceptions": "DeltaError", "duckdb": "Error", "pyarrow.lib": "ArrowException"}
"""The base class of each library's errors, by module."""
_NO_MEMORY: Final = re.compile(r"failed to map segment|cannot allocate memory", re.IGNORECASE)
"""Messages of the dynamic loader when memory is limited, as by `ulimit -v`."""


def for_user(error: BaseException) -> Exception | None:
    """The error to show to the user, without a traceback; None if it is a bug."""
    if isinstance(error, RuntimeError) and isinstance(error.__context__, OSError):
        return error.__context__  # raised by a worker; Beam wraps it in a RuntimeError
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and _NO_MEMORY.search(str(error))):
        return CardlogError("there is too little memory to run; 'ulimit -v' may limit it")
    loaded = ((sys.modules.get(module), name) for module, name in _LIBRARIES.items())
    library_errors = (getattr(module, name) for module, name in loaded if module)
    kinds: tuple[type[Exception], ...] = (CardlogError, OSError, *library_errors)
    return error if isinstance(error, kinds) else None


@contextmanager
def plain_errors(of_files: type[CardlogError] | None = None) -> Iterator[None]:
    """Raise a worker's error, if the user should see it, without the step that Beam adds to its text.

    of_files
        The type to raise for an OSError (default: unchanged).
    """
    try:
        yield
    except (CardlogError, OSError) as error:
        text = str(error).split(" [while running", 1)[0]
        if of_files is not None and isinstance(error, OSError):
            raise of_files(f"a file can't be read or written: {text}") from error
        if text == str(error):
            raise
        raise type(error)(text) from error


@contextmanager
def as_our_own() -> Iterator[None]:
    """Raise errors of libraries and of the system as a CardlogError with the same text."""
    try:
        yield
    except CardlogError:
        raise
    except Exception as error:
        shown = for_user(error)
        if shown is None:
            raise
        raise CardlogError(str(shown).strip()) from error
