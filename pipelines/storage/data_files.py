"""Data files: read, and written under the digest of their content, which `cardlog verify` compares.

Their pages carry checksums, which Arrow verifies and DuckDB does not. Files of other Delta clients have other
names: of them only the checksums can be verified, if they have any.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cardlog.pipelines.storage.errors import naming
from cardlog.pipelines.storage.layout import PARTITIONED, SCHEMAS
from cardlog.schemas import events
from cardlog.schemas.tables import MOST_SEATS

NAME_DIGITS: Final = 40
"""Hex digits of the sha256 of its content that a data file is named by."""
_NAMED: Final = re.compile(rf"(?:.*/)?([0-9a-f]{{{NAME_DIGITS}}})\.parquet", re.DOTALL)


class DataFile(pq.ParquetFile):  # type: ignore[misc]
    """A data file that verifies the checksums of its pages and whose errors name it. Columns that have labels
    in the table come as dictionaries, if the file has them: a projection that was not rebuilt yet may not."""

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
        """As `ParquetFile` does. Raises Damaged."""
        with naming(self._name, self._table):
            return super().read_row_group(*arguments, **options)

    def read(self, *arguments: Any, **options: Any) -> pa.Table:
        """As `ParquetFile` does. Raises Damaged."""
        with naming(self._name, self._table):
            return super().read(*arguments, **options)


def named_digest(path: str) -> str | None:
    """The digest in a data file's name; None if another program named it."""
    match = _NAMED.fullmatch(path)
    return match.group(1) if match else None


# ---------------------------------------------------------------- written

Put = Callable[[str, str, pa.Buffer], None]
"""Writes a file of a table, given its path and content."""
INGEST_NO: Final = "ingest_no"
"""The column whose lowest and highest value the log has of each data file."""


@dataclass(frozen=True)
class Part:
    """A data file that was written but is not yet in its table.

    path
        Relative to the table.
    rows, hands
        What it holds; hands is counted in `events` only.
    ingests
        The lowest and highest number of the ingests that brought them; empty in tables without hands.
    """

    table: str
    path: str
    size: int
    rows: int
    hands: int
    game: str | None
    ingests: tuple[int, ...] = ()

    @property
    def statistics(self) -> str:
        """What the log says of its rows, as Delta writes it; no more, since it is there after an erasure."""
        found: dict[str, object] = {"numRecords": self.rows}
        if self.ingests:
            low, high, nulls = ({INGEST_NO: number} for number in (*self.ingests, 0))
            found |= {"minValues": low, "maxValues": high, "nullCount": nulls}
        return json.dumps(found)


class PartWriter:
    """A data file in the making; nothing is on disk before `close`."""

    def __init__(self, put: Put, table: str, game: str | None, note: dict[str, str] | None = None) -> None:
        fields = [field for field in SCHEMAS[table] if field.name != "game" or table not in PARTITIONED]
        self._schema = pa.schema(fields)
        self._put, self._table, self._game = put, table, game
        self._sink = pa.BufferOutputStream()
        self._file = pq.ParquetWriter(self._sink, self._schema, **_layout(table, self._schema))
        self._file.add_key_value_metadata(note or {})
        self._waiting: list[pa.Table] = []
        self._ingests: tuple[int, ...] = ()
        self.rows = 0

    def add(self, piece: pa.Table) -> None:
        """Add rows: a row group of their own in `events`, elsewhere gathered to larger ones."""
        if not len(piece):
            return
        self.rows += len(piece)
        if INGEST_NO in self._schema.names:
            bounds = pc.min_max(piece.column(INGEST_NO)).as_py().values()
            self._ingests = min(*self._ingests, *bounds), max(*self._ingests, *bounds)
        self._waiting.append(piece.select(self._schema.names).cast(self._schema))
        if self._table == "events" or sum(map(len, self._waiting)) >= events.ROW_GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        rows = sum(map(len, self._waiting))
        if rows:
            self._file.write_table(pa.concat_tables(self._waiting).unify_dictionaries(), rows)
            self._waiting.clear()

    def close(self, hands: int = 0) -> Part:
        """Write the file, named by its content."""
        self._flush()
        self._file.close()
        content = self._sink.getvalue()
        name = f"{hashlib.sha256(content).hexdigest()[:NAME_DIGITS]}.parquet"
        path = f"game={self._game}/{name}" if self._game is not None else name
        self._put(self._table, path, content)
        return Part(self._table, path, content.size, self.rows, hands, self._game, self._ingests)


STATISTICS: Final = ("hand_id", "match_id", "hand_no", "ingest_no", "schema_version")
"""Columns that are looked for, or left out where they have no value, by their statistics alone."""


ENCODINGS: Final = {
    "events": {"cards": "DELTA_LENGTH_BYTE_ARRAY"},
    "playedhand": dict.fromkeys(
        ("played_cards", *(f"player_{seat}_hand" for seat in range(MOST_SEATS))), "DELTA_LENGTH_BYTE_ARRAY"
    ),
    "tricks": {"cards": "DELTA_LENGTH_BYTE_ARRAY"},
    "plays": {"seq": "BYTE_STREAM_SPLIT"},
    "seats": {"cards": "DELTA_LENGTH_BYTE_ARRAY"},
    "decisions": dict.fromkeys(
        ("step", "seq", "action_mask", "action_mask_high", "action", "return"), "BYTE_STREAM_SPLIT"
    ),
}
"""Columns that are smaller so, and no slower to write."""
OF_FEW_VALUES: Final = ("events", "tricks", "plays", "seats", "bids")
"""Tables whose other columns have so few values that a dictionary is smaller."""
DICTIONARIES: Final = {"playedhand": ("ingest_no",), "decisions": ("seat", "reward", "ingest_no")}
"""Such columns of numbers in other tables."""


def _layout(table: str, schema: pa.Schema) -> dict[str, object]:
    """How a table's columns are encoded; see docs/measurements.md."""
    encodings = ENCODINGS.get(table, {})
    plain = (*encodings, *(events.PLAIN_COLUMNS if table == "events" else ()))
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": [
            f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name
            for field in schema
            if (table in OF_FEW_VALUES and field.name not in plain)
            or pa.types.is_dictionary(field.type)
            or field.name in DICTIONARIES.get(table, ())
        ],
        "column_encoding": encodings or None,
        "write_statistics": [name for name in STATISTICS if name in schema.names],
        "write_page_checksum": True,
        "store_schema": False,
    }
