"""playedhand-csv: Kaiser's hands as Postgres dumps them, from the rows of `playedhand`.

These have everything the original row said except the time zone of its date, which the hand's opening keeps
if it is not UTC. Rows come in the order they were read.
"""

from collections.abc import Iterator
from typing import IO, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import OpeningColumns
from cardlog.pipelines.export.source_order import PLACE, in_source_order
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.tables import PLAYEDHAND

CSV: Final = "playedhand-csv"
COLUMNS: Final = tuple(PLAYEDHAND.names[:20])
"""The columns of the original data set, in the table's order."""
DATE: Final = "added_date"
HEADER: Final = ",".join(COLUMNS).encode() + b"\n"

DAY_MINUTES: Final = 24 * 60
_MINUTE: Final = 60_000_000
"""Microseconds."""


def _plain(field: pa.Field) -> pa.Field:
    """A column as it is sorted: no dictionary, and times as numbers, which DuckDB leaves alone."""
    plain = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    return pa.field(field.name, pa.int64() if pa.types.is_timestamp(plain) else plain)


HANDS: Final = pa.schema(
    [
        *(_plain(PLAYEDHAND.field(name)) for name in (*COLUMNS, *PLACE)),
        pa.field("utc_offset", pa.int16()),
    ]
)
"""Rows on their way to be sorted."""


def rows_of(batch: Batch) -> pa.Table:
    """The rows of some hands, with their sources, their lines there, and their time zones."""
    ((_, rows),) = project(batch, ("playedhand",))
    rows = rows.append_column("utc_offset", UTC_OFFSETS.of(batch)["utc_offset"])
    return rows.select(HANDS.names).cast(HANDS)


def write(store: Store, hands: Iterator[Batch], file: IO[bytes]) -> int:
    """Write the rows of hands in the order they came in; returns how many there are."""
    count = 0
    file.write(HEADER)
    for table in in_source_order(store, map(rows_of, hands), HANDS):
        file.write(lines(table, table.column("utc_offset").to_numpy()))
        count += len(table)
    return count


def _utc_offset(opening: dict[str, Any]) -> tuple[int]:
    """Minutes by which the date of a hand with this opening is ahead of UTC."""
    offset = opening.get("utc_offset")
    return (offset if type(offset) is int and abs(offset) < DAY_MINUTES else 0,)


UTC_OFFSETS: Final = OpeningColumns({"utc_offset": pa.int16()}, _utc_offset)
"""The time zones of dates, from the openings."""


def lines(rows: pa.Table, offsets: NDArray[np.int16]) -> memoryview:
    """Rows of `playedhand` as lines.

    rows
        At least the columns `COLUMNS`; `added_date` may be a time or microseconds since 1970.
    offsets
        Minutes by which each row's time zone is ahead of UTC: shape (rows,).
    """
    columns = {}
    for name in COLUMNS:
        column = rows.column(name).combine_chunks()
        if name == DATE:
            column = _times(column.cast(pa.int64()), offsets)
        columns[name] = pc.if_else(column, "t", "f") if pa.types.is_boolean(column.type) else column
    sink = pa.BufferOutputStream()
    csv.write_csv(pa.table(columns), sink, csv.WriteOptions(include_header=False, quoting_style="none"))
    return memoryview(sink.getvalue())


def _times(moments: pa.Array, offsets: NDArray[np.int16]) -> pa.StringArray:
    """Times as Postgres writes them: ``2016-03-01 21:16:07.2+00``, without trailing zeros of the fraction and
    zero minutes of the zone. Null stays null."""
    minutes, index = np.unique(offsets, return_inverse=True)
    local = pc.add(moments, pa.array(offsets.astype(np.int64) * _MINUTE)).cast(pa.timestamp("us"))
    text = pc.utf8_rtrim(pc.utf8_rtrim(local.cast(pa.string()), "0"), ".")
    zones = pa.array(list(map(_zone, minutes.tolist()))).take(pa.array(index))
    return pc.binary_join_element_wise(text, zones, "")


def _zone(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}" + (f":{rest:02}" if rest else "")
