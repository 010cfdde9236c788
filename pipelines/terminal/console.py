"""The terminal: data, messages and progress.

Without a terminal there are no colours, no progress bar and no truncated columns; a run then logs its
progress as a plain line every ten seconds. Control and invisible characters in names and logs are escaped.
"""

import io
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final, NoReturn

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from cardlog.pipelines import whole
from cardlog.pipelines.progress import total
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.terminal.streams import SafeConsole, data
from cardlog.pipelines.visible import encodable, one_line, visible

PLAIN_WIDTH: Final = 10_000
PLAIN_CHART: Final = 80
COLUMN_GAP: Final = 2
NARROWEST: Final = 16
"""Columns wider than this may wrap their cells."""
LOG_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.2
ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a run to end."""
_DEFAULT_HANDLERS: Final = (signal.default_int_handler, signal.SIG_DFL)
_NUMBER: Final = re.compile(r"[-+]?[\d,]*\.?\d*(e[-+]?\d+)?")
"""A number, or an empty cell."""
_COLOURED: Final = re.compile(r"\x1b\[[0-9;]*m([^\w\x1b]{1,2})\x1b\[0m")
"""A symbol that delta-rs colours in its errors even without a terminal."""
_EXPLANATION: Final = ["explain_key", "explain_value"]
"""Columns of DuckDB's ``explain``, a drawing of many lines. In all other cells line breaks are escaped, or a
name could look like a row."""


def stdout() -> Console:
    """The console for data."""
    return _console(sys.stdout, soft_wrap=not sys.stdout.isatty())


def _console(out: IO[str], soft_wrap: bool) -> Console:
    width = None if out.isatty() else PLAIN_WIDTH
    return SafeConsole(file=out, width=width, soft_wrap=soft_wrap, emoji=False)


def stderr() -> Console:
    """The console for messages."""
    return SafeConsole(stderr=True, soft_wrap=True, emoji=False)


def plain(text: object) -> str:
    """A name or path for use in a message: on one line, with markup escaped."""
    return escape(one_line(str(text)))


def say(message: str) -> None:
    """Print a message to stderr; not if that gets the log of the run."""
    if CURRENT.is_logged:
        return
    stderr().print(message, highlight=False)


def fail(message: str, code: int = 2) -> NoReturn:
    """Print an error and exit."""
    CURRENT.error = message.strip()
    complain(message)
    sys.exit(code)


def complain(message: str) -> None:
    """Print an error; not if stderr gets the log of the run."""
    if CURRENT.is_logged:
        return
    # Further lines are indented, so that text quoted in an error can't look like another message.
    text = escape(visible(_COLOURED.sub(r"\1", message).strip()).replace("\n", "\n  "))
    stderr().print(f"[bold red]cardlog:[/] {text}", highlight=False)


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Record every SIGINT, SIGTERM and SIGHUP, because Beam, dbt and numba turn KeyboardInterrupt into other
    errors. One that is lost altogether, as in a callback of the compiler, is sent again.

    Yields the numbers of the signals received.
    """
    received: list[int] = []
    timers: list[threading.Timer] = []
    unraisable = sys.unraisablehook

    def record(number: int, frame: FrameType | None) -> None:
        received.append(number)
        signal.default_int_handler(number, frame)

    def send_again(lost: "sys.UnraisableHookArgs") -> None:
        if lost.exc_type is KeyboardInterrupt:
            main = threading.main_thread().ident or 0
            number = received[0] if received else signal.SIGINT
            timers.append(threading.Timer(POLL_SECONDS, signal.pthread_kill, (main, number)))
            timers[-1].start()
        else:
            unraisable(lost)

    # Ignored signals stay ignored: Ctrl-C in the background, SIGHUP under nohup.
    before = {number: signal.getsignal(number) for number in ENDING}
    handled = [number for number, handler in before.items() if handler in _DEFAULT_HANDLERS]
    for number in handled:
        signal.signal(number, record)
    sys.unraisablehook = send_again
    try:
        yield received
    finally:
        for timer in timers:
            timer.cancel()
        sys.unraisablehook = unraisable
        for number in handled:
            signal.signal(number, before[number])


def rows_table(names: list[str], rows: list[list[str]], more: bool, file: Path | None = None) -> None:
    """Print rows as a table, or write it to a file."""
    with fixed(file) as out:
        _table(out, names, rows)
    _note_more(rows, more)


def _note_more(rows: list[list[str]], more: bool) -> None:
    if more:
        say(f"… and more; these are the first {len(rows)}. --output csv, json or parquet has all.")


