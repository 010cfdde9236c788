"""Data files written anew with other rows, or with those of several: each row group has dictionaries of its
own values only, so that nothing is left of values that no row has any more."""

from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.storage.store import PARTITIONED, Part, Store, game_of
from cardlog.pipelines.storage.stored_hands import ordered_batches
from cardlog.schemas.events import ROW_GROUP_ROWS


class Edited(NamedTuple):
    """Rows after a change, and how many of those before it were removed or changed."""

    rows: pa.Table
    touched: int


Edit = Callable[[pa.Table], Edited]
"""Changes rows, in which there are plain strings instead of dictionaries."""


def plain(rows: pa.Table) -> pa.Table:
    """Rows with plain strings instead of dictionaries."""
    return rows.cast(pa.schema([field.with_type(_plain(field.type)) for field in rows.schema]))


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _encoded(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Plain rows with dictionaries where a schema has them, of their own values only."""
    for index, field in enumerate(schema):
        if pa.types.is_dictionary(field.type):
            found = rows.column(index).combine_chunks().dictionary_encode()
            rows = rows.set_column(index, field, pa.chunked_array([found]).cast(field.type))
    return rows


def edited(store: Store, name: str, paths: list[str], edit: Edit | None = None) -> list[Part]:
    """A data file with the rows of others, of any table but `events` and of one game, or with what an edit
    leaves of them; none if that is nothing."""
    schema = store.empty(name).schema
    rows = pa.concat_tables([plain(part) for part in store.read(name, paths)])
    rows = edit(rows).rows if edit else rows
    if "hand_id" in schema.names:
        rows = rows.sort_by("hand_id")
    writer = store.writer(name, game_of(paths[0]) if name in PARTITIONED else None)
    for start in range(0, len(rows), ROW_GROUP_ROWS):
        writer.add(_encoded(rows.slice(start, ROW_GROUP_ROWS), schema))
    return [writer.close()] if writer.rows else []


def edited_hands(store: Store, paths: list[str], edit: Callable[[Batch], Batch] | None = None) -> list[Part]:
    """A data file with the hands of others of `events`, all of one game, or with what an edit leaves of them;
    none if that is nothing."""
    writer, hands = store.writer("events", game_of(paths[0])), 0
    for batch in ordered_batches(store, paths):
        left = edit(batch) if edit else batch
        hands += len(left)
        for piece in to_tables(left):
            writer.add(piece)
    return [writer.close(hands)] if writer.rows else []
