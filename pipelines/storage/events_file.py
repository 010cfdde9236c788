"""Data files of `events`, piece by piece as batches."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.from_arrow import READ_COLUMNS, from_table, hands_of
from cardlog.pipelines.storage.data_files import named_digest
from cardlog.pipelines.storage.layout import undictionaried
from cardlog.pipelines.storage.part_writer import INGEST_NO
from cardlog.pipelines.storage.store import Store, StoreError, game_of
from cardlog.schemas import versions
from cardlog.schemas.events import SCHEMA


class EventsFile:
    """A data file of `events`, to read piece by piece. A piece holds whole hands: it is a row group, or,
    in a file that another program wrote, a range of ids, since there hands are cut and out of order.

    pieces
        How many there are.
    """

    def __init__(self, store: Store, path: str) -> None:
        self._game = game_of(path)
        self._uri = f"{store.uri('events')}/{path}"
        self._file = store.open("events", path)
        self.metadata: pq.FileMetaData = self._file.metadata
        self._loose = LooseRows(self._file) if named_digest(path) is None else None
        self.pieces: int = self._loose.pieces if self._loose else self.metadata.num_row_groups

    def batch(self, piece: int, prefix: str = "") -> Batch:
        """The hands of a piece, or those whose ids begin so: no others are converted, which without compiled
        code would take long. Raises StoreError if they can't be read or are not whole."""
        return self._batch(from_table, piece, READ_COLUMNS, prefix)

    def matches(self, piece: int) -> Batch:
        """The hands of a piece with their matches, without events. Raises StoreError as `batch`."""
        return self._batch(hands_of, piece, ["hand_id", "match_id", "hand_no", "schema_version"])

    def _batch(
        self, convert: Callable[[str, pa.Table], Batch], piece: int, columns: list[str], prefix: str = ""
    ) -> Batch:
        try:
            if self._loose:
                rows = self._loose.rows(piece, columns)
            else:
                rows = self._file.read_row_group(piece, columns=columns, use_threads=False)
            if prefix:
                rows = rows.filter(pc.starts_with(rows.column("hand_id").cast(pa.string()), prefix))
            return convert(self._game, rows)
        except versions.NewerVersion as error:
            raise StoreError(f"{self._uri}: {error}; upgrade cardlog to read it") from error
        except (ValueError, KeyError) as error:
            why = f"{self._uri} can't be read as events: {error}"
            if self._loose:
                why += (
                    ". Another program wrote this file; cardlog keeps all events of a hand in one. "
                    "Restore the table from a backup"
                )
            raise StoreError(why) from error

    def later_hands(self, piece: int, version: int | None) -> Batch | None:
        """The hands of a piece that were brought by ingests after a version, or all if that is None; None if
        there are none, which the statistics may say."""
        if version is None:
            return self.batch(piece)
        found = None if self._loose else _statistics(self.metadata.row_group(piece)).get(INGEST_NO)
        if found is not None and found.has_min_max and found.max <= version:
            return None
        batch = self.batch(piece)
        later = np.flatnonzero(batch.ingest_nos > version)
        return (batch if len(later) == len(batch) else batch.take(later)) if len(later) else None

    def range_of(self, piece: int) -> tuple[bytes, bytes]:
        """The lowest and highest id that a piece can hold."""
        if self._loose:
            return self._loose.range_of(piece)
        column = self.metadata.row_group(piece).column(0)
        if column.path_in_schema != "hand_id" or not column.is_stats_set or not column.statistics.has_min_max:
            return b"0" * 32, b"f" * 32
        return column.statistics.min.encode(), column.statistics.max.encode()

    def has_matches(self, piece: int) -> bool:
        """Whether a hand of a piece may belong to a match, by the statistics."""
        if self._loose:
            return True
        group = self.metadata.row_group(piece)
        found = _statistics(group).get("match_id")
        return found is None or not found.has_null_count or found.null_count < group.num_rows


class LooseRows:
    """A data file of `events` that another program wrote: strings of any Arrow type, hands cut by row
    groups, rows in any order. All of it is read for each piece, but only the piece is kept in memory."""

    def __init__(self, file: pq.ParquetFile) -> None:
        self._file = file
        self.pieces: int = -(-file.metadata.num_rows // LOOSE_ROWS)

    def range_of(self, piece: int) -> tuple[bytes, bytes]:
        """The lowest and highest id that a piece can hold; ids are spread evenly."""
        low, high = (_ID_RANGE * end // self.pieces for end in (piece, piece + 1))
        return f"{low:032x}".encode(), f"{high - 1:032x}".encode()

    def rows(self, piece: int, columns: list[str]) -> pa.Table:
        """Columns of the hands of a piece, in order. Raises ArrowException if they can't be events."""
        low, high = (end.decode() for end in self.range_of(piece))
        plain = undictionaried(pa.schema([SCHEMA.field(name) for name in dict.fromkeys((*columns, "seq"))]))
        found = []
        for group in range(self._file.num_row_groups):
            rows = self._file.read_row_group(group, columns=plain.names, use_threads=False)
            rows = rows.select(plain.names).cast(plain)
            ids = rows.column("hand_id")
            found.append(rows.filter(pc.and_(pc.greater_equal(ids, low), pc.less_equal(ids, high))))
        return pa.concat_tables(found).sort_by([("hand_id", "ascending"), ("seq", "ascending")])


LOOSE_ROWS: Final = 2_000_000
"""About how many rows of a file of another program are in memory at once."""
_ID_RANGE: Final = 16**32


def _statistics(group: pq.RowGroupMetaData) -> dict[str, Any]:
    """The statistics of the columns of a row group, where there are any."""
    columns = (group.column(index) for index in range(group.num_columns))
    return {column.path_in_schema: column.statistics for column in columns if column.is_stats_set}
