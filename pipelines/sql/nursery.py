"""The nursery: a process that has loaded the libraries of queries, runs none, and forks a process for each.

Only the standard library is imported here, so that it starts before all else of a command.
"""

import atexit
import os
import socket
import sys
import threading
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection as Channel
from typing import Final

from cardlog.pipelines.sql.answer import QueryError

_ENVIRONMENT: Final = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
"""Keeps numpy and Arrow from starting threads in the nursery, which a fork would lose."""
_SERVER: Final = "cardlog.pipelines.sql.process"
_lock: Final = threading.Lock()
_nursery: socket.socket | None = None


def prepare() -> socket.socket:
    """Start the nursery unless it is running, without waiting for it; returns its socket."""
    global _nursery
    with _lock:
        if _nursery is None:
            _nursery, theirs = socket.socketpair()
            atexit.register(_nursery.close)
            program = f"import sys; sys.path[:] = {sys.path!r}; from {_SERVER} import serve; serve()"
            streams = [
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ]
            command, environment = [sys.executable, "-c", program], os.environ | _ENVIRONMENT
            with theirs:
                os.posix_spawn(sys.executable, command, environment, file_actions=streams)
        return _nursery


def fork() -> tuple[Channel, int]:
    """Have the nursery fork a process; returns the channel to it and its process id. Raises QueryError."""
    global _nursery
    for _ in range(2):  # once more if the nursery has ended
        ours, theirs = Pipe()
        with theirs, suppress(EOFError, OSError):
            socket.send_fds(prepare(), [b"."], [theirs.fileno()])
            theirs.close()
            return ours, ours.recv()
        prepare().close()
        _nursery = None
    raise QueryError("no process can be started for the query; there may be too little memory")
