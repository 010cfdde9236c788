"""The store: Delta tables whose data files are plain Parquet, in a folder or under a URI.

Workers write files named by the digest of their content and return a `Part`; one commit makes them visible.
Only `vacuum` and `forget` ever delete files.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from deltalake import DeltaTable, Schema, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.transaction import CommitProperties, PostCommitHookProperties

from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.data_files import INGEST_NO, DataFile, Part, PartWriter
from cardlog.pipelines.storage.errors import Conflict, Damaged, StoreError, first_line, mend_log, naming
from cardlog.pipelines.storage.layout import (
    APPEND_ONLY,
    BUILT_FROM,
    EVENTS_VERSION,
    KEEP,
    PARTITIONED,
    PROJECTIONS_VERSION,
    RECORDS,
    SCHEMAS,
    built_by,
    built_from_id,
    delta_schema,
    game_of,
    package_note,
)
from cardlog.pipelines.storage.opening import entry_of, local_folder, open_table, transactions_at
from cardlog.pipelines.storage.remote import Folder, is_remote
from cardlog.schemas import events, tables
from cardlog.schemas.tables import ANALYSES

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset

__all__ = [
    "BUILT_FROM", "PARTITIONED", "RECORDS", "SCHEMAS",
    "Conflict", "Part", "Store", "StoreError", "built_by", "game_of",
]  # fmt: skip
CHECKPOINT_EVERY: Final = 10
"""Versions between checkpoints, which make reading a long log fast."""
_NO_HOOKS: Final = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)
"""Otherwise a checkpoint that can't be written would make a successful commit look failed."""
_MANY_APPS: Final = 30
"""Above this number of applications, their transactions are read from the log together."""


