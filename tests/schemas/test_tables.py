"""The store's other tables: every column documented, the columns of Kaiser's dump first."""

import re
from pathlib import Path

import pyarrow as pa
import pytest

from cardlog.schemas import events, tables

TABLES = {
    "events": events.SCHEMA,
    "quarantine": tables.QUARANTINE,
    "ingests": tables.INGESTS,
    **tables.PROJECTIONS,
}
SAMPLE = Path(__file__).parents[1] / "fixtures" / "kaiser" / "playedhand_sample.csv"

DUMP = {
    "id": "integer",
    "added_date": "timestamp with time zone",
    "setting_min_bid": "integer",
    "setting_pass_cards": "boolean",
    "setting_no_trump_bid_out": "integer",
    "setting_game_over_at_minus_52": "boolean",
    "dealer": "integer",
    **{f"player_{seat}_bid": "character varying" for seat in range(4)},
    **{f"player_{seat}_hand": "character varying" for seat in range(4)},
    "played_cards": "character varying",
    **{f"player_{seat}_ai": "boolean" for seat in range(4)},
}
"""The columns of the dumped table, in its order, and their types."""
ARROW = {
    "integer": pa.int32(),
    "boolean": pa.bool_(),
    "character varying": pa.string(),
    "timestamp with time zone": pa.timestamp("us", "UTC"),
}


def plain(kind: pa.DataType) -> pa.DataType:
    """The type of the values, whether dictionary-encoded or not."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def test_playedhand_begins_with_exactly_the_columns_of_the_dump() -> None:
    assert len(DUMP) == 20
    assert tables.PLAYEDHAND.names[:20] == list(DUMP)
    assert tables.PLAYEDHAND.names[:20] == SAMPLE.read_text(encoding="utf-8").splitlines()[0].split(",")
    for name, kind in DUMP.items():
        assert plain(tables.PLAYEDHAND.field(name).type) == ARROW[kind], name
        assert tables.PLAYEDHAND.field(name).nullable, name


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_named_once_signed_and_documented(name: str) -> None:
    schema = TABLES[name]
    assert len(set(schema.names)) == len(schema.names)
    for field in schema:
        assert re.fullmatch("[a-z][a-z0-9_]*", field.name)
        assert not pa.types.is_unsigned_integer(field.type), f"{field.name}: unsigned ones break readers"
        doc = field.metadata[b"doc"].decode()
        assert doc.endswith("."), field.name
        assert "#" not in doc, field.name
        assert len(doc.split()) >= 2, field.name
