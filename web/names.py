"""Texts from logs and fields, which may have any length and any characters, made safe to show or use."""

from cardlog.pipelines.text.visible import visible


def printed(value: object) -> object:
    """A value as templates insert it: texts with invisible characters escaped, anything else as it is."""
    return visible(value) if type(value) is str else value


def number(text: str, digits: int) -> int | None:
    """The non-negative number that a field holds; None if it is anything else, or has more digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None
