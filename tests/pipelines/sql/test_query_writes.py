"""No query writes: every statement that could, in every position, also without the check of statements.
The bytes of the store and of the files around it stay the same."""

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import duckdb
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import limits, query, warehouse
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.sql.query import QueryError
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import ingest_text

FEW: Final = {"events", "hands"}
"""The tables that these queries need."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that is both the working directory and home, with a store and other files."""
    folder = tmp_path_factory.mktemp("home")
    store = Store(str(folder / "store"))
    ingest_text(store, folder, dump(*dump_lines()[:5]))
    runs.build(store)
    with duckdb.connect(str(warehouse.path_of(store))) as marts:
        marts.execute("create table hands as select range as hand_id, 1 as dealer from range(10)")
    (folder / "theirs.csv").write_text("a\n1\n")
    (folder / ".tmp").mkdir()
    (folder / ".tmp" / "theirs").write_text("theirs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def store(folder: Path) -> Store:
    return Store(str(folder / "store"))


def digests(folder: Path) -> dict[str, tuple[int, str]]:
    """Every file and folder with its size and the digest of its content; without cardlog's own cache of
    checked data files."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.relative_to(folder).parts[0] == ".cache":
            continue
        content = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (len(content), hashlib.sha256(content).hexdigest())
    return found


# ---------------------------------------------------------------- every writing statement

TARGETS: Final = (
    "{folder}/new.csv",
    "{folder}/theirs.csv",
    "{folder}/.tmp/theirs",
    "{store}/new.csv",
    "{store}/events",
    "{store}/events/_delta_log/00000000000000000000.json",
    "{store}/.tmp/new.csv",
    "{store}/warehouse.duckdb",
    "{store}/warehouse.duckdb.wal",
    "{data}",
    "cardlog://events/new.parquet",
    "cardlog://warehouse.duckdb",
    "cardlog://warehouse.duckdb.wal",
    "cardlog-spill://queries/new.csv",
    "file://{folder}/new.csv",
    "/dev/fd/1",
)
COPIES: Final = (
    "copy (select 1 as a) to '{target}'",
    "copy (select 1 as a) to '{target}' (use_tmp_file false)",
    "copy (select 1 as a) to '{target}' (format parquet, overwrite)",
    "copy (select 1 as a) to '{target}' (format json, overwrite_or_ignore)",
    "copy (select 1 as a, 2 as b) to '{target}' (format parquet, partition_by (b), overwrite_or_ignore)",
    "copy (select 1 as a) to '{target}' (format csv, per_thread_output, append)",
    "copy events to '{target}' (format parquet)",
)
STATEMENTS: Final = """
copy marts.main.hands from '{folder}/theirs.csv'
copy from database marts to memory
copy from database memory to marts
export database '{folder}/dump'
export database '{store}/events' (format parquet)
import database '{store}'
insert into marts.main.hands values (1, 2)
insert into marts.main.hands values (1, 2) returning *
insert into events select * from events
update marts.main.hands set dealer = 2
update marts.main.hands set dealer = 2 returning *
delete from marts.main.hands
delete from marts.main.hands returning *
truncate marts.main.hands
merge into marts.main.hands using (select 1 as x) on true when matched then delete
create table marts.main.t as select 1 as a
create table t as select 1 as a
create or replace view events as select 1 as a
create schema marts.other
create index i on marts.main.hands (dealer)
create sequence marts.main.s
create macro marts.main.f() as 1
create type marts.main.mood as enum ('sad')
create persistent secret s (type http, bearer_token 'x')
drop table marts.main.hands
drop view events
drop schema marts.main cascade
alter table marts.main.hands add column c int
alter view events rename to e
comment on table marts.main.hands is 'x'
attach '{folder}/new.duckdb'
attach '{store}/warehouse.duckdb' as writable
attach 'cardlog://warehouse.duckdb' as writable (read_write)
attach 'cardlog://new.duckdb'
attach 'cardlog-spill://queries/new.duckdb'
attach ':memory:' as other
detach marts
use marts
install httpfs
install '{folder}/theirs.csv'
force install json
load httpfs
load '{folder}/theirs.csv'
update extensions
set temp_directory = '{folder}/spill'
set allowed_directories = ['{folder}']
set enable_external_access = true
set disabled_filesystems = ''
set lock_configuration = false
set log_query_path = '{folder}/log'
set home_directory = '{folder}/home'
set memory_limit = '100GB'
set variable a = 1
reset all
pragma enable_profiling = 'json'
pragma profiling_output = '{folder}/profile'
pragma import_database('{store}')
pragma copy_database(marts, memory)
call enable_logging(storage = 'file', storage_path = '{folder}/logs')
call force_checkpoint()
call checkpoint('marts')
call pragma_version()
checkpoint marts
force checkpoint marts
vacuum marts.main.hands
vacuum analyze
analyze
begin
commit
rollback
prepare p as copy (select 1 as a) to '{folder}/new.csv'
execute p
deallocate p
select * from force_checkpoint()
select * from checkpoint('marts')
select * from enable_logging(storage = 'file', storage_path = '{folder}/logs')
select * from enable_profiling(save_location = '{folder}/profile')
select * from read_duckdb('{store}/warehouse.duckdb')
select * from json_execute_serialized_sql(json_serialize_sql('select 1'))
select setval('s', 1)
select write_log('x')
"""
WRAPPINGS: Final = (
    "{s}",
    "explain {s}",
    "explain analyze {s}",
    "with x as ({s}) select 1",
    "with x as materialized ({s}) from x",
    "explain analyze with x as ({s}) from x",
    "with y as (with x as ({s}) from x) from y",
    "with recursive y as (select 1 as n union all (with x as ({s}) select 2 from y, x where n < 2)) from y",
    "select (with x as ({s}) select 1)",
    "select * from (with x as ({s}) from x)",
    "select 1 where exists (with x as ({s}) from x)",
    "select 1 union all (with x as ({s}) select 1)",
    "select * from range(1), lateral (with x as ({s}) from x)",
    "pivot (with x as ({s}) select 1 as a) on a in (1) using count(*)",
    "pivot (with x as ({s}) select 1 as a) on a using count(*)",
    "with x as ({s}) pivot x on a using count(*)",
    "pivot ({s}) on a using count(*)",
    "pivot events on ({s}) using count(*)",
    "select list_transform([1], lambda n: (with x as ({s}) select 1))",
    "select 1 order by (with x as ({s}) select 1)",
    "describe {s}",
    "summarize {s}",
    "select * from ({s})",
    "({s})",
    "select * from query('{quoted}')",
    "prepare p as {s}",
    "create macro f() as table {s}",
    "begin; {s}; commit",
    "select 1; {s}",
    "{s}; select 1",
)


def copies(store: Store, folder: Path) -> list[str]:
    """COPY in every form to every target."""
    [data, *_] = store.paths("events")
    names = {"folder": folder, "store": store.root, "data": f"{store.uri('events')}/{data}"}
    return [copy.replace("{target}", target).format(**names) for copy in COPIES for target in TARGETS]


def others(store: Store, folder: Path) -> list[str]:
    """All other statements that write, or change settings of writing."""
    return [line.format(folder=folder, store=store.root) for line in STATEMENTS.strip().split("\n")]


def wrapped(statement: str) -> list[str]:
    """A statement in every position where one can be, or might be some day."""
    quoted = statement.replace("'", "''")
    return [wrapping.format(s=statement, quoted=quoted) for wrapping in WRAPPINGS]


@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.soak)])
def test_no_writing_statement_is_run_wherever_it_stands(stride: int, store: Store, folder: Path) -> None:
    """Each in every fifth position, or in all; five statements come to all positions."""
    before = digests(folder)
    with query.connect(store, FEW) as connection:
        for number, statement in enumerate(copies(store, folder)[:: len(TARGETS)] + others(store, folder)):
            for sql in wrapped(statement)[number % stride :: stride]:
                with pytest.raises(QueryError):
                    query.run(connection, sql).fetchall()
    assert digests(folder) == before


@pytest.mark.parametrize("positions", [2, pytest.param(8, marks=pytest.mark.soak)])
def test_a_connection_has_nothing_to_write_to(positions: int, store: Store, folder: Path) -> None:
    """Even without the check of statements."""
    before = digests(folder)
    for texts in [copies(store, folder), *([statement] for statement in others(store, folder))]:
        with query.connect(store, FEW) as connection:
            _bypass(connection, [sql for text in texts for sql in wrapped(text)[:positions]])
    assert digests(folder) == before


def _bypass(connection: query.Connection, texts: list[str]) -> None:
    for sql in texts:
        try:
            connection.duckdb.execute(sql).fetchall()
        except duckdb.Error:
            connection.duckdb.abort()


# ---------------------------------------------------------------- random ones

READS: Final = (
    "select 1 as a",
    "from events limit 1",
    "select dealer, count(*) as n from hands group by all order by all",
    "values (1), (2)",
    "select * from range(3)",
    "describe events",
)


def random_statement(rng: random.Random, writes: list[str]) -> tuple[str, bool]:
    """A nested statement, and whether it contains one that writes."""
    is_writing = rng.random() < 0.5
    sql = rng.choice(writes) if is_writing else rng.choice(READS)
    for _ in range(rng.randrange(4)):
        wrapping = rng.choice(WRAPPINGS)
        sql = wrapping.format(s=sql, quoted=sql.replace("'", "''"))
    words = sql.split(" ")
    for _ in range(rng.randrange(3)):
        index = rng.randrange(len(words))
        words[index] += rng.choice(["\n", " /* x */ ", " -- x\n", "\t"])
    if rng.random() < 0.2:
        words.insert(
            rng.randrange(len(words)), rng.choice(["(", ")", "with", "select", "copy", ";", "'", "from"])
        )
    return " ".join(words), is_writing


def fuzz(store: Store, folder: Path, seed: int, rounds: int) -> int:
    """Run random statements, checked and unchecked; returns how many succeeded."""
    rng = random.Random(seed)
    writes = copies(store, folder) + others(store, folder)
    before = digests(folder)
    answered = 0
    for first in range(0, rounds, 25):
        with query.connect(store, FEW) as checked, query.connect(store, FEW) as unchecked:
            for _ in range(first, min(first + 25, rounds)):
                sql, is_writing = random_statement(rng, writes)
                try:
                    query.run(checked, sql).fetchall()
                    answered += 1
                    # Some are no write where they stand, but names: 'from (update extensions)'.
                    assert not is_writing or digests(folder) == before, sql
                except QueryError:
                    checked.duckdb.abort()
                _bypass(unchecked, [sql])
        if first % 1000 == 0:
            assert digests(folder) == before
    assert digests(folder) == before
    return answered


def test_random_statements_write_nothing(store: Store, folder: Path) -> None:
    assert fuzz(store, folder, seed=1, rounds=150) > 10


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_thousand_random_statements_write_nothing(store: Store, folder: Path, seed: int) -> None:
    assert fuzz(store, folder, seed=100 + seed, rounds=10_000) > 1000


# ---------------------------------------------------------------- memory, disk, time

LARGE: Final = """
    select max(n), max(length(b)) from (
        select row_number() over (order by hash(range)) as n, range::varchar || repeat('b', 43) as b
        from range(2_000_000)
    )
"""
ENDLESS: Final = "select max(hash(range)) from range(1_000_000_000_000)"


def test_what_does_not_fit_goes_to_the_stores_own_folder_and_is_gone_afterwards(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    mkdir = Path.mkdir
    monkeypatch.setattr(Path, "mkdir", lambda path, **how: (made.append(path), mkdir(path, **how))[1])
    before = digests(folder)
    with query.connect(store, FEW, Limits(memory=limits.LEAST_MEMORY)) as connection:
        assert query.run(connection, LARGE).fetchall() == [(2_000_000, 50)]
    assert set(made) == {Path(store.root) / ".tmp"}
    assert digests(folder) == before


@pytest.mark.parametrize(
    ("disk", "writable", "message"),
    [
        (2**20, True, r"64MiB of memory, and more than the 1MiB that .*\.tmp; --memory or CARDLOG_MEMORY"),
        (2**40, False, r"64MiB of memory, and the store can't be written .*; --memory or CARDLOG_MEMORY"),
    ],
)
def test_a_limit_that_is_hit_is_named_with_its_option(
    disk: int, writable: bool, message: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "spill_limit", lambda memory, folder: disk)
    monkeypatch.setattr(os, "access", lambda path, mode: writable)
    with (
        query.connect(store, FEW, Limits(memory=limits.LEAST_MEMORY)) as connection,
        pytest.raises(QueryError, match=message),
    ):
        query.run(connection, LARGE)
    assert not (Path(store.root) / ".tmp").exists()


def test_a_query_that_takes_too_long_is_stopped(store: Store) -> None:
    with query.connect(store, FEW, Limits(seconds=0.3)) as connection:
        with pytest.raises(QueryError, match=r"longer than 0\.3 s and was stopped; --timeout SECONDS"):
            query.run(connection, ENDLESS)
        assert query.run(connection, "select 1").fetchall() == [(1,)]


@pytest.mark.parametrize("sql", [ENDLESS, "select length(repeat('x', 1_000_000_000)) from range(1_000)"])
def test_ctrl_c_ends_a_query(sql: str, store: Store, folder: Path) -> None:
    """Also one that DuckDB itself does not stop."""
    program = (
        "import os, signal, threading\n"
        "from cardlog.pipelines.sql import interruptible\n"
        "from cardlog.pipelines.terminal.cli import main\n"
        "run = interruptible.call\n"
        "def first_call(*arguments):\n"
        "    threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    interruptible.call = run\n"
        "    return run(*arguments)\n"
        "interruptible.call = first_call\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, "query", sql, "--file", "out.csv", "--store", store.root]
    before = digests(folder)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "cardlog: interrupted; nothing half done is visible\n"
    assert digests(folder) == before
