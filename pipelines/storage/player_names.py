"""Names of players: in the openings of hands, and as words in other text."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import permutations
from typing import Any, Final
from unicodedata import normalize

_NO_NAMES: Final = {"settings", "match", "dealer", "kind", "bot", "refused"}
"""Keys of a detail whose values are cardlog's words, not the source's."""
_ESCAPED: Final = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\[\"\\/]")


@lru_cache(maxsize=256)
def word(name: str) -> re.Pattern[str]:
    """Matches a name with no letter, digit or combining accent next to it, in upper or lower case and in any
    Unicode form."""
    letters = "".join(map(_in_any_form, normalize("NFC", name)))
    return re.compile(rf"(?<![^\W_]){letters}(?![^\W_]|[\u0300-\u036f])", re.IGNORECASE)


def _in_any_form(letter: str) -> str:
    """A pattern for a composed letter, also decomposed or in part, with its accents in any order."""
    decomposed = normalize("NFD", letter)
    forms = {
        normalize("NFC", decomposed[0] + "".join(order[:composed])) + "".join(order[composed:])
        for order in permutations(decomposed[1:])
        for composed in range(len(decomposed))
    }
    return f"(?:{'|'.join(re.escape(form) for form in sorted(forms) if normalize('NFC', form) == letter)})"


def mentions(text: str | None, name: str) -> bool:
    """Whether a name is a word of a text, also in JSON escapes or in UTF-8 decoded as Latin-1."""
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
    opening = json.loads(detail)
    players = opening.get("players") if isinstance(opening, dict) else None
    humans = (
        player
        for player in (players if isinstance(players, list) else [])
        if isinstance(player, dict) and player.get("kind") != "computer"
    )
    return {name for name in (player.get("name") for player in humans) if isinstance(name, str) and name}


def renamed(detail: str, names: Mapping[str, str], *, computers: bool = True) -> str:
    """A `detail` in which players' names are replaced, as JSON; the same text if it has none of them.

    The names of players are replaced where they are equal, in other text where a name is a word.

    computers
        Whether the names of computers are replaced too.
    """
    if "\\" not in detail:
        composed = normalize("NFC", detail).lower()
        if not any(normalize("NFC", name).lower() in composed for name in names):
            return detail
    old = json.loads(detail)
    new = _renamed(old, names, computers)
    if new == old:
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
        for name, replacement in names.items():
            value = word(name).sub(replacement.replace("\\", r"\\"), value)
    return value
