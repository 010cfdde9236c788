"""Runs hold the lock of a store together; a vacuum or an erasure holds it alone, and who waits says so."""

import fcntl
import logging
import threading
from pathlib import Path

import pytest

from cardlog.pipelines.storage.lock import at_work, locked
from cardlog.pipelines.storage.store import Store


@pytest.mark.parametrize("alone", [True, False])
def test_who_must_wait_says_so(alone: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(str(tmp_path))
    order: list[str] = []

    def other() -> None:
        with locked(store, fcntl.LOCK_SH) if alone else locked(store, fcntl.LOCK_EX):
            order.append("other")

    thread = threading.Thread(target=other)
    with caplog.at_level(logging.WARNING):
        with locked(store, fcntl.LOCK_EX) if alone else at_work(store):
            thread.start()
            while not caplog.messages:
                thread.join(0.01)
                assert thread.is_alive()
            order.append("first")
        thread.join(60)
    assert order == ["first", "other"]
    who = "another cardlog process, which has this store to itself"
    assert caplog.messages == [
        f"waiting for {who if alone else 'the other cardlog processes that use this store'}"
    ]


def test_nobody_waits_for_runs_beside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(str(tmp_path))
    with at_work(store), at_work(store), locked(store, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        assert not alone
    with locked(store, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        assert alone
    assert caplog.messages == []
