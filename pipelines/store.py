"""The store: Delta tables whose data files are plain Parquet, in a directory or under a URI.

Workers write files named by the digest of their content and hand back a `Part`; one commit makes
them visible. Nobody ever deletes or rewrites a file but `vacuum`.
"""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
from deltalake import DeltaTable, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, CommitProperties, RemoveAction

from schemas import events, tables

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset

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


class StoreError(Exception):
    """The store can't do what was asked; the text is for the user."""


class Conflict(StoreError):
    """Another writer committed first."""


@dataclass(frozen=True)
class Part:
    """A data file that was written but is not yet in its table.

    path
        Relative to the table.
    rows, hands
        What it holds; hands is 0 in tables without hands.
    """

    table: str
    path: str
    size: int
    rows: int
    hands: int
    game: str | None


class Store:
    """The tables under one root."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.is_local = "://" not in root
        if self.is_local:
            self.root = str(Path(root).expanduser().resolve())
            self._files, self._base = pa.fs.LocalFileSystem(), self.root
        else:
            self.root = root.rstrip("/")
            # A small file is put in one request, not in parts.
            option = "?allow_delayed_open=true" if root.startswith("s3://") else ""
            try:
                self._files, self._base = pa.fs.FileSystem.from_uri(self.root + option)
            except (pa.ArrowException, OSError, ValueError) as error:
                raise StoreError(f"{root} can't be opened: {error}") from error

    @property
    def exists(self) -> bool:
        """Whether there is a store here."""
        return DeltaTable.is_deltatable(self.uri("events"))

    def uri(self, table: str) -> str:
        """Where a table is."""
        return f"{self.root}/{table}"

    def create(self) -> None:
        """Make the tables that are not there yet. Raises StoreError if that can't be done."""
        try:
            if self.is_local:
                Path(self.root).mkdir(parents=True, exist_ok=True)
            for name, schema in SCHEMAS.items():
                if not DeltaTable.is_deltatable(self.uri(name)):
                    self._create_table(name, schema)
        except (DeltaError, OSError) as error:
            raise StoreError(f"no store can be made at {self.root}: {error}") from error

    def _create_table(self, name: str, schema: pa.Schema) -> None:
        try:
            DeltaTable.create(
                self.uri(name),
                schema=delta_schema(schema),
                mode="ignore",
                partition_by=["game"] if name in PARTITIONED else None,
                configuration=KEEP_ALL if name in RECORDS else None,
            )
        except CommitFailedError:
            # Another process may have made it in the same moment.
            if not DeltaTable.is_deltatable(self.uri(name)):
                raise

    def table(self, name: str, version: int | None = None) -> DeltaTable:
        """A table, as it is now or was at a version. Raises StoreError if there is no store."""
        try:
            return DeltaTable(self.uri(name), version=version)
        except TableNotFoundError:
            raise StoreError(f"there is no store at {self.root}; cardlog ingest makes one") from None

    # ------------------------------------------------------------ files

    def write(self, table: str, game: str | None, pieces: Iterable[pa.Table], hands: int = 0) -> Part:
        """Write a data file, one row group a piece, and name it by its content."""
        writer = self.writer(table, game)
        for piece in pieces:
            writer.add(piece)
        return writer.close(hands)

    def writer(self, table: str, game: str | None, note: dict[str, str] | None = None) -> "PartWriter":
        """A data file to be written piece by piece, with a note in its footer."""
        return PartWriter(self, table, game, note)

    def put(self, table: str, path: str, content: pa.Buffer) -> None:
        """Write a file of a table whole or not at all."""
        path = f"{self._base}/{table}/{path}"
        self._files.create_dir(path.rpartition("/")[0], recursive=True)
        if not self.is_local:
            with self._files.open_output_stream(path) as sink:
                sink.write(content)
            return
        draft = Path(f"{path}.{time.time_ns()}.tmp")
        draft.write_bytes(content)
        draft.replace(path)

    def open(self, table: str, path: str, columns: list[str] | None = None, **options: Any) -> pq.ParquetFile:
        """A data file of a table, to read row group by row group; the options are `ParquetFile`'s."""
        labels = [f.name for f in SCHEMAS[table] if pa.types.is_dictionary(f.type) and f.name != "game"]
        return pq.ParquetFile(
            self._files.open_input_file(f"{self._base}/{table}/{path}"),
            read_dictionary=[name for name in labels if columns is None or name in columns],
            **options,
        )

    def sizes(self, name: str, version: int | None = None) -> dict[str, int]:
        """The data files of a table, relative to it, and how many rows each has."""
        stream = self.table(name, version).get_add_actions()
        actions = pa.RecordBatchReader.from_stream(stream).read_all()
        return dict(
            zip(actions.column("path").to_pylist(), actions.column("num_records").to_pylist(), strict=True)
        )

    def paths(self, name: str, version: int | None = None) -> list[str]:
        """The data files of a table, relative to it, in a fixed order."""
        return sorted(self.sizes(name, version))

    def rows(self, name: str) -> int:
        """How many rows a table has, from its log alone."""
        return sum(self.sizes(name).values())

    def empty(self, name: str) -> pa.Table:
        """No rows of a table."""
        return pa.Table.from_batches([], SCHEMAS[name].remove_metadata())

    def read(self, name: str) -> Iterator[pa.Table]:
        """All rows of a table, file by file."""
        schema = self.empty(name).schema
        for path in self.paths(name):
            table = self.open(name, path).read()
            if name in PARTITIONED:
                game = pa.repeat(game_of(path), len(table))
                table = table.add_column(schema.get_field_index("game"), "game", game)
            yield table.cast(schema)

    def dataset(self, name: str, paths: list[str]) -> "Dataset":
        """Data files of a table as one Arrow dataset."""
        from pyarrow import dataset  # not above: it takes a moment, and few need it

        partitioning = None
        if name in PARTITIONED:
            partitioning = dataset.partitioning(pa.schema([("game", pa.string())]), flavor="hive")
        files = [f"{self._base}/{name}/{path}" for path in paths]
        return dataset.dataset(
            files,
            filesystem=self._files,
            format="parquet",
            partitioning=partitioning,
            partition_base_dir=f"{self._base}/{name}",
        )

    def attempts(self) -> dict[str, int]:
        """The ingests that count, each with the attempt that `events` has committed."""
        table = self.table("events")
        names = {name for part in self.read("ingests") for name in part.column("ingest_id").to_pylist()}
        found = {name: table.transaction_version(name) for name in sorted(names)}
        return {name: attempt for name, attempt in found.items() if attempt is not None}

    # ------------------------------------------------------------ commits

    def commit(
        self,
        name: str,
        parts: list[Part],
        transactions: dict[str, int],
        *,
        base: int | None = None,
        mode: Literal["append", "overwrite"] = "append",
        note: dict[str, str] | None = None,
    ) -> None:
        """Make parts visible in one step.

        transactions
            Application ids and versions the commit carries.
        base
            The table's version that the commit was prepared at; the newest if left out.

        Raises Conflict if a commit since then carries one of the same application ids.
        """
        table = self.table(name, base)
        now = time.time_ns() // 1_000_000
        adds: list[AddAction | RemoveAction] = [
            AddAction(
                part.path,
                part.size,
                {"game": part.game} if name in PARTITIONED else {},
                now,
                True,
                json.dumps({"numRecords": part.rows}),
            )
            for part in {part.path: part for part in parts}.values()
        ]
        properties = CommitProperties(
            custom_metadata=note,
            app_transactions=[Transaction(app, version) for app, version in transactions.items()],
        )
        try:
            table.create_write_transaction(
                adds,
                mode=mode,
                schema=table.schema(),
                partition_by=["game"] if name in PARTITIONED else None,
                commit_properties=properties,
            )
        except DeltaError as error:
            if isinstance(error, CommitFailedError) and self.table(name).version() > table.version():
                raise Conflict(f"another writer changed {name} first: {error}") from error
            raise StoreError(f"{name} could not be written: {error}") from error

    def built_from(self, projection: str) -> int | None:
        """The version of `events` a projection was built from, None if it never was."""
        return self.table(projection).transaction_version(BUILT_FROM)

    def vacuum(self, older_than: float, dry_run: bool) -> list[tuple[str, int]]:
        """Files no table refers to and that are older than so many seconds, and their sizes;
        they are removed unless it is a dry run."""
        limit = time.time() - older_than
        found = []
        for name in SCHEMAS:
            base = f"{self._base}/{name}"
            files = self._files.get_file_info(pa.fs.FileSelector(base, recursive=True, allow_not_found=True))
            known = self._in_use(name, limit) | self._pinned(name)
            for info in files:
                path = info.path.removeprefix(f"{base}/")
                if info.type is not pa.fs.FileType.File or path.startswith("_delta_log/"):
                    continue
                if path not in known and info.mtime.timestamp() <= limit:
                    found.append((f"{name}/{path}", info.size))
                    if not dry_run:
                        self._files.delete_file(info.path)
        return found

    def _in_use(self, name: str, since: float) -> set[str]:
        """The data files of a table, and those that were taken out of it since then, which someone
        may still be reading."""
        paths = set(self.paths(name))
        for commit in self._history(name):
            replaced = commit["operationParameters"].get("mode") == "Overwrite"
            if replaced and commit["timestamp"] / 1000 > since:
                paths |= set(self.paths(name, commit["version"] - 1))
        return paths

    def _pinned(self, name: str) -> set[str]:
        """The data files of a table that are read although it has newer versions: while a build is going on,
        or by marts that are older."""
        from pipelines.warehouse import versions_in_use  # not above: it imports this module

        paths: set[str] = set()
        for versions in versions_in_use(self):
            try:
                paths |= set(self.paths(name, versions[name]))
            except (DeltaError, KeyError):
                continue  # The marts are of another store, or older than what is known of this one.
        return paths

    def _history(self, name: str) -> list[dict[str, Any]]:
        """The commits of a table. delta-rs counts their versions down from that of the table as it was
        opened, which is too low if another commit has come since."""
        while True:
            table = self.table(name)
            found = table.history()
            if self.table(name).version() == table.version():
                return found


