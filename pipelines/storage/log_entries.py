"""What an entry of a Delta log says: the files that it adds and removes, and about the commit itself."""

import json
from typing import Any, Final
from urllib.parse import unquote

COMPACTED: Final = "cardlog-compacted"
"""Where such a commit says which files took the place of which, as JSON; see `moves_of`."""


def info_of(actions: list[dict[str, Any]]) -> dict[str, Any]:
    """What an entry says about the commit itself. Delta's own `history` is empty for a table whose path
    has a question mark or a number sign in it."""
    found: dict[str, Any] = next((action["commitInfo"] for action in actions if "commitInfo" in action), {})
    return found


Move = tuple[list[str], list[str]]
"""Data files, and those that have their rows since."""


def moves_of(info: dict[str, Any]) -> list[Move]:
    """What a commit says of the files whose rows it moved; nothing unless it is a compact."""
    return [(old, new) for old, new in json.loads(info.get(COMPACTED, "[]"))]


def is_overwrite(info: dict[str, Any]) -> bool:
    """Whether a commit has replaced all rows of its table."""
    return bool(info.get("operationParameters", {}).get("mode") == "Overwrite")


def transactions_in(actions: list[dict[str, Any]]) -> dict[str, int]:
    """The application transactions that an entry carries."""
    return {action["txn"]["appId"]: int(action["txn"]["version"]) for action in actions if "txn" in action}


def removed_by(actions: list[dict[str, Any]]) -> set[str]:
    """The data files that an entry takes out of the table."""
    return {unquote(action["remove"]["path"]) for action in actions if "remove" in action}


def added_by(actions: list[dict[str, Any]]) -> set[str]:
    """The data files that an entry adds to the table."""
    return {unquote(action["add"]["path"]) for action in actions if "add" in action}
