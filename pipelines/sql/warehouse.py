"""The warehouse: a DuckDB file that dbt builds from the store. It is disposable.

dbt writes to another file, which then replaces this one (see `marts`). Its schema `store` has views of the
tables' data files, at the versions that the marts were built from. They read the files at the location that
the store had then, or that the DuckDB variable `store` holds.
"""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow.compute as pc

from cardlog.pipelines.sql import aliases, dbt_cache
from cardlog.pipelines.sql.tables import quoted
from cardlog.pipelines.storage.erasures import changed_at
from cardlog.pipelines.storage.layout import ANALYSED
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.moment import Moment, PinnedStore, pinned, take
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.version import VERSION
from cardlog.schemas import registry
from cardlog.schemas.events import SCHEMA_VERSION
from cardlog.schemas.tables import PROJECTIONS_VERSION

FILE: Final = "warehouse.duckdb"
"""The file's name, which must not change: dbt derives the database's name from it, and views contain that."""
DBT_PROJECT: Final = Path(__file__).resolve().parents[2] / "dbt_project"
STEPS: Final = "steps"
"""Schema of the intermediate models."""
NOTE: Final = "cardlog.made_from"
"""Table of the warehouse with one row, the content of `warehouse.json`, which is read faster. Builds trust
only this table, since the two files can't be replaced in one step."""


@dataclass(frozen=True)
class Stale:
    """A game that was held back by the last build.

    events
        The version of `events` that the marts show of it; None if they show nothing.
    because
        Names of the models and tests that failed.
    """

    events: int | None
    because: tuple[str, ...]

    @property
    def shown(self) -> str:
        """What the marts show of it."""
        return "nothing" if self.events is None else f"the state of events {self.events}"


def path_of(store: Store) -> Path:
    """Path of a store's warehouse: next to its tables, or in the working directory if they are at a URI."""
    return Path(store.root) / FILE if store.is_local else Path(FILE).resolve()


def as_noted(store: Store, versions: dict[str, int]) -> PinnedStore:
    """The store at the versions in a note."""
    return PinnedStore(store, Moment(versions, versions["events"]))


def note_inside(store: Store) -> dict[str, Any] | None:
    """The note in the warehouse itself; empty if there is none, None if the warehouse can't be opened, for
    example because another program is writing to it."""
    if not path_of(store).exists():
        return {}
    with duckdb.connect() as connection:
        try:
            connection.execute(f"attach {quoted(str(path_of(store)))} as inside (read_only)")
        except duckdb.Error:
            return None
        with suppress(duckdb.Error, ValueError):
            [(text,)] = connection.execute(f"from inside.{NOTE}").fetchall()
            return _checked(json.loads(text))
    return {}


def _checked(note: Any) -> dict[str, Any]:
    """The note, or an empty one if another version of cardlog wrote it."""
    return note if isinstance(note, dict) and note.get("cardlog") == VERSION else {}


# ---------------------------------------------------------------- versions


def makers(store: Store) -> dict[str, Any]:
    """The versions of everything that a warehouse depends on besides its store's tables."""
    return {
        "schema": SCHEMA_VERSION,
        "projections": PROJECTIONS_VERSION,
        "cardlog": VERSION,
        "aliases": aliases.persons(path_of(store)),
        "dbt": dbt_cache.digest(DBT_PROJECT),
        "packages": sorted(f"{point.name} = {point.value}" for point in registry.installed(registry.GAMES)),
    }


def note_of(store: Store) -> dict[str, Any]:
    """The note, from `warehouse.json` if it is there: what the marts were built from, and which games are
    stale; {} if there is none."""
    try:
        note = _checked(json.loads(path_of(store).with_suffix(".json").read_text()))
    except (OSError, ValueError):  # a build was killed after it had replaced the warehouse
        return note_inside(store) or {}
    return note if path_of(store).exists() else {}


def versions_in_use(store: Store) -> list[dict[str, int]]:
    """The table versions in use: the current ones, and those that the warehouse's views read."""
    note = note_of(store)
    noted = [note["versions"], *note["held"].values()] if note else []
    return [take(store).versions, *noted]


def stale_games(store: Store) -> dict[str, Stale]:
    """The games that the last run of dbt held back."""
    return {
        game: Stale(state["events"], tuple(state["because"]))
        for game, state in note_of(store).get("stale", {}).items()
    }


def remarks(store: Store) -> list[str]:
    """A warning for each game that was held back, to show with the results of queries."""
    return [
        f"of {game} the marts show {stale.shown}, because of {', '.join(stale.because)}; "
        "run 'cardlog build' for details"
        for game, stale in stale_games(store).items()
    ]


def state_of(store: PinnedStore) -> dict[str, Any]:
    """What the store holds, to compare it with later. The number of rows only grows, except in an erasure,
    which removes the warehouse; a compaction changes versions but no rows."""
    rows = {name: store.rows(name) for name in ("playedhand", "ingests", "quarantine")}
    return {"rows": rows, "analysed": store.committed("analysis", [ANALYSED])}


def commit_of(store: Store, version: int) -> str | None:
    """A digest of the commit that made a version of `events`; None if there is none. It may change when a
    store is restored from a backup."""
    entry = store.entry("events", version)
    return None if entry is None else hashlib.sha256(entry).hexdigest()


def can_be_added_to(note: dict[str, Any], store: PinnedStore) -> bool:
    """Whether a warehouse with this note was built by this version of cardlog and its models, from hands that
    the store still has: from the same commit, and after the last erasure or replacement."""
    if not makers(store).items() <= note.items():
        return False
    events = note["versions"]["events"]
    return bool(note["commit"] == commit_of(store, events) and events >= changed_at(store))


def is_of(store: Store) -> bool:
    """Whether the warehouse was built from the store's current state."""
    now, note = pinned(store, as_built=True), note_of(store)
    return can_be_added_to(note, now) and state_of(now).items() <= note.items()


def is_current(store: Store) -> bool:
    """Whether the warehouse was built from the store's current state, and no game was held back."""
    return is_of(store) and not stale_games(store)


# ---------------------------------------------------------------- hands the marts don't have yet


def unbuilt_hands(store: Store) -> int:
    """The number of hands stored since the marts were built; all of them if they never were."""
    now = pinned(store, ["events", "ingests"])
    built = note_of(store).get("versions", {}).get("events")
    if built == now.moment.versions["events"]:
        return 0
    before = 0 if built is None else _hands(as_noted(now, now.moment.versions | {"events": built}))
    return _hands(now) - before


def as_of_marts(store: Store) -> PinnedStore:
    """The store as of the build of its marts if events were only added since; otherwise as it is now."""
    now, note = pinned(store), note_of(store)
    if not note:
        return now
    built = as_noted(now, note["versions"])
    return built if set(built.paths("events")) <= set(now.paths("events")) else now


def _hands(store: Store) -> int:
    return pc.sum(valid_ingests(store).column("hands_stored")).as_py() or 0
