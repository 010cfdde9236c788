"""Stores in tests: their content, whether their counts balance, and whether two are equal.

Tables are read with DuckDB from the files that the Delta logs name, with none of the code under
test but the list of schemas and the question whether a table has all their columns.
"""

import atexit
import json
import shutil
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb
from deltalake import DeltaTable

from cardlog.pipelines import runs
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.schemas.tables import ANALYSES

FIXTURES = Path(__file__).parents[1] / "fixtures" / "kaiser"
RECORDS = ("events", "quarantine", "ingests")
PROJECTIONS = ("playedhand", "tricks", "plays", "seats", "bids", "decisions")
ALL = (*RECORDS, *PROJECTIONS, *ANALYSES)
PARTITIONED = ("events", *PROJECTIONS, *ANALYSES)

ATTEMPTED = ("ingests", "quarantine")
"""Tables that also have rows of attempts that do not count."""
NOT_COMPARED = {"ingests": ("attempt", "ingested_at"), "quarantine": ("attempt",)} | dict.fromkeys(
    PARTITIONED, ("ingest_no",)
)
"""Columns in which two equal stores may differ."""


def ingest(store: Store, *paths: str | Path, **how: Any) -> runs.Ingested:
    """Ingest files, and check that the counts balance afterwards."""
    pipeline = {name: how.pop(name) for name in ("beam_options", "watch") if name in how}
    result = runs.ingest(store, [str(path) for path in paths], Reading(**how), **pipeline)
    check_books(store)
    return result


def ingest_text(store: Store, folder: Path, text: bytes, name: str = "dump.csv", **how: Any) -> runs.Ingested:
    path = folder / name
    path.write_bytes(text)
    return ingest(store, path, **how)


def copied(store: Store, root: Path | str) -> Store:
    """A copy of a store, which may be changed."""
    shutil.copytree(store.root, root)
    return Store(str(root))


def stored(store: Store, folder: Path, text: bytes, name: str = "log.csv", **how: Any) -> Store:
    """A store with what a text says, not built."""
    folder.mkdir(exist_ok=True)
    ingest_text(store, folder, text, name, **how)
    return store


def built(store: Store, folder: Path, text: bytes, name: str = "log.csv", **how: Any) -> Store:
    """The same, built without marts."""
    runs.build(stored(store, folder, text, name, **how))
    return store


def own_name(match_id: str) -> str:
    """The source's own name of a match, a prefix of `match_id`."""
    own, end = match_id.rsplit("~", 1)
    assert len(end) == 16
    return own


# ---------------------------------------------------------------- reading


def data_files(store: Store, name: str) -> list[str]:
    """The data files of a table as they are now."""
    return [unquote(uri.removeprefix("file://")) for uri in delta_table(store, name).file_uris()]


def delta_table(store: Store, name: str) -> DeltaTable:
    """A table as it is now, opened again only if a file of its log has changed."""
    log = Path(store.root) / name / "_delta_log"
    entries = []
    for path in sorted(log.glob("*[!p]")):  # no .tmp of a commit that is being made
        with suppress(FileNotFoundError):
            entries.append((path.name, path.stat().st_mtime_ns))
    return _opened(store.uri(name), tuple(entries))


@lru_cache(maxsize=32)
def _opened(uri: str, _entries: tuple[tuple[str, int], ...]) -> DeltaTable:
    return DeltaTable(uri)


def select(store: Store, name: str) -> str:
    """The rows of a table that count, as SQL."""
    files = data_files(store, name)
    columns = ", ".join(f'"{column}"' for column in SCHEMAS[name].names)
    if not files or store.lacks_columns(name):
        return f"select {', '.join(f'null as {c}' for c in columns.split(', '))} where false"
    quoted = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    hive = ", hive_partitioning = true" if name in PARTITIONED else ""
    read = f"read_parquet([{quoted}]{hive}, union_by_name = true)"
    rows = f"select {columns} from {read}"
    if name not in ATTEMPTED:
        return rows
    valid = ", ".join(f"('{ingest}', {attempt})" for ingest, attempt in committed(store).items())
    return f"select * from ({rows}) where (ingest_id, attempt) in ({valid})" if valid else f"{rows} limit 0"


def committed(store: Store) -> dict[str, int]:
    """The attempt of each ingest recorded in the log of `events`."""
    files = data_files(store, "ingests")
    if not files:
        return {}
    sql = "select distinct ingest_id from read_parquet(?)"
    names = _database().cursor().execute(sql, [files]).fetchall()
    events = delta_table(store, "events")
    found = {name: events.transaction_version(name) for (name,) in names}
    return {name: attempt for name, attempt in found.items() if attempt is not None}


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """An empty database of this process: making one takes longer than most of the queries."""
    atexit.register(_database.cache_clear)
    return duckdb.connect(config={"enable_external_file_cache": False})


