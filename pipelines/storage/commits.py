"""What a commit does to a table, and how a run ended."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from deltalake.transaction import AddAction, RemoveAction

from cardlog.pipelines.storage.data_files import Part
from cardlog.pipelines.storage.layout import PARTITIONED, game_of


class Outcome(StrEnum):
    """How a run that adds to the store ended.

    DONE
        It has committed.
    KNOWN
        Another process has committed the same in the meantime.
    BEHIND
        Another process has committed something else, so the run has to start again.
    """

    DONE = "done"
    KNOWN = "known"
    BEHIND = "behind"


@dataclass(frozen=True)
class Change:
    """What a commit does to a table.

    parts
        The data files that it adds.
    transactions
        Application ids and versions that it carries.
    mode
        ``append`` adds their rows; ``overwrite`` replaces all rows with them, and the table's columns with
        those of `SCHEMAS`.
    note
        Custom metadata of the commit.
    replaces
        Data files that it removes: their rows are in `parts` now, except those that were erased.
    """

    parts: list[Part]
    transactions: dict[str, int]
    mode: Literal["append", "overwrite"] = "append"
    note: dict[str, str] = field(default_factory=dict)
    replaces: Sequence[str] = ()

    def actions(self, name: str) -> list[AddAction | RemoveAction]:
        """The entries in the log of a table. Replacing files is declared not to change data: an append-only
        table would refuse it otherwise."""
        now = time.time_ns() // 1_000_000

        def partition(path: str) -> dict[str, str | None]:
            return {"game": game_of(path)} if name in PARTITIONED else {}

        parts = {part.path: part for part in self.parts}
        return [
            *(
                AddAction(path, part.size, partition(path), now, not self.replaces, part.statistics)
                for path, part in parts.items()
            ),
            *(
                RemoveAction(path, False, now, partition_values=partition(path))
                for path in sorted(self.replaces)
            ),
        ]
