"""The book of ingests: what was read, and what became of it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store


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
    return _valid(store, pa.concat_tables([store.empty("ingests"), *store.read("ingests")]))


def _valid(store: Store, table: pa.Table, version: int | None = None) -> pa.Table:
    """Those of some rows of `ingests` that count at a version of `events` (default: the store's)."""
    ingests = table.column("ingest_id").to_pylist()
    committed = store.committed("events", set(ingests), store.table("events", version))
    attempts = pa.array(map(committed.get, ingests), pa.int32())
    return table.filter(pc.fill_null(pc.equal(table.column("attempt"), attempts), False))


Source = tuple[str, str, str]
"""The digest of a source, and the format and data set it was read as."""
_SOURCE: Final = ("source_id", "format", "dataset")


def known_sources(store: Store, sources: Collection[Source]) -> set[Source]:
    """Which of some sources were ingested."""
    store = pinned(store, ["events", "ingests"])
    rows = _valid(store, _rows_of_sources(store, sources))
    return set(zip(*(rows.column(name).to_pylist() for name in _SOURCE), strict=True)) & set(sources)


def ingested_since(store: Store, sources: Collection[Source], version: int, until: int) -> bool:
    """Whether an ingest that `events` has committed after a version, up to another one, read one of some
    sources."""
    rows = _rows_of_sources(store, sources)
    names = zip(*(rows.column(name).to_pylist() for name in _SOURCE), strict=True)
    rows = rows.filter(pa.array([name in sources for name in names], pa.bool_()))
    return len(_valid(store, rows, until)) > len(_valid(store, rows, version))


def _rows_of_sources(store: Store, sources: Collection[Source]) -> pa.Table:
    """Rows of `ingests`, all those of some sources among them."""
    rows = pa.concat_tables([store.empty("ingests"), *store.read("ingests")])
    return rows.filter(
        pc.is_in(rows.column("source_id"), pa.array({name for name, _, _ in sources}, pa.string()))
    )


def rows_of(store: Store, ingest_id: str, sources: Collection[Source]) -> pa.Table:
    """The rows of `ingests` that an ingest of some sources has added, if it counts."""
    store = pinned(store, ["events", "ingests"])
    rows = _rows_of_sources(store, sources)
    return _valid(store, rows.filter(pc.equal(rows.column("ingest_id"), ingest_id)))
