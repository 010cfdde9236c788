"""What was stored since the marts were built, which they don't have yet."""

import pyarrow.compute as pc

from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.moment import Moment, PinnedStore, pinned
from cardlog.pipelines.storage.store import Store


def unbuilt_hands(store: Store) -> int:
    """How many hands were stored since the marts were built; all of them if they never were."""
    now = pinned(store, ["events", "ingests"])
    then = _versions_of_marts(now).get("events")
    if then == now.moment.versions["events"]:
        return 0
    before = 0 if then is None else _hands(_at(now, now.moment.versions | {"events": then}))
    return _hands(now) - before


def as_of_marts(store: Store) -> PinnedStore:
    """The store at the moment its marts were built from, if events were only added since; else as it is."""
    now = pinned(store)
    versions = _versions_of_marts(now)
    if not versions:
        return now
    then = _at(now, versions)
    return then if set(then.paths("events")) <= set(now.paths("events")) else now


def _versions_of_marts(store: Store) -> dict[str, int]:
    found: dict[str, int] = warehouse.note_of(store).get("versions", {})
    return found


def _at(store: PinnedStore, versions: dict[str, int]) -> PinnedStore:
    return PinnedStore(store, Moment(versions, versions["events"]))


def _hands(store: Store) -> int:
    return pc.sum(valid_ingests(store).column("hands_stored")).as_py() or 0