class Store:
    """The tables under one root."""

    def __init__(self, root: str) -> None:
        self.is_local = not is_remote(root)
        self.root = local_folder(root) if self.is_local else root.rstrip("/")
        self.folder = Folder(self.root)

    @property
    def exists(self) -> bool:
        """Whether there is a store at the root, or what is left of one. If only some of the tables are there,
        and nothing was ever written to them, its making was cut: there is none yet."""
        return all(map(self._is_there, SCHEMAS)) or any(map(self._was_changed, SCHEMAS))

    def uri(self, table: str) -> str:
        """The path or URI of a table."""
        return f"{self.root}/{table}"

    def _is_there(self, name: str) -> bool:
        """Whether there is a table. Delta's own check of the whole log may say no during another's commit."""
        try:
            return self.folder.has(f"{name}/{entry_of(0)}") or DeltaTable.is_deltatable(self.uri(name))
        except (DeltaError, OSError) as error:
            raise StoreError(f"{self.uri(name)} can't be reached: {first_line(error)}") from error

    def _was_changed(self, name: str) -> bool:
        """Whether there is a table that is not as it was created, even if it can't be read."""
        if not self._is_there(name):
            return False
        try:
            return open_table(self.uri(name), None).version() > 0
        except (StoreError, DeltaError, OSError, ValueError):
            return True

    def create(self) -> None:
        """Create the tables that are missing.

        Raises StoreError if that fails, or if a development version wrote the others; Damaged if a table of
        record or of an analysis is lost, since an empty one in its place would hide that.
        """
        self._check_nothing_is_lost()
        if self._is_there("events"):
            self.table("events")
        try:
            if self.is_local:
                Path(self.root).mkdir(parents=True, exist_ok=True)
            for name, schema in SCHEMAS.items():
                if not self._is_there(name):
                    self._create_table(name, schema)
        except (DeltaError, OSError) as error:
            raise StoreError(f"no store can be made at {self.root}: {first_line(error)}") from error

    def _check_nothing_is_lost(self) -> None:
        for written_together in (RECORDS, ANALYSES):
            lost = [name for name in written_together if not self._is_there(name)]
            if lost and any(self.table(name).version() > 0 for name in written_together if name not in lost):
                # Another process may have created them in the meantime, and ingested.
                for name in lost:
                    if not self._is_there(name):
                        raise self._missing(name)

    def _create_table(self, name: str, schema: pa.Schema) -> None:
        try:
            DeltaTable.create(
                self.uri(name),
                schema=delta_schema(schema),
                mode="ignore",
                partition_by=["game"] if name in PARTITIONED else None,
                configuration=KEEP | (APPEND_ONLY if name in RECORDS else {}),
                # A retry would create the table once more, as version 1.
                commit_properties=CommitProperties(
                    max_commit_retries=0,
                    app_transactions=[Transaction(EVENTS_VERSION, events.SCHEMA_VERSION)],
                ),
            )
        except CommitFailedError:
            # Another process may have created it at the same moment.
            if not self._is_there(name):
                raise

    def table(self, name: str, version: int | None = None) -> DeltaTable:
        """A table, as it is now or was at a version.

        Raises StoreError if it is missing, can't be read, is not this table or is of another schema version.
        """
        try:
            return open_table(self.uri(name), version)
        except TableNotFoundError:
            raise self._missing(name) from None
        except (DeltaError, OSError, ValueError) as error:
            raise self._unreadable(name, error) from error

    def _unreadable(self, name: str, error: Exception) -> StoreError:
        """The error about a table whose log can't be read."""
        message = f"the table {self.uri(name)} can't be opened: {first_line(error)}"
        return StoreError(message, mend_log(name) if self.is_local else "")

    def _missing(self, name: str) -> StoreError:
        """The error about a table that is missing."""
        if not self.exists:
            return StoreError(f"there is no store at {self.root}", "cardlog ingest makes one")
        return Damaged(f"the table {self.uri(name)} is missing", mend_log(name))

    # ------------------------------------------------------------ files

    def write(self, table: str, game: str | None, pieces: Iterable[pa.Table]) -> Part:
        """Write a data file, one row group a piece, and name it by its content."""
        writer = self.writer(table, game)
        for piece in pieces:
            writer.add(piece)
        return writer.close()

    def writer(self, table: str, game: str | None, note: dict[str, str] | None = None) -> PartWriter:
        """A writer of a data file, with a note in its footer; in `events` also on the game's package."""
        if table == "events":
            note = (note or {}) | package_note(game)
        return PartWriter(self.folder, table, game, note)

    def open(self, table: str, path: str) -> DataFile:
        """A data file of a table, to read row group by row group.

        Raises Damaged, naming the file, as do the methods that read from it.
        """
        return DataFile(self.stream(table, path), f"{self.uri(table)}/{path}", table)

    def stream(self, table: str, path: str) -> pa.NativeFile:
        """The bytes of a file of a table. Raises Damaged if it is missing."""
        with naming(f"{self.uri(table)}/{path}", table):
            return self.folder.open(f"{table}/{path}")

    def files_in(self, table: str) -> dict[str, int]:
        """The sizes of the files in a table's folder, except its log, by their paths in it."""
        files = Folder(self.uri(table)).files()
        return {path: size for path, (size, _) in files.items() if not path.startswith("_delta_log/")}

    def _files_of(self, name: str, version: int | None, column: str) -> dict[str, Any]:
        """A column of Delta's list of the data files of a table, by their paths in the table."""
        try:
            found = self.table(name, version).get_add_actions(flatten=True)
            actions = pa.RecordBatchReader.from_stream(found).read_all()  # pa.table loads pandas
        except (DeltaError, pa.ArrowException) as error:  # in a checkpoint, which is read piece by piece
            raise self._unreadable(name, error) from error
        values = actions.column(column).to_pylist() if column in actions.column_names else repeat(None)
        return dict(zip(actions.column("path").to_pylist(), values, strict=False))

    def sizes(self, name: str, version: int | None = None) -> dict[str, int]:
        """The number of rows in each data file of a table."""
        return self._files_of(name, version, "num_records")

    def bytes_of(self, name: str, version: int | None = None) -> dict[str, int]:
        """The size in bytes of each data file of a table."""
        return self._files_of(name, version, "size_bytes")

    def last_ingests(self, name: str, version: int | None = None) -> dict[str, int | None]:
        """The highest `ingest_no` in each data file of a table, None if the log lacks it."""
        return self._files_of(name, version, f"max.{INGEST_NO}")

    def paths(self, name: str, version: int | None = None) -> list[str]:
        """The data files of a table, sorted."""
        return sorted(self.sizes(name, version))

    def rows(self, name: str) -> int:
        """How many rows a table has, from its log alone."""
        return sum(self.sizes(name).values())

    def empty(self, name: str) -> pa.Table:
        """A table without rows."""
        return pa.Table.from_batches([], SCHEMAS[name].remove_metadata())

    def read(self, name: str, paths: Iterable[str] | None = None) -> Iterator[pa.Table]:
        """All rows of a table, or those of some of its data files, file by file."""
        schema = self.empty(name).schema
        for path in self.paths(name) if paths is None else paths:
            table = self.open(name, path).read()
            if name in PARTITIONED:
                game = pa.repeat(game_of(path), len(table))
                table = table.add_column(schema.get_field_index("game"), "game", game)
            yield table.cast(schema)

    def dataset(self, name: str, paths: list[str]) -> "Dataset":
        """Data files of a table as one Arrow dataset."""
        from pyarrow import dataset  # not above: slow to import, and rarely needed

        partitioning = None
        if name in PARTITIONED:
            partitioning = dataset.partitioning(pa.schema([("game", pa.string())]), flavor="hive")
        base = f"{self.folder.path}/{name}"
        scan = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
        return dataset.dataset(
            [f"{base}/{path}" for path in paths],
            filesystem=self.folder.system,
            format=dataset.ParquetFileFormat(default_fragment_scan_options=scan),
            partitioning=partitioning,
            partition_base_dir=base,
        )

    def attempts(self) -> dict[str, int]:
        """The attempt of each ingest that `events` has committed."""
        table = self.table("events")
        names = {name for rows in self.read("ingests") for name in rows.column("ingest_id").to_pylist()}
        return self.committed("events", names, table)

    def committed(self, name: str, apps: Iterable[str], table: DeltaTable | None = None) -> dict[str, int]:
        """The versions that the log of a table has for these application ids, as far as it has them."""
        table, apps = table or self.table(name), set(apps)
        if len(apps) > _MANY_APPS:
            with suppress(OSError, ValueError, KeyError, pa.ArrowException):
                versions = transactions_at(Folder(f"{self.uri(name)}/_delta_log"), table.version())
                return {app: versions[app] for app in sorted(apps & versions.keys())}
        found = {app: table.transaction_version(app) for app in sorted(apps)}
        return {app: version for app, version in found.items() if version is not None}

    def entry(self, name: str, version: int) -> bytes | None:
        """The log entry that makes a version of a table; None if it is gone."""
        return self.folder.read(f"{name}/{entry_of(version)}")

    def note_since(self, name: str, version: int, token: str) -> dict[str, Any] | None:
        """The note of the commit to a table after a version that has a token in it; None if there is none."""
        for number in range(version + 1, self.table(name).version() + 1):
            for line in (self.entry(name, number) or b"").splitlines():
                if token.encode() in line:
                    note: dict[str, Any] = json.loads(line)["commitInfo"]
                    return note
        return None

    # ------------------------------------------------------------ commits

    def commit(self, name: str, change: Change, *, base: int | None = None) -> None:
        """Make a change of a table visible atomically, as the version after its base.

        base
            The version of the table that the change was prepared at (default: the newest).

        Raises Conflict if there has been a commit since then.
        """
        table = self.table(name, base)
        is_append = change.mode == "append"
        properties = CommitProperties(
            max_commit_retries=0,  # Delta would let appends pass each other
            custom_metadata=change.note,
            app_transactions=[Transaction(app, version) for app, version in change.transactions.items()],
        )
        try:
            table.create_write_transaction(
                change.actions(name),
                mode=change.mode,
                schema=table.schema() if is_append else Schema.from_arrow(delta_schema(SCHEMAS[name])),
                partition_by=["game"] if name in PARTITIONED else None,
                commit_properties=properties,
                post_commithook_properties=_NO_HOOKS,
            )
        except DeltaError as error:
            if isinstance(error, CommitFailedError) and self.table(name).version() > table.version():
                raise Conflict(f"another writer changed {name} first: {error}") from error
            raise StoreError(f"{name} could not be written: {first_line(error)}") from error
        if (table.version() + 1) % CHECKPOINT_EVERY == 0:
            with suppress(StoreError, DeltaError, OSError):
                self.table(name, table.version() + 1).create_checkpoint()

    def built_from(self, projection: str, table: DeltaTable | None = None, game: str = "") -> int | None:
        """The version of `events` a projection was built from; None if it was never built, or by a cardlog
        with another `PROJECTIONS_VERSION`.

        table
            The projection at the version asked about (default: the newest).
        game
            In tables that are built for each game separately, the game.
        """
        app = built_from_id(game)
        versions = self.committed(projection, (app, PROJECTIONS_VERSION), table)
        is_known = versions.get(PROJECTIONS_VERSION) == tables.PROJECTIONS_VERSION
        return versions.get(app) if is_known else None

    def lacks_columns(self, name: str) -> bool:
        """Whether a table was written by a cardlog whose version of it had fewer columns."""
        return not {field.name for field in self.table(name).schema().fields}.issuperset(SCHEMAS[name].names)
