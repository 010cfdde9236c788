"""Old rows of `events` in SQL: what `cardlog.schemas.versions` does when batches are read, as a query.

Only tables created by an older version of cardlog can have such rows.
"""

from collections.abc import Callable
from typing import Final

import duckdb

from cardlog.pipelines.storage.ledger import by_origins
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import SCHEMA
from cardlog.schemas.names import EVENTS_FORMAT, MADE_END, match_suffix
from cardlog.schemas.versions import NAMED_APART, WITH_KEYS, Origins


def select(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    paths: list[str],
    name_of: Callable[[str], str],
    remote: str,
) -> str:
    """A query for the rows of data files of `events`, as the newest version has them.

    name_of
        Maps a file to its name in the connection.
    remote
        Prefix of the names under which files at a URI are registered.

    Files at a URI are registered with the connection, and only that connection can read them.
    """
    found = []
    for number, (files, origins) in enumerate(by_origins(store, paths)):
        if store.is_local:
            names = ", ".join(_quoted(name_of(path)) for path in files)
            rows = f"read_parquet([{names}], hive_partitioning = true, union_by_name = true)"
        else:
            rows = f"{remote}_{number}"
            connection.register(rows, store.dataset("events", files))
        found.append(_upcast(rows, origins))
    return " union all ".join(found)


def _upcast(rows: str, origins: Origins) -> str:
    made = {"match_id": _MATCH_ID, "dataset": _DATASET, "source_key": _SOURCE_KEY}
    columns = [f'{made[name]} as "{name}"' if name in made else f'"{name}"' for name in SCHEMA.names]
    values = ", ".join(
        f"({', '.join(map(_quoted, (source, *origin, match_suffix(*origin))))})"
        for source, origin in origins.items()
    )
    sources = f"(values {values}) as origins (of_source, of_format, of_dataset, suffix)"
    whole = f"(from {rows} union all by name {_NEW_COLUMNS})"
    return f"select {', '.join(columns)} from {whole} as rows left join {sources} on source_id = of_source"


_NEW_COLUMNS: Final = (
    "select cast(null as integer) as hand_no, cast(null as varchar) as dataset, "
    "cast(null as varchar) as source_key where false"
)
"""Columns that files of older versions may lack."""


_MATCH_ID: Final = f"""
    case
        when schema_version >= {NAMED_APART} then match_id
        when of_format = '{EVENTS_FORMAT}' and regexp_matches(match_id, '{MADE_END}$') then match_id
        else match_id || suffix
    end
"""
_DATASET: Final = f"case when schema_version >= {WITH_KEYS} then dataset else of_dataset end"
_SOURCE_KEY: Final = f"""
    case
        when schema_version >= {WITH_KEYS} then source_key
        when seq > 0 then null
        when match_id is not null and hand_no is not null
            then regexp_replace(match_id, '{MADE_END}$', '') || '/' || hand_no
        else amount::varchar
    end
"""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
