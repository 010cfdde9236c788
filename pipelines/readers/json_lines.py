"""Lines that are pieces of JSON where each must be a whole object: printed over several lines, or torn."""

import json
import re
from typing import Final

ADVICE: Final = "each object must be on one line, as 'jq -c .' prints them"
_PIECE: Final = re.compile(rb'[\[{}\]]+,?|"(?:[^"\\]|\\.)*"\s*:.*|(?:"(?:[^"\\]|\\.)*"|[-\w.]+)\s*,?')
"""Brackets alone, a key with or without its value, or one value of a list."""


def is_piece(line: bytes) -> bool:
    """Whether a line looks like a part of an object or a list that goes over several lines."""
    return _PIECE.fullmatch(line.strip()) is not None


def is_torn(line: bytes) -> bool:
    """Whether a text's last line, without its line end, is not all of it: no part of an object is JSON."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def is_printed_over_lines(head: bytes) -> bool:
    """Whether a text begins as JSON that goes over several lines, or as a list."""
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    line = first.split(b"\n", 1)[0].strip()
    return first.startswith((b"{", b"[")) and (line in (b"{", b"[") or line.startswith((b"[{", b"[ {")))
