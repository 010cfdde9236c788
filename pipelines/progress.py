"""Progress of a run: workers write tallies to a folder, and the process that started the run reads them.

A folder of small files works with threads and processes; workers on other machines lack the folder and write
no tally.
"""

import itertools
import os
import struct
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final

Watch = Callable[[str, str, int], AbstractContextManager[Any]]
"""``watch(title, folder, units)`` shows a run's progress while the context is open."""


def no_watch(title: str, folder: str, units: int) -> AbstractContextManager[Any]:
    """Show nothing."""
    return nullcontext()


_RECORD: Final = struct.Struct("<qq")


_numbers: Final = itertools.count()
"""One for each tally of this process."""


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
        # A run does not fail because it can't report progress: on a full disk, or without the folder.
        with suppress(OSError):
            self._path.write_bytes(_RECORD.pack(self._hands, self._units))


def total(folder: str) -> tuple[int, int]:
    """The hands and units done by all workers."""
    hands = units = 0
    contents: list[bytes] = []
    with suppress(OSError):
        contents.extend(path.read_bytes() for path in Path(folder).iterdir())
    for content in contents:
        if len(content) == _RECORD.size:
            more_hands, more_units = _RECORD.unpack(content)
            hands += more_hands
            units += more_units
    return hands, units
