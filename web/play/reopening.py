"""What a journal says of each table, and which of its lines can't be read."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from cardlog.web.play.journal import Entry

_ID: Final = re.compile("[0-9a-f]{16}")
_NAMED: Final = re.compile(rb'"table":\s*"([0-9a-f]{16})"')


@dataclass
class Kept:
    """A table's part of the journal.

    lines
        All of them, in order; a damaged line that names several tables is a line of each.
    entries
        What the readable ones say.
    damage
        Why that is not everything; empty if it is.
    """

    lines: list[bytes] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    damage: str = ""

    @property
    def game(self) -> str:
        """The game, as far as it is known."""
        plan = self.entries[0].get("plan") if self.entries else None
        return str(plan.get("game", "")) if isinstance(plan, dict) else ""

    @property
    def is_closed(self) -> bool:
        """Whether the table was closed, so that nobody needs it."""
        return not self.damage and "closed" in self.entries[-1]


def by_table(lines: list[bytes]) -> tuple[dict[str, Kept], list[bytes]]:
    """A journal's lines by table, and those that name none."""
    tables: dict[str, Kept] = {}
    strays = []
    for number, line in enumerate(lines, 1):
        entry = _entry(line)
        names = _NAMED.findall(line) if entry is None else [entry["table"].encode()]
        for name in dict.fromkeys(names):
            kept = tables.setdefault(name.decode(), Kept())
            kept.lines.append(line)
            if entry is None:
                kept.damage = f"line {number} of the journal is damaged"
            else:
                kept.entries.append(entry)
        if not names:
            strays.append(line)
    return tables, strays


def _entry(line: bytes) -> Entry | None:
    """What a line says, None if it is damaged."""
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and _ID.fullmatch(str(found.get("table"))) else None
