"""The book of ingests: what was read, and what became of it."""

from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.moment import pinned
from pipelines.store import Store


@dataclass(frozen=True)
class Counts:
    """What became of the lines and hands of a source, or of a block of it; columns of `ingests`."""

    lines_read: int = 0
    other_lines: int = 0
    hands_read: int = 0
    hands_stored: int = 0
    hands_aborted: int = 0
    duplicates: int = 0
    quarantined: int = 0
    events_stored: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def balanced(self) -> bool:
        """Whether every hand read is stored, a duplicate or in quarantine."""
        return self.hands_read == self.hands_stored + self.duplicates + self.quarantined


COUNTS: Final = tuple(Counts.__dataclass_fields__)
"""The columns of `ingests` that count."""


def valid_ingests(store: Store) -> pa.Table:
    """The rows of `ingests` that count: those of the attempts that `events` has committed."""
    store = pinned(store, ["events", "ingests"])
    table = pa.concat_tables([store.empty("ingests"), *store.read("ingests")])
    committed = store.attempts()
    attempts = pa.array([committed.get(name) for name in table.column("ingest_id").to_pylist()], pa.int32())
    return table.filter(pc.fill_null(pc.equal(table.column("attempt"), attempts), False))
