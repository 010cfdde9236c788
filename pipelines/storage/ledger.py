"""The ledger of ingests: what was read, and what became of it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

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
        return Counts(*(getattr(self, name) + getattr(other, name) for name in COUNTS))

    @property
    def balanced(self) -> bool:
        """Whether every hand read is stored, a duplicate or in quarantine."""
        return self.hands_read == self.hands_stored + self.duplicates + self.quarantined


COUNTS: Final = tuple(Counts.__dataclass_fields__)
"""The columns of `ingests` with counts."""
Source = tuple[str, str, str]
"""The digest of a source, and the format and data set it was read as: the columns `SOURCE` of `ingests`."""
SOURCE: Final = ("source_id", "format", "dataset")


def valid_ingests(store: Store, version: int | None = None) -> pa.Table:
    """The rows of `ingests` of the attempts that `events` has committed, up to a version of it."""
    store = pinned(store, ["events", "ingests"])
    rows = pa.concat_tables([store.empty("ingests"), *store.read("ingests")])
    ingests = rows.column("ingest_id").to_pylist()
    committed = store.committed("events", ingests, store.table("events", version))
    attempts = pa.array(map(committed.get, ingests), pa.int32())
    return rows.filter(pc.fill_null(pc.equal(rows.column("attempt"), attempts), False))


def ingested_sources(store: Store, version: int | None = None) -> list[Source]:
    """The sources of all valid ingests, up to a version of `events`."""
    ingests = valid_ingests(store, version)
    return list(zip(*(ingests.column(name).to_pylist() for name in SOURCE), strict=True))


def ingested_since(store: Store, sources: Collection[Source], version: int, until: int) -> bool:
    """Whether an ingest that `events` committed after a version, up to another one, read one of some
    sources."""
    before, after = ingested_sources(store, version), ingested_sources(store, until)
    return any(after.count(source) > before.count(source) for source in sources)


def rows_of(store: Store, ingest_id: str) -> list[dict[str, Any]]:
    """The rows of `ingests` of a committed ingest."""
    rows = valid_ingests(store)
    ingest: list[dict[str, Any]] = rows.filter(pc.equal(rows.column("ingest_id"), ingest_id)).to_pylist()
    return ingest
