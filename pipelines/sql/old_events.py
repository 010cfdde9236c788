"""Old rows of `events` in SQL: what `cardlog.schemas.versions` does when batches are read, as a query.

Only tables created by an older version of cardlog can have such rows.
"""

from collections.abc import Callable

import duckdb

from cardlog.pipelines.storage.ledger import by_origins
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import SCHEMA
from cardlog.schemas.names import EVENTS_FORMAT, MADE_END, match_suffix
from cardlog.schemas.versions import NAMED_APART, Origins


def select(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    paths: list[str],
    name_of: Callable[[str], str],
    remote: str,
) -> str:
    """A query for the rows of data files of `events`, with match names in today's form.

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
            rows = f"read_parquet([{names}], hive_partitioning = true)"
        else:
            rows = f"{remote}_{number}"
            connection.register(rows, store.dataset("events", files))
        found.append(_renamed(rows, origins))
    return " union all ".join(found)


def _renamed(rows: str, origins: Origins) -> str:
    columns = [f'"{name}"' if name != "match_id" else f"{_MATCH_ID} as match_id" for name in SCHEMA.names]
    values = ", ".join(
        f"({_quoted(source)}, {_quoted(match_suffix(form, dataset))}, {form == EVENTS_FORMAT})"
        for source, (form, dataset) in origins.items()
    )
    sources = f"(values {values}) as origins (of_source, suffix, is_ours)"
    return f"select {', '.join(columns)} from {rows} as rows left join {sources} on source_id = of_source"


_MATCH_ID = f"""
    case
        when schema_version >= {NAMED_APART} then match_id
        when is_ours and regexp_matches(match_id, '{MADE_END}$') then match_id
        else match_id || suffix
    end
"""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
