"""The answer to a query in the form that was asked for: a table, lines, or data."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Any, Final

from typer import Option

from cardlog.pipelines.screen import COLUMN_GAP, console_for, write_lines, write_table
from cardlog.pipelines.terminal.console import fail, fixed, say
from cardlog.pipelines.whole import new_file
from cardlog.schemas.errors import CardlogError

TERMINAL_ROWS: Final = 100
"""Rows of a table on a terminal."""
MANY_ROWS: Final = 1_000_000
"""Rows of a table that is not for a terminal: as many as fit in memory."""


class Output(StrEnum):
    """Output formats of `query`."""

    table = "table"
    line = "line"
    csv = "csv"
    json = "json"
    parquet = "parquet"


TimeoutOption = Annotated[float | None, Option(min=0.001, metavar="SECONDS", help="Time limit of a query.")]
MemoryOption = Annotated[str | None, Option(metavar="SIZE", help="Memory limit of a query, such as 2GB.")]


@dataclass(frozen=True)
class Answering:
    """How a query is answered: options of `query` and `shell`."""

    output: Annotated[Output, Option(help="Output format; 'line' prints one column a line.")] = Output.table
    timeout: TimeoutOption = None
    memory: MemoryOption = None


def standard_input() -> str:
    """The text on standard input. Raises CardlogError if it is not UTF-8."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CardlogError(f"standard input is not valid UTF-8, at byte {error.start + 1}") from error


def answer(store: Any, sql: str, how: Answering, file: Path | None = None) -> None:
    """Run one query and print its rows, or write them to a new file. Raises StoreError or QueryError."""
    from cardlog.pipelines.sql import limits, results
    from cardlog.pipelines.sql.process import connect
    from cardlog.pipelines.sql.warehouse import remarks

    if how.output is Output.parquet and file is None:
        fail("--output parquet needs --file OUT")
    with connect(store, most=limits.Limits.of(how.memory, how.timeout)) as connection:
        for remark in remarks(store):
            say(remark)
        if how.output is Output.parquet and file is not None:
            with new_file(file) as packed:
                results.write_parquet(connection.bind(sql), packed)
        elif how.output in (Output.csv, Output.json):
            write = results.write_csv if how.output is Output.csv else results.write_json
            with fixed(file, faithful=True) as out:
                found = connection.run(sql)
                write(found.names, found.rows(), out)
        else:
            with fixed(file) as out:
                _show(connection.run(sql), how, out)


def _show(found: Any, how: Answering, out: IO[str]) -> None:
    """Show the first rows of a result to a person."""
    from cardlog.pipelines.sql import results

    most = TERMINAL_ROWS if out.isatty() else MANY_ROWS
    names, rows = found.names, found.rows(most + 1)
    texts = [list(map(results.cell_text, row)) for row in islice(rows, most + 1)]
    fits = not out.isatty() or sum(len(name) + COLUMN_GAP for name in names) <= console_for(out).width
    show = write_table if how.output is Output.table and fits else write_lines
    show(out, names, texts[:most])
    if len(texts) > most:
        say(f"… and more; these are the first {most}. --output csv, json or parquet has all.")
    if not texts:
        say("0 rows")
