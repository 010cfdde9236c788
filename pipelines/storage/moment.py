"""One moment of a store: versions of its tables that belong together, so that what is asked of
several tables while others write is answered from one state.

An ingest commits `quarantine`, then `ingests`, then `events`, and counts once `events` has it. A build
reads one version of `events` and commits each projection with that version. Hence the order in
which `take` opens the tables: projections, then `events`, so that no projection is newer than the
events; then `ingests` and `quarantine`, which hold by then whatever `events` counts, and rows of others,
which `Store.attempts` tells apart by the version of `events`.
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
        By table; always that of `events`, of other tables only those that were wanted.
    built_from
        The version of `events` that the wanted projections are of; None if they were never built.
    """

    versions: dict[str, int]
    built_from: int | None

    @property
    def is_built(self) -> bool:
        """Whether the projections are of the events as they were at this moment."""
        return self.built_from == self.versions["events"]


class PinnedStore(Store):
    """A store as it was at a moment: whatever is read of it is read at the versions of that moment."""

    def __init__(self, store: Store, moment: Moment) -> None:
        vars(self).update(vars(store))
        self.moment = moment

    def table(self, name: str, version: int | None = None) -> DeltaTable:
        """A table as it was at the moment, or at a version."""
        return super().table(name, self.moment.versions[name] if version is None else version)


def pinned(store: Store, wanted: Collection[str] | None = None, as_built: bool = False) -> PinnedStore:
    """The store as it is now, for as long as it is asked; one that is pinned already stays as it is.

    The arguments are those of `take`.
    """
    return store if isinstance(store, PinnedStore) else PinnedStore(store, take(store, wanted, as_built))


def take(store: Store, wanted: Collection[str] | None = None, as_built: bool = False) -> Moment:
    """The present moment of a store.

    wanted
        The tables that will be asked; all of them when left out. Opening one takes milliseconds. Which rows
        of `quarantine` count is asked of `ingests`, so that comes with it.
    as_built
        Go back to the events that the projections were built from, so that all tables agree; the
        store before its first ingest if they never were.

    Raises StoreError if there is no store, or if the projections are of different builds and
    what they held before is not known any more.
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
    """The newest versions of some projections that are of the same version of `events`, and that one.

    While a build commits them one after the other, that is the build before.
    """
    tables = {name: store.table(name) for name in projections}
    while True:
        built = {name: store.built_from(name, table) for name, table in tables.items()}
        oldest = min(built.values(), key=lambda at: -1 if at is None else at, default=None)
        newer = [name for name in projections if built[name] != oldest]
        if not newer:
            return tables, oldest
        try:
            tables |= {name: store.table(name, tables[name].version() - 1) for name in newer}
        except StoreError as error:
            raise StoreError(
                f"the tables {', '.join(PROJECTIONS)} are of different builds, because one was cut long ago; "
                "'cardlog build' brings them together"
            ) from error
