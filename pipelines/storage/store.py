"""The store: Delta tables whose data files are plain Parquet, in a directory or under a URI.

Workers write files named by the digest of their content and hand back a `Part`; one commit makes
them visible. Nobody ever deletes a file but `vacuum` and `forget`.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs
from deltalake import DeltaTable, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.transaction import CommitProperties

from cardlog.pipelines import whole
from cardlog.pipelines.storage import commits, data_files, delta_log
from cardlog.pipelines.storage.errors import Conflict as Conflict
from cardlog.pipelines.storage.errors import Damaged, first_line, mend_missing, naming
from cardlog.pipelines.storage.errors import StoreError as StoreError
from cardlog.pipelines.storage.known_keys import KeySet, path_of, unpacked
from cardlog.pipelines.storage.layout import BUILD_IDS as BUILD_IDS
from cardlog.pipelines.storage.layout import BUILT_FROM as BUILT_FROM
from cardlog.pipelines.storage.layout import (
    EVENTS_VERSION,
    KEEP_ALL,
    check_columns,
    check_version,
    delta_schema,
    lacks_columns,
)
from cardlog.pipelines.storage.layout import PARTITIONED as PARTITIONED
from cardlog.pipelines.storage.layout import RECORDS as RECORDS
from cardlog.pipelines.storage.layout import SCHEMAS as SCHEMAS
from cardlog.pipelines.storage.layout import built_by as built_by
from cardlog.pipelines.storage.layout import built_from as built_from
from cardlog.pipelines.storage.layout import game_of as game_of
from cardlog.pipelines.storage.opening import local_folder, open_table
from cardlog.pipelines.storage.part_writer import Part as Part
from cardlog.pipelines.storage.part_writer import PartWriter
from cardlog.pipelines.storage.remote import file_system, is_remote
from cardlog.schemas import events

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset


class Store:
    """The tables under one root."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.is_local = not is_remote(root)
        if self.is_local:
            self.root = local_folder(root)
            self._files, self._base = pa.fs.LocalFileSystem(), self.root
        else:
            self.root = root.rstrip("/")
            self._files, self._base = file_system(self.root)

    @property
    def exists(self) -> bool:
        """Whether there is a store here, or a part of one."""
        return any(self._is_there(name) for name in SCHEMAS)

    def uri(self, table: str) -> str:
        """Where a table is."""
        return f"{self.root}/{table}"

    def _is_there(self, name: str) -> bool:
        """Whether there is a table. Delta's own look at the whole log may say no while somebody commits."""
        marks = (delta_log.entry_name(0), delta_log.CHECKPOINT)
        found = any(self.has(name, f"_delta_log/{mark}") for mark in marks)
        try:
            return found or DeltaTable.is_deltatable(self.uri(name))
        except (DeltaError, OSError) as error:
            raise StoreError(f"{self.uri(name)} can't be reached: {first_line(error)}") from error

    def create(self) -> None:
        """Make the tables that are not there yet.

        Raises StoreError if that can't be done, or if a development version made the others; Damaged if a
        table of record is lost, since an empty one in its place would hide that.
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
        lost = [name for name in RECORDS if not self._is_there(name)]
        if lost and any(self.table(name).version() > 0 for name in RECORDS if name not in lost):
            # Another process may have made them in the meantime, and ingested.
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
                configuration=KEEP_ALL if name in RECORDS else None,
                # Without a second try, which would make the table once more, as version 1.
                commit_properties=CommitProperties(
                    max_commit_retries=0,
                    app_transactions=[Transaction(EVENTS_VERSION, events.SCHEMA_VERSION)],
                ),
            )
        except CommitFailedError:
            # Another process may have made it in the same moment.
            if not self._is_there(name):
                raise

    def table(self, name: str, version: int | None = None) -> DeltaTable:
        """A table, as it is now or was at a version.

        Raises StoreError if there is none, another one in its place, or one of another version; Damaged if
        its log is.
        """
        known = delta_log.opened(self.log(name), version) if self.is_local else None
        if known is not None:
            return known
        try:
            table = open_table(self.uri(name), version)
        except TableNotFoundError:
            raise self._missing(name) from None
        except (DeltaError, OSError, ValueError) as error:
            self.log(name).replay_all()  # which names the entry that is damaged
            raise StoreError(f"the table {self.uri(name)} can't be opened: {first_line(error)}") from error
        check_columns(self.uri(name), name, table)
        if name == "events":
            check_version(self.uri(name), self.committed(name, [EVENTS_VERSION], table).get(EVENTS_VERSION))
        if self.is_local:
            delta_log.follow(self.log(name), table)
        return table

    def log(self, name: str) -> delta_log.Log:
        """The log of a table."""
        return delta_log.Log(self._files, f"{self._base}/{name}", self.uri(name), name)

    def _missing(self, name: str) -> StoreError:
        """The error about a table that is not there."""
        if not any(self._is_there(other) for other in SCHEMAS if other != name):
            return StoreError(f"there is no store at {self.root}; cardlog ingest makes one")
        return Damaged(f"the table {self.uri(name)} is missing; {mend_missing(name)}")

    # ------------------------------------------------------------ files

    def write(self, table: str, game: str | None, pieces: Iterable[pa.Table], hands: int = 0) -> Part:
        """Write a data file, one row group a piece, and name it by its content."""
        writer = self.writer(table, game)
        for piece in pieces:
            writer.add(piece)
        return writer.close(hands)

    def writer(self, table: str, game: str | None, note: dict[str, str] | None = None) -> PartWriter:
        """A data file to be written piece by piece, with a note in its footer."""
        schema = SCHEMAS[table]
        if table in PARTITIONED:
            schema = schema.remove(schema.get_field_index("game"))
        writer = PartWriter(self.put, table, schema, game)
        writer.note(note or {})
        return writer

    def _path(self, table: str, path: str) -> str:
        """Where a file of a table is, or one beside the tables if `table` is empty."""
        return "/".join(filter(None, (self._base, table, path)))

    def put(self, table: str, path: str, content: pa.Buffer) -> None:
        """Write a file of a table, or one beside the tables if `table` is empty, whole or not at all."""
        path = self._path(table, path)
        self._files.create_dir(path.rpartition("/")[0], recursive=True)
        if not self.is_local:
            with self._files.open_output_stream(path) as sink:
                sink.write(content)
            return
        with whole.replaced(Path(path)) as draft:
            draft.write_bytes(content)

    def open(
        self,
        table: str,
        path: str,
        columns: list[str] | None = None,
        *,
        rely: bool = False,
        **options: Any,
    ) -> data_files.DataFile:
        """A data file of a table, to read row group by row group; it is digested first.

        rely
            On an earlier process that digested it, for readers of a few rows.
        options
            `ParquetFile`'s.

        Raises Damaged, naming the file, as do the methods that read from it.
        """
        labels = [f.name for f in SCHEMAS[table] if pa.types.is_dictionary(f.type) and f.name != "game"]
        if self.is_local:
            data_files.check(self.root, table, path, rely=rely)
        return data_files.DataFile(
            self.stream(table, path),
            f"{self.uri(table)}/{path}",
            table,
            [name for name in labels if columns is None or name in columns],
            **options,
        )

    def stream(self, table: str, path: str) -> pa.NativeFile:
        """The bytes of a file of a table. Raises Damaged if it is not there."""
        with naming(f"{self.uri(table)}/{path}", table):
            return self._files.open_input_file(self._path(table, path))

    def beside(self, name: str) -> bytes | None:
        """The content of a file beside the tables; None if there is none."""
        try:
            with self._files.open_input_stream(f"{self._base}/{name}") as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            return None

    def filter_of(self, table: str, path: str) -> list[KeySet] | None:
        """The filter of a data file; None if it has none or a damaged one, so that it has to be read."""
        if data_files.named_digest(path) is None:
            return None
        try:
            with self._files.open_input_stream(f"{self._base}/{table}/{path_of(path)}") as stream:
                return unpacked(stream.read())
        except (FileNotFoundError, ValueError):
            return None

    def put_filter(self, table: str, path: str, content: bytes) -> None:
        """Write the filter of a data file."""
        self.put(table, path_of(path), pa.py_buffer(content))

    def has(self, table: str, path: str) -> bool:
        """Whether there is a file of a table."""
        info = self._files.get_file_info(f"{self._base}/{table}/{path}")
        return bool(info.type is pa.fs.FileType.File)

    def all_files(self) -> list[str]:
        """Every file that is in the store, relative to it."""
        selector = pa.fs.FileSelector(self._base, recursive=True, allow_not_found=True)
        found = self._files.get_file_info(selector)
        return sorted(
            info.path.removeprefix(f"{self._base}/") for info in found if info.type is pa.fs.FileType.File
        )

    def files_in(self, name: str) -> list[tuple[str, int, float]]:
        """The files in a table's folder but those of its log: path, size and time of the last change."""
        base = f"{self._base}/{name}"
        selector = pa.fs.FileSelector(base, recursive=True, allow_not_found=True)
        files = (info for info in self._files.get_file_info(selector) if info.type is pa.fs.FileType.File)
        found = ((info.path.removeprefix(f"{base}/"), info) for info in files)
        return [
            (path, info.size, info.mtime.timestamp())
            for path, info in found
            if not path.startswith("_delta_log/")
        ]

    def check_files(self, files: Iterable[tuple[str, str]]) -> None:
        """See that data files, each given by its table and path, are what was written, for readers that
        don't go through `open`, as DuckDB. What was digested before and has not been touched since is
        relied on. Raises Damaged. Behind a URI it is left to the object store."""
        if self.is_local:
            data_files.check_all(self.root, files)

    def sizes(self, name: str, version: int | None = None) -> dict[str, int]:
        """The data files of a table, relative to it, and how many rows each has."""
        stream = self.table(name, version).get_add_actions()
        actions = pa.RecordBatchReader.from_stream(stream).read_all()
        return dict(
            zip(actions.column("path").to_pylist(), actions.column("num_records").to_pylist(), strict=True)
        )

    def bytes_of(self, name: str, version: int | None = None) -> dict[str, int]:
        """The data files of a table, relative to it, and the size of each in bytes."""
        actions = pa.RecordBatchReader.from_stream(self.table(name, version).get_add_actions()).read_all()
        columns = (actions.column(column).to_pylist() for column in ("path", "size_bytes"))
        return dict(zip(*columns, strict=True))

    def paths(self, name: str, version: int | None = None) -> list[str]:
        """The data files of a table, relative to it, in a fixed order."""
        return sorted(self.sizes(name, version))

    def rows(self, name: str) -> int:
        """How many rows a table has, from its log alone."""
        return sum(self.sizes(name).values())

    def empty(self, name: str) -> pa.Table:
        """No rows of a table."""
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
        from pyarrow import dataset  # not above: it takes a moment, and few need it

        partitioning = None
        if name in PARTITIONED:
            partitioning = dataset.partitioning(pa.schema([("game", pa.string())]), flavor="hive")
        files = [f"{self._base}/{name}/{path}" for path in paths]
        scan = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
        return dataset.dataset(
            files,
            filesystem=self._files,
            format=dataset.ParquetFileFormat(default_fragment_scan_options=scan),
            partitioning=partitioning,
            partition_base_dir=f"{self._base}/{name}",
        )

    def attempts(self) -> dict[str, int]:
        """The ingests that count, each with the attempt that `events` has committed."""
        table = self.table("events")
        names = {name for part in self.read("ingests") for name in part.column("ingest_id").to_pylist()}
        return self.committed("events", names, table)

    def committed(self, name: str, apps: Iterable[str], table: DeltaTable | None = None) -> dict[str, int]:
        """What the log of a table carries for these application ids; those that it has."""
        log, table = self.log(name), table or self.table(name)
        found = {app: delta_log.transaction(log, table, app) for app in sorted(apps)}
        return {app: version for app, version in found.items() if version is not None}

    def version_of(self, name: str, app: str) -> int | None:
        """The version of a table that an application's transaction made last, if it is known."""
        return delta_log.follow(self.log(name), self.table(name)).committed.get(app)

    # ------------------------------------------------------------ commits

    def commit(self, name: str, change: commits.Change, *, base: int | None = None) -> None:
        """Make a change of a table visible in one step.

        base
            The table's version that the change was prepared at; the newest if left out.

        Raises Conflict if a commit since then carries one of the change's ids, or has taken out one of the
        files that it takes out.
        """
        commits.commit(self, name, base, change)

    def built_from(self, projection: str) -> int | None:
        """The version of `events` a projection was built from; None if it never was, or by a cardlog whose
        projections were other ones."""
        return built_from(self.committed(projection, BUILD_IDS))

    def lacks_columns(self, name: str) -> bool:
        """Whether a table was written by a cardlog whose table had fewer columns."""
        return lacks_columns(self.table(name), name)

    def remove(self, name: str, path: str) -> None:
        """Remove a file of a table; another process may have done so already."""
        with suppress(FileNotFoundError):
            self._files.delete_file(self._path(name, path))
