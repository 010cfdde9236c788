"""The warehouse: a DuckDB file with what dbt makes of the store. It is disposable.

dbt writes a new file, which takes the old one's place when it is done; so a reader sees the old
marts or the new ones, and a build that is cut leaves the old ones.
"""

import json
import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from pipelines.store import PARTITIONED, SCHEMAS, Store
from pipelines.version import VERSION

FILE: Final = "warehouse.duckdb"
DBT_PROJECT: Final = Path(__file__).resolve().parent.parent / "dbt_project"
SOURCE_SCHEMA: Final = "store"
"""Schema in which dbt finds the tables of the store."""


class DbtError(Exception):
    """dbt could not build or a test of the data failed; the text is for the user."""


def path_of(store: Store) -> Path:
    """Where a store's warehouse is: beside its tables, or in the working directory if they are
    behind a URI."""
    return Path(store.root) / FILE if store.is_local else Path(FILE).resolve()


# ---------------------------------------------------------------- the store's tables as SQL


def attach_tables(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    schema: str,
    keep: bool = False,
    wanted: Collection[str] = tuple(SCHEMAS),
) -> dict[str, int]:
    """Make the wanted tables of the store readable under their names in a schema of a connection.

    Tables become views of their data files as they are now. Behind a URI the files are read
    through Arrow, which only this connection can do; with `keep`, for a database that others
    open, those tables are copied. Returns the version of each table.
    """
    connection.execute(f"create schema if not exists {schema}")
    attempts = store.attempts() if _COUNTED & set(wanted) else {}
    versions = {}
    for name in wanted:
        versions[name] = store.table(name).version()
        paths = store.paths(name, versions[name])
        kind = "view"
        if not paths:
            select = _no_rows(SCHEMAS[name])
        elif store.is_local:
            store.check_files((name, path) for path in paths)  # DuckDB would not notice
            select = _from_files([f"{store.uri(name)}/{path}" for path in paths], name)
        else:
            connection.register(f"remote_{name}", store.dataset(name, paths))
            select = f"select {_columns(name)} from remote_{name}"
            kind = "table" if keep else "temp view"
        place = name if kind == "temp view" else f"{schema}.{name}"
        counting = _counting(name, attempts)
        connection.execute(f"create or replace {kind} {place} as select * from ({select}){counting}")
    return versions


_COUNTED: Final = {"quarantine", "ingests"}
"""Tables that also hold rows of attempts that came to nothing."""


def _columns(name: str) -> str:
    return ", ".join(_identifier(column) for column in SCHEMAS[name].names)


def _from_files(files: Iterable[str], name: str) -> str:
    files = list(files)
    quoted = ", ".join(_quoted(literal(file)) for file in files)
    columns, options = _columns(name), ""
    if name in PARTITIONED and files[0].count("/game=") > 1:  # the store is in a folder of such a name
        options = ", filename = true"
        columns = columns.replace(_identifier("game"), f"regexp_extract(filename, {_GAME}, 1) as game")
    elif name in PARTITIONED:
        options = ", hive_partitioning = true"
    return f"select {columns} from read_parquet([{quoted}]{options})"


def literal(path: str) -> str:
    """A path in which DuckDB sees no pattern, though the store's folder be named like one."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


_GAME: Final = "'/game=([^/]*)/[^/]*$'"


def _no_rows(schema: pa.Schema) -> str:
    columns = (f"cast(null as {_sql_type(field.type)}) as {_identifier(field.name)}" for field in schema)
    return f"select {', '.join(columns)} where false"


def _counting(name: str, attempts: dict[str, int]) -> str:
    """The condition that only attempts of ingests that were committed count."""
    if name not in _COUNTED:
        return ""
    valid = ", ".join(f"({_quoted(ingest)}, {attempt})" for ingest, attempt in attempts.items())
    return f" where (ingest_id, attempt) in ({valid})" if valid else " where false"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return f'"{name}"'


def _sql_type(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        return "varchar"
    if pa.types.is_list(kind):
        return _sql_type(kind.value_type) + "[]"
    names = {
        pa.string(): "varchar",
        pa.bool_(): "boolean",
        pa.int8(): "tinyint",
        pa.int16(): "smallint",
        pa.int32(): "integer",
        pa.int64(): "bigint",
        pa.float32(): "float",
        pa.timestamp("us", "UTC"): "timestamptz",
    }
    return names[kind]


# ---------------------------------------------------------------- dbt


def state_of(store: Store) -> dict[str, Any]:
    """What a warehouse made now would be made from."""
    files = (
        sorted(DBT_PROJECT.rglob("*.sql"))
        + sorted(DBT_PROJECT.rglob("*.yml"))
        + sorted(DBT_PROJECT.rglob("*.csv"))
    )
    stamps = [
        (str(file.relative_to(DBT_PROJECT)), file.stat().st_mtime_ns)
        for file in files
        if "target" not in file.parts
    ]
    versions = {name: store.table(name).version() for name in SCHEMAS}
    return {"versions": versions, "cardlog": VERSION, "dbt": hash_of(stamps)}


def hash_of(value: object) -> str:
    """A short digest of something JSON can say."""
    import hashlib

    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def is_current(store: Store) -> bool:
    """Whether the warehouse is made from the store as it is."""
    note = path_of(store).with_suffix(".json")
    try:
        return path_of(store).exists() and json.loads(note.read_text()) == state_of(store)
    except (OSError, ValueError):
        return False


def run_dbt(store: Store) -> int:
    """Build every dbt model and test the data; returns how many models there are.

    Raises DbtError, and leaves the warehouse as it was, if a model or a test fails.
    """
    target = path_of(store)
    if "?" in str(target):
        raise DbtError(
            f"DuckDB can't write a database in {target.parent}, because of the question mark in that path; "
            "move the store, or build with --no-marts"
        )
    draft = target.with_name(f".{target.stem}-{os.getpid()}.duckdb")
    state = state_of(store)
    try:
        with duckdb.connect(str(draft)) as connection:
            attach_tables(connection, store, SOURCE_SCHEMA, keep=True)
        count = _invoke(draft, target.parent / ".dbt")
        note = target.with_suffix(".json")
        note.unlink(missing_ok=True)
        draft.replace(target)
        note.write_text(json.dumps(state))
        return count
    finally:
        draft.unlink(missing_ok=True)
        draft.with_name(f"{draft.name}.wal").unlink(missing_ok=True)


def _invoke(database: Path, work: Path) -> int:
    """Run ``dbt build`` on a database, in this process."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager
    from dbt.cli.main import dbtRunner

    os.environ["CARDLOG_WAREHOUSE"] = str(database)
    os.environ["DO_NOT_TRACK"] = "1"
    arguments = [
        "--no-use-colors", "--no-send-anonymous-usage-stats", "--no-version-check",
        "--log-level", "none", "--log-level-file", "none",  # stdout is for data
        "build", "--exclude-resource-type", "unit_test",
        "--project-dir", str(DBT_PROJECT), "--profiles-dir", str(DBT_PROJECT),
        "--target-path", str(work), "--log-path", str(work),
    ]  # fmt: skip
    try:
        result = dbtRunner().invoke(arguments)
    finally:
        DuckDBConnectionManager.close_all_connections()
    if result.exception is not None:
        raise DbtError(f"dbt could not run: {result.exception}")
    nodes = list(result.result)
    failed = [f"{node.node.name}: {node.message}" for node in nodes if str(node.status) in ("error", "fail")]
    if failed:
        raise DbtError("dbt failed; the marts are as they were before:\n" + "\n".join(failed))
    return sum(str(node.node.resource_type) == "model" for node in nodes)