def lines_table(names: list[str], rows: list[list[str]], more: bool, file: Path | None = None) -> None:
    """Print rows with one column a line, or write them to a file."""
    with fixed(file) as out:
        show = visible if names == _EXPLANATION else one_line
        encoding = getattr(out, "encoding", None)
        shown = [encodable(one_line(name), encoding) for name in names]
        width = max(map(_width, shown), default=0)
        for number, row in enumerate(rows):
            out.write("\n" if number else "")
            for name, cell in zip(shown, row, strict=True):
                text = show(cell).replace("\n", "\n" + " " * (width + 3))
                out.write(f"{' ' * (width - _width(name))}{name} = {text}".rstrip(" ") + "\n")
    _note_more(rows, more)


def width(out: IO[str]) -> int:
    """The width of a terminal; 80 of anything else."""
    return _console(out, soft_wrap=False).width if out.isatty() else PLAIN_CHART


def too_wide(names: list[str], rows: list[list[str]]) -> list[str]:
    """The last columns of a table, for which the terminal is too narrow; the first always fits.

    A column may be narrower than its cells, which then wrap, but not than `NARROWEST` or its name.
    """
    left = _console(sys.stdout, soft_wrap=False).width
    encoding = getattr(sys.stdout, "encoding", None)
    for number, name in enumerate(names):
        cells = [len(name), *(_width(encodable(one_line(row[number]), encoding)) for row in rows)]
        left -= min(max(cells), max(NARROWEST, len(name))) + COLUMN_GAP
        if left + COLUMN_GAP < 0 and number:
            return names[number:]
    return []


def table_text(names: list[str], rows: list[list[str]]) -> str:
    """Rows as a table of unlimited width."""
    out = io.StringIO()
    _table(out, names, rows)
    return out.getvalue()


def _table(out: IO[str], names: list[str], rows: list[list[str]]) -> None:
    right_aligned = [bool(rows) and all(_NUMBER.fullmatch(row[n]) for row in rows) for n in range(len(names))]
    show = visible if names == _EXPLANATION else one_line
    encoding = getattr(out, "encoding", None)
    names, *rows = [[encodable(show(cell), encoding) for cell in row] for row in [names, *rows]]
    if out.isatty():
        _fitted_table(out, names, rows, right_aligned)
    else:
        _plain_table(out, names, rows, right_aligned)


def _fitted_table(out: IO[str], names: list[str], rows: list[list[str]], right_aligned: list[bool]) -> None:
    """A table as wide as the terminal; long cells wrap."""
    table = Table(box=None, padding=(0, COLUMN_GAP, 0, 0), pad_edge=False)
    for name, right in zip(names, right_aligned, strict=True):
        table.add_column(Text(name), justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    _console(out, soft_wrap=False).print(table)


def _plain_table(out: IO[str], names: list[str], rows: list[list[str]], right_aligned: list[bool]) -> None:
    """A table of unlimited width."""
    cells = [[cell.split("\n") for cell in row] for row in [names, *rows]]
    widths = [max(_width(line) for row in cells for line in row[n]) for n in range(len(names))]
    for row in cells:
        for lines in zip_longest(*row, fillvalue=""):
            blanks = [" " * (width - _width(line)) for line, width in zip(lines, widths, strict=True)]
            texts = [
                b + line if r else line + b for line, b, r in zip(lines, blanks, right_aligned, strict=True)
            ]
            out.write("  ".join(texts).rstrip() + "\n")


def _width(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


@contextmanager
def fixed(file: Path | None, faithful: bool = False) -> Iterator[IO[str]]:
    """A file to write that appears complete or not at all; stdout if `file` is None.

    faithful
        For data: standard output is unescaped UTF-8, as a file always is.

    Raises OSError if it can't be written, or exists already.
    """
    if file is None:
        yield data() if faithful else sys.stdout
        return
    with fixed_bytes(file) as raw:
        out = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        try:
            yield out
        finally:
            out.detach()  # flushes


@contextmanager
def fixed_bytes(file: Path) -> Iterator[IO[bytes]]:
    """Like `fixed`, for binary data."""
    try:
        with whole.new_file(file) as out:
            yield out
    except whole.AlreadyThere as error:
        raise OSError(str(error)) from error
    except OSError as error:
        raise OSError(f"{file} could not be written: {error.strerror or error}") from error


@contextmanager
def working(title: str) -> Iterator[None]:
    """Show that something takes a while."""
    console = stderr()
    if console.is_terminal and not CURRENT.is_logged:
        with console.status(f"{title} …"):
            yield
    else:
        say(f"{title} …")
        yield


@contextmanager
def progress(title: str, folder: str, units: int) -> Iterator[None]:
    """Show a run's progress from the tallies in a folder: hands done, rate, time left."""
    if CURRENT.is_logged:
        yield
        return
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
