"""Commands that query and show what is stored."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from cardlog.pipelines.terminal import report
from cardlog.pipelines.terminal.console import fail, fixed, fixed_bytes, rows_table, say, stdout
from cardlog.pipelines.terminal.options import DEFAULT_STORE, StoreOption, open_store


class Output(StrEnum):
    """Output formats of `query`."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


def query(
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="One query; 'show tables' lists tables and marts.")
    ],
    output: Annotated[Output, typer.Option(help="Output format.")] = Output.table,
    file: Annotated[Path | None, typer.Option(help="Write to this new file instead of stdout.")] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, metavar="SECONDS", help="Stop a query that takes longer.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory limit, such as 2GB (default: a quarter of the machine's, at most 4GiB).",
        ),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Query the tables and marts in SQL, read-only."""
    from cardlog.pipelines.sql.query import ask, connect, remarks, rows, write_csv, write_json, write_parquet

    if output is Output.parquet and file is None:
        fail("--output parquet needs --file OUT")
    if file is not None and os.path.lexists(file):
        fail(f"{file} exists already; nothing was overwritten")
    most = _limits(memory, timeout)
    opened = open_store(store)
    for remark in remarks(opened, sql):
        say(remark)
    if output is Output.parquet and file is not None:
        connection = connect(opened, most=most)
        with fixed_bytes(file) as packed:
            write_parquet(connection, sql, packed)
        return
    result = ask(opened, sql, most)
    if output is Output.table:
        rows_table(*rows(result, report.most_rows(file)), file)
        return
    with fixed(file, faithful=True) as out:
        if output is Output.csv:
            write_csv(result, out)
        else:
            write_json(result, out)


def _limits(memory: str | None, timeout: float | None) -> Any:
    from cardlog.pipelines.sql import limits

    return limits.Limits(None if memory is None else limits.bytes_of(memory), timeout)


def show(
    hand_id: Annotated[
        str,
        typer.Argument(
            metavar="HAND_ID", help="The hand's id, at least its first four digits, or the source's own key."
        ),
    ],
    raw: Annotated[bool, typer.Option("--raw", help="Print the source lines it was read from.")] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Draw one hand, trick by trick."""
    from cardlog.pipelines.storage.moment import pinned
    from cardlog.pipelines.terminal import drawings

    opened = pinned(open_store(store), ["events", "ingests"])
    batch = drawings.find(opened, hand_id)
    if raw:
        from cardlog.pipelines.ingest.lineage import raw_lines

        sys.stdout.write(raw_lines(opened, batch))  # escapes it
    else:
        stdout().print(drawings.hand(batch))
