"""Print the result of a query in the requested format: a table, lines, or data."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Any, Final

from typer import Option

from cardlog.pipelines.runtime.whole import new_file
from cardlog.pipelines.terminal.console import fail, output, say
from cardlog.pipelines.text.screen import COLUMN_GAP, console_for, write_lines, write_table
from cardlog.schemas.errors import CardlogError

TERMINAL_ROWS: Final = 100
"""Maximum number of rows on a terminal."""
MAX_ROWS: Final = 1_000_000
"""Maximum number of rows of other tables, since they have to fit in memory."""


class Output(StrEnum):
    """Output formats of `query`."""

    table = "table"
    line = "line"
    csv = "csv"
    json = "json"
    parquet = "parquet"
    xlsx = "xlsx"


BINARY: Final = (Output.parquet, Output.xlsx)
"""Formats that are only written to files."""


TimeoutOption = Annotated[float | None, Option(min=0.001, metavar="SECONDS", help="Time limit of a query.")]
MemoryOption = Annotated[str | None, Option(metavar="SIZE", help="Memory limit of a query, such as 2GB.")]


@dataclass(frozen=True)
class QueryOptions:
    """Options of `query` and `shell`."""

    output: Annotated[Output, Option(help="Output format; 'line' prints one column a line.")] = Output.table
    timeout: TimeoutOption = None
    memory: MemoryOption = None


def standard_input() -> str:
    """The text on standard input. Raises CardlogError if it is not UTF-8."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CardlogError(f"standard input is not valid UTF-8, at byte {error.start + 1}") from error


def answer(store: Any, sql: str, options: QueryOptions, file: Path | None = None) -> None:
    """Run one query and print its rows, or write them to a new file. Raises StoreError or QueryError."""
    from cardlog.pipelines.sql import results
    from cardlog.pipelines.sql.limits import Limits
    from cardlog.pipelines.sql.process import connect

    if options.output in BINARY and file is None:
        fail(f"--output {options.output} needs --file OUT")
    with connect(store, limits=Limits.of(options.memory, options.timeout)) as connection:
        for remark in connection.remarks:
            say(remark)
        if options.output in BINARY and file is not None:
            write_file = results.write_xlsx if options.output is Output.xlsx else results.write_parquet
            with new_file(file) as binary:
                write_file(connection.bind(sql), binary)
        elif options.output in (Output.csv, Output.json):
            write = results.write_csv if options.output is Output.csv else results.write_json
            with output(file, unescaped=True) as out:
                write(connection.bind(sql), out)
        else:
            with output(file) as out:
                _print_rows(connection.run(sql), options, out)


def _print_rows(result: Any, options: QueryOptions, out: IO[str]) -> None:
    """Print the first rows of a result for a person."""
    from cardlog.pipelines.sql import results

    limit = TERMINAL_ROWS if out.isatty() else MAX_ROWS
    names, rows = result.names, result.rows(limit + 1)
    texts = [list(map(results.cell_text, row)) for row in islice(rows, limit + 1)]
    fits = not out.isatty() or sum(len(name) + COLUMN_GAP for name in names) <= console_for(out).width
    write = write_table if options.output is Output.table and fits else write_lines
    write(out, names, texts[:limit])
    if len(texts) > limit:
        say(f"… and more; these are the first {limit}. --output csv, json or parquet has all.")
    if not texts:
        say("0 rows")