class PartWriter:
    """A data file in the making; nothing is on disk before `close`."""

    def __init__(self, store: Store, table: str, game: str | None, note: dict[str, str] | None) -> None:
        schema = SCHEMAS[table]
        if table in PARTITIONED:
            schema = schema.remove(schema.get_field_index("game"))
        self._schema = schema.remove_metadata()
        self._store, self._table, self._game = store, table, game
        self._sink = pa.BufferOutputStream()
        self._file = pq.ParquetWriter(self._sink, self._schema, **_layout(table, self._schema))
        self._file.add_key_value_metadata(note or {})
        self._waiting: list[pa.Table] = []
        self.rows = 0

    def add(self, piece: pa.Table) -> None:
        """Add rows: a row group of their own in `events`, elsewhere gathered to larger ones."""
        if not len(piece):
            return
        self.rows += len(piece)
        self._waiting.append(piece.select(self._schema.names).cast(self._schema))
        if self._table == "events" or sum(map(len, self._waiting)) >= events.ROW_GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        rows = sum(map(len, self._waiting))
        if rows:
            self._file.write_table(pa.concat_tables(self._waiting).unify_dictionaries(), rows)
            self._waiting.clear()

    def close(self, hands: int = 0) -> Part:
        """Write the file, named by its content."""
        self._flush()
        self._file.close()
        content = self._sink.getvalue()
        name = f"{hashlib.sha256(content).hexdigest()[:40]}.parquet"
        path = f"game={self._game}/{name}" if self._table in PARTITIONED else name
        self._store.put(self._table, path, content)
        return Part(self._table, path, content.size, self.rows, hands, self._game)


