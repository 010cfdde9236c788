"""Versions of the `events` table. Old rows stay as they were written and are upcast when read.

To change the table: raise `cardlog.schemas.events.SCHEMA_VERSION`, add the step from the version before
to `UPCASTERS`, and keep a file of the old version under tests/fixtures/events.
"""

from collections.abc import Callable, Mapping
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from cardlog.schemas.events import SCHEMA, SCHEMA_VERSION
from cardlog.schemas.names import match_id, own_match, source_key

FIRST_VERSION: Final = 1
NAMED_APART: Final = 3
"""The first version in which matches of different data sets have different names."""
WITH_KEYS: Final = 4
"""The first version whose rows say data set and source key."""
Origins = Mapping[str, tuple[str, str]]
"""Format and data set of each source, by its `source_id`; rows before version 4 don't say."""
Upcaster = Callable[[pa.Table, Origins], pa.Table]


class NewerVersion(ValueError):
    """Rows have a version that this cardlog does not know yet."""


def _from_1(table: pa.Table, origins: Origins) -> pa.Table:
    """Version 1 separated cards by blanks and did not number the hands of a match."""
    cards = pc.replace_substring(table.column("cards").cast(pa.string()), " ", "")
    table = table.set_column(table.schema.get_field_index("cards"), "cards", cards)
    if "hand_no" in table.column_names:
        return table  # another program has rewritten the file together with newer ones
    return table.append_column("hand_no", pa.nulls(len(table), pa.int32()))


def _from_2(table: pa.Table, origins: Origins) -> pa.Table:
    """Version 2 had the source's own names of matches, the same in every data set."""
    if "match_id" not in table.column_names:
        return table
    own = table.column("match_id").combine_chunks()
    sources = table.column("source_id").combine_chunks()
    pairs = pa.table({"own": own.cast(pa.string()), "source": sources.cast(pa.string())})
    names = {
        (row["own"], row["source"]): match_id(row["own"], *_origin(row["source"], origins))
        for row in pairs.group_by(["own", "source"]).aggregate([]).to_pylist()
        if row["own"] is not None
    }
    if not names:
        return table
    named = [
        names.get(pair)
        for pair in zip(*(pairs.column(n).to_pylist() for n in pairs.column_names), strict=True)
    ]
    return table.set_column(
        table.schema.get_field_index("match_id"), "match_id", pa.array(named, pa.string())
    )


def _from_3(table: pa.Table, origins: Origins) -> pa.Table:
    """Version 3 did not say data sets and source keys."""
    rows = len(table)
    for name in ("dataset", "source_key"):  # another program has rewritten the file together with newer ones
        if name in table.column_names and table.column(name).null_count == rows:
            table = table.drop_columns([name])
    if "source_id" in table.column_names and "dataset" not in table.column_names:
        sources = table.column("source_id").cast(pa.string())
        names = pa.array([dataset for _, dataset in origins.values()], pa.string())
        table = table.append_column(
            "dataset", names.take(pc.index_in(sources, pa.array(origins, pa.string())))
        )
    wanted = ("match_id", "hand_no", "amount", "seq")
    if "source_key" not in table.column_names and {*wanted} <= {*table.column_names}:
        opens = pc.equal(table.column("seq"), 0).combine_chunks()
        columns = (table.filter(opens).column(name).to_pylist() for name in wanted[:3])
        keys = [
            source_key(match and own_match(match), hand_no, number)
            for match, hand_no, number in zip(*columns, strict=True)
        ]
        column = pc.replace_with_mask(pa.nulls(rows, pa.string()), opens, pa.array(keys, pa.string()))
        table = table.append_column("source_key", column)
    return table


def _origin(source_id: str, origins: Origins) -> tuple[str, str]:
    if source_id not in origins:
        raise ValueError(
            f"events of version 2 were read from source {source_id}, which no ingest names; "
            "so their matches can't be named"
        )
    return origins[source_id]


UPCASTERS: Final[dict[int, Upcaster]] = {1: _from_1, 2: _from_2, 3: _from_3}
"""How a table of each older version becomes one of the next."""


def check_chain(upcasters: dict[int, Upcaster], newest: int) -> None:
    """Raises ValueError unless there is exactly one step from every older version to the next."""
    if sorted(upcasters) != list(range(FIRST_VERSION, newest)):
        raise ValueError(
            f"upcasters exist for versions {sorted(upcasters)}, "
            f"but must for {list(range(FIRST_VERSION, newest))}"
        )


check_chain(UPCASTERS, SCHEMA_VERSION)


def upcast(table: pa.Table, origins: Origins | None = None) -> pa.Table:
    """A table of events as the newest version has it. Its rows must all be of one version.

    origins
        Of the sources of rows before version 4.

    Columns have the order and types of `SCHEMA`; one that was not read stays out.

    Raises NewerVersion for a later version than this one, ValueError for one before the first, if versions
    are mixed, or if the origin of a source is not known.
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
        table = UPCASTERS[step](table, origins or {})
    index = table.schema.get_field_index("schema_version")
    newest = pa.array([SCHEMA_VERSION] * len(table), pa.int16())
    table = table.set_column(index, "schema_version", newest)
    fields = [field for field in SCHEMA if field.name in table.column_names]
    return table.select([field.name for field in fields]).cast(pa.schema(fields))
