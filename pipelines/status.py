"""What a store holds, from its logs alone: no data file is read but those of `ingests`."""

from typing import Any

from pipelines import warehouse
from pipelines.ledger import COUNTS, valid_ingests
from pipelines.store import RECORDS, SCHEMAS, Store


def status(store: Store) -> dict[str, Any]:
    """Tables with rows, version and state; hands and what became of them; state of the marts."""
    events_version = store.table("events").version()
    tables: dict[str, dict[str, Any]] = {}
    for name in SCHEMAS:
        state = "record"
        if name not in RECORDS:
            built = store.built_from(name)
            if built is None and not store.rows(name):
                state = "not built"
            else:
                state = "up to date" if built == events_version else "behind: cardlog build"
        tables[name] = {"rows": store.rows(name), "version": store.table(name).version(), "state": state}
    ingests = valid_ingests(store)
    hands = {name: sum(ingests.column(name).to_pylist()) for name in COUNTS}
    return {
        "store": store.root,
        "tables": tables,
        "hands": hands,
        "sources": ingests.num_rows,
        "marts": _marts(store),
    }


def _marts(store: Store) -> str:
    if not warehouse.path_of(store).exists():
        return "not built"
    return "up to date" if warehouse.is_current(store) else "behind: cardlog build"
