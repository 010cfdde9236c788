"""Writing data files: how their columns are encoded, and what is known of a file once it is written."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from cardlog.pipelines.storage.data_files import name_of
from cardlog.pipelines.storage.known_keys import NAME_DIGITS, Keys, KeySet, keys_of, packed, path_of
from cardlog.schemas import events
from cardlog.schemas.tables import MOST_SEATS

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
        self._names = _Names(table, game)
        self.rows = 0

    def note(self, note: dict[str, str]) -> None:
        """Keep something about the file in its footer."""
        self._file.add_key_value_metadata(note)

    def add(self, piece: pa.Table) -> None:
        """Add rows: a row group of their own in `events`, elsewhere gathered to larger ones."""
        if not len(piece):
            return
        self.rows += len(piece)
        self._names.add(piece)
        self._waiting.append(piece.select(self._schema.names).cast(self._schema))
        if self._table == "events" or sum(map(len, self._waiting)) >= events.ROW_GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        rows = sum(map(len, self._waiting))
        if rows:
            self._file.write_table(pa.concat_tables(self._waiting).unify_dictionaries(), rows)
            self._waiting.clear()

    def close(self, hands: int = 0) -> Part:
        """Write the file, named by its content, and its filter first, if its table has such."""
        self._flush()
        self._file.close()
        content = self._sink.getvalue()
        name = name_of(content)
        path = f"game={self._game}/{name}" if self._game is not None else name
        known = self._names.filter()
        if known is not None:
            self._put(self._table, path_of(path), pa.py_buffer(known))
        self._put(self._table, path, content)
        return Part(self._table, path, content.size, self.rows, hands, self._game)


class _Names:
    """What the filter of a data file is made of: of `events` ids and positions, one piece a row group; of
    `ingests` the sources. Other tables have none."""

    def __init__(self, table: str, game: str | None) -> None:
        self._table, self._game = table, game
        self._found: list[list[Keys]] = [[], []] if table == "events" else [[]]
        self._is_wanted = table in ("events", "ingests")

    def add(self, piece: pa.Table) -> None:
        if not self._is_wanted:
            return
        if self._table == "ingests":
            self._found[0].append(keys_of(source_names(piece)))
            return
        if self._game is None:
            return
        # Not above: they take a moment, and most who open a store write nothing.
        from cardlog.pipelines.storage.from_arrow import hands_of
        from cardlog.pipelines.storage.positions import NO_POSITION, positions_of

        hands = hands_of(self._game, piece)
        positions = positions_of(hands)
        self._found[0].append(keys_of(hands.hand_ids))
        self._found[1].append(keys_of(positions[positions != NO_POSITION]))

    def filter(self) -> bytes | None:
        """The content of the filter."""
        return packed([_set_of(found) for found in self._found]) if self._is_wanted else None


def filter_of_rows(table: str, game: str | None, groups: Iterable[pa.Table]) -> bytes | None:
    """The content of the filter of a data file with these row groups."""
    names = _Names(table, game)
    for group in groups:
        names.add(group)
    return names.filter()


def _set_of(found: list[Keys]) -> KeySet:
    groups = np.repeat(np.arange(len(found), dtype=np.uint16), [len(keys) for keys in found])
    return KeySet.of(np.concatenate([np.zeros(0, np.uint64), *found]), groups)


def source_names(ingests: pa.Table) -> NDArray[np.bytes_]:
    """Of rows of `ingests` what each was read from, as names for keys: source, format and data set."""
    columns = (ingests.column(name).to_pylist() for name in ("source_id", "format", "dataset"))
    return np.array([source_name(*row) for row in zip(*columns, strict=True)], f"S{NAME_DIGITS}")


def source_name(source_id: str, format_name: str, dataset: str) -> bytes:
    """The name of a source read in a format, for a data set."""
    text = f"{source_id}\0{format_name}\0{dataset}"
    return hashlib.blake2b(text.encode(), digest_size=NAME_DIGITS // 2).hexdigest().encode()


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
