"""The answer to a query in the form that was asked for: a table, lines, a chart, or data."""

import os
import sys
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final

from typer import Option

from cardlog.pipelines.screen import too_wide, write_lines, write_table
from cardlog.pipelines.terminal import charts
from cardlog.pipelines.terminal.charts import Chart
from cardlog.pipelines.terminal.console import fail, fixed, plain, say
from cardlog.pipelines.whole import new_file

MANY_ROWS: Final = 1_000_000
"""Rows of a table that is not for a terminal: as many as fit in memory."""


class Output(StrEnum):
    """Output formats of `query`."""

    table = "table"
    line = "line"
    csv = "csv"
    json = "json"
    parquet = "parquet"


TimeoutOption = Annotated[
    float | None, Option(min=0.001, metavar="SECONDS", help="Stop a query that takes longer.")
]
MemoryOption = Annotated[
    str | None,
    Option(
        metavar="SIZE", help="Memory limit, such as 2GB (default: a quarter of the machine's, at most 4GiB)."
    ),
]
CHART_ROWS: Final = {Chart.bar: 100, Chart.line: 100_000}
"""Rows that a chart shows at most."""


@dataclass(frozen=True)
class Answering:
    """How a query is answered; the options of `query`."""

    most_rows = 100  # of a table on a terminal
    is_faithful = True  # whether csv and json are printed as they are, in UTF-8, also on a terminal
    hint = "--output line shows all columns, --columns NAME,NAME those that you name"

    output: Annotated[Output, Option(help="Output format; 'line' prints one column a line.")] = Output.table
    columns: Annotated[
        str | None, Option(metavar="NAME,NAME", help="Only these columns of the result, in this order.")
    ] = None
    chart: Annotated[
        Chart | None, Option(help="Draw the result: labels or x in the first column, numbers in the others.")
    ] = None
    file: Annotated[Path | None, Option(help="Write to this new file instead of stdout.")] = None
    timeout: TimeoutOption = None
    memory: MemoryOption = None

    def check(self) -> None:
        """Exit if the options contradict each other, or the file exists."""
        if self.output is Output.parquet and self.file is None:
            fail("--output parquet needs --file OUT")
        if self.chart is not None and self.output is not Output.table:
            fail(f"--chart draws instead of --output {self.output}; leave one of them out")
        if self.file is not None and os.path.lexists(self.file):
            fail(f"{self.file} exists already; nothing was overwritten")

    @property
    def limits(self) -> Any:
        """The limits of the query."""
        from cardlog.pipelines.sql import limits

        return limits.Limits(None if self.memory is None else limits.bytes_of(self.memory), self.timeout)

    @property
    def column_names(self) -> list[str]:
        """The columns to show; empty for all."""
        return [] if self.columns is None else [name.strip() for name in self.columns.split(",")]

    @property
    def is_on_terminal(self) -> bool:
        """Whether the answer goes to a terminal."""
        return self.file is None and sys.stdout.isatty()


def answer(store: Any, sql: str, how: Answering) -> None:
    """Run one query and print or write its rows. Raises StoreError or QueryError."""
    from cardlog.pipelines.sql import results
    from cardlog.pipelines.sql.process import connect
    from cardlog.pipelines.sql.query import remarks

    with closing(connect(store, most=how.limits)) as connection:
        for remark in remarks(connection, store, sql):
            say(remark)
        if how.output is Output.parquet and how.file is not None:
            with new_file(how.file) as packed:
                results.write_parquet(connection, sql, packed, how.column_names)
            return
        if how.output in (Output.csv, Output.json):
            write = results.write_csv if how.output is Output.csv else results.write_json
            found = results.chosen(connection.run(sql), how.column_names)
            with fixed(how.file, how.is_faithful) as out:
                write(*found, out)
            return
        most = how.most_rows if how.is_on_terminal else MANY_ROWS
        most = CHART_ROWS[how.chart] if how.chart else most
        names, rows = results.chosen(connection.run(sql), how.column_names, most + 1)
        first = list(islice(rows, most + 1))
        if how.chart is not None:
            _draw(how.chart, (names, first, results.texts(first)), how)
        else:
            _show(names, results.texts(first[:most]), len(first) > most, how)


def _show(names: list[str], rows: list[list[str]], more: bool, how: Answering) -> None:
    """Show rows to a person. On a terminal that is too narrow for a table, a single row is shown in lines;
    with more rows columns are left out."""
    is_table = how.output is Output.table
    left_out = too_wide(sys.stdout, names, rows) if is_table and how.is_on_terminal else []
    with fixed(how.file) as out:
        if not is_table or (left_out and len(rows) == 1):
            write_lines(out, names, rows)
            left_out = []
        else:
            kept = len(names) - len(left_out)
            write_table(out, names[:kept], [row[:kept] for row in rows])
    if more:
        say(f"… and more; these are the first {len(rows)}. --output csv, json or parquet has all.")
    if left_out:
        found = f"{len(left_out)} of {len(names)} columns: {_listed(left_out)}"
        say(f"The terminal is too narrow for {found}. {how.hint}.")
    if not rows:
        say("0 rows")


def _draw(
    kind: Chart, found: tuple[list[str], list[tuple[Any, ...]], list[list[str]]], how: Answering
) -> None:
    """Draw a chart of a result. Raises ChartError if that can't be."""
    names, rows, texts = found
    if not rows:
        say("0 rows")
        return
    most = CHART_ROWS[kind]
    with fixed(how.file) as out:
        text, left_out = charts.drawn(kind, names, rows[:most], texts[:most], out)
        out.write(text)
    if left_out:
        say(f"Without the columns that have no numbers: {_listed(left_out)}.")
    if len(rows) > most:
        say(f"… and more; these are the first {most:,} rows.")


def _listed(names: list[str], most: int = 12) -> str:
    shown = ", ".join(map(plain, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
