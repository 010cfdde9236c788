"""Versions of the `events` table. Old rows stay as they were written and are upcast when read.

To change the table: raise `schemas.events.SCHEMA_VERSION`, add the step from the version before
to `UPCASTERS`, and keep a file of the old version under tests/fixtures/events.
"""

from collections.abc import Callable
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from schemas.events import SCHEMA, SCHEMA_VERSION

FIRST_VERSION: Final = 1


class NewerVersion(ValueError):
    """Rows are of a version that this cardlog does not know yet."""


Upcaster = Callable[[pa.Table], pa.Table]


def _from_1(table: pa.Table) -> pa.Table:
    """Version 1 parted cards by blanks and had no place of the hand in its match."""
    cards = pc.replace_substring(table.column("cards").cast(pa.string()), " ", "")
    table = table.set_column(table.schema.get_field_index("cards"), "cards", cards)
    if "hand_no" in table.column_names:
        return table  # another program has rewritten the file together with newer ones
    return table.append_column("hand_no", pa.nulls(len(table), pa.int32()))


UPCASTERS: Final[dict[int, Upcaster]] = {1: _from_1}
"""How a table of each older version becomes one of the next."""


def check_chain(upcasters: dict[int, Upcaster], newest: int) -> None:
    """Raises ValueError unless there is exactly one step from every older version to the next."""
    if sorted(upcasters) != list(range(FIRST_VERSION, newest)):
        raise ValueError(
            f"upcasters exist for versions {sorted(upcasters)}, "
            f"but must for {list(range(FIRST_VERSION, newest))}"
        )


check_chain(UPCASTERS, SCHEMA_VERSION)


def upcast(table: pa.Table) -> pa.Table:
    """A table of events as the newest version has it. Its rows must all be of one version.

    Columns come in the order and of the types of `SCHEMA`; one that was left out when an older
    version was read stays out.

    Raises NewerVersion for a version from the future, ValueError for one before the first, or if versions
    are mixed.
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
    place = table.schema.get_field_index("schema_version")
    newest = pa.array([SCHEMA_VERSION] * len(table), pa.int16())
    table = table.set_column(place, "schema_version", newest)
    fields = [field for field in SCHEMA if field.name in table.column_names]
    return table.select([field.name for field in fields]).cast(pa.schema(fields))
