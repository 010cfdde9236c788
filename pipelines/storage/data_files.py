"""Data files: read, and written under the digest of their content, which `cardlog verify` checks.

Their pages carry checksums, which Arrow verifies and DuckDB does not. Files written by other Delta clients
have other names: for these only the checksums can be verified, if there are any.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cardlog.pipelines.storage.errors import naming
from cardlog.pipelines.storage.layout import PARTITIONED, SCHEMAS
from cardlog.pipelines.storage.remote import Folder
from cardlog.schemas import events
from cardlog.schemas.tables import MOST_SEATS

NAME_DIGITS: Final = 40
"""Hex digits of the sha256 of its content in a data file's name."""
_NAMED: Final = re.compile(rf"(?:.*/)?([0-9a-f]{{{NAME_DIGITS}}})\.parquet", re.DOTALL)


class DataFile(pq.ParquetFile):  # type: ignore[misc]
    """A data file that verifies the checksums of its pages and whose errors name it. Columns that are
    dictionaries in the table are read as such if the file has them: a projection not rebuilt yet may not."""

    def __init__(self, source: Any, name: str, table: str) -> None:
        self._name, self._table = name, table
        labels = {field.name for field in SCHEMAS[table] if pa.types.is_dictionary(field.type)}
        with naming(name, table):
            footer = pq.read_metadata(source)
            labels &= set(footer.schema.names)
            super().__init__(
                source, metadata=footer, read_dictionary=sorted(labels), page_checksum_verification=True
            )

    def read_row_group(self, *arguments: Any, **options: Any) -> pa.Table:
        """Like `ParquetFile.read_row_group`. Raises Damaged."""
        with naming(self._name, self._table):
            return super().read_row_group(*arguments, **options)

    def read(self, *arguments: Any, **options: Any) -> pa.Table:
        """Like `ParquetFile.read`. Raises Damaged."""
        with naming(self._name, self._table):
            return super().read(*arguments, **options)


def named_digest(path: str) -> str | None:
    """The digest in a data file's name; None if another program wrote it."""
    match = _NAMED.fullmatch(path)
    return match.group(1) if match else None


# ---------------------------------------------------------------- writing

INGEST_NO: Final = "ingest_no"
"""The column whose minimum and maximum in each data file are in the log."""


@dataclass(frozen=True)
class Part:
    """A data file that was written but is not yet in its table.

    path
        Relative to the table.
    ingests
        The lowest and highest `ingest_no` of its rows; empty in tables without it.
    """

    table: str
    path: str
    size: int
    rows: int
    game: str | None
    ingests: tuple[int, ...] = ()

    @property
    def statistics(self) -> str:
        """Its statistics in the log, as Delta writes them: no others, since they outlive an erasure."""
        statistics: dict[str, object] = {"numRecords": self.rows}
        if self.ingests:
            low, high, nulls = ({INGEST_NO: number} for number in (*self.ingests, 0))
            statistics |= {"minValues": low, "maxValues": high, "nullCount": nulls}
        return json.dumps(statistics)


class PartWriter:
    """Writes a data file; nothing is on disk before `close`."""

    def __init__(
        self, folder: Folder, table: str, game: str | None, note: dict[str, str] | None = None
    ) -> None:
        fields = [field for field in SCHEMAS[table] if field.name != "game" or table not in PARTITIONED]
        self._schema = pa.schema(fields)
        self._folder, self._table, self._game = folder, table, game
        self._sink = pa.BufferOutputStream()
        self._file = pq.ParquetWriter(self._sink, self._schema, **_layout(table, self._schema))
        self._file.add_key_value_metadata(note or {})
        self._waiting: list[pa.Table] = []
        self._ingests: tuple[int, ...] = ()
        self.rows = 0

    def add(self, rows: pa.Table) -> None:
        """Add rows: as one row group in `events`, collected into larger ones elsewhere."""
        if not len(rows):
            return
        self.rows += len(rows)
        if INGEST_NO in self._schema.names:
            bounds = pc.min_max(rows.column(INGEST_NO)).as_py().values()
            self._ingests = min(*self._ingests, *bounds), max(*self._ingests, *bounds)
        self._waiting.append(rows.select(self._schema.names).cast(self._schema))
        if self._table == "events" or sum(map(len, self._waiting)) >= events.ROW_GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            rows = pa.concat_tables(self._waiting).unify_dictionaries()
            self._file.write_table(rows, len(rows))
            self._waiting.clear()

    def close(self) -> Part:
        """Write the file, named by its content."""
        self._flush()
        self._file.close()
        content = self._sink.getvalue()
        name = f"{hashlib.sha256(content).hexdigest()[:NAME_DIGITS]}.parquet"
        path = f"game={self._game}/{name}" if self._game is not None else name
        self._folder.put(f"{self._table}/{path}", content)
        return Part(self._table, path, content.size, self.rows, self._game, self._ingests)


STATISTICS: Final = ("hand_id", "match_id", "hand_no", "ingest_no", "schema_version")
"""Columns whose statistics readers use to skip row groups."""
ENCODINGS: Final = {
    "events": {"cards": "DELTA_LENGTH_BYTE_ARRAY"},
    "playedhand": dict.fromkeys(
        ("hand_id", "played_cards", *(f"player_{seat}_hand" for seat in range(MOST_SEATS))),
        "DELTA_LENGTH_BYTE_ARRAY",
    ),
    "tricks": {"cards": "DELTA_LENGTH_BYTE_ARRAY"},
    "seats": {"cards": "DELTA_LENGTH_BYTE_ARRAY"},
    "decisions": dict.fromkeys(("action_mask", "action_mask_high", "return"), "BYTE_STREAM_SPLIT"),
}
"""Encodings that make columns smaller and take no longer to write."""
WITH_FEW_VALUES: Final = ("events", "tricks", "plays", "seats", "bids")
"""Tables whose other columns have few distinct values, so that a dictionary makes them smaller."""
DICTIONARIES: Final = {"playedhand": ("ingest_no",), "decisions": ("reward", "ingest_no")}
"""Numeric columns of other tables with few distinct values."""


def _encodings(table: str, schema: pa.Schema) -> dict[str, str]:
    """The columns with other encodings than a dictionary or the plain one. Small numbers of projections are
    written in half the time of a dictionary; `events` is for all readers of Parquet, also old ones."""
    small = {
        field.name: "BYTE_STREAM_SPLIT"
        for field in schema
        if table != "events" and field.type in (pa.int8(), pa.int16())
    }
    return small | ENCODINGS.get(table, {})


def _layout(table: str, schema: pa.Schema) -> dict[str, object]:
    """Arrow's options for writing a table; see docs/measurements.md."""
    encodings = _encodings(table, schema)
    plain = (*encodings, *(events.PLAIN_COLUMNS if table == "events" else ()))
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": [
            f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name
            for field in schema
            if (table in WITH_FEW_VALUES and field.name not in plain)
            or pa.types.is_dictionary(field.type)
            or field.name in DICTIONARIES.get(table, ())
        ],
        "column_encoding": encodings or None,
        "write_statistics": [name for name in STATISTICS if name in schema.names],
        "write_page_checksum": True,
        "max_rows_per_page": events.ROW_GROUP_ROWS,
        "store_schema": False,
    }
