"""Data files written anew with other rows: each row group has dictionaries of its own values only, so that
nothing is left of values that no row has any more."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pyarrow as pa

from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.store import PARTITIONED, Part, Store, StoreError, game_of
from cardlog.pipelines.storage.stored_hands import stored_batches
from cardlog.pipelines.storage.to_arrow import to_tables


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


def encoded(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Plain rows with dictionaries where a schema has them, of their own values only."""
    for index, field in enumerate(schema):
        if pa.types.is_dictionary(field.type):
            found = rows.column(index).combine_chunks().dictionary_encode()
            rows = rows.set_column(index, field, pa.chunked_array([found]).cast(field.type))
    return rows


def count_touched(store: Store, name: str, path: str, edit: Edit, columns: list[str]) -> int:
    """How many rows of a data file an edit would remove or change, by these columns."""
    file = store.open(name, path, columns)
    groups = (file.read_row_group(group, columns=columns) for group in range(file.num_row_groups))
    return sum(edit(plain(rows)).touched for rows in groups)


def edited(store: Store, name: str, path: str, edit: Edit) -> Part | None:
    """A data file with what an edit leaves of one of any table but `events`; None if that is nothing."""
    writer = store.writer(name, game_of(path) if name in PARTITIONED else None)
    schema = store.empty(name).schema
    if name in PARTITIONED:
        schema = schema.remove(schema.get_field_index("game"))
    file = store.open(name, path)
    for group in range(file.num_row_groups):
        rows = edit(plain(file.read_row_group(group))).rows
        if len(rows):
            writer.add(encoded(rows.select(schema.names), schema))
    return writer.close() if writer.rows else None


def edited_hands(store: Store, path: str, edit: Callable[[Batch], Batch], rows: int) -> Part | None:
    """A data file with what an edit leaves of one of `events`; None if that is nothing.

    rows
        How many events that has to be. Raises StoreError if it is not.
    """
    writer, hands = store.writer("events", game_of(path)), 0
    for batch in _batches(store, path, edit):
        hands += len(batch)
        for piece in to_tables(batch):
            writer.add(piece)
    if writer.rows != rows:
        raise StoreError(f"{store.uri('events')}/{path} can't be rewritten: rows would be lost or repeated")
    return writer.close(hands) if rows else None


def _batches(store: Store, path: str, edit: Callable[[Batch], Batch]) -> Iterator[Batch]:
    for batch in stored_batches(store, path):
        left = edit(batch)
        if len(left):
            yield left
