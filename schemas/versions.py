"""Versions of the `events` table. Rows stay as they were written and are upcast when read.

To change the table after a release: raise `cardlog.schemas.events.SCHEMA_VERSION`, and add the step from the
version before to `UPCASTERS`. DuckDB reads the files themselves, so `pipelines/sql/tables.py` needs the same
step in SQL; and for a new column `pipelines/storage/layout.py` has to let older tables pass.
"""

from collections.abc import Callable
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from cardlog.schemas.events import SCHEMA, SCHEMA_VERSION

FIRST_VERSION: Final = 1
UPCASTERS: Final[dict[int, Callable[[pa.Table], pa.Table]]] = {}
"""For each older version, the function that makes a table of the next one."""


class NewerVersion(ValueError):
    """Rows have a version that is newer than this cardlog."""


def upcast(table: pa.Table) -> pa.Table:
    """A table of events, all of one version, in the current version.

    Columns have the order and types of `SCHEMA`; those that were not read stay out.

    Raises NewerVersion for a version newer than the current one, ValueError for one before the first or for
    mixed versions.
    """
    bounds = pc.min_max(table.column("schema_version")).as_py()
    version, last = bounds["min"], bounds["max"]
    if version is None or version == SCHEMA_VERSION == last:
        return table
    if version != last:
        raise ValueError(f"rows of versions {version} and {last} in one row group")
    if version < FIRST_VERSION:
        raise ValueError(f"there is no version {version} of events")
    if version > SCHEMA_VERSION:
        raise NewerVersion(f"events of version {version} were written by a newer cardlog")
    for step in range(version, SCHEMA_VERSION):
        table = UPCASTERS[step](table)
    versions = pa.repeat(pa.scalar(SCHEMA_VERSION, pa.int16()), len(table))
    table = table.set_column(table.schema.get_field_index("schema_version"), "schema_version", versions)
    fields = [field for field in SCHEMA if field.name in table.column_names]
    return table.select([field.name for field in fields]).cast(pa.schema(fields))
