"""The tables that a store has, and what their logs say about them beyond Delta's own entries."""

from typing import Final

import pyarrow as pa
from deltalake import DeltaTable

from cardlog.pipelines.storage.errors import StoreError
from cardlog.schemas import events, tables, versions

RECORDS: Final = {"events": events.SCHEMA, "quarantine": tables.QUARANTINE, "ingests": tables.INGESTS}
"""The tables of record: appended to, never changed."""
SCHEMAS: Final = RECORDS | tables.PROJECTIONS
KEEP_ALL: Final = {"delta.appendOnly": "true", "delta.enableExpiredLogCleanup": "false"}
"""What holds for the tables of record. Their logs are kept as well, because a build asks what
`events` was at the version of the build before, however long ago that is."""
PARTITIONED: Final = ("events", *tables.PROJECTIONS)
"""Tables with one folder a game."""

OWN_IDS: Final = "cardlog-"
"""How application ids begin that are not those of ingests."""
BUILT_FROM: Final = "cardlog-built-from-events"
"""Application id of commits to projections; its version is that of `events`."""
EVENTS_VERSION: Final = "cardlog-events-version"
"""Application id of the commit that makes a table: the `SCHEMA_VERSION` of the cardlog that made it."""
PROJECTIONS_VERSION: Final = "cardlog-projections-version"
"""Application id of commits to projections: the version of what their rows say."""
BUILD_IDS: Final = (BUILT_FROM, PROJECTIONS_VERSION)
"""What is asked to know what a projection was built from."""

OLD_STORE: Final = (
    "the table {uri} was written by a development version of cardlog, which this one can't read; "
    "ingest the logs again into a new store"
)


def check_columns(uri: str, name: str, table: DeltaTable) -> None:
    """Raises StoreError if a table is not the one of that name, or is a table of record that a development
    version made. Projections may have other columns: the next build makes them anew."""
    found = {field.name for field in table.schema().fields}
    lacking = [column for column in SCHEMAS[name].names if column not in found]
    foreign = sorted(found - set(SCHEMAS[name].names))
    is_replaced = name in tables.PROJECTIONS and "hand_id" in found
    if lacking and foreign and not is_replaced:
        raise StoreError(
            f"{uri} is not cardlog's table {name}: it has no column {lacking[0]}, but one named "
            f"{foreign[0]}; move it out of the store, and restore the table from a backup"
        )
    if lacking and name in RECORDS:
        raise StoreError(OLD_STORE.format(uri=uri))


def check_version(uri: str, version: int | None) -> None:
    """Raises StoreError unless this cardlog can read the rows of `events`, by the version in its log."""
    if version is None or version < versions.FIRST_VERSION:
        raise StoreError(OLD_STORE.format(uri=uri))
    if version > events.SCHEMA_VERSION:
        raise StoreError(f"the table {uri} was made by a newer cardlog; upgrade cardlog to read it")


def lacks_columns(table: DeltaTable, name: str) -> bool:
    """As `Store.lacks_columns`, of a table that is open."""
    return not {field.name for field in table.schema().fields}.issuperset(SCHEMAS[name].names)


def built_from(committed: dict[str, int]) -> int | None:
    """As `Store.built_from`, by what the log of a projection carries for `BUILD_IDS`."""
    is_known = committed.get(PROJECTIONS_VERSION) == tables.PROJECTIONS_VERSION
    return committed.get(BUILT_FROM) if is_known else None


def built_by(events_version: int) -> dict[str, int]:
    """The transactions of a commit to a projection, built from a version of `events`."""
    return {BUILT_FROM: events_version, PROJECTIONS_VERSION: tables.PROJECTIONS_VERSION}


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
