"""The user's folders for what programs keep."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from cardlog.schemas.errors import CardlogError


def cache_folder() -> Path:
    """The user's folder for what can be made again."""
    return _named("XDG_CACHE_HOME", ".cache")


def state_folder() -> Path:
    """The user's folder for what is to be kept."""
    return _named("XDG_STATE_HOME", ".local/state")


def _named(variable: str, below_home: str) -> Path:
    """The folder in an environment variable, or one below the home folder; for a user without a home, as in a
    container, below a folder of the user's own in the temporary one. Raises CardlogError if that is another
    user's."""
    if folder := os.environ.get(variable):
        return Path(folder)
    try:
        return Path.home() / below_home
    except RuntimeError:
        own = Path(tempfile.gettempdir(), f"cardlog-{os.getuid()}")
        with suppress(FileExistsError):
            own.mkdir(mode=0o700)
        found = own.lstat()
        if found.st_uid != os.getuid() or found.st_mode & 0o077:
            message = f"{own} belongs to others, and this user has no home folder: set {variable} to a folder"
            raise CardlogError(message) from None
        return own / below_home
