"""The tables of a store, and what their logs hold beyond Delta's own entries."""

from typing import Final

import pyarrow as pa
from deltalake import DeltaTable

from cardlog.pipelines.storage.errors import StoreError
from cardlog.schemas import events, registry, tables, versions

RECORDS: Final = {"events": events.SCHEMA, "quarantine": tables.QUARANTINE, "ingests": tables.INGESTS}
"""The tables of record: appended to, never changed."""
SCHEMAS: Final = RECORDS | tables.PROJECTIONS | tables.ANALYSES
KEEP: Final = {"delta.deletedFileRetentionDuration": "interval 30 days"}
"""Property of every table: its log remembers removed files for a month."""
APPEND_ONLY: Final = {"delta.appendOnly": "true"}
"""Property of the tables of record."""
PARTITIONED: Final = ("events", *tables.PROJECTIONS, *tables.ANALYSES)
"""Tables with one folder a game."""

BUILT_FROM: Final = "cardlog-built-from-events"
"""Application id of commits to projections; its version is that of `events`."""
ANALYSED: Final = "cardlog-analysed"
"""Application id of commits to `ANALYSES`; its version is that of the table, so it changes with the rows; a
compact does not carry it."""
EVENTS_VERSION: Final = "cardlog-events-version"
"""Application id of the commit that creates a table: the `SCHEMA_VERSION` of the cardlog that created it."""
PROJECTIONS_VERSION: Final = "cardlog-projections-version"
"""Application id of commits to projections: their `tables.PROJECTIONS_VERSION`."""

PACKAGE: Final = "cardlog-package"
"""Note in the footers of `events`: the package that a game came from, unless it is one of cardlog's own."""

OLD_STORE: Final = (
    "the table {uri} is not cardlog's, or was written by a development version of it, which this one can't "
    "read; ingest the logs again into a new store"
)


def check_table(uri: str, name: str, table: DeltaTable) -> None:
    """Raises StoreError if a table is not the one of that name, or if a development version or a newer
    cardlog created it. Projections may have other columns, since the next build replaces them."""
    columns = {field.name for field in table.schema().fields}
    needed = set(SCHEMAS[name].names) if name in RECORDS else {"hand_id"}
    version = table.transaction_version(EVENTS_VERSION) if name == "events" else versions.FIRST_VERSION
    if not needed <= columns or version is None or version < versions.FIRST_VERSION:
        raise StoreError(OLD_STORE.format(uri=uri))
    if version > events.SCHEMA_VERSION:
        raise StoreError(f"the table {uri} was made by a newer cardlog", "upgrade cardlog to read it")


def built_from_id(game: str) -> str:
    """The application id for the version of `events` that a game's rows were built from; without a game, that
    for all rows of a table that is built for all games at once."""
    return f"{BUILT_FROM}-{game}" if game else BUILT_FROM


def lacks_id(game: str) -> str:
    """The application id for the version of `events` that a projection has a game's hands from, if it was
    built without the package of the game since then; `UP_TO_DATE` once that is made up for."""
    return f"{BUILT_FROM}-without-{game}"


UP_TO_DATE: Final = 2**62
"""Above all versions."""


def built_by(events_version: int, game: str) -> dict[str, int]:
    """The transactions of a commit to a projection that was built from a version of `events`."""
    return {built_from_id(game): events_version, PROJECTIONS_VERSION: tables.PROJECTIONS_VERSION}


def package_note(game: str | None) -> dict[str, str]:
    """The note on the package that a game comes from."""
    package = registry.package_of(registry.GAMES, game) if game else ""
    return {PACKAGE: package} if package else {}


def game_of(path: str) -> str:
    """The game of a data file of a partitioned table."""
    return path.split("/", 1)[0].removeprefix("game=")


def delta_schema(schema: pa.Schema) -> pa.Schema:
    """A schema for Delta, without dictionaries; the columns' docs become comments."""
    docs = ({"comment": field.metadata[b"doc"].decode()} for field in schema)
    return pa.schema(map(pa.Field.with_metadata, undictionaried(schema), docs))


def undictionaried(schema: pa.Schema) -> pa.Schema:
    """A schema with plain strings instead of dictionaries."""
    kinds = (f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in schema)
    return pa.schema(map(pa.Field.with_type, schema, kinds))
