"""The tables that a store has, and what their logs say about them beyond Delta's own entries."""

from typing import Final

import pyarrow as pa
from deltalake import DeltaTable, Schema
from deltalake.exceptions import CommitFailedError

from cardlog.pipelines.storage.errors import StoreError
from cardlog.pipelines.storage.opening import open_table
from cardlog.schemas import events, tables

RECORDS: Final = {"events": events.SCHEMA, "quarantine": tables.QUARANTINE, "ingests": tables.INGESTS}
"""The tables of record: appended to, never changed."""
SCHEMAS: Final = RECORDS | tables.PROJECTIONS
KEEP_ALL: Final = {"delta.appendOnly": "true", "delta.enableExpiredLogCleanup": "false"}
"""What holds for the tables of record. Their logs are kept as well, because a build asks what
`events` was at the version of the build before, however long ago that is."""
PARTITIONED: Final = ("events", *tables.PROJECTIONS)
"""Tables with one folder a game."""

COMMON_WRITER: Final = "cardlog-events"
"""Application id that every commit to `events` carries, so that two that began at the same
version conflict and the later one looks at what the earlier one added."""
BUILT_FROM: Final = "cardlog-built-from-events"
"""Application id of commits to projections; its version is that of `events`."""
EVENTS_VERSION: Final = "cardlog-events-version"
"""Application id of the first commit to `events` and of all to projections: the `SCHEMA_VERSION` of the
rows, or of those that they were built from. Tables that older versions began don't have it."""
PROJECTIONS_VERSION: Final = "cardlog-projections-version"
"""Application id of commits to projections: the version of what their rows say. Tables that older
versions of cardlog built don't have it."""
BUILD_IDS: Final = (BUILT_FROM, EVENTS_VERSION, PROJECTIONS_VERSION)
"""What is asked to know what a projection was built from."""


def check_columns(uri: str, name: str, table: DeltaTable) -> None:
    """Raises StoreError if a table is not the one of that name. Older ones may lack columns that
    came later, newer ones may have more."""
    found = {field.name for field in table.schema().fields}
    lacking = [column for column in SCHEMAS[name].names if column not in found]
    foreign = sorted(found - set(SCHEMAS[name].names) - set(tables.RETIRED_COLUMNS.get(name, ())))
    if lacking and foreign:
        raise StoreError(
            f"{uri} is not cardlog's table {name}: it has no column {lacking[0]}, but one named "
            f"{foreign[0]}; move it out of the store, and restore the table from a backup"
        )


def lacks_columns(table: DeltaTable, name: str) -> bool:
    """As `Store.lacks_columns`, of a table that is open."""
    return not {field.name for field in table.schema().fields}.issuperset(SCHEMAS[name].names)


def add_columns(uri: str, name: str, table: DeltaTable) -> None:
    """Add the columns to a table of record that it lacks, since an older cardlog created it."""
    if not lacks_columns(table, name):
        return
    known = {field.name for field in table.schema().fields}
    wanted = Schema.from_arrow(delta_schema(SCHEMAS[name])).fields
    try:
        open_table(uri, None).alter.add_columns([field for field in wanted if field.name not in known])
    except CommitFailedError:
        # Another process may have added them in the same moment.
        if lacks_columns(open_table(uri, None), name):
            raise


def has_old_rows(committed: dict[str, int]) -> bool:
    """As `Store.has_old_rows`, by what the log of `events` carries."""
    return committed.get(EVENTS_VERSION) != events.SCHEMA_VERSION


def built_from(committed: dict[str, int]) -> int | None:
    """As `Store.built_from`, by what the log of a projection carries for `BUILD_IDS`."""
    wanted = {EVENTS_VERSION: events.SCHEMA_VERSION, PROJECTIONS_VERSION: tables.PROJECTIONS_VERSION}
    if any(committed.get(app) != version for app, version in wanted.items()):
        return None
    return committed.get(BUILT_FROM)


def built_by(events_version: int) -> dict[str, int]:
    """The transactions of a commit to a projection, built from a version of `events`."""
    return {
        BUILT_FROM: events_version,
        EVENTS_VERSION: events.SCHEMA_VERSION,
        PROJECTIONS_VERSION: tables.PROJECTIONS_VERSION,
    }


def game_of(path: str) -> str:
    """The game of a data file of a partitioned table."""
    return path.split("/", 1)[0].removeprefix("game=")


def delta_schema(schema: pa.Schema) -> pa.Schema:
    """A schema as Delta knows it, without dictionaries; the columns' docs become comments."""
    fields = []
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        doc = field.metadata[b"doc"].decode()
        fields.append(pa.field(field.name, kind, field.nullable, {"comment": doc}))
    return pa.schema(fields)
