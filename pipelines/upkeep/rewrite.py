"""Data files rewritten with other rows, or merged. The dictionaries of a row group have only values that its
rows have, so that nothing is left of erased ones."""

from collections.abc import Callable, Iterator

import pyarrow as pa

from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.storage.data_files import PartWriter
from cardlog.pipelines.storage.layout import PACKAGE, undictionaried
from cardlog.pipelines.storage.store import PARTITIONED, Store, StoreError, game_of
from cardlog.pipelines.storage.stored_hands import ordered_batches
from cardlog.schemas.events import ROW_GROUP_ROWS

Edit = Callable[[pa.Table], pa.Table]
"""Changes rows, which have plain strings instead of dictionaries."""


def plain(rows: pa.Table) -> pa.Table:
    """Rows with plain strings instead of dictionaries."""
    return rows.cast(undictionaried(rows.schema))


def rewritten(store: Store, name: str, paths: list[str], edit: Edit | None = None) -> PartWriter:
    """A writer of a data file with the rows of others of a table, all of one game, or with what an edit
    leaves of them. Raises StoreError if it has not read each row exactly once."""
    noted = store.open(name, paths[0]).metadata.metadata or {}
    note = {PACKAGE: noted[PACKAGE.encode()].decode()} if PACKAGE.encode() in noted else {}
    writer = store.writer(name, game_of(paths[0]) if name in PARTITIONED else None, note)
    missing = sum(store.open(name, path).metadata.num_rows for path in paths)
    for rows in _in_order(store, name, paths):
        missing -= len(rows)
        left = edit(plain(rows)) if edit else rows
        for start in range(0, len(left), ROW_GROUP_ROWS):
            writer.add(left.slice(start, ROW_GROUP_ROWS))
    if missing:
        raise StoreError(f"{store.uri(name)} can't be rewritten: some rows would be lost or repeated")
    return writer


def _in_order(store: Store, name: str, paths: list[str]) -> Iterator[pa.Table]:
    """The rows of data files in the order of their hands: those of `events` a row group of whole hands at a
    time, those of other tables at once, with plain strings."""
    if name == "events":
        for batch in ordered_batches(store, paths):
            yield from to_tables(batch)
        return
    rows = pa.concat_tables([plain(part) for part in store.read(name, paths)])
    yield rows.sort_by("hand_id") if "hand_id" in rows.column_names else rows
