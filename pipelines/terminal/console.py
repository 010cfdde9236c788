"""Messages, progress, new files and signals of a command.

Without a terminal there are no colours, no progress bar and no truncated columns; a run then logs its
progress as a plain line every ten seconds.
"""

import io
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

from rich.markup import escape

from cardlog.pipelines import whole
from cardlog.pipelines.progress import total
from cardlog.pipelines.screen import SafeConsole, console_for, write_table
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.terminal.streams import data
from cardlog.pipelines.visible import one_line, visible

LOG_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.2
ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a run to end."""
_DEFAULT_HANDLERS: Final = (signal.default_int_handler, signal.SIG_DFL)
_COLOURED: Final = re.compile(r"\x1b\[[0-9;]*m([^\w\x1b]{1,2})\x1b\[0m")
"""A symbol that delta-rs colours in its errors even without a terminal."""


# ---------------------------------------------------------------- messages and tables


def stderr() -> SafeConsole:
    """The console for messages."""
    return SafeConsole(stderr=True, soft_wrap=True, emoji=False)


def plain(text: object) -> str:
    """A name or path for use in a message: on one line, with markup escaped."""
    return escape(one_line(str(text)))


def say(message: str) -> None:
    """Print a message to stderr; not if that gets the log of the run."""
    if not CURRENT.is_logged:
        stderr().print(message, highlight=False)


def complain(message: str) -> None:
    """Print an error. Further lines are indented, so that text it quotes can't look like another message."""
    text = visible(_COLOURED.sub(r"\1", message).strip()).replace("\n", "\n  ")
    say(f"[bold red]cardlog:[/] {escape(text)}")


def fail(message: str, code: int = 2) -> NoReturn:
    """Print an error and exit."""
    CURRENT.error = message.strip()
    complain(message)
    sys.exit(code)


def draw(drawing: Any) -> None:
    """Print text with markup, or a drawing, to stdout."""
    console_for(sys.stdout).print(drawing, highlight=False)


def table(names: list[str], rows: list[list[str]]) -> None:
    """Print rows as a table."""
    write_table(sys.stdout, names, rows)


# ---------------------------------------------------------------- files


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
    with whole.new_file(file) as raw:
        out = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        try:
            yield out
        finally:
            out.detach()  # flushes


# ---------------------------------------------------------------- signals

received: Final[list[int]] = []
"""The signals that asked this command to end."""


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Record every SIGINT, SIGTERM and SIGHUP, because Beam, dbt and numba turn KeyboardInterrupt into other
    errors. One that is lost altogether, as in a callback of the compiler, leaves the end to `leftovers`.

    Yields `received`.
    """
    received.clear()

    def record(number: int, frame: FrameType | None) -> None:
        received.append(number)
        signal.default_int_handler(number, frame)

    # Ignored signals stay ignored: Ctrl-C in the background, SIGHUP under nohup.
    before = {number: signal.getsignal(number) for number in ENDING}
    handled = [number for number, handler in before.items() if handler in _DEFAULT_HANDLERS]
    for number in handled:
        signal.signal(number, record)
    try:
        yield received
    finally:
        for number in handled:
            signal.signal(number, before[number])


# ---------------------------------------------------------------- progress


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
    console, stop = stderr(), threading.Event()
    show = _bar if console.is_terminal else _lines
    thread = threading.Thread(target=show, args=(console, title, folder, units, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _bar(console: SafeConsole, title: str, folder: str, units: int, stop: threading.Event) -> None:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    text = TextColumn(
        "{task.percentage:>3.0f}% · {task.fields[hands]:,} hands · {task.fields[rate]:,.0f}/s ·"
    )
    columns = (TextColumn("{task.description}"), BarColumn(), text, TimeRemainingColumn(compact=True))
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(title, total=max(units, 1), hands=0, rate=0.0)
        begin = time.monotonic()
        while not stop.wait(POLL_SECONDS):
            hands, done = total(folder)
            bars.update(task, completed=done, hands=hands, rate=hands / (time.monotonic() - begin))


def _lines(console: SafeConsole, title: str, folder: str, units: int, stop: threading.Event) -> None:
    begin = time.monotonic()
    while not stop.wait(LOG_SECONDS):
        hands, done = total(folder)
        seconds, share = time.monotonic() - begin, done / max(units, 1)
        left = f", {seconds / share - seconds:.0f} s left" if 0 < share < 1 else ""
        say(f"{title}: {share:.0%}, {hands:,} hands, {hands / seconds:,.0f}/s{left}")