STATISTICS: Final = ("hand_id", "match_id", "hand_no", "schema_version")
"""Columns that are looked for, or left out where they have no value, by their statistics alone."""


def game_of(path: str) -> str:
    """The game of a data file of a partitioned table."""
    return path.split("/", 1)[0].removeprefix("game=")


def _layout(table: str, schema: pa.Schema) -> dict[str, object]:
    """How a table's columns are encoded; see docs/measurements.md."""
    plain = [name for name in events.PLAIN_COLUMNS if name in schema.names] if table == "events" else []
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": [
            f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name
            for field in schema
            if (table == "events" and field.name not in plain)
            or pa.types.is_dictionary(field.type)
            or pa.types.is_list(field.type)
        ],
        "column_encoding": {"cards": "DELTA_LENGTH_BYTE_ARRAY"} if table in ("events", "tricks") else None,
        "write_statistics": [name for name in STATISTICS if name in schema.names],
        "store_schema": False,
    }


def delta_schema(schema: pa.Schema) -> pa.Schema:
    """A schema as Delta knows it, without dictionaries; the columns' docs become comments."""
    fields = []
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        doc = field.metadata[b"doc"].decode()
        fields.append(pa.field(field.name, kind, field.nullable, {"comment": doc}))
    return pa.schema(fields)
