"""What a commit does to a table, and what has come of a run."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from deltalake.transaction import AddAction, RemoveAction

from cardlog.pipelines.storage.data_files import Part
from cardlog.pipelines.storage.layout import PARTITIONED, game_of


class Outcome(StrEnum):
    """What has come of a run that adds to the store.

    DONE
        It has committed.
    KNOWN
        Another process has committed as much in the meantime.
    BEHIND
        Another process has committed something else, so the run has to begin again.
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
        ``append`` adds their rows; ``overwrite`` puts them in place of all rows, and the columns of
        `SCHEMAS` in place of the table's.
    note
        What else it says.
    replaces
        Data files that it takes out: their rows are in `parts` now, but for those that were erased.
    """

    parts: list[Part]
    transactions: dict[str, int]
    mode: Literal["append", "overwrite"] = "append"
    note: dict[str, str] = field(default_factory=dict)
    replaces: Sequence[str] = ()

    def actions(self, name: str) -> list[AddAction | RemoveAction]:
        """What goes into the log of a table. A change that replaces files changes no rows, or a table to
        which they are only added could not have it."""
        now = time.time_ns() // 1_000_000

        def values(game: str | None) -> dict[str, str | None]:
            return {"game": game} if name in PARTITIONED else {}

        parts = {part.path: part for part in self.parts}.values()
        return [
            *(
                AddAction(part.path, part.size, values(part.game), now, not self.replaces, part.statistics)
                for part in parts
            ),
            *(
                RemoveAction(path, False, now, partition_values=values(game_of(path)))
                for path in sorted(self.replaces)
            ),
        ]
