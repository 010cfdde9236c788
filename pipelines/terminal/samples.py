"""The sample logs that come with cardlog."""

from pathlib import Path
from typing import Final

from cardlog.schemas.errors import CardlogError

_FOLDERS: Final = (
    Path(__file__).parents[2] / "samples",
    Path(__file__).resolve().parents[2] / "tests" / "fixtures",
)
"""Folders of sample logs: in an installed package, and in the repository."""


def samples() -> Path:
    """The folder of the games' sample logs. Raises CardlogError if they are not installed."""
    for folder in _FOLDERS:
        if folder.is_dir():
            return folder
    raise CardlogError("the sample logs are missing; reinstall cardlog, or run the demo in its repository")
