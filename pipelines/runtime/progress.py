"""Progress of a run: workers write tallies to a folder, and the process that started the run reads them.

A folder of small files works with threads and processes; workers on other machines don't have it and write no
tally.
"""

import itertools
import os
import struct
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final

Watch = Callable[[str, str, int], AbstractContextManager[Any]]
"""``watch(title, folder, units)`` shows a run's progress while the context is open; without a folder,
only the title."""


def no_watch(title: str, folder: str, units: int) -> AbstractContextManager[Any]:
    """Show nothing."""
    return nullcontext()


_RECORD: Final = struct.Struct("<qq")
_numbers: Final = itertools.count()
"""Numbers for the tallies of this process."""


class Tally:
    """What one worker has done so far: hands and units of work."""

    def __init__(self, folder: str | None) -> None:
        self._path = None
        if folder is not None and Path(folder).is_dir():
            self._path = Path(folder) / f"{os.getpid()}-{next(_numbers)}"
        self._hands = self._units = 0

    def add(self, hands: int, units: int) -> None:
        """Add finished hands and units."""
        self._hands += hands
        self._units += units
        if self._path is None:
            return
        # A run must not fail because it can't report progress, as on a full disk or without the folder.
        with suppress(OSError):
            self._path.write_bytes(_RECORD.pack(self._hands, self._units))


def total(folder: str) -> tuple[int, int]:
    """The hands and units done by all workers."""
    contents: list[bytes] = []
    with suppress(OSError):
        contents.extend(path.read_bytes() for path in Path(folder).iterdir())
    tallies = [_RECORD.unpack(content) for content in contents if len(content) == _RECORD.size]
    return sum(hands for hands, _ in tallies), sum(units for _, units in tallies)
