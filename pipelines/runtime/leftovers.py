"""Clean-up of temporary folders and drafts when a run is ended by a signal.

The code that creates one also removes it. It is registered here too, for runs that can't react to the signal
in time because they wait for compiled code, for DuckDB or for workers.
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
"""Exit code of a command ended by a signal, minus the signal's number."""
ENDED: Final = "interrupted; nothing half done is visible"
GRACE_SECONDS: Final = 1.5
"""How long a run may take to end by itself after a signal."""

_SHOW_CURSOR: Final = b"\r\x1b[2K\x1b[?25h"
"""Shows the cursor again, which an interrupted progress bar leaves hidden."""
_registered: set[Path] = set()
_spared: set[int] = set()
_AnyPath = TypeVar("_AnyPath", str, Path)


def note(path: _AnyPath) -> _AnyPath:
    """Register a file or folder with a unique name, to be removed if the run is interrupted; returns it."""
    _registered.add(Path(path).absolute())
    return path


def remove() -> None:
    """Remove all registered files and folders that still exist."""
    for path in list(_registered):
        with suppress(OSError):
            delete(path)


def delete(path: Path) -> None:
    """Delete a file, a link, or a folder with its content, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def ended_in_time(signals: tuple[signal.Signals, ...]) -> Iterator[None]:
    """End the process `GRACE_SECONDS` after one of these signals, if it has not ended by itself.

    Python runs signal handlers in the main thread, which may be busy in compiled code; so another thread
    reads the signals from a socket.
    """
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    handled = {number for number in signals if signal.getsignal(number) is not signal.SIG_IGN}
    threading.Thread(target=_wait, args=(receiver, handled), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        sender.close()


@contextmanager
def spared(number: signal.Signals) -> Iterator[None]:
    """Keep a signal from ending the process, since a prompt handles it."""
    _spared.add(number)
    try:
        yield
    finally:
        _spared.discard(number)


def _wait(receiver: socket.socket, handled: set[signal.Signals]) -> None:
    with receiver:
        while received := receiver.recv(1):
            if received[0] in handled and received[0] not in _spared:
                time.sleep(GRACE_SECONDS)
                end_now(SIGNALLED + received[0])


def end_now(code: int) -> None:
    """Remove temporary files and end the process at once, whatever its threads do."""
    remove()
    with suppress(OSError, ValueError, AttributeError):
        cursor = _SHOW_CURSOR if sys.stderr.isatty() else b""
        os.write(2, cursor + f"cardlog: {ENDED}\n".encode())
    os._exit(code)
