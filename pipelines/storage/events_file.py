"""Data files of `events`, piece by piece as batches.

Only the columns are read that a file's statistics say have any value.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.data_files import named_digest
from cardlog.pipelines.storage.from_arrow import READ_COLUMNS, batch_of, from_table, hands_of
from cardlog.pipelines.storage.ledger import origins_of
from cardlog.pipelines.storage.store import Store, StoreError, game_of
from cardlog.schemas import versions
from cardlog.schemas.events import SCHEMA, SCHEMA_VERSION

_OPTIONAL: Final = (
    "match_id", "hand_no", "seat", "cards", "suit", "amount", "detail", "occurred_at", "dataset",
    "source_key",
)  # fmt: skip


class EventsFile:
    """A data file of `events`, to read piece by piece. A piece holds whole hands: it is a row group, or,
    in a file that another program wrote, a range of ids, since there hands are cut and out of order.

    pieces
        How many there are.
    """

    def __init__(self, store: Store, path: str, *, rely: bool = False) -> None:
        self._store, self._path = store, path
        self._known_origins: versions.Origins | None = None
        self._game = game_of(path)
        self._uri = f"{store.uri('events')}/{path}"
        self._file = store.open("events", path, rely=rely)
        self.metadata: pq.FileMetaData = self._file.metadata
        # Texts whose offsets are counted in 64 bits are read a quarter faster. That can't be said of
        # one column, and those with dictionaries would lose them.
        self._cards = store.open(
            "events", path, rely=rely, metadata=self.metadata, binary_type=pa.large_binary()
        )

        self._loose = LooseRows(self._file, self._game, self._origins) if named_digest(path) is None else None
        self.pieces: int = self._loose.pieces if self._loose else self.metadata.num_row_groups

    def batch(self, piece: int) -> Batch:
        """The hands of a piece. Raises StoreError if they can't be read or are not whole."""
        with self._explained():
            return self._loose.batch(piece) if self._loose else self._group_batch(piece)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise a StoreError that names the file for what can't be read."""
        try:
            yield
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

    def hand(self, piece: int, hand_id: str) -> Batch | None:
        """One hand of a piece, without those beside it; None if it is not there. Raises StoreError as `batch`
        does."""
        if self._loose or not _is_newest(_statistics(self.metadata.row_group(piece))):
            batch = self.batch(piece)
            return next((batch.take(hand) for hand in batch.find(hand_id)), None)
        with self._explained():
            ids = _group(self._file, piece, ["hand_id"]).column(0).combine_chunks()
            number = pc.index(ids.dictionary, hand_id).as_py()
            rows = pc.equal(ids.indices, number)
            first = pc.index(rows, True).as_py()
            if number < 0 or first < 0:
                return None
            table = _group(self._file, piece, READ_COLUMNS).slice(first, pc.sum(rows).as_py())
            return batch_of(self._game, table.combine_chunks())

    def range_of(self, piece: int) -> tuple[bytes, bytes]:
        """The lowest and highest id that a piece can hold."""
        if self._loose:
            return self._loose.range_of(piece)
        column = self.metadata.row_group(piece).column(0)
        if column.path_in_schema != "hand_id" or not column.is_stats_set or not column.statistics.has_min_max:
            return b"0" * 32, b"f" * 32
        return column.statistics.min.encode(), column.statistics.max.encode()

    def _group_batch(self, group: int) -> Batch:
        statistics = _statistics(self.metadata.row_group(group))
        if not _is_newest(statistics):
            return from_table(self._game, _group(self._file, group, READ_COLUMNS), self._origins())
        rows = self.metadata.row_group(group).num_rows
        absent = {
            name
            for name in _OPTIONAL
            if name in statistics and statistics[name].has_null_count and statistics[name].null_count == rows
        }
        apart = {"schema_version", "cards"} | absent
        table = _group(self._file, group, [name for name in READ_COLUMNS if name not in apart])
        if "cards" not in absent:
            cards = _group(self._cards, group, ["cards"])
            table = table.append_column(cards.schema.field(0), cards.column(0))
        return batch_of(self._game, table)

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

    def _origins(self) -> versions.Origins:
        """What is known of the sources of the file's rows."""
        if self._known_origins is None:
            self._known_origins = origins_of(self._store, self._path)
        return self._known_origins


def has_old_rows(store: Store, path: str) -> bool:
    """Whether a data file of `events` has rows of older versions, by its statistics, or may have."""
    file = store.open("events", path, rely=True)
    if named_digest(path) is None:
        return bool(pc.any(pc.not_equal(file.read(["schema_version"]).column(0), SCHEMA_VERSION)).as_py())
    groups = range(file.metadata.num_row_groups)
    return not all(_is_newest(_statistics(file.metadata.row_group(group))) for group in groups)


def _is_newest(statistics: dict[str, Any]) -> bool:
    """Whether all rows of a row group are of the newest version, by its statistics."""
    version = statistics.get("schema_version")
    return bool(version is not None and version.has_min_max and version.min == SCHEMA_VERSION == version.max)


class LooseRows:
    """A data file of `events` that another program wrote: strings of any Arrow type, hands cut by row
    groups, rows in any order, row groups of several versions. All of it is read for each piece, but
    only the piece is kept in memory."""

    def __init__(self, file: pq.ParquetFile, game: str, origins: Callable[[], versions.Origins]) -> None:
        self._file, self._game, self._origins = file, game, origins
        self.pieces: int = -(-file.metadata.num_rows // LOOSE_ROWS)

    def range_of(self, piece: int) -> tuple[bytes, bytes]:
        """The lowest and highest id that a piece can hold; ids are spread evenly."""
        low, high = (_ID_RANGE * end // self.pieces for end in (piece, piece + 1))
        return f"{low:032x}".encode(), f"{high - 1:032x}".encode()

    def batch(self, piece: int) -> Batch:
        """The hands of a piece. Raises ValueError as `from_table` does."""
        low, high = (end.decode() for end in self.range_of(piece))
        found = []
        for group in range(self._file.num_row_groups):
            rows = _in_schema(_group(self._file, group, READ_COLUMNS))
            ids = rows.column("hand_id").cast(pa.string())
            found.append(rows.filter(pc.and_(pc.greater_equal(ids, low), pc.less_equal(ids, high))))
        rows = pa.concat_tables(found).unify_dictionaries()
        order = pa.table({"hand_id": rows.column("hand_id").cast(pa.string()), "seq": rows.column("seq")})
        rows = rows.take(pc.sort_indices(order, [("hand_id", "ascending"), ("seq", "ascending")]))
        kinds = pc.unique(rows.column("schema_version")).to_pylist()
        of_version = (rows.filter(pc.equal(rows.column("schema_version"), kind)) for kind in kinds)
        batches = [from_table(self._game, part.combine_chunks(), self._origins()) for part in of_version]
        return Batch.joined(batches).sorted() if batches else from_table(self._game, rows)


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
