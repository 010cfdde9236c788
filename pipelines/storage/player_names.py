"""Names of players: in the openings of hands, and as words in other text."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

_NO_NAMES: Final = {"settings", "match", "dealer", "kind", "bot", "refused"}
"""What a detail says in the words of cardlog, not of the source."""
_ESCAPED: Final = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\[\"\\/]")


@lru_cache(maxsize=256)
def word(name: str) -> re.Pattern[str]:
    """Finds a name where no letter or digit is beside it, in upper or lower case."""
    return re.compile(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", re.IGNORECASE)


def mentions(text: str | None, name: str) -> bool:
    """Whether a name is in a text, also as JSON writes it or as bytes of UTF-8 read as Latin-1."""
    if not text:
        return False
    forms = [text]
    if "\\" in text:
        forms.append(_ESCAPED.sub(_unescaped, text))
    if not text.isascii():
        forms.append(text.encode("latin-1", "replace").decode("utf-8", "replace"))
    return any(word(name).search(form) for form in forms)


def _unescaped(match: re.Match[str]) -> str:
    text: str = json.loads(f'"{match[0]}"')
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def human_names(detail: str) -> set[str]:
    """The names of the players in the `detail` of an opening who are not computers."""
    found = json.loads(detail)
    players = found.get("players") if isinstance(found, dict) else None
    humans = (
        player
        for player in (players if isinstance(players, list) else [])
        if isinstance(player, dict) and player.get("kind") != "computer"
    )
    return {name for name in (player.get("name") for player in humans) if isinstance(name, str) and name}


def renamed(detail: str, names: Mapping[str, str], *, computers: bool = True) -> str:
    """A `detail` with other names of players, as JSON; the same text if it has none of them.

    Players' names are changed where they are equal, other text where a name is a word of it.

    computers
        Whether the names of computers are changed too.
    """
    if "\\" not in detail and not any(name.lower() in detail.lower() for name in names):
        return detail
    found = json.loads(detail)
    new = _renamed(found, names, computers)
    if new == found:
        return detail
    return json.dumps(new, separators=(",", ":"), ensure_ascii=detail.isascii())


def _renamed(value: Any, names: Mapping[str, str], computers: bool) -> Any:
    if isinstance(value, list):
        return [_renamed(item, names, computers) for item in value]
    if isinstance(value, dict):
        if value.get("kind") == "computer" and not computers:
            return value
        return {
            key: names.get(item, item)
            if key == "name" and isinstance(item, str)
            else item
            if key in _NO_NAMES
            else _renamed(item, names, computers)
            for key, item in value.items()
        }
    if isinstance(value, str):
        for name, new in names.items():
            value = word(name).sub(new.replace("\\", r"\\"), value)
    return value
