"""Long output at a terminal, page by page."""

import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO, cast

from cardlog.pipelines.terminal.streams import Screen

VARIABLE: Final = "PAGER"
LESS: Final = ("less", "-RSX")
"""Colours, long lines cut at the screen's edge, and the text stays on the screen."""


class _Page(io.StringIO):
    """Text for a terminal."""

    def __init__(self, terminal: TextIO) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._terminal.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._terminal.encoding


@contextmanager
def paged() -> Iterator[None]:
    """Collect what is printed, and messages, and show it through a pager if it is longer than the screen.

    The text is escaped as on any screen, before the pager sees it.
    """
    terminal, errors = sys.stdout, sys.stderr
    page = _Page(terminal)
    sys.stdout = sys.stderr = cast(Any, Screen(page, "standard output", quiet=False))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = terminal, errors
    text = page.getvalue()
    out = cast(TextIO, terminal.unescaped) if isinstance(terminal, Screen) else terminal
    lines = shutil.get_terminal_size().lines
    command = _pager() if text.count("\n") >= lines else []
    if not command or not _through(command, text, out.encoding):
        out.write(text)
        out.flush()


def _pager() -> list[str]:
    """The pager's command line; empty if there is none."""
    if os.environ.get("TERM", "dumb") == "dumb" and VARIABLE not in os.environ:
        return []
    command = shlex.split(os.environ.get(VARIABLE, "")) or list(LESS)
    return command if shutil.which(command[0]) else []


def _through(command: list[str], text: str, encoding: str) -> bool:
    """Show a text with a pager; False if it can't be started."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pager has its own use for Ctrl-C
    try:
        subprocess.run(
            command,
            input=text.encode(encoding, "backslashreplace"),
            preexec_fn=_interruptible,
            check=False,
        )
        return True
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
