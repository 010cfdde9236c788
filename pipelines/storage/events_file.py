"""Data files of `events`, read as batches."""

from collections.abc import Callable
from math import ceil
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.from_arrow import READ_COLUMNS, from_table, hands_of
from cardlog.pipelines.storage.data_files import INGEST_NO, named_digest
from cardlog.pipelines.storage.layout import undictionaried
from cardlog.pipelines.storage.store import Store, StoreError, game_of
from cardlog.schemas import versions
from cardlog.schemas.events import SCHEMA

LOOSE_ROWS: Final = 2_000_000
"""About how many rows of another program's file are in memory at once."""
_ID_RANGE: Final = 16**32


class EventsFile:
    """A data file of `events`, to read piece by piece. A piece has whole hands: it is a row group, or a range
    of ids in a file that another program wrote, where row groups cut hands and hands are out of order.

    pieces
        How many there are.
    """

    def __init__(self, store: Store, path: str) -> None:
        self._game = game_of(path)
        self._uri = f"{store.uri('events')}/{path}"
        self._file = store.open("events", path)
        self.metadata: pq.FileMetaData = self._file.metadata
        self._is_loose = named_digest(path) is None
        rows, groups = self.metadata.num_rows, self.metadata.num_row_groups
        self.pieces: int = ceil(rows / LOOSE_ROWS) if self._is_loose else groups

    def batch(self, piece: int, prefix: str = "") -> Batch:
        """The hands of a piece whose ids have a prefix. Others are not converted, which would be slow without
        compiled code. Raises StoreError if they can't be read or are not whole."""
        return self._batch(from_table, piece, READ_COLUMNS, prefix)

    def matches(self, piece: int) -> Batch:
        """The hands of a piece with their matches, without events. Raises StoreError like `batch`."""
        return self._batch(hands_of, piece, ["hand_id", "match_id", "hand_no", "schema_version"])

    def _batch(
        self, convert: Callable[[str, pa.Table], Batch], piece: int, columns: list[str], prefix: str = ""
    ) -> Batch:
        try:
            rows = self._rows(piece, columns)
            if prefix:
                rows = rows.filter(pc.starts_with(rows.column("hand_id").cast(pa.string()), prefix))
            return convert(self._game, rows)
        except versions.NewerVersion as error:
            raise StoreError(f"{self._uri}: {error}", "upgrade cardlog to read it") from error
        except (ValueError, KeyError) as error:
            message = f"{self._uri} can't be read as events: {error}"
            if self._is_loose:
                message += (
                    ". Another program wrote this file; cardlog keeps all events of a hand in one. "
                    "Restore the table from a backup"
                )
            raise StoreError(message) from error

    def _rows(self, piece: int, columns: list[str]) -> pa.Table:
        """Columns of a piece, whose hands are in order. Another program's file, whose strings may have any
        Arrow type, is read as a whole for each piece, but only the piece is kept in memory."""
        if not self._is_loose:
            return self._file.read_row_group(piece, columns=columns, use_threads=False)
        low, high = (end.decode() for end in self.range_of(piece))
        plain = undictionaried(pa.schema([SCHEMA.field(name) for name in dict.fromkeys((*columns, "seq"))]))
        tables = []
        for group in range(self.metadata.num_row_groups):
            rows = self._file.read_row_group(group, columns=plain.names, use_threads=False)
            rows = rows.select(plain.names).cast(plain)
            ids = rows.column("hand_id")
            tables.append(rows.filter(pc.and_(pc.greater_equal(ids, low), pc.less_equal(ids, high))))
        return pa.concat_tables(tables).sort_by([("hand_id", "ascending"), ("seq", "ascending")])

    def later_hands(self, piece: int, version: int | None) -> Batch | None:
        """The hands of a piece that were ingested after a version of `events`, all of them if that is None;
        None if there are none."""
        if version is None:
            return self.batch(piece)
        statistics = self._statistics(piece, INGEST_NO)
        if statistics is not None and statistics.has_min_max and statistics.max <= version:
            return None
        batch = self.batch(piece)
        later = np.flatnonzero(batch.ingest_nos > version)
        return (batch if len(later) == len(batch) else batch.take(later)) if len(later) else None

    def range_of(self, piece: int) -> tuple[bytes, bytes]:
        """The lowest and highest id that a piece can have. The pieces of another program's file divide all
        ids evenly."""
        if self._is_loose:
            low, end = (_ID_RANGE * number // self.pieces for number in (piece, piece + 1))
            return f"{low:032x}".encode(), f"{end - 1:032x}".encode()
        statistics = self._statistics(piece, "hand_id")
        if statistics is None or not statistics.has_min_max:
            return b"0" * 32, b"f" * 32
        return statistics.min.encode(), statistics.max.encode()

    def has_matches(self, piece: int) -> bool:
        """Whether a hand of a piece may belong to a match, by the statistics."""
        statistics = self._statistics(piece, "match_id")
        return statistics is None or not statistics.has_null_count or statistics.num_values > 0

    def _statistics(self, piece: int, name: str) -> Any:
        """The statistics of a column in a piece; None if there are none."""
        if self._is_loose:
            return None
        group = self.metadata.row_group(piece)
        columns = map(group.column, range(group.num_columns))
        return next((c.statistics for c in columns if c.path_in_schema == name and c.is_stats_set), None)
