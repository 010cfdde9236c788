"""Queries in processes of their own, which can be killed, and whose memory the system limits.

The first query starts the nursery, a process that has loaded the libraries and runs no queries. It forks one
for each connection, which takes milliseconds. (A fork server of `multiprocessing` would run the program's
main module again.) A process is killed when its connection is closed or overdue, and ends when whoever asked
is gone; since it only reads, it leaves nothing to be put in order.
"""

import atexit
import gc
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
from typing import Any, Final

from cardlog.pipelines.sql import query
from cardlog.pipelines.sql.limits import MORE, Limits, shown
from cardlog.pipelines.sql.query import Answer, QueryError
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.errors import CardlogError


class Asked(Answer):
    """A connection in a process of its own, which answers as a `query.Connection` does."""

    def __init__(self, store: Store, wanted: Collection[str] | None, most: Limits) -> None:
        self._seconds, self._until = most.seconds, 0.0
        self._memory = most.memory_or_default()
        self._channel, self._process = _fork()
        folder = "/" if store.is_local else str(Path.cwd())
        self._call(folder, dict(os.environ), store, wanted, Limits(self._memory))

    def run(self, sql: str) -> "Asked":
        """Run what a person asks: one statement that gives rows. Raises QueryError, StoreError."""
        return self._begin("run", sql)

    def bind(self, sql: str) -> "Asked":
        """Look up what a person asks: its columns are known, and `batches` runs it."""
        return self._begin("bind", sql)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> "Asked":
        """Run a statement of cardlog's own."""
        return self._begin("execute", sql, list(values))

    def _begin(self, *request: Any) -> "Asked":
        self._until = time.monotonic() + self._seconds if self._seconds else 0.0
        self.description = self._call(*request)
        return self

    def _call(self, *request: Any) -> Any:
        """The answer to a request. The process is ended if it fails, takes too long or is interrupted."""
        try:
            self._channel.send(request)
            if not self._channel.poll(max(0.0, self._until - time.monotonic()) if self._until else None):
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
                f"the process of the query ended; it may need more than {shown(self._memory)} of memory{MORE}"
            ) from None
        except BaseException:
            self.close()
            raise

    fetchmany = partialmethod(_call, "fetchmany")
    open_batches = partialmethod(_call, "open_batches")
    next_batch = partialmethod(_call, "next_batch")

    def close(self) -> None:
        """End the process, and wait until it has ended: then its memory is free."""
        if self._channel.closed:
            return
        hung_up = select.poll()
        hung_up.register(self._channel.fileno(), 0)
        if not hung_up.poll(0):
            os.kill(self._process, signal.SIGKILL)
            hung_up.poll()
        self._channel.close()


def connect(store: Store, wanted: Collection[str] | None = None, most: Limits | None = None) -> Asked:
    """A connection to the store's tables and marts, as by `query.connect`, in a process of its own."""
    return Asked(store, wanted, most or Limits())


def ask(store: Store, sql: str, most: Limits | None = None) -> Asked:
    """Run what a person asks over a connection of its own. Raises StoreError, QueryError."""
    return connect(store, most=most).run(sql)


# ---------------------------------------------------------------- the nursery

_ENVIRONMENT: Final = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
"""Of the nursery: without it numpy and Arrow start threads, which a fork would lose."""
_lock: Final = threading.Lock()
_nursery: socket.socket | None = None


def prepare() -> socket.socket:
    """Start the nursery unless it runs, without waiting for it; its socket."""
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
    """Have the nursery fork a process; the channel to it, and its number. Raises QueryError."""
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
    """Fork a process for each channel that comes on standard input, until nobody is left to send one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asked
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes
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
    """Answer the requests of a channel: first what `Asked` begins with, then calls of the connection."""
    threading.Thread(target=_end_with, args=[channel], daemon=True).start()
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
            channel.send(QueryError(f"the query needs more memory than it may have{MORE}"))
        except Exception as error:
            channel.send(error if isinstance(error, CardlogError | OSError) else RuntimeError(repr(error)))


def _end_with(channel: Channel) -> None:
    """End this process when its channel is closed at the other end."""
    hung_up = select.poll()
    hung_up.register(channel.fileno(), 0)
    hung_up.poll()
    os._exit(1)


def _connected(
    folder: str, environment: dict[str, str], store: Store, wanted: Collection[str] | None, most: Limits
) -> query.Connection:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    _limit_memory(most.memory_or_default())
    return query.connect(store, wanted, most)


def _limit_memory(memory: int) -> None:
    """Have the system give this process no more than it has, the memory limit of a query and a quarter of it,
    384 MiB for what DuckDB doesn't count, and 128 MiB for the stack and heap of each thread. DuckDB then
    reports a lack of memory, or the process dies.

    The limit is of what a process can write (RLIMIT_DATA). One of its address space (RLIMIT_AS) would count
    gigabytes that are only reserved. Without /proc, as on macOS, there is none.
    """
    sizes = Path("/proc/self/statm")
    if sizes.exists():
        used = int(sizes.read_text().split()[5]) * os.sysconf("SC_PAGE_SIZE")
        most = used + memory + memory // 4 + (384 + 128 * (os.cpu_count() or 1)) * 2**20
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
