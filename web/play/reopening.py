"""The lines of a journal by table, and those that can't be read."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from cardlog.web.play.journal import Entry

_ID: Final = re.compile("[0-9a-f]{16}")
_TABLE: Final = re.compile(rb'"table":\s*"([0-9a-f]{16})"')


@dataclass
class TableLines:
    """A table's part of the journal.

    lines
        All of them, in order; a damaged line that names several tables is a line of each.
    entries
        The content of the readable lines.
    damage
        Which line is not readable; empty if all are.
    """

    lines: list[bytes] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    damage: str = ""

    @property
    def game(self) -> str:
        """The game; empty if it can't be read."""
        plan = self.entries[0].get("plan") if self.entries else None
        return str(plan.get("game", "")) if isinstance(plan, dict) else ""

    @property
    def is_closed(self) -> bool:
        """Whether the table was closed, so that it need not be reopened."""
        return not self.damage and "closed" in self.entries[-1]


def by_table(lines: list[bytes]) -> tuple[dict[str, TableLines], list[bytes]]:
    """A journal's lines by table, and those that name none."""
    tables: dict[str, TableLines] = {}
    strays = []
    for number, line in enumerate(lines, 1):
        entry = _entry(line)
        names = _TABLE.findall(line) if entry is None else [entry["table"].encode()]
        for name in dict.fromkeys(names):
            table = tables.setdefault(name.decode(), TableLines())
            table.lines.append(line)
            if entry is None:
                table.damage = f"line {number} of the journal is damaged"
            else:
                table.entries.append(entry)
        if not names:
            strays.append(line)
    return tables, strays


def _entry(line: bytes) -> Entry | None:
    """The entry on a line; None if it is damaged."""
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and _ID.fullmatch(str(entry.get("table"))) else None
