"""The tables that a store has, and what their logs say about them beyond Delta's own entries."""

from typing import Final

import pyarrow as pa
from deltalake import DeltaTable

from cardlog.pipelines.storage.errors import StoreError
from cardlog.schemas import events, tables, versions

RECORDS: Final = {"events": events.SCHEMA, "quarantine": tables.QUARANTINE, "ingests": tables.INGESTS}
"""The tables of record: appended to, never changed."""
SCHEMAS: Final = RECORDS | tables.PROJECTIONS | tables.ANALYSES
KEEP: Final = {"delta.deletedFileRetentionDuration": "interval 30 days"}
"""What holds for every table: it is known for a month which files were taken out of it."""
APPEND_ONLY: Final = {"delta.appendOnly": "true"}
"""What holds for the tables of record."""
PARTITIONED: Final = ("events", *tables.PROJECTIONS, *tables.ANALYSES)
"""Tables with one folder a game."""

BUILT_FROM: Final = "cardlog-built-from-events"
"""Application id of commits to projections; its version is that of `events`."""
ANALYSED: Final = "cardlog-analysed"
"""Application id of commits to `ANALYSES`; its version is that of the table, so another one says that there
are other rows, which a compact does not."""
EVENTS_VERSION: Final = "cardlog-events-version"
"""Application id of the commit that makes a table: the `SCHEMA_VERSION` of the cardlog that made it."""
PROJECTIONS_VERSION: Final = "cardlog-projections-version"
"""Application id of commits to projections: the version of what their rows say."""

OLD_STORE: Final = (
    "the table {uri} is not cardlog's, or was written by a development version of it, which this one can't "
    "read; ingest the logs again into a new store"
)


def check_table(uri: str, name: str, table: DeltaTable) -> None:
    """Raises StoreError if a table is not the one of that name, or this cardlog can't read it: a development
    version made it, or a newer one. Projections may have other columns: the next build makes them anew."""
    found = {field.name for field in table.schema().fields}
    needed = set(SCHEMAS[name].names) if name in RECORDS else {"hand_id"}
    version = table.transaction_version(EVENTS_VERSION) if name == "events" else versions.FIRST_VERSION
    if not needed <= found or version is None or version < versions.FIRST_VERSION:
        raise StoreError(OLD_STORE.format(uri=uri))
    if version > events.SCHEMA_VERSION:
        raise StoreError(f"the table {uri} was made by a newer cardlog; upgrade cardlog to read it")


def built_from_id(game: str) -> str:
    """The application id that says from which version of `events` a game's rows were built; without a game
    that of all rows, for tables that are built for all games at once."""
    return f"{BUILT_FROM}-{game}" if game else BUILT_FROM


def built_by(events_version: int, game: str) -> dict[str, int]:
    """The transactions of a commit to a projection, built from a version of `events`."""
    return {built_from_id(game): events_version, PROJECTIONS_VERSION: tables.PROJECTIONS_VERSION}


def game_of(path: str) -> str:
    """The game of a data file of a partitioned table."""
    return path.split("/", 1)[0].removeprefix("game=")


def delta_schema(schema: pa.Schema) -> pa.Schema:
    """A schema as Delta knows it, without dictionaries; the columns' docs become comments."""
    docs = ({"comment": field.metadata[b"doc"].decode()} for field in schema)
    return pa.schema(map(pa.Field.with_metadata, undictionaried(schema), docs))


def undictionaried(schema: pa.Schema) -> pa.Schema:
    """A schema with plain strings instead of dictionaries."""
    kinds = (f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in schema)
    return pa.schema(map(pa.Field.with_type, schema, kinds))
