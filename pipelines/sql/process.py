"""Queries in separate processes, which can be killed, and whose memory the system limits.

The first query starts the nursery, a process that has loaded the libraries and runs no queries. It forks a
process for each connection, which takes milliseconds. (A fork server of `multiprocessing` would run the
program's main module again.) The process is killed when its connection is closed or times out, and exits when
its client is gone; since it only reads, there is nothing to clean up.
"""

import atexit
import gc
import math
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partialmethod
from multiprocessing import Pipe
from multiprocessing.connection import Connection as Channel
from pathlib import Path
from typing import Any, Final, Self

from cardlog.pipelines.sql import query
from cardlog.pipelines.sql.limits import MORE_MEMORY, Limits, shown
from cardlog.pipelines.sql.query import Answer, QueryError
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.errors import CardlogError


class ProcessConnection(Answer):
    """A `query.Connection` in a separate process."""

    def __init__(self, store: Store, wanted: Collection[str] | None, limits: Limits) -> None:
        self._seconds, self._deadline = limits.seconds, math.inf
        self._memory = limits.memory_or_default()
        self._channel, self._process = _fork()
        folder = "/" if store.is_local else str(Path.cwd())
        self._call(folder, dict(os.environ), store, wanted, Limits(self._memory))

    def run(self, sql: str) -> Self:
        """Run a user's query. Raises QueryError, StoreError."""
        return self._begin("run", sql)

    def bind(self, sql: str) -> Self:
        """Prepare a user's query, which sets `description`; `batches` runs it."""
        return self._begin("bind", sql)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Self:
        """Run one of cardlog's own statements."""
        return self._begin("execute", sql, values)

    def _begin(self, *request: Any) -> Self:
        self._deadline = time.monotonic() + (self._seconds or math.inf)
        self.description = self._call(*request)
        return self

    def _call(self, *request: Any) -> Any:
        """The answer to a request. The process is killed if that fails, times out or is interrupted."""
        try:
            self._channel.send(request)
            wait = max(0.0, self._deadline - time.monotonic())
            if not self._channel.poll(None if wait == math.inf else wait):
                raise QueryError(
                    f"the query took longer than {self._seconds:g} s and was stopped; "
                    "--timeout SECONDS allows more"
                )
            answer = self._channel.recv()
            if isinstance(answer, BaseException):
                raise answer
            return answer
        except (EOFError, ConnectionError):
            self.close()
            raise QueryError(
                f"the process of the query ended; it may need more than {shown(self._memory)} of memory"
                f"{MORE_MEMORY}"
            ) from None
        except BaseException:
            self.close()
            raise

    fetchmany = partialmethod(_call, "fetchmany")
    open_batches = partialmethod(_call, "open_batches")
    next_batch = partialmethod(_call, "next_batch")

    def close(self) -> None:
        """Kill the process, and wait until its memory is free."""
        if self._channel.closed:
            return
        hangup = _hangup_poll(self._channel)
        if not hangup.poll(0):
            os.kill(self._process, signal.SIGKILL)
            hangup.poll()
        self._channel.close()


def connect(
    store: Store, wanted: Collection[str] | None = None, limits: Limits | None = None
) -> ProcessConnection:
    """As `query.connect`, but in a separate process."""
    return ProcessConnection(store, wanted, limits or Limits())


def ask(store: Store, sql: str, limits: Limits | None = None) -> ProcessConnection:
    """Run a user's query on a new connection. Raises StoreError, QueryError."""
    return connect(store, limits=limits).run(sql)


# ---------------------------------------------------------------- the nursery

_ENVIRONMENT: Final = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
"""Keeps numpy and Arrow from starting threads in the nursery, which a fork would lose."""
_lock: Final = threading.Lock()
_nursery: socket.socket | None = None


def prepare() -> socket.socket:
    """Start the nursery unless it is running, without waiting for it; returns its socket."""
    global _nursery
    with _lock:
        if _nursery is None:
            _nursery, theirs = socket.socketpair()
            atexit.register(_nursery.close)
            program = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
            streams = [
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ]
            command, environment = [sys.executable, "-c", program], os.environ | _ENVIRONMENT
            with theirs:
                os.posix_spawn(sys.executable, command, environment, file_actions=streams)
        return _nursery


def _fork() -> tuple[Channel, int]:
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


def serve() -> None:
    """The nursery: fork a process for each channel received on standard input, until that is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the client
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    os.chdir("/")
    gc.freeze()
    with socket.socket(fileno=0) as control:
        while channels := socket.recv_fds(control, 1, 1)[1]:
            if os.fork() == 0:
                control.close()
                try:
                    _answer(Channel(channels[0]))
                finally:
                    os._exit(0)
            os.close(channels[0])


def _answer(channel: Channel) -> None:
    """Answer a channel's requests: the arguments of `_connected`, then calls of the connection's methods."""
    threading.Thread(target=_exit_after, args=[channel], daemon=True).start()
    channel.send(os.getpid())
    connection: query.Connection | None = None
    while True:
        request = channel.recv()
        try:
            if connection is None:
                connection = _connected(*request)
                answer: Any = None
            else:
                answer = getattr(connection, request[0])(*request[1:])
            channel.send(connection.description if answer is connection else answer)
        except MemoryError:
            channel.send(QueryError(f"the query needs more memory than it may have{MORE_MEMORY}"))
        except Exception as error:
            channel.send(error if isinstance(error, CardlogError | OSError) else RuntimeError(repr(error)))


def _exit_after(channel: Channel) -> None:
    """Exit when the other end of the channel is closed."""
    _hangup_poll(channel).poll()
    os._exit(1)


def _hangup_poll(channel: Channel) -> select.poll:
    """Waits for the other end of a channel to be closed."""
    hangup = select.poll()
    hangup.register(channel.fileno(), 0)
    return hangup


def _connected(
    folder: str, environment: dict[str, str], store: Store, wanted: Collection[str] | None, limits: Limits
) -> query.Connection:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    _limit_memory(limits.memory_or_default())
    return query.connect(store, wanted, limits)


def _limit_memory(memory: int) -> None:
    """Limit this process to what it uses now, the memory limit of the query and a quarter of it, 384 MiB for
    what DuckDB doesn't count, and 128 MiB for the stack and heap of each thread. Beyond that DuckDB reports
    a lack of memory, or the process dies.

    RLIMIT_DATA limits what a process can write; RLIMIT_AS would count gigabytes of address space that are
    only reserved. Without /proc, as on macOS, there is no limit.
    """
    statm = Path("/proc/self/statm")
    if statm.exists():
        used = int(statm.read_text().split()[5]) * os.sysconf("SC_PAGE_SIZE")
        allowed = used + memory + memory // 4 + (384 + 128 * (os.cpu_count() or 1)) * 2**20
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        allowed = allowed if hard == resource.RLIM_INFINITY else min(allowed, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
