"""Standard output, error and input as commands use them.

While a command runs, `sys.stdout` and `sys.stderr` are a `Screen`, which escapes control characters. Data,
which must not change, goes to `data`.
"""

import errno
import io
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import IO, Any, Final, cast

from cardlog.pipelines.screen import Screen
from cardlog.pipelines.visible import PLAIN_ERRORS, visible

_NAMES: Final = ("standard input", "standard output", "standard error")


class StreamError(OSError):
    """A standard stream can't be written; the text is for the user."""


class _Reported(io.RawIOBase):
    """The bytes of a standard stream: the first write that fails raises a readable error, or none if `quiet`;
    what follows is dropped, also what is still buffered when the process ends.

    quiet
        For messages: a run does not fail because nobody can read its progress.
    """

    def __init__(self, inner: Any, name: str, quiet: bool) -> None:
        self._inner, self.name, self._quiet = inner, name, quiet
        self._failed = False

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return not self._inner.closed and bool(self._inner.isatty())

    def fileno(self) -> int:
        return int(self._inner.fileno())

    def write(self, data: Any) -> int | None:
        size = memoryview(data).nbytes
        if self._failed:
            return size
        try:
            written: int | None = self._inner.write(data)
            return written
        except (OSError, ValueError) as error:
            self._failed = True
            if self._quiet:
                return size
            if isinstance(error, BrokenPipeError):
                raise
            code = error.errno if isinstance(error, OSError) else errno.EBADF
            reason = "it is closed" if code == errno.EBADF else os.strerror(code or 0)
            raise StreamError(f"{self.name} can't be written: {reason}") from error


_outputs: list[Screen] = []
"""Standard output while a command runs. Other packages, such as dbt, may wrap `sys.stdout`."""


def data() -> IO[str]:
    """Standard output for data: unescaped UTF-8."""
    if not _outputs:
        return sys.stdout
    plain = _outputs[-1].unescaped
    if isinstance(plain, io.TextIOWrapper):
        plain.reconfigure(encoding="utf-8", errors="strict")
    return plain


@contextmanager
def guarded() -> Iterator[None]:
    """Make standard output and error safe while a command runs, even if they are closed."""
    before = sys.stdin, sys.stdout, sys.stderr
    stdin, stdout, stderr = (stream or _opened(number) for number, stream in enumerate(before))
    screens = [_screen(stream, number) for number, stream in ((1, stdout), (2, stderr))]
    _outputs.append(screens[0])
    sys.stdin, sys.stdout, sys.stderr = cast(Any, (stdin, *screens))
    try:
        yield
    finally:
        _outputs.pop()
        sys.stdin, sys.stdout, sys.stderr = before
        for screen in screens:
            with suppress(OSError, ValueError):
                screen.flush()


def _screen(stream: IO[str], number: int) -> Screen:
    with suppress(OSError, ValueError):
        stream.flush()
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # text in memory
        return Screen(stream)
    bottom = _Reported(getattr(buffer, "raw", buffer), _NAMES[number], quiet=number == 2)
    by_line = number == 2 or bottom.isatty()
    encoding = cast(Any, stream).encoding
    plain = io.TextIOWrapper(io.BufferedWriter(bottom), encoding, PLAIN_ERRORS, line_buffering=by_line)
    return Screen(plain)


def _opened(number: int) -> IO[str]:
    """Stands for a stream that was closed before the command started: every use of it fails.

    It is /dev/null, opened in the wrong direction; the system gives it the lowest free descriptor, which is
    that of the stream. Otherwise the next file would get it, and a library that prints would write into that.
    """
    found = os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY)
    return cast(IO[str], os.fdopen(found, "w" if number else "r", encoding="utf-8", closefd=False))


def show_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback, escaped because the error may quote untrusted text; for `sys.excepthook`."""
    if sys.stderr is not None:
        sys.stderr.write(visible("".join(traceback.format_exception(kind, error, trace))))
