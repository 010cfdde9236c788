"""Rows of hands in the order in which they were read: sources in the order of their first ingest, each line
by line. DuckDB sorts them, on disk if they are many."""

import tempfile
from collections.abc import Iterable, Iterator
from typing import Final

import duckdb
import pyarrow as pa

from cardlog.pipelines.runtime.leftovers import note
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.store import Store

SORT_MEMORY: Final = "512MB"
"""Memory that sorting may use before it goes to disk."""
WRITE_ROWS: Final = 50_000
"""Rows that are written at a time."""
PLACE: Final = ("hand_id", "source_line", "source_id")
"""The columns that say where a hand was read; all rows must have them."""


def in_source_order(store: Store, tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of some tables in the order in which they were read, without the columns of `PLACE`."""
    names = ", ".join(name for name in schema.names if name not in PLACE)
    ingested = valid_ingests(store).sort_by("ingested_at").column("source_id").to_pylist()
    source_ids = list(dict.fromkeys(ingested))
    sources = pa.table({"source_id": pa.array(source_ids, pa.string()), "source": range(len(source_ids))})
    with (
        tempfile.TemporaryDirectory(prefix="cardlog-sort-") as folder,
        duckdb.connect(config={"memory_limit": SORT_MEMORY, "temp_directory": note(folder)}) as connection,
    ):
        connection.register("sources", sources)
        rows = (part for table in tables for part in table.to_batches())
        connection.register("coming", pa.RecordBatchReader.from_batches(schema, rows))
        connection.execute("create temp table hands as from coming")
        connection.unregister("coming")
        ordered = (
            f"select {names} from hands join sources using (source_id) order by source, source_line, hand_id"
        )
        for batch in connection.sql(ordered).to_arrow_reader(WRITE_ROWS):
            yield pa.Table.from_batches([batch])
