"""The games of a text.

Several games in one text are separated by marks, lines ``=== GAME <id> key=value … ===`` or
``=== SESSION <id> key=value … ===``; a text without them is one game.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from cardlog.pipelines.readers.base import BOM, Source

SPLIT_AT: Final = b"=== "
"""The beginning of a mark: the `SPLIT_AT` of readers of transcripts."""
_WORDS: Final = (b"GAME", b"SESSION")


@dataclass(frozen=True)
class Section:
    """One game of a text, without its mark.

    match_id
        The id of its mark, empty if it has none.
    settings
        The keys and values of its mark.
    start, end
        Its offsets in the text.
    first_line
        Number of its first line in the file; the mark is the line before.
    context
        If it is a single hand that is read again: what `Hand.context` has kept of it. Else empty.
    """

    match_id: str
    settings: dict[str, str]
    start: int
    end: int
    first_line: int
    context: dict[str, Any] = field(default_factory=dict)


def sections(text: bytes, source: Source, first_line: int = 1) -> list[Section]:
    """The games of a text whose first line has the number `first_line`, in their order.

    Text before the first mark is a game of its own, unless it is blank.
    """
    start = len(BOM) if text.startswith(BOM) else 0
    if source.context:
        context = json.loads(source.context)
        return [Section(context["match"], context["settings"], start, len(text), first_line, context)]
    found: list[Section] = []
    match_id, line = "", first_line
    settings: dict[str, str] = {}
    mark = start if text.startswith(SPLIT_AT, start) else _next_mark(text, start)
    while mark >= 0:
        if found or match_id or text[start:mark].strip():
            found.append(Section(match_id, settings, start, mark, line))
        end = text.find(b"\n", mark) + 1 or len(text)
        line += text.count(b"\n", start, end)
        match_id, settings = _mark(text[mark:end])
        start = end
        mark = start if text.startswith(SPLIT_AT, start) else _next_mark(text, start)
    return [*found, Section(match_id, settings, start, len(text), line)]


def _next_mark(text: bytes, start: int) -> int:
    mark = text.find(b"\n" + SPLIT_AT, start)
    return mark + 1 if mark >= 0 else -1


def is_mark(line: bytes) -> bool:
    """Whether a line separates games."""
    words = line.removeprefix(BOM).split()
    return len(words) > 2 and words[0] == b"===" and words[1] in _WORDS


def _mark(line: bytes) -> tuple[str, dict[str, str]]:
    """The id and the settings of a mark."""
    words = line.decode("utf-8", "replace").split()[1:]
    pairs = [word.split("=", 1) for word in words if "=" in word.strip("=")]
    ids = [word for word in words[1:2] if "=" not in word]
    return "".join(ids), dict(pairs)
