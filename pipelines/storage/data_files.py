"""Data files: named by the digest of their content, which `cardlog verify` compares.

Their pages carry checksums, which Arrow verifies and DuckDB does not. Files of other Delta clients have other
names: of them only the checksums can be verified, if they have any.
"""

import hashlib
import re
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.pipelines.storage.errors import naming
from cardlog.pipelines.storage.layout import SCHEMAS

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


def name_of(content: bytes | pa.Buffer) -> str:
    """What a data file with this content is called."""
    return f"{hashlib.sha256(content).hexdigest()[:NAME_DIGITS]}.parquet"


def named_digest(path: str) -> str | None:
    """The digest in a data file's name; None if another program named it."""
    match = _NAMED.fullmatch(path)
    return match.group(1) if match else None
