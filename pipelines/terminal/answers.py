"""The answer to a query in the form that was asked for: a table, lines, a chart, or data."""

import os
import sys
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from cardlog.pipelines.terminal import charts
from cardlog.pipelines.terminal.charts import Chart
from cardlog.pipelines.terminal.console import (
    fail,
    fixed,
    fixed_bytes,
    lines_table,
    plain,
    rows_table,
    say,
    too_wide,
    width,
)
from cardlog.pipelines.terminal.report import MANY_ROWS, TERMINAL_ROWS


class Manner(NamedTuple):
    """What differs between a command and a session.

    most
        How many rows to show on a terminal.
    faithful
        Whether data is printed as it is, in UTF-8, also on a terminal.
    hint
        How to see the columns for which the terminal is too narrow.
    """

    most: int
    faithful: bool
    hint: str


OF_A_COMMAND: Final = Manner(
    TERMINAL_ROWS, True, "--output line shows all columns, --columns NAME,NAME those that you name"
)


class Output(StrEnum):
    """Output formats of `query`."""

    table = "table"
    line = "line"
    csv = "csv"
    json = "json"
    parquet = "parquet"


TimeoutOption = Annotated[
    float | None, typer.Option(min=0.001, metavar="SECONDS", help="Stop a query that takes longer.")
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory limit, such as 2GB (default: a quarter of the machine's, at most 4GiB).",
    ),
]
CHART_ROWS: Final = {Chart.bar: TERMINAL_ROWS, Chart.line: 100_000}
"""Rows that a chart shows at most."""
FOR_PEOPLE: Final = (Output.table, Output.line)


@dataclass(frozen=True)
class Answering:
    """How a query is answered; the options of `query`."""

    output: Annotated[Output, typer.Option(help="Output format; 'line' prints one column a line.")] = (
        Output.table
    )
    columns: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="Only these columns of the result, in this order.")
    ] = None
    chart: Annotated[
        Chart | None,
        typer.Option(help="Draw the result: labels or x in the first column, numbers in the others."),
    ] = None
    file: Annotated[Path | None, typer.Option(help="Write to this new file instead of stdout.")] = None
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


def answer(store: Any, sql: str, how: Answering, manner: Manner = OF_A_COMMAND) -> None:
    """Run one query and print or write its rows. Raises StoreError or QueryError."""
    from cardlog.pipelines.sql import results
    from cardlog.pipelines.sql.process import connect
    from cardlog.pipelines.sql.query import remarks

    for remark in remarks(store, sql):
        say(remark)
    with closing(connect(store, most=how.limits)) as connection:
        if how.output is Output.parquet and how.file is not None:
            with fixed_bytes(how.file) as packed:
                results.write_parquet(connection, sql, packed, how.column_names)
            return
        found = results.chosen(connection.run(sql), how.column_names)
        if how.chart is not None:
            _draw(found, how)
            return
        if how.output in FOR_PEOPLE:
            most = manner.most if how.is_on_terminal else MANY_ROWS
            _show(results.rows(found, most), how, manner.hint)
            return
        with fixed(how.file, manner.faithful) as out:
            (results.write_csv if how.output is Output.csv else results.write_json)(found, out)


def _show(found: tuple[list[str], list[list[str]], bool], how: Answering, hint: str) -> None:
    """Show rows to a person. On a terminal that is too narrow for a table, a single row is shown in lines;
    with more rows columns are left out."""
    names, rows, more = found
    left_out: list[str] = []
    if how.output is Output.table and how.is_on_terminal:
        left_out = too_wide(names, rows)
    if how.output is Output.line or (left_out and len(rows) == 1):
        lines_table(names, rows, more, how.file)
        left_out = []
    else:
        kept = len(names) - len(left_out)
        rows_table(names[:kept], [row[:kept] for row in rows], more, how.file)
    if left_out:
        say(
            f"The terminal is too narrow for {len(left_out)} of {len(names)} columns: "
            f"{_listed(left_out)}. {hint}."
        )
    if not rows:
        say("0 rows")


def _draw(result: Any, how: Answering) -> None:
    """Draw a chart of a result. Raises ChartError if that can't be."""
    from cardlog.pipelines.sql.results import names_and_rows

    most = CHART_ROWS[how.chart or Chart.bar]
    names, rows, texts = names_and_rows(result, most + 1)
    if not rows:
        say("0 rows")
        return
    with fixed(how.file) as out:
        encoding = getattr(out, "encoding", None) or "utf-8"
        found = charts.drawn(names, rows[:most], texts[:most], encoding)
        draw = charts.bars if how.chart is Chart.bar else charts.lines
        out.write("\n".join(draw(found, width(out), encoding)) + "\n")
    if found.left_out:
        say(f"Without the columns that have no numbers: {_listed(found.left_out)}.")
    if len(rows) > most:
        say(f"… and more; these are the first {most:,} rows.")


def _listed(names: list[str], most: int = 12) -> str:
    shown = ", ".join(map(plain, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
