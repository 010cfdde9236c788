"""Texts from logs as a page may show them: of any length, with any characters."""

import re
from typing import Final

from cardlog.pipelines.visible import visible

MOST_CELL: Final = 300


def printed(value: object) -> object:
    """What a template inserts: texts with invisible characters as escapes, and markup, made of such texts."""
    return visible(value) if type(value) is str else value


def typed(text: str) -> str:
    """What a field of a form stands for: escapes that `printed` has made become characters again."""
    return _ESCAPE.sub(_unescaped, text)


def number(text: str, digits: int) -> int | None:
    """The number, from 0, that a field holds; None if it is anything else, or has more digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(00(?:0[0-9a-f]|10)[0-9a-f]{4}))")


def _unescaped(found: re.Match[str]) -> str:
    char = chr(int(found[1] or found[2] or found[3], 16))
    is_half = "\ud800" <= char <= "\udfff"  # of a character of UTF-16, which no text can hold
    return char if printed(char) == found[0] and not is_half else found[0]
