"""A store with an analysis of some of its hands; all of them would take minutes."""

import pyarrow as pa
import pyarrow.compute as pc

from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.layout import ANALYSED
from cardlog.pipelines.storage.store import Part, Store, game_of
from cardlog.schemas.tables import ANALYSES


def analyse_some(store: Store, hands: dict[str, int]) -> None:
    """Analyse so many hands of some games, the first ones of a data file of each. What cards cost by
    what their players knew is made up, for the even seats."""
    parts: list[Part] = []
    for game, count in hands.items():
        path = next(path for path in store.paths("events") if game_of(path) == game)
        batch = EventsFile(store, path).later_hands(0, None)
        assert batch is not None
        for name, rows in project(batch.take(range(count)), tuple(ANALYSES)):
            parts.append(store.write(name, game, [_with_known(rows)]))
    for name in ANALYSES:
        change = Change([part for part in parts if part.table == name], {ANALYSED: 1})
        store.commit(name, change)


def _with_known(rows: pa.Table) -> pa.Table:
    if "cost_known" not in rows.column_names:
        return rows
    is_even = pc.equal(pc.bit_wise_and(rows["seat"], 1), 0)
    known = pc.if_else(is_even, pc.divide(rows["cost_open"], pa.scalar(2, pa.float32())), None)
    return rows.set_column(rows.schema.get_field_index("cost_known"), rows.schema.field("cost_known"), known)
