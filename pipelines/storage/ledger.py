"""The book of ingests: what was read, and what became of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cardlog.pipelines.storage.known_keys import NAME_DIGITS, keys_of
from cardlog.pipelines.storage.layout import OWN_IDS
from cardlog.pipelines.storage.log_entries import added_by
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.part_writer import source_name
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


def _valid(store: Store, table: pa.Table) -> pa.Table:
    """Those of some rows of `ingests` that count."""
    committed = store.committed("events", set(table.column("ingest_id").to_pylist()))
    attempts = pa.array([committed.get(name) for name in table.column("ingest_id").to_pylist()], pa.int32())
    return table.filter(pc.fill_null(pc.equal(table.column("attempt"), attempts), False))


Source = tuple[str, str, str]
"""The digest of a source, and the format and data set it was read as."""
_SOURCE: Final = ("source_id", "format", "dataset")


def known_sources(store: Store, sources: Iterable[Source]) -> set[Source]:
    """Which of some sources were ingested; only data files of `ingests` are read that may say so."""
    store = pinned(store, ["events", "ingests"])
    wanted = set(sources)
    names = np.array([source_name(*source) for source in sorted(wanted)], f"S{NAME_DIGITS}")
    keys = np.sort(keys_of(names))
    found: set[Source] = set()
    for path in store.paths("ingests"):
        sets = store.filter_of("ingests", path)
        if sets is None or sets[0].groups_with(keys):
            rows = _valid(store, pa.concat_tables(store.read("ingests", [path])))
            found.update(zip(*(rows.column(name).to_pylist() for name in _SOURCE), strict=True))
    return wanted & found


def rows_of(store: Store, ingest_id: str) -> pa.Table:
    """The rows of `ingests` that an ingest has added, if it counts."""
    store = pinned(store, ["events", "ingests"])
    version = store.version_of("ingests", ingest_id)
    if version is None:
        rows = pa.concat_tables([store.empty("ingests"), *store.read("ingests")])
    else:
        paths = sorted(added_by(store.log("ingests").entry(version)))
        rows = pa.concat_tables([store.empty("ingests"), *store.read("ingests", paths)])
    return _valid(store, rows.filter(pc.equal(rows.column("ingest_id"), ingest_id)))


def sources_since(store: Store, version: int, until: int) -> set[Source]:
    """The sources of the ingests that `events` has committed after a version, up to another one."""
    entries = (store.log("events").entry(number) for number in range(version + 1, until + 1))
    apps = {action["txn"]["appId"] for entry in entries for action in entry if "txn" in action}
    names = {app for app in apps if not app.startswith(OWN_IDS)}
    found: set[Source] = set()
    for name in names:
        if store.version_of("ingests", name) is not None:
            rows = rows_of(store, name)
            found.update(zip(*(rows.column(column).to_pylist() for column in _SOURCE), strict=True))
    return found
