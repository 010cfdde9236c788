"""Data files of `events`, piece by piece as batches."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.from_arrow import READ_COLUMNS, from_table, hands_of
from cardlog.pipelines.storage.data_files import named_digest
from cardlog.pipelines.storage.part_writer import INGEST_NO
from cardlog.pipelines.storage.store import Store, StoreError, game_of
from cardlog.schemas import versions
from cardlog.schemas.events import SCHEMA, SCHEMA_VERSION


class EventsFile:
    """A data file of `events`, to read piece by piece. A piece holds whole hands: it is a row group, or,
    in a file that another program wrote, a range of ids, since there hands are cut and out of order.

    pieces
        How many there are.
    """

    def __init__(self, store: Store, path: str) -> None:
        self._store, self._path = store, path
        self._game = game_of(path)
        self._uri = f"{store.uri('events')}/{path}"
        self._file = store.open("events", path)
        self.metadata: pq.FileMetaData = self._file.metadata
        self._loose = LooseRows(self._file, self._game) if named_digest(path) is None else None
        self.pieces: int = self._loose.pieces if self._loose else self.metadata.num_row_groups

    def batch(self, piece: int, prefix: str = "") -> Batch:
        """The hands of a piece, or those whose ids begin so: no others are converted, which without compiled
        code would take long. Raises StoreError if they can't be read or are not whole."""
        try:
            if self._loose:
                return self._loose.batch(piece, prefix)
            if prefix:
                return self._hands_of_group(piece, prefix)
            return from_table(self._game, _group(self._file, piece, READ_COLUMNS))
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

    def _hands_of_group(self, group: int, prefix: str) -> Batch:
        ids = _group(self._file, group, ["hand_id"]).column(0).combine_chunks()
        known = pc.starts_with(ids.dictionary.cast(pa.string()), prefix)
        rows = pc.indices_nonzero(known.take(ids.indices))
        first = rows[0].as_py() if len(rows) else 0
        table = _group(self._file, group, READ_COLUMNS).slice(first, len(rows))  # a file is sorted by id
        return from_table(self._game, table.combine_chunks())

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

    def matches(self, piece: int) -> Batch:
        """The hands of a piece with their matches; their events may be left out."""
        if self._loose or not _is_newest(_statistics(self.metadata.row_group(piece))):
            return self.batch(piece)
        return hands_of(self._game, _group(self._file, piece, ["hand_id", "match_id", "hand_no"]))


def _is_newest(statistics: dict[str, Any]) -> bool:
    """Whether all rows of a row group are of the newest version, by its statistics."""
    version = statistics.get("schema_version")
    return bool(version is not None and version.has_min_max and version.min == SCHEMA_VERSION == version.max)


class LooseRows:
    """A data file of `events` that another program wrote: strings of any Arrow type, hands cut by row
    groups, rows in any order. All of it is read for each piece, but only the piece is kept in memory."""

    def __init__(self, file: pq.ParquetFile, game: str) -> None:
        self._file, self._game = file, game
        self.pieces: int = -(-file.metadata.num_rows // LOOSE_ROWS)

    def range_of(self, piece: int) -> tuple[bytes, bytes]:
        """The lowest and highest id that a piece can hold; ids are spread evenly."""
        low, high = (_ID_RANGE * end // self.pieces for end in (piece, piece + 1))
        return f"{low:032x}".encode(), f"{high - 1:032x}".encode()

    def batch(self, piece: int, prefix: str = "") -> Batch:
        """The hands of a piece whose ids begin so. Raises ValueError as `from_table` does."""
        low, high = (end.decode() for end in self.range_of(piece))
        low, high = max(low, prefix.ljust(32, "0")), min(high, prefix.ljust(32, "f"))
        found = []
        for group in range(self._file.num_row_groups):
            rows = _in_schema(_group(self._file, group, READ_COLUMNS))
            ids = rows.column("hand_id").cast(pa.string())
            found.append(rows.filter(pc.and_(pc.greater_equal(ids, low), pc.less_equal(ids, high))))
        rows = pa.concat_tables(found).unify_dictionaries()
        order = pa.table({"hand_id": rows.column("hand_id").cast(pa.string()), "seq": rows.column("seq")})
        rows = rows.take(pc.sort_indices(order, [("hand_id", "ascending"), ("seq", "ascending")]))
        return from_table(self._game, rows.combine_chunks())


LOOSE_ROWS: Final = 2_000_000
"""About how many rows of a file of another program are in memory at once."""
_ID_RANGE: Final = 16**32


def _in_schema(rows: pa.Table) -> pa.Table:
    """Rows with the types that `events` has, whatever kinds of strings and numbers another program made
    of them. Raises ArrowException if that can't be done."""
    for index, field in enumerate(rows.schema):
        kind = SCHEMA.field(field.name).type
        if pa.types.is_dictionary(kind):
            column = rows.column(index).cast(pa.string()).dictionary_encode()
        else:
            column = rows.column(index).cast(kind)
        rows = rows.set_column(index, field.name, column)
    return rows


def _group(file: pq.ParquetFile, group: int, columns: list[str]) -> pa.Table:
    return file.read_row_group(group, columns=columns, use_threads=False)


def _statistics(group: pq.RowGroupMetaData) -> dict[str, Any]:
    """The statistics of the columns of a row group, where there are any."""
    columns = (group.column(index) for index in range(group.num_columns))
    return {column.path_in_schema: column.statistics for column in columns if column.is_stats_set}
