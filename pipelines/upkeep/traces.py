"""Traces: read all of a store for what was erased from it.

What tables don't name and what is no table is searched too, and all columns, whatever an erasure changes: it
is found if it is somewhere else than expected.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.models import GAMES
from cardlog.pipelines import scratch
from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage.erasures import BOOK, ENTRY, erased_at
from cardlog.pipelines.storage.store import Store

Says = Callable[[str, pa.Array], bool]
"""Whether texts say what was erased, given the column that they are of; none if they are of no table."""
NO_COLUMN: Final = ""
_TABLES: Final = "select schema_name, table_name from duckdb_tables() where not internal"
_BATCH: Final = 100_000


def left_in(store: Store, says: Says) -> tuple[int, list[str]]:
    """How many files were read, and which of them still say it."""
    files = list(store.folder.files())
    if says(NO_COLUMN, pa.array([_our_words()])):  # it is in every log
        files = [path for path in files if path != BOOK and "/_delta_log/" not in path]
    return len(files), [path for path in files if _is_said(store, path, says)]


def _our_words() -> str:
    """What a store without a hand says."""
    with scratch.folder() as folder:
        store = Store(str(folder))
        store.create()
        texts = [f"{path}\n{_text(store, path)}" for path in store.folder.files()]
    return "\n".join([*texts, *GAMES, *ENTRY])


def _text(store: Store, path: str) -> str:
    with store.folder.open(path) as stream:
        return str(stream.read().decode("utf-8", "replace"))


def _is_said(store: Store, path: str, says: Says) -> bool:
    try:
        if path == warehouse.FILE:
            with suppress(duckdb.Error):
                return any(says(name, texts) for name, texts in _in_warehouse(store))
        if path.endswith(".parquet"):
            is_log = "/_delta_log/" in path
            with suppress(pa.ArrowException):
                return any(
                    says(NO_COLUMN if is_log else name, texts) for name, texts in _in_rows(store, path)
                )
        return says(NO_COLUMN, pa.array([path, _text(store, path)]))
    except FileNotFoundError:
        return False  # somebody else's, and gone since


def _in_warehouse(store: Store) -> Iterator[tuple[str, pa.Array]]:
    """The texts in the tables of the warehouse, each with its column."""
    with duckdb.connect(str(warehouse.path_of(store)), read_only=True) as connection:
        for schema, table in connection.execute(_TABLES).fetchall():
            rows = connection.sql(f'from "{schema}"."{table}"').to_arrow_reader(_BATCH)
            for batch in rows:
                yield from _texts(batch)


def _in_rows(store: Store, path: str) -> Iterator[tuple[str, pa.Array]]:
    """The texts in a Parquet file, each with its column."""
    with store.folder.open(path) as stream:
        file = pq.ParquetFile(stream)
        for key, value in (file.metadata.metadata or {}).items():
            yield NO_COLUMN, pa.array([f"{key!r} {value!r}"])
        for batch in file.iter_batches(_BATCH, use_threads=False):
            yield from _texts(batch)


def _texts(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.Array]]:
    """The texts in rows; lists and the like of texts as JSON."""
    for name, values in zip(batch.schema.names, batch.columns, strict=True):
        if pa.types.is_dictionary(values.type):
            values = values.dictionary
        if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            yield name, values.unique()
        elif "string" in str(values.type):
            yield name, pa.array(json.dumps(value, default=str) for value in values.to_pylist())


def is_stale(store: Store) -> bool:
    """Whether the warehouse has rows of `events` as they were before the last erasure, or doesn't say of when
    they are."""
    erased = erased_at(store, "events")
    if erased is None or not warehouse.path_of(store).exists():
        return False
    note = warehouse.note_inside(store)
    note = warehouse.note_of(store) if note is None else note
    if not note:
        return True
    built = [versions["events"] for versions in (note["versions"], *note["held"].values())]
    return any(0 < version < erased for version in built)
