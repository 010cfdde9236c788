"""Standard output, error and input as commands use them.

Everything written to `sys.stdout` or `sys.stderr` goes through a `Screen`, which escapes control characters,
so a command may print any name. Data, which must not change, goes to `data`. Only `SafeConsole`,
which escapes before it colours, may write control sequences.
"""

import errno
import io
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import IO, Any, Final, cast

import rich.console
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from cardlog.pipelines.visible import PLAIN_ERRORS, visible

_NAMES: Final = ("standard input", "standard output", "standard error")


class StreamError(OSError):
    """A standard stream can't be read or written; the text is for the user."""


class _Closed(io.TextIOBase):
    """A standard stream that was closed before the command started; so is its `buffer`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _refuse(self, *_: Any) -> Any:
        raise StreamError(f"{self._name} is closed")

    read = readline = write = _refuse

    @property
    def buffer(self) -> "_Closed":
        """Itself."""
        return self


class _Output(io.TextIOBase):
    """Wraps another stream; a failing write raises a readable error, or none if `quiet`.

    quiet
        For messages: a run does not fail because nobody can read its progress.
    """

    def __init__(self, inner: IO[str], name: str, quiet: bool) -> None:
        self.inner = inner
        self.name = name
        self._quiet = quiet

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            if self._quiet:
                return
            if isinstance(error, (BrokenPipeError, StreamError, UnicodeError)):
                raise
            reason = error.strerror if isinstance(error, OSError) else None
            raise StreamError(f"{self.name} can't be written: {reason or error}") from error

    def write(self, text: str) -> int:
        with self._writing():
            self.inner.write(text)
        return len(text)

    def flush(self) -> None:
        with self._writing():
            self.inner.flush()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self.inner.closed

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return not self.closed and self.inner.isatty()

    def fileno(self) -> int:
        return self.inner.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self.inner, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return getattr(self.inner, "errors", None)

    @property
    def buffer(self) -> IO[bytes]:
        """The binary stream, for data."""
        return cast(IO[bytes], _Bytes(self, self.inner.buffer))  # type: ignore[attr-defined]


class _Bytes(io.RawIOBase):
    """The binary stream of an output."""

    def __init__(self, output: _Output, inner: IO[bytes]) -> None:
        self._output = output
        self._inner = inner

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        with self._output._writing():
            self._inner.write(data)
        return memoryview(data).nbytes

    def flush(self) -> None:
        if not self.closed:
            with self._output._writing():
                self._inner.flush()

    def fileno(self) -> int:
        return self._inner.fileno()


class Screen(_Output):
    """Output for people: everything written to it is escaped."""

    def write(self, text: str) -> int:
        """Write a text, escaped."""
        super().write(visible(text))
        return len(text)

    @property
    def unescaped(self) -> IO[str]:
        """The same stream without escaping."""
        return cast(IO[str], _Output(self.inner, self.name, self._quiet))


class SafeConsole(Console):
    """A rich console that escapes all text but keeps its own colours."""

    @property
    def file(self) -> IO[str]:
        """The file it writes to."""
        file = super().file
        return file.unescaped if isinstance(file, Screen) else file

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        Console.file.fset(self, new_file)  # type: ignore[attr-defined]

    def render_str(self, text: str, **how: Any) -> Text:
        """Text with markup, escaped before rich drops characters from it."""
        return super().render_str(visible(text), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments to print, escaped."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)


def adopt_rich() -> None:
    """Make all rich consoles safe, also those that other packages create for help and errors. typer imports
    rich late, since it takes a tenth of a second."""
    rich.console.Console = SafeConsole  # type: ignore[misc]
    if "typer.rich_utils" in sys.modules:
        sys.modules["typer.rich_utils"].Console = SafeConsole  # type: ignore[attr-defined]


_screens: list[Screen] = []
"""Standard output while a command runs. Other packages, such as dbt, may wrap `sys.stdout`."""


def data() -> IO[str]:
    """Standard output for data: unescaped UTF-8."""
    if not _screens:
        return sys.stdout
    inner = _screens[-1].inner
    if isinstance(inner, io.TextIOWrapper):
        inner.reconfigure(encoding="utf-8", errors="strict")
    return _screens[-1].unescaped


@contextmanager
def guarded() -> Iterator[None]:
    """Make standard output and error safe while a command runs, even if they are closed."""
    before = sys.stdin, sys.stdout, sys.stderr
    for number, stream in enumerate(before):
        if stream is None:
            _occupy(number)
    named = zip(before, _NAMES, strict=True)
    stdin, stdout, stderr = (cast(IO[str], stream or _Closed(name)) for stream, name in named)
    settings = [
        (stream, stream.encoding, stream.errors)
        for stream in (stdout, stderr)
        if isinstance(stream, io.TextIOWrapper)
    ]
    for stream, _, _ in settings:
        stream.reconfigure(errors=PLAIN_ERRORS)
    sys.stdin = cast(Any, stdin)
    _screens.append(Screen(stdout, _NAMES[1], quiet=False))
    sys.stdout = cast(Any, _screens[-1])
    sys.stderr = cast(Any, Screen(stderr, _NAMES[2], quiet=True))
    try:
        yield
    finally:
        _screens.pop()
        sys.stdin, sys.stdout, sys.stderr = before
        for stream, encoding, errors in settings:
            with suppress(OSError, ValueError):
                stream.reconfigure(encoding=encoding, errors=errors)


def _occupy(number: int) -> None:
    """Open a closed standard descriptor on /dev/null, in the wrong direction so that using it fails.
    Otherwise the next file opened would get its number, and a library that prints would write into it."""
    try:
        os.fstat(number)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        found = os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY)
        if found != number:
            os.dup2(found, number)
            os.close(found)


def give_up(stream: IO[str]) -> None:
    """Redirect a stream to /dev/null, so that Python does not fail to flush it at exit."""
    with suppress(OSError, ValueError):
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def show_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback, escaped because the error may quote untrusted text; for `sys.excepthook`."""
    if sys.stderr is not None:
        sys.stderr.write(visible("".join(traceback.format_exception(kind, error, trace))))
