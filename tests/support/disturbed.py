"""What may happen to an operation on a store: it is killed at the n-th operation on a file, the disk is full
from there on, or another process does something there."""

import errno
import fcntl
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from cardlog import models
from cardlog.pipelines.events import folding
from cardlog.pipelines.runtime import threads
from cardlog.pipelines.storage import lock, remote
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import Store

LOOKS = ((Store, "table"),)
NEEDING_ROOM = ((Folder, "put"), (Store, "commit"), (Store, "_create_table"))
WRITES = ((Folder, "remove"), *NEEDING_ROOM)
Deed = Callable[[], object]


class Killed(BaseException):
    """The process is dead, whatever its clean-up would like to do."""


@contextmanager
def hooked(happen: Deed, places: tuple[tuple[Any, str], ...]) -> Iterator[None]:
    """Call something before and after each of these methods; work is done in one thread, so that the n-th
    call is always the same."""

    def noisy(real: Callable[..., Any]) -> Callable[..., Any]:
        def method(*arguments: Any, **named: Any) -> Any:
            happen()
            result = real(*arguments, **named)
            happen()
            return result

        return method

    with mock.patch.object(threads, "cores", return_value=1):
        patches = [mock.patch.object(place, name, noisy(getattr(place, name))) for place, name in places]
        for patch in patches:
            patch.start()
        try:
            yield
        finally:
            for patch in patches:
                patch.stop()


class Failing:
    """From the n-th operation on a file, everything fails: as in a process that was killed, or on a disk that
    is full, which still lets files be removed. A file that is written then is written in part."""

    def __init__(self, at: int, error: BaseException) -> None:
        self._left, self._error = at, error

    def _happen(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._error

    def _copy(self, source: Any, target: Any, *_: Any) -> None:
        self._left -= 1
        if self._left < 0:
            content = source.read()
            target.write(memoryview(content)[: len(content) // 2])
            raise self._error
        shutil.copyfileobj(source, target)

    @contextmanager
    def here(self) -> Iterator[None]:
        """Fail in this context."""
        places = WRITES if isinstance(self._error, Killed) else NEEDING_ROOM
        copying = mock.Mock(wraps=shutil, copyfileobj=self._copy)
        with hooked(self._happen, places), mock.patch.object(remote, "shutil", copying):
            yield


def killed(at: int) -> Failing:
    """Killed at an operation."""
    return Failing(at, Killed())


def full_disk(at: int) -> Failing:
    """A disk that is full from an operation on."""
    return Failing(at, OSError(errno.ENOSPC, "No space left on device"))


class Another:
    """Another machine, which knows no lock of this one but the one on `events`, does something at the n-th
    look at a table or operation on a file, or as soon as that lock lets it.

    done
        Whether it came to that.
    """

    def __init__(self, store: Store, at: int, deed: Deed, *, knows_locks: bool = False) -> None:
        self._store, self._left, self._deed = store, at, deed
        self._knows_locks, self.done = knows_locks, False

    def _happen(self) -> None:
        self._left -= 1
        if self._left < 0 and not self.done:
            with lock.locked(self._store, fcntl.LOCK_EX | fcntl.LOCK_NB, "events") as free:
                self.done = free
            if not free:
                return
            real = lock._lock
            with mock.patch.object(lock, "_lock", real if self._knows_locks else lambda *_: True):
                self._deed()

    @contextmanager
    def here(self) -> Iterator[None]:
        """Do it in this context."""
        with hooked(self._happen, LOOKS + WRITES):
            yield


@contextmanager
def rule_with_a_slip() -> Iterator[None]:
    """The openings of one dealer are refused."""
    game = models.game("kaiser")
    begin: Callable[[dict[str, Any]], Any] = game.begin

    def strict(detail: dict[str, Any]) -> Any:
        if detail["dealer"] == 2:
            raise ValueError("seat 2 can't deal")
        return begin(detail)

    with (
        mock.patch.object(folding, "_opening", folding._opening.__wrapped__),
        mock.patch.dict(models.GAMES.ours, kaiser=replace(game, begin=strict)),
    ):
        yield
