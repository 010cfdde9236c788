"""No query writes, reads other files or reaches the network: every statement that could, in every position,
as a person may ask it and straight to the connection. The bytes of the store and of the files around it stay
the same, and nothing of those files is ever in an answer."""

import hashlib
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import duckdb
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import limits, query, warehouse
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import dump, dump_lines
from tests.support.soak import long, soak
from tests.support.stores import ingest_text

FEW: Final = {"events", "hands"}
"""The tables that these queries need."""
SECRET: Final = "c0ffee5ecret"
"""Is in files, in the name of one and in the environment, and in no statement."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that is both the working directory and home, with a store and other files."""
    folder = tmp_path_factory.mktemp("home")
    store = Store(str(folder / "store"))
    ingest_text(store, folder, dump(*dump_lines()[:5]))
    runs.build(store)
    with duckdb.connect(str(warehouse.path_of(store))) as marts:
        marts.execute("create table hands as select range as hand_id, 1 as dealer from range(10)")
    for name in ("theirs", SECRET):
        (folder / f"{name}.csv").write_text(f"a\n{SECRET}\n")
    with duckdb.connect(str(folder / "theirs.duckdb")) as theirs:
        theirs.execute(f"create table t as select '{SECRET}' as a")
        theirs.execute(f"copy t to '{folder}/theirs.parquet'")
    (folder / "dump").mkdir()
    (folder / "dump" / "schema.sql").write_text(f"create table dumped as select '{SECRET}' as a;")
    (folder / "dump" / "load.sql").write_text("")
    (folder / ".tmp").mkdir()
    (folder / ".tmp" / "theirs").write_text("theirs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("HOME", str(folder))
        patch.setenv("THEIRS", SECRET)
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
    *("{folder}/new.csv", "{folder}/theirs.csv", "{folder}/.tmp/theirs", "file://{folder}/new.csv"),
    *("{store}/new.csv", "{store}/events", "{store}/events/_delta_log/00000000000000000000.json"),
    *("{store}/.tmp/new.csv", "{store}/warehouse.duckdb", "{store}/warehouse.duckdb.wal", "{data}"),
    *("cardlog://events/new.parquet", "cardlog://warehouse.duckdb", "cardlog://warehouse.duckdb.wal"),
    *("cardlog://queries/new.csv", "/dev/fd/1"),
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
copy marts.main.hands from '{folder}/theirs.csv'; copy from database marts to memory
copy from database memory to marts; export database '{folder}/dump'
export database '{store}/events' (format parquet); import database '{store}'
import database '{folder}/dump'
insert into marts.main.hands values (1, 2); insert into marts.main.hands values (1, 2) returning *
insert into events select * from events; update marts.main.hands set dealer = 2
update marts.main.hands set dealer = 2 returning *; delete from marts.main.hands
delete from marts.main.hands returning *; truncate marts.main.hands
merge into marts.main.hands using (select 1 as x) on true when matched then delete
create table marts.main.t as select 1 as a; create table t as select 1 as a
create or replace view events as select 1 as a; create schema marts.other
create index i on marts.main.hands (dealer); create sequence marts.main.s; create macro marts.main.f() as 1
create type marts.main.mood as enum ('sad'); create persistent secret s (type http, bearer_token 'x')
drop table marts.main.hands; drop view events; drop schema marts.main cascade
alter table marts.main.hands add column c int; alter view events rename to e
comment on table marts.main.hands is 'x'
attach '{folder}/new.duckdb'; attach '{store}/warehouse.duckdb' as writable
attach 'cardlog://warehouse.duckdb' as writable (read_write); attach 'cardlog://new.duckdb'
attach 'cardlog://queries/new.duckdb'; attach ':memory:' as other; detach marts; use marts
install httpfs; install '{folder}/theirs.csv'
force install json
load httpfs; load '{folder}/theirs.csv'
update extensions
set temp_directory = '{folder}/spill'; set allowed_directories = ['{folder}']
set enable_external_access = true; set disabled_filesystems = ''; set lock_configuration = false
set log_query_path = '{folder}/log'; set home_directory = '{folder}/home'; set memory_limit = '100GB'
set variable a = 1; reset all
pragma enable_profiling = 'json'; pragma profiling_output = '{folder}/profile'
pragma import_database('{store}'); pragma copy_database(marts, memory)
call enable_logging(storage = 'file', storage_path = '{folder}/logs'); call force_checkpoint()
call checkpoint('marts'); call pragma_version()
checkpoint marts; force checkpoint marts; vacuum marts.main.hands; vacuum analyze; analyze
begin; commit; rollback
prepare p as copy (select 1 as a) to '{folder}/new.csv'; execute p; deallocate p
select * from force_checkpoint(); select * from checkpoint('marts')
select * from enable_logging(storage = 'file', storage_path = '{folder}/logs')
select * from enable_profiling(save_location = '{folder}/profile')
select * from read_duckdb('{store}/warehouse.duckdb')
select * from json_execute_serialized_sql(json_serialize_sql('select 1')); select setval('s', 1)
select write_log('x')
"""
READ: Final = (
    *("{folder}/theirs.csv", "{folder}/theirs.parquet", "{folder}/theirs.duckdb", "{folder}/*"),
    *("theirs.csv", "~/theirs.csv", "file://{folder}/theirs.csv", "{store}/../theirs.csv"),
    *("cardlog://../theirs.csv", "cardlog://{folder}/theirs.csv", "cardlog://*"),
    *("cardlog://queries/duckdb_temp_1.tmp/../theirs.csv", "cardlog://queries/../theirs.csv"),
    *("/proc/self/environ", "/proc/self/cwd/theirs.csv", "/dev/fd/0", "{url}/theirs.csv"),
)
FUNCTIONS: Final = (
    "read_text", "read_blob", "read_csv", "read_json", "read_parquet", "parquet_metadata",
    "parquet_kv_metadata", "sniff_csv", "read_duckdb", "glob", "query_table",
)  # fmt: skip
READERS: Final = (
    *(f"select * from {function}('{{file}}')" for function in FUNCTIONS),
    "select * from read_csv(['{file}'], all_varchar = true, union_by_name = true, filename = true)",
    "select * from read_json_objects('{file}', format = 'unstructured')",
    "select * from '{file}'",
    'select * from "{file}"',
    "select * from query('from read_text(''{file}'')')",
    "copy t from '{file}'",
    "attach '{file}' as theirs (read_only)",
    "attach if not exists '{file}' (type sqlite)",
    "import database '{file}'",
    "load '{file}'",
    "install '{file}'",
    "install httpfs from '{file}'",
    "create temp view v as from read_csv('{file}')",
    "create temp table t as from read_text('{file}')",
    "create secret (type http, scope '{file}')",
    "select getenv('THEIRS')",
)
WRAPPINGS: Final = (
    *("{s}", "explain {s}", "explain analyze {s}", "with x as ({s}) select 1"),
    *("with x as materialized ({s}) from x", "explain analyze with x as ({s}) from x"),
    "with y as (with x as ({s}) from x) from y",
    "with recursive y as (select 1 as n union all (with x as ({s}) select 2 from y, x where n < 2)) from y",
    *("select (with x as ({s}) select 1)", "select * from (with x as ({s}) from x)"),
    *("select 1 where exists (with x as ({s}) from x)", "select 1 union all (with x as ({s}) select 1)"),
    "select * from range(1), lateral (with x as ({s}) from x)",
    "pivot (with x as ({s}) select 1 as a) on a in (1) using count(*)",
    "pivot (with x as ({s}) select 1 as a) on a using count(*)",
    *("with x as ({s}) pivot x on a using count(*)", "pivot ({s}) on a using count(*)"),
    "pivot events on ({s}) using count(*)",
    "select list_transform([1], lambda n: (with x as ({s}) select 1))",
    *("select 1 order by (with x as ({s}) select 1)", "describe {s}", "summarize {s}", "select * from ({s})"),
    *("({s})", "select * from query('{quoted}')", "prepare p as {s}", "create macro f() as table {s}"),
    *("begin; {s}; commit", "select 1; {s}", "{s}; select 1"),
)


def copies(store: Store, folder: Path) -> list[str]:
    """COPY in every form to every target."""
    [data, *_] = store.paths("events")
    names = {"folder": folder, "store": store.root, "data": f"{store.uri('events')}/{data}"}
    return [copy.replace("{target}", target).format(**names) for copy in COPIES for target in TARGETS]


def others(store: Store, folder: Path) -> list[str]:
    """All other statements that write, or change settings of writing."""
    texts = re.split("; |\n", STATEMENTS.strip())
    return [text.format(folder=folder, store=store.root) for text in texts]


def harmful(store: Store, folder: Path, url: str) -> list[str]:
    """All of these, and every way to read every file that is none of the store's."""
    files = [file.format(folder=folder, store=store.root, url=url) for file in READ]
    reads = [reader.format(file=file) for reader in READERS for file in files]
    return copies(store, folder) + others(store, folder) + reads


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a server to which nobody may connect."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(BlockingIOError):
            listening.accept()


def wrapped(statement: str) -> list[str]:
    """A statement in every position where one can be, or might be some day."""
    quoted = statement.replace("'", "''")
    return [wrapping.format(s=statement, quoted=quoted) for wrapping in WRAPPINGS]


def ask(connection: query.Connection, run: Callable[[str], Any], error: type[Exception], sql: str) -> None:
    """Whatever is said, or the error says, it is no secret."""
    try:
        said = str(run(sql).fetchall())
    except error as refused:
        said = str(refused)
        connection.duckdb.abort()
    assert SECRET not in said, sql


@pytest.mark.parametrize("stride", [97, *long(13), *soak(1)])
def test_no_statement_does_harm_wherever_it_stands(stride: int, store: Store, folder: Path, url: str) -> None:
    """Each alone, and in some of the positions or in all; asked by a person, and executed by DuckDB without a
    look at it."""
    before = digests(folder)
    texts = []
    for number, statement in enumerate(harmful(store, folder, url)):
        texts += [statement, *wrapped(statement)[number % stride :: stride]]
    for first in range(0, len(texts), 25):
        with query.connect(store, FEW) as checked, query.connect(store, FEW) as unchecked:
            for sql in texts[first : first + 25]:
                ask(checked, checked.run, QueryError, sql)
                ask(unchecked, unchecked.duckdb.execute, duckdb.Error, sql)
    assert digests(folder) == before


def test_what_has_its_effect_outside_is_refused(store: Store, folder: Path) -> None:
    """With a sentence that says so."""
    alone = [sql for sql in others(store, folder) if not sql.startswith("select")]
    with query.connect(store, FEW) as connection:
        for sql in alone + copies(store, folder):
            with pytest.raises(QueryError, match=r"^(only queries are|give one query|Parser)"):
                connection.run(sql)
        for sql in copies(store, folder):
            with pytest.raises(QueryError) as refused:
                connection.run(f"with x as ({sql}) from x").fetchall()
            assert "Traceback" not in str(refused.value)
        with pytest.raises(PermissionError, match="a query only reads"):
            connection.files.open(f"events/{store.paths('events')[0]}", "wb")
        settings = dict(connection.run("select name, value from duckdb_settings()").fetchall())
    assert (settings["enable_external_access"], settings["lock_configuration"]) == ("false", "true")
    assert (settings["python_enable_replacements"], settings["TimeZone"]) == ("false", "UTC")


# ---------------------------------------------------------------- memory


def test_what_does_not_fit_into_memory_goes_nowhere(store: Store, folder: Path) -> None:
    before = digests(folder)
    sql = "select max(n) from (select row_number() over (order by hash(range)) as n from range(9_000_000))"
    with (
        query.connect(store, FEW, Limits(memory=limits.MIN_MEMORY)) as connection,
        pytest.raises(QueryError, match=r"more than 64MiB of memory; --memory or CARDLOG_MEMORY"),
    ):
        connection.run(sql).fetchall()
    assert digests(folder) == before
