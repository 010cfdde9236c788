"""Standard streams, messages, progress, new files and signals of a command.

While a command runs, `sys.stdout` and `sys.stderr` are a `Screen`, which escapes control characters. Data,
which must not change, goes to `data`. Without a terminal there are no colours and no progress.
"""

import io
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Any, Final, NoReturn

from rich.console import RenderableType
from rich.markup import escape
from rich.progress import BarColumn, Progress, TimeRemainingColumn

from cardlog.pipelines.runtime import whole
from cardlog.pipelines.runtime.progress import total
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.text.screen import SafeConsole, Screen, console_for
from cardlog.pipelines.text.visible import PLAIN_ERRORS, one_line, visible

ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a run to end."""
TOLD_SECONDS: Final = 30.0
"""How often a run in a pipe or a file says how far it is."""
_DEFAULT_HANDLERS: Final = (signal.default_int_handler, signal.SIG_DFL)


# ---------------------------------------------------------------- standard streams

_outputs: list[Screen] = []
"""Standard output while a command runs. Other packages, such as dbt, may wrap `sys.stdout`."""


def data() -> IO[str]:
    """Standard output for data: unescaped UTF-8."""
    plain = _outputs[-1].unescaped if _outputs else sys.stdout
    _reconfigure(plain, "utf-8", "strict")
    return plain


@contextmanager
def guarded() -> Iterator[None]:
    """Escape what is written to standard output and standard error while a command runs."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed; keep its number from going to the next file that is opened
            setattr(sys, name, Path(os.devnull).open("r+", encoding="utf-8"))  # noqa: SIM115
    streams = out, err = sys.stdout, sys.stderr
    settings = [(stream, getattr(stream, "encoding", None), stream.errors) for stream in streams]
    for stream, encoding, _ in settings:
        _reconfigure(stream, encoding, PLAIN_ERRORS)
    _outputs.append(Screen(out))
    sys.stdout, sys.stderr = _outputs[-1], Screen(err)
    try:
        yield
    finally:
        _outputs.pop()
        sys.stdout, sys.stderr = streams
        for setting in settings:
            with suppress(OSError):
                _reconfigure(*setting)


def _reconfigure(stream: IO[str], encoding: str | None, errors: str | None) -> None:
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding=encoding, errors=errors)


def discard_output() -> None:
    """Discard buffered output that could not be written, so that Python does not try again at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback, escaped because the error may quote untrusted text; for `sys.excepthook`."""
    sys.stderr.write(visible("".join(traceback.format_exception(kind, error, trace))))


# ---------------------------------------------------------------- messages


def stderr() -> SafeConsole:
    """The console for messages."""
    return SafeConsole(stderr=True, soft_wrap=True, emoji=False)


def plain(text: object) -> str:
    """A name or path for use in a message: on one line, with markup escaped."""
    return escape(one_line(str(text)))


def say(message: str) -> None:
    """Print a message to stderr if possible, unless stderr is for the line of ``--log-json``."""
    if not CURRENT.is_logged:
        with suppress(OSError):
            stderr().print(message, highlight=False)


def complain(message: str) -> None:
    """Print an error. Further lines are indented, so that quoted text can't look like another message."""
    text = visible(message.strip()).replace("\n", "\n  ")
    say(f"[bold red]cardlog:[/] {escape(text)}")


def fail(message: str, code: int = 2) -> NoReturn:
    """Print an error and exit."""
    CURRENT.error = message.strip()
    complain(message)
    sys.exit(code)


def ask(question: str) -> None:
    """Ask on the terminal, and exit unless the answer is yes, or if there is nobody to ask."""
    if not sys.stdin.isatty():
        fail("there is no terminal to ask at: say --yes to do this, or --dry-run to see what would be done")
    say(f"{question} \\[y/N]")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        fail("nothing was changed")


def draw(drawing: Any) -> None:
    """Print text with markup, or a drawing, to stdout."""
    console_for(sys.stdout).print(drawing, highlight=False)


# ---------------------------------------------------------------- files


@contextmanager
def output(file: Path | None, unescaped: bool = False) -> Iterator[IO[str]]:
    """A new file, which appears complete or not at all; without one stdout, escaped for a terminal or
    `unescaped`. Raises OSError if the file can't be written or exists already."""
    if file is None:
        yield data() if unescaped else sys.stdout
        return
    with whole.new_file(file) as raw:
        out = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        try:
            yield out
        finally:
            out.detach()  # flushes


# ---------------------------------------------------------------- signals

received: Final[list[int]] = []
"""The signals that have asked this command to end."""


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Record every SIGINT, SIGTERM and SIGHUP in `received`, since Beam, dbt and numba turn KeyboardInterrupt
    into other errors. If it gets lost, as in a callback of the compiler, `leftovers` ends the run."""
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
    """Show a title while something takes a while."""
    console = stderr()
    if console.is_terminal and not CURRENT.is_logged:
        with console.status(f"{title} …"):
            yield
    else:
        say(f"{title} …")
        yield


@contextmanager
def _told(title: str, folder: str, units: int) -> Iterator[None]:
    """Say every half minute how far a run is, and about how long it will take, where there is no bar."""
    began, ended = time.monotonic(), threading.Event()

    def tell() -> None:
        while not ended.wait(TOLD_SECONDS):
            hands, done = total(folder)
            passed = time.monotonic() - began
            left = f"about {passed * (units / done - 1) / 60:.0f} min left" if 0 < done < units else "ending"
            share, rate = min(done / units, 1), hands / passed
            say(f"{title}: {share:.0%} · {hands:,} hands · {rate:,.0f}/s · {left if done else 'beginning'}")

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


class _Bar(Progress):
    """A bar that reads a run's tallies from a folder whenever it is drawn."""

    folder = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        hands, done = total(self.folder)
        for task in self.tasks:
            self.update(task.id, completed=done, hands=hands, rate=hands / (task.elapsed or 1))
        return super().get_renderables()


@contextmanager
def progress(title: str, folder: str, units: int) -> Iterator[None]:
    """Show a run's progress on a terminal, from the tallies in a folder: hands done, rate, time left; only
    the title without a folder."""
    if not folder:
        with working(title):
            yield
        return
    console = stderr()
    if CURRENT.is_logged:
        yield
        return
    if not console.is_terminal:
        with _told(title, folder, max(units, 1)):
            yield
        return
    text = "{task.percentage:>3.0f}% · {task.fields[hands]:,} hands · {task.fields[rate]:,.0f}/s ·"
    columns = ("{task.description}", BarColumn(), text, TimeRemainingColumn(compact=True))
    with _Bar(*columns, console=console, transient=True) as bar:
        bar.folder = folder
        bar.add_task(title, total=max(units, 1), hands=0, rate=0.0)
        yield
