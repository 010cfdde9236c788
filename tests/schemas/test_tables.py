"""The store's other tables: every column documented, the columns of Kaiser's dump first. Types are those of
docs/tables.md, which test_docs.py compares with the schemas."""

import re

import pyarrow as pa
import pytest

from cardlog.pipelines.storage.store import SCHEMAS
from cardlog.schemas import tables
from tests.support.csv_rows import HEADER


def test_playedhand_begins_with_exactly_the_columns_of_the_dump() -> None:
    assert tables.PLAYEDHAND.names[:20] == HEADER.decode().split(",")
    assert all(field.nullable for field in [*tables.PLAYEDHAND][:20])


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_column_is_named_once_signed_and_documented(name: str) -> None:
    schema = SCHEMAS[name]
    assert len(set(schema.names)) == len(schema.names)
    for field in schema:
        assert re.fullmatch("[a-z][a-z0-9_]*", field.name)
        assert not pa.types.is_unsigned_integer(field.type), f"{field.name}: unsigned ones break readers"
        doc = field.metadata[b"doc"].decode()
        assert doc.endswith("."), field.name
        assert "#" not in doc, field.name
        assert len(doc.split()) >= 2, field.name
