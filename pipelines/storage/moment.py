"""A moment of a store: versions of its tables that belong together, so that several tables are read in one
state while others write.

An ingest commits `quarantine`, then `ingests`, then `events`, and is valid once `events` has it. A build
reads one version of `events` and commits each projection with that version. Hence the order in which `take`
opens the tables: projections, then `events`, so that no projection is newer than the events; then `ingests`
and `quarantine`, which by then have the rows of all valid ingests, and perhaps others, which `valid_ingests`
and `Store.attempts` leave out.
"""

from collections.abc import Collection
from dataclasses import dataclass

from deltalake import DeltaTable

from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.schemas.tables import PROJECTIONS


@dataclass(frozen=True)
class Moment:
    """Versions of tables that belong together.

    versions
        By table: `events` and the tables that were wanted.
    built_from
        The version of `events` that the wanted projections were built from; None if they never were.
    """

    versions: dict[str, int]
    built_from: int | None

    @property
    def is_built(self) -> bool:
        """Whether the projections were built from the events of this moment."""
        return self.built_from == self.versions["events"]


class PinnedStore(Store):
    """A store as it was at a moment: its tables are read at the versions of that moment."""

    def __init__(self, store: Store, moment: Moment) -> None:
        vars(self).update(vars(store))
        self.moment = moment

    def table(self, name: str, version: int | None = None) -> DeltaTable:
        """A table as it was at the moment, or at a version."""
        return super().table(name, self.moment.versions[name] if version is None else version)


def pinned(store: Store, wanted: Collection[str] | None = None, as_built: bool = False) -> PinnedStore:
    """The store as it is now, whatever is committed later; a store that is pinned already is returned as is.
    The arguments are those of `take`."""
    return store if isinstance(store, PinnedStore) else PinnedStore(store, take(store, wanted, as_built))


def take(store: Store, wanted: Collection[str] | None = None, as_built: bool = False) -> Moment:
    """The present moment of a store.

    wanted
        The tables that will be read (default: all). Opening one takes milliseconds. `quarantine` includes
        `ingests`, which tells which of its rows are valid.
    as_built
        Go back to the events that the projections were built from, so that all tables agree; to the store
        before its first ingest if they never were.

    Raises StoreError if there is no store, or if the projections are of different builds and their earlier
    versions are gone.
    """
    wanted = set(SCHEMAS if wanted is None else wanted)
    if "quarantine" in wanted:
        wanted.add("ingests")
    tables, built = _of_one_build(store, [name for name in PROJECTIONS if name in wanted])
    events = store.table("events", (built or 0) if as_built else None)
    versions = {"events": events.version()} | {name: table.version() for name, table in tables.items()}
    for name in SCHEMAS:
        if name in wanted and name not in versions:
            versions[name] = store.table(name).version()
    return Moment(versions, built)


def _of_one_build(store: Store, projections: list[str]) -> tuple[dict[str, DeltaTable], int | None]:
    """The newest versions of some projections that were built from the same version of `events`, and that
    version. While a build commits one after the other, these are those of the build before."""
    tables = {name: store.table(name) for name in projections}
    while True:
        built = {name: store.built_from(name, table) for name, table in tables.items()}
        oldest = min(built.values(), key=lambda version: -1 if version is None else version, default=None)
        newer = [name for name in projections if built[name] != oldest]
        if not newer:
            return tables, oldest
        try:
            tables |= {name: store.table(name, tables[name].version() - 1) for name in newer}
        except StoreError as error:
            raise StoreError(
                f"the tables {', '.join(PROJECTIONS)} are of different builds, because one was cut long ago",
                "'cardlog build' brings them together",
            ) from error
