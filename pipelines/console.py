"""The terminal: where data and messages go, and how far a run is.

Without a terminal there is no colour, no moving bar and no cut-off column; a run then says every
ten seconds in a plain line how far it is.
"""

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final, NoReturn

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pipelines.progress import total

PLAIN_WIDTH: Final = 10_000
LOG_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.2
_NUMBER: Final = re.compile(r"[-+]?[\d,]*\.?\d*(e[-+]?\d+)?")
"""A number, or nothing."""


def stdout() -> Console:
    """Where data goes."""
    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, soft_wrap=not sys.stdout.isatty())


def stderr() -> Console:
    """Where messages go."""
    return Console(stderr=True, soft_wrap=True)


def say(message: str) -> None:
    """A message for a person."""
    stderr().print(message, highlight=False)


def fail(message: str, code: int = 2) -> NoReturn:
    """Say what is wrong and end."""
    stderr().print(f"[bold red]cardlog:[/] {escape(message)}", highlight=False)
    sys.exit(code)


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Note every Ctrl-C: Beam, dbt and numba make other errors of the KeyboardInterrupt."""
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.default_int_handler(number, frame)

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield came  # started in the background, where Ctrl-C is none of its business
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def rows_table(names: list[str], rows: list[list[str]], more: bool, file: Path | None = None) -> None:
    """Print rows as a table, to a file if one is named."""
    table = Table(*(escape(name) for name in names), box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column, values in zip(table.columns, zip(*rows, strict=True), strict=False):
        if all(map(_NUMBER.fullmatch, values)):
            column.justify = "right"
    for row in rows:
        table.add_row(*(escape(value) for value in row))
    with fixed(file) as out:
        Console(file=out, width=None if out.isatty() else PLAIN_WIDTH).print(table)
    if more:
        say(f"… and more; these are the first {len(rows)}. --output csv, json or parquet has all.")


@contextmanager
def fixed(file: Path | None) -> Iterator[IO[str]]:
    """A file to write that is there whole or not at all; stdout if none is named."""
    if file is None:
        yield sys.stdout
        return
    draft = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        with draft.open("w", encoding="utf-8", newline="") as out:
            yield out
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def working(title: str) -> Iterator[None]:
    """Say that something takes a while."""
    console = stderr()
    if console.is_terminal:
        with console.status(f"{title} …"):
            yield
    else:
        say(f"{title} …")
        yield


@contextmanager
def progress(title: str, folder: str, units: int) -> Iterator[None]:
    """Show how far a run is, from the tallies in a folder: hands done, rate, time left."""
    console = stderr()
    stop = threading.Event()
    show = _bar if console.is_terminal else _lines
    thread = threading.Thread(target=show, args=(console, title, folder, units, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _bar(console: Console, title: str, folder: str, units: int, stop: threading.Event) -> None:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns: list[Any] = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}% · {task.fields[hands]:,} hands · {task.fields[rate]:,.0f}/s ·"),
        TimeRemainingColumn(compact=True),
    ]
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(title, total=max(units, 1), hands=0, rate=0.0)
        begin = time.monotonic()
        while not stop.wait(POLL_SECONDS):
            hands, done = total(folder)
            bars.update(task, completed=done, hands=hands, rate=hands / (time.monotonic() - begin))


def _lines(console: Console, title: str, folder: str, units: int, stop: threading.Event) -> None:
    begin = time.monotonic()
    while not stop.wait(LOG_SECONDS):
        hands, done = total(folder)
        seconds = time.monotonic() - begin
        share = done / max(units, 1)
        left = f", {seconds / share - seconds:.0f} s left" if 0 < share < 1 else ""
        console.print(
            f"{title}: {share:.0%}, {hands:,} hands, {hands / seconds:,.0f}/s{left}", highlight=False
        )
