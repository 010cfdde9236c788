"""Texts from logs as a page may show them: of any length, with any characters."""

from typing import Final

from cardlog.pipelines.visible import visible

MOST_CELL: Final = 300


def printed(value: object) -> object:
    """What a template inserts: texts with invisible characters as escapes, and markup, made of such texts."""
    return visible(value) if type(value) is str else value


def number(text: str, digits: int) -> int | None:
    """The number, from 0, that a field holds; None if it is anything else, or has more digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None
