"""What a run must not leave behind, however it is ended: temporary folders and drafts of files.

Whoever makes one also removes it. It is noted here too, for a run that is told to end and can't come
round to it in time: one that waits for compiled code, for DuckDB or for its workers.
"""

import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

SIGNALLED: Final = 128
"""Exit code of a command that a signal ended, less the signal's number."""
ENDED: Final = "interrupted; nothing half done is visible"
GRACE_SECONDS: Final = 1.5
"""How long a run that was told to end may take to do so by itself."""

_SHOW_CURSOR: Final = b"\r\x1b[2K\x1b[?25h"
"""A terminal whose bar was cut has no cursor."""
_noted: set[Path] = set()
_AnyPath = TypeVar("_AnyPath", str, Path)


def note(path: _AnyPath) -> _AnyPath:
    """Remove this file or folder, whose name nothing else will have, if the run is cut short."""
    _noted.add(Path(path).absolute())
    return path


def remove() -> None:
    """Remove all that was noted and is still there."""
    for path in list(_noted):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)


@contextmanager
def ended_in_time(signals: tuple[signal.Signals, ...]) -> Iterator[None]:
    """End the process some time after one of these signals, if it does not end by itself.

    The signals come in without the main thread's help, which Python's own handlers need: that may be
    in compiled code for long.
    """
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    handled = {number for number in signals if signal.getsignal(number) is not signal.SIG_IGN}
    threading.Thread(target=_wait, args=(ours, handled), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        theirs.close()


def _wait(ours: socket.socket, handled: set[signal.Signals]) -> None:
    with ours:
        while came := ours.recv(1):
            if came[0] in handled:
                time.sleep(GRACE_SECONDS)
                end_now(SIGNALLED + came[0])


def end_now(code: int) -> None:
    """End the process as it stands, whatever its threads do; what it would leave behind is removed."""
    remove()
    with suppress(OSError, ValueError, AttributeError):
        cursor = _SHOW_CURSOR if sys.stderr.isatty() else b""
        os.write(2, cursor + f"cardlog: {ENDED}\n".encode())
    os._exit(code)