def connect(tables: Iterable[str] = ALL, **stores: Store) -> duckdb.DuckDBPyConnection:
    """Some tables of some stores, each store in a schema of its name; good until the next call."""
    connection = _database().cursor()
    for schema, store in stores.items():
        connection.execute(f"create schema if not exists {schema}")
        for name in tables:
            connection.execute(f"create or replace view {schema}.{name} as {select(store, name)}")
    return connection


def _named(sql: str) -> list[str]:
    """The tables that a query may be about."""
    return [name for name in SCHEMAS if name in sql]


def ask(store: Store, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query over the tables."""
    return connect(_named(sql), main=store).execute(sql).fetchall()


def one(store: Store, sql: str) -> Any:
    """The single value of a query."""
    ((value,),) = ask(store, sql)
    return value


def dicts(store: Store, sql: str) -> list[dict[str, Any]]:
    result = connect(_named(sql), main=store).execute(sql)
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


# ---------------------------------------------------------------- comparing


def differences(one_store: Store, other: Store, tables: Iterable[str], without: tuple[str, ...] = ()) -> Any:
    """Rows that occur more often in one store than in the other; a few of each table."""
    tables = tuple(tables)
    connection = connect(tables, a=one_store, b=other)
    found = {}
    for name in tables:
        left_out = (*without, *NOT_COMPARED.get(name, ()))
        columns = ", ".join(f'"{column}"' for column in SCHEMAS[name].names if column not in left_out)
        a, b = (f"select {columns} from {schema}.{name}" for schema in ("a", "b"))
        for side, sql in (("missing", f"{a} except all {b}"), ("added", f"{b} except all {a}")):
            rows = connection.execute(f"{sql} limit 3").fetchall()
            if rows:
                found[f"{name} {side}"] = rows
    return found


def assert_same(
    expected: Store, got: Store, tables: Iterable[str] = ALL, without: tuple[str, ...] = ()
) -> None:
    found = differences(expected, got, tables, without)
    assert found == {}, found


def numbers(store: Store, name: str = "events") -> dict[str, int]:
    """The number of the commit that brought each hand, as a table says."""
    rows = ask(store, f"select hand_id, min(ingest_no), max(ingest_no) from {name} group by all")
    assert all(first == last for _, first, last in rows)
    return {hand: number for hand, number, _ in rows}


def check_numbers(store: Store) -> None:
    """The rows that each commit to `events` brought have its number, by the entries of the log."""
    for path in sorted(Path(store.uri("events"), "_delta_log").glob("*[0-9].json")):
        actions = [json.loads(line) for line in path.read_text().splitlines()]
        brought = [one["add"]["path"] for one in actions if "add" in one and one["add"]["dataChange"]]
        files = [f"{store.uri('events')}/{unquote(file)}" for file in brought]
        files = [file for file in files if Path(file).exists()]  # a compact and a vacuum may have been there
        if files:
            sql = "select distinct ingest_no from read_parquet(?)"
            assert _database().cursor().execute(sql, [files]).fetchall() == [(int(path.stem),)]
    assert all(0 < number <= store.table("events").version() for number in numbers(store).values())


def check_books(store: Store) -> None:
    """Every hand that was read is stored, a duplicate or in quarantine, and the tables agree."""
    connection = connect(RECORDS, main=store)

    def ask(sql: str) -> Any:
        return connection.execute(sql).fetchall()

    assert ask("from ingests where hands_read != hands_stored + duplicates + quarantined") == []
    by_line = "format = 'playedhand-csv' and lines_read != other_lines + hands_read"
    assert ask(f"from ingests where {by_line}") == []
    assert ask("from ingests where hands_aborted > hands_stored") == []
    totals = "coalesce(sum(hands_stored), 0), coalesce(sum(events_stored), 0), coalesce(sum(quarantined), 0)"
    ((stored, events, quarantined),) = ask(f"select {totals} from ingests")
    log = delta_table(store, "events")
    lost, lost_events = (
        log.transaction_version(f"cardlog-erased-{what}") or 0 for what in ("hands", "events")
    )
    hands = stored - lost
    assert ask("select count(*), count(distinct hand_id) from events where seq = 0") == [(hands, hands)]
    assert ask("select count(*) from events") == [(events - lost_events,)]
    assert ask("select count(*) from quarantine") == [(quarantined,)]
    per_source = """
        from (select source_id, dataset, sum(quarantined) as n from ingests group by all having n > 0) i
        full join (select source_id, dataset, count(*) as n from quarantine group by all) q
        using (source_id, dataset, n)
        where i.source_id is null or q.source_id is null
    """
    assert ask(per_source) == []
    assert ask("from quarantine where message = '' or raw is null or first_line > last_line") == []
