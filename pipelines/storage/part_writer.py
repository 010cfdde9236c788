"""Writing data files: how their columns are encoded, and what is known of a file once it is written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.pipelines.storage.data_files import name_of
from cardlog.schemas import events

Put = Callable[[str, str, pa.Buffer], None]
"""Writes a file of a table, given its path and content."""


@dataclass(frozen=True)
class Part:
    """A data file that was written but is not yet in its table.

    path
        Relative to the table.
    rows, hands
        What it holds; hands is 0 in tables without hands.
    """

    table: str
    path: str
    size: int
    rows: int
    hands: int
    game: str | None


class PartWriter:
    """A data file in the making; nothing is on disk before `close`."""

    def __init__(self, put: Put, table: str, schema: pa.Schema, game: str | None) -> None:
        self._schema = schema.remove_metadata()
        self._put, self._table, self._game = put, table, game
        self._sink = pa.BufferOutputStream()
        self._file = pq.ParquetWriter(self._sink, self._schema, **_layout(table, self._schema))
        self._waiting: list[pa.Table] = []
        self.rows = 0

    def note(self, note: dict[str, str]) -> None:
        """Keep something about the file in its footer."""
        self._file.add_key_value_metadata(note)

    def add(self, piece: pa.Table) -> None:
        """Add rows: a row group of their own in `events`, elsewhere gathered to larger ones."""
        if not len(piece):
            return
        self.rows += len(piece)
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
        name = name_of(content)
        path = f"game={self._game}/{name}" if self._game is not None else name
        self._put(self._table, path, content)
        return Part(self._table, path, content.size, self.rows, hands, self._game)


STATISTICS: Final = ("hand_id", "match_id", "hand_no", "schema_version")
"""Columns that are looked for, or left out where they have no value, by their statistics alone."""


ENCODINGS: Final = {
    "events": {"cards": "DELTA_LENGTH_BYTE_ARRAY"},
    "tricks": {"cards": "DELTA_LENGTH_BYTE_ARRAY"},
    "decisions": dict.fromkeys(
        ("step", "seq", "action_mask", "action_mask_high", "action", "return"), "BYTE_STREAM_SPLIT"
    ),
}
"""Columns that are smaller so, and no slower to write."""
DICTIONARIES: Final = {"decisions": ("seat", "reward")}
"""Columns of numbers with so few values that a dictionary is smaller."""


def _layout(table: str, schema: pa.Schema) -> dict[str, object]:
    """How a table's columns are encoded; see docs/measurements.md."""
    plain = [name for name in events.PLAIN_COLUMNS if name in schema.names] if table == "events" else []
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": [
            field.name
            for field in schema
            if (table == "events" and field.name not in plain)
            or pa.types.is_dictionary(field.type)
            or field.name in DICTIONARIES.get(table, ())
        ],
        "column_encoding": ENCODINGS.get(table),
        "write_statistics": [name for name in STATISTICS if name in schema.names],
        "write_page_checksum": True,
        "store_schema": False,
    }
