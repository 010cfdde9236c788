"""What a store has, from its logs and `ingests`; other data is read only if there are hands in quarantine."""

from dataclasses import asdict
from typing import Any

from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage.erasures import erased
from cardlog.pipelines.storage.layout import PACKAGE
from cardlog.pipelines.storage.ledger import COUNTS, valid_ingests
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import RECORDS, SCHEMAS, Store, game_of
from cardlog.pipelines.upkeep import quarantine
from cardlog.schemas import registry
from cardlog.schemas.tables import ANALYSES


def status(store: Store) -> dict[str, Any]:
    """The tables with rows, data files, version and state; counts of hands; the state of the marts."""
    store = pinned(store)
    moment = store.moment
    tables: dict[str, dict[str, Any]] = {}
    for name in SCHEMAS:
        state = "record"
        if name in ANALYSES:
            if not store.rows(name):
                continue
            state = "up to date" if _is_analysed(store, name) else "behind: cardlog analyse"
        elif name not in RECORDS:
            if moment.built_from is None and not store.rows(name):
                state = "not built"
            elif (moment.built_from or 0) > moment.versions["events"]:
                state = "newer than events: cardlog verify"
            else:
                state = "up to date" if moment.is_built else "behind: cardlog build"
        sizes = store.sizes(name)
        version = moment.versions[name]
        tables[name] = {
            "rows": sum(sizes.values()), "files": len(sizes), "version": version, "state": state
        }  # fmt: skip
    ingests = valid_ingests(store)
    hands = {name: sum(ingests.column(name).to_pylist()) for name in COUNTS}
    return {
        "store": store.root,
        "tables": tables,
        "hands": hands,
        "quarantine": quarantine.totals(store),
        "erased": asdict(erased(store)),
        "sources": ingests.num_rows,
        "marts": _marts(store),
        "missing": missing_games(store),
        "stale": {game: asdict(stale) for game, stale in warehouse.stale_games(store).items()},
    }


def missing_games(store: Store) -> dict[str, str]:
    """The games in the store whose package is not installed, each with that package."""
    there = {point.name for point in registry.installed(registry.GAMES)}
    first = {game_of(path): path for path in reversed(store.paths("events"))}
    noted = {game: store.open("events", path).metadata.metadata or {} for game, path in first.items()}
    packages = {game: note.get(PACKAGE.encode(), b"").decode() for game, note in noted.items()}
    return {game: package for game, package in sorted(packages.items()) if package and game not in there}


def _is_analysed(store: Store, name: str) -> bool:
    """Whether an analysis has all hands of the games that it has rows of."""
    version = store.table("events").version()
    return all(store.built_from(name, game=game) == version for game in set(map(game_of, store.paths(name))))


def _marts(store: Store) -> str:
    if not warehouse.path_of(store).exists():
        return "not built"
    state = "up to date" if warehouse.is_of(store) else "behind: cardlog build"
    stale = warehouse.stale_games(store)
    return f"{state}; held back: {', '.join(sorted(stale))}" if stale else state
