"""What to do about a disk that is full. The errors of libraries don't say which one it is."""

import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_FULL: Final = re.compile("No space left on device|Disk quota exceeded")
_PURPOSES: Final = ("the store", "temporary files, which TMPDIR may put elsewhere")


def with_room(message: str, store: str | None) -> str:
    """An error's text, with the room on the disks of a command's store and temporary files if one is full.
    Without a store, it is the output that does not fit."""
    if store is None or not _FULL.search(message) or not ("://" in store or Path(store).exists()):
        return message
    found = []
    for purpose, folder in zip(_PURPOSES, (store, tempfile.gettempdir()), strict=True):
        with suppress(OSError):
            found.append(f"{shutil.disk_usage(folder).free // 10**6:,} MB at {folder} ({purpose})")
    return f"{message}; there are {', '.join(found)}: make room, and run it again" if found else message
