"""Texts from logs as a page may show them: of any length, with any characters."""

from typing import Final

from cardlog.pipelines.visible import one_line, visible

MOST_NAME: Final = 40
MOST_CELL: Final = 300


def shown(text: object, most: int = MOST_NAME) -> str:
    """A text on one line, cut where it is too long, with invisible characters as escapes.

    The template escapes it for HTML, and puts it into ``<bdi>`` so that letters written from right to left
    move nothing outside it.
    """
    line = one_line(str(text)[: most + 1])
    return line if len(str(text)) <= most else line[:most] + "…"


def raw(text: str) -> str:
    """A line of a log, whole."""
    return visible(text)
