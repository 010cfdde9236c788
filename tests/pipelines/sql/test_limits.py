"""Limits of memory: the default, and how a size is written."""

import pytest

from cardlog.pipelines.sql import limits, process
from cardlog.pipelines.sql.limits import Limits
from tests.support.shared import small_store


@pytest.mark.parametrize(("machine", "memory"), [(1, 0.25), (8, 2), (16, 4), (1024, 4)])
def test_memory_is_a_quarter_of_the_machine_and_at_most_4_gib(
    machine: int, memory: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": machine * 2**18}
    monkeypatch.setattr("os.sysconf", sizes.__getitem__)
    assert limits.default_memory() == memory * 2**30


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("2gib", 2**31), (" 512 MB ", 512 * 10**6), ("1.5G", 15 * 10**8), ("1TiB", 2**40)],
)
def test_a_size_is_read_as_duckdb_reads_it(text: str, size: int) -> None:
    assert limits.bytes_of(text) == size


@pytest.mark.parametrize(
    "text", ["", "2", "GB", "-1GB", "2 GB of it", "1KB", "0GB", "1e9GB", "99999999999999TB"]
)
def test_what_is_no_size_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(limits.LimitError, match=r"not a size|too small|too large"):
        limits.bytes_of(text)


@pytest.mark.parametrize("seconds", [1e300, float("inf")])
def test_more_time_than_anyone_waits_is_no_limit(seconds: float) -> None:
    with process.connect(small_store(), ["playedhand"], Limits.of("1000TB", seconds)) as connection:
        assert connection.run("select 1").fetchall() == [(1,)]


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_no_time_is_refused(seconds: float) -> None:
    with pytest.raises(limits.LimitError, match="must be more than nothing"):
        Limits.of(None, seconds)
