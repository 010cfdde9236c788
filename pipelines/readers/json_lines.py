"""What the readers of JSON lines share: strict JSON, and lines that are only a piece of an object, because it
is printed over several lines, or torn."""

import json
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from cardlog.pipelines.readers.base import BOM

ADVICE: Final = "each object must be on one line, as 'jq -c .' prints them"
MOST_SHOWN: Final = 60
"""Characters of a value that a message shows."""
_PIECE: Final = re.compile(rb'[\[{}\]]+,?|"(?:[^"\\]|\\.)*"\s*:.*|(?:"(?:[^"\\]|\\.)*"|[-\w.]+)\s*,?')
"""Brackets alone, a key with or without its value, or one value of a list."""
_encode: Final = msgspec.json.Encoder().encode
Value = TypeVar("Value")


def parse(text: bytes) -> Any:
    """The value of strict JSON: UTF-8, no repeated key and no NaN. Raises ValueError."""
    try:
        return json.loads(text.decode(), object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def typed(decode: Callable[[bytes], Value], text: bytes) -> Value:
    """The value of JSON by a decoder of msgspec. Raises ValueError or RecursionError, also if a key is
    repeated, which msgspec accepts."""
    value = decode(text)
    # With more quotes than the value needs, a key may be repeated.
    if b"\\" in text or _encode(value).count(b'"') != text.count(b'"'):
        parse(text)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        repeated = next(key for index, (key, _) in enumerate(pairs) if key in dict(pairs[:index]))
        raise ValueError(f"it has {shown(repeated)} twice")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def canonical(detail: dict[str, Any]) -> str:
    """An object as it is stored: equal objects have equal texts.

    Raises ValueError for what other programs can't read: infinite numbers, half a surrogate pair.
    """
    try:
        text = json.dumps(detail, separators=(",", ":"), sort_keys=True, allow_nan=False)
        if "\\ud" in text:
            json.dumps(detail, ensure_ascii=False).encode()
        return text
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def shown(value: Any) -> str:
    """A value as a message shows it, shortened."""
    text = json.dumps(value) if not isinstance(value, dict | list) else "an object or a list"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def is_piece(line: bytes) -> bool:
    """Whether a line looks like a part of an object or a list printed over several lines."""
    return _PIECE.fullmatch(line.strip()) is not None


def is_torn(line: bytes) -> bool:
    """Whether a text's last line, without its line end, is incomplete: no part of an object is valid JSON."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def is_printed_over_lines(head: bytes) -> bool:
    """Whether a text begins like JSON printed over several lines, or like a list."""
    line = head.removeprefix(BOM).lstrip().split(b"\n", 1)[0].rstrip()
    return line in (b"{", b"[") or line.startswith((b"[{", b"[ {"))
