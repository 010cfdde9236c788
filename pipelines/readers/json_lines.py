"""Lines that are pieces of JSON printed over several lines, where each must be a whole object."""

import re
from typing import Final

ADVICE: Final = "each object must be on one line, as 'jq -c .' prints them"
_PIECE: Final = re.compile(rb'[\[{}\]]+,?|"(?:[^"\\]|\\.)*"\s*:.*|(?:"(?:[^"\\]|\\.)*"|[-\w.]+)\s*,?')
"""Brackets alone, a key with or without its value, or one value of a list."""


def is_piece(line: bytes) -> bool:
    """Whether a line looks like a part of an object or a list that goes over several lines."""
    return _PIECE.fullmatch(line.strip()) is not None


def is_printed_over_lines(head: bytes) -> bool:
    """Whether a text begins as JSON that goes over several lines, or as a list."""
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    line = first.split(b"\n", 1)[0].strip()
    return first.startswith((b"{", b"[")) and (line in (b"{", b"[") or line.startswith((b"[{", b"[ {")))
