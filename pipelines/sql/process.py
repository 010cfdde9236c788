"""Queries in separate processes, which can be killed, and whose memory the system limits.

The first query starts the nursery, a process that has loaded the libraries and runs no queries. It forks a
process for each connection, which takes milliseconds. (A fork server of `multiprocessing` would run the
program's main module again.) The process is killed when its connection is closed or times out, and exits when
its client is gone; since it only reads, there is nothing to clean up.
"""

import gc
import math
import os
import resource
import select
import signal
import socket
import threading
import time
from collections.abc import Collection, Sequence
from functools import partialmethod
from importlib import import_module
from multiprocessing.connection import Connection as Channel
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from cardlog.pipelines.runtime.arrow import without_pandas
from cardlog.pipelines.sql.answer import Answer, QueryError
from cardlog.pipelines.sql.limits import MORE_MEMORY, Limits, shown
from cardlog.pipelines.sql.nursery import fork
from cardlog.schemas.errors import CardlogError

if TYPE_CHECKING:
    from cardlog.pipelines.sql import query
    from cardlog.pipelines.storage.store import Store


_lock: Final = threading.Lock()


class ProcessConnection(Answer):
    """A `query.Connection` in a separate process.

    store
        Or its root, so that this process needs none of the store's libraries.
    remarks
        What `warehouse.remarks` says of the store.
    key
        What queries must have in common to use it one after another; see `keep`.
    """

    key: Any = None

    def __init__(self, store: "Store | str", wanted: Collection[str] | None, limits: Limits) -> None:
        self._seconds, self._deadline = limits.seconds, math.inf
        self._memory = limits.memory_or_default()
        self._channel, self._process = fork()
        is_local = "://" not in store if isinstance(store, str) else store.is_local
        if is_local and isinstance(store, str):
            store = str(Path(store).absolute())
        folder = "/" if is_local else str(Path.cwd())
        self.remarks: list[str] = self._call(folder, dict(os.environ), store, wanted, Limits(self._memory))

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

    @property
    def is_alive(self) -> bool:
        """Whether its process still runs."""
        return not self._channel.closed and not _hangup_poll(self._channel).poll(0)

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
    store: "Store | str", wanted: Collection[str] | None = None, limits: Limits | None = None
) -> ProcessConnection:
    """As `query.connect`, but in a separate process."""
    return ProcessConnection(store, wanted, limits or Limits())


_kept: Final[dict[str, ProcessConnection]] = {}
"""The connection whose queries are done, if it is kept for the next."""
os.register_at_fork(after_in_child=_kept.clear)  # two processes can't share one


def keep(connection: ProcessConnection) -> None:
    """Keep a connection for the next query with its `key`, in place of the one kept before."""
    with _lock:
        before, _kept["last"] = _kept.pop("last", None), connection
    if before is not None and before is not connection:
        before.close()


def take(key: Any) -> ProcessConnection | None:
    """The connection that is kept, if it has this key and its process still runs."""
    with _lock:
        connection = _kept.pop("last", None)
    if connection is None or (connection.key == key and connection.is_alive):
        return connection
    connection.close()
    return None


def ask(store: "Store", sql: str, limits: Limits | None = None) -> ProcessConnection:
    """Run a user's query on a new connection. Raises StoreError, QueryError."""
    return connect(store, limits=limits).run(sql)


# ---------------------------------------------------------------- the nursery


def serve() -> None:
    """The nursery: fork a process for each channel received on standard input, until that is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the client
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    import_module("cardlog.pipelines.sql.warehouse")
    import_module("cardlog.pipelines.sql.query")
    without_pandas()
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
                connection, answer = _connected(*request)
            else:
                answer = getattr(connection, request[0])(*request[1:])
            channel.send(answer.description if isinstance(answer, Answer) else answer)
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
    folder: str,
    environment: dict[str, str],
    store: "Store | str",
    wanted: Collection[str] | None,
    limits: Limits,
) -> tuple["query.Connection", list[str]]:
    from cardlog.pipelines.sql import query, warehouse
    from cardlog.pipelines.storage.store import Store

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    _limit_memory(limits.memory_or_default())
    opened = Store(store) if isinstance(store, str) else store
    return query.connect(opened, wanted, limits), warehouse.remarks(opened)


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
