"""Limits of memory: the default, and how a size is written."""

from pathlib import Path

import pytest

from cardlog.pipelines.sql import limits, process
from cardlog.pipelines.sql.limits import Limits
from tests.support.shared import small_store


def test_memory_is_a_quarter_of_the_machine_and_at_most_4_gib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "cgroup_limits", lambda: [limits.MAX_MEMORY])
    for machine, memory in {1: 0.25, 8: 2, 16: 4, 1024: 4}.items():
        sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": machine * 2**18}
        monkeypatch.setattr("os.sysconf", sizes.__getitem__)
        assert limits.default_memory() == memory * 2**30


@pytest.mark.parametrize(
    ("groups", "files", "smallest"),
    [
        ("0::/a/b", {"a/memory.max": "3000000000", "a/b/memory.max": "max"}, 3 * 10**9),
        ("0::/", {"memory.max": "2000000000"}, 2 * 10**9),
        ("0::/a", {"a/memory.max": "max"}, limits.MAX_MEMORY),
        ("4:cpu:/a\n3:memory:/docker/1", {"memory/memory.limit_in_bytes": "1000000000"}, 10**9),
        ("3:memory:/a", {"memory/a/memory.limit_in_bytes": "9223372036854771712"}, limits.MAX_MEMORY),
    ],
)
def test_memory_is_at_most_a_quarter_of_what_control_groups_allow(
    groups: str, files: dict[str, str], smallest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_system = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    for name, text in {"proc/self/cgroup": groups, **in_system}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    found = limits.cgroup_limits(tmp_path)
    assert min(found) == smallest
    monkeypatch.setattr("os.sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**28}.__getitem__)
    monkeypatch.setattr(limits, "cgroup_limits", lambda: found)
    assert limits.default_memory() == min(4 * 2**30, smallest // 4)


def test_a_size_is_read_as_duckdb_reads_it_or_refused_with_a_sentence() -> None:
    sizes = {"2GB": 2 * 10**9, "2gib": 2**31, " 512 MB ": 512 * 10**6, "1.5G": 15 * 10**8, "1TiB": 2**40}
    assert {text: limits.bytes_of(text) for text in sizes} == sizes
    for text in ("", "2", "GB", "-1GB", "2 GB of it", "1KB", "0GB", "1e9GB", "99999999999999TB"):
        with pytest.raises(limits.LimitError, match=r"not a size|too small|too large"):
            limits.bytes_of(text)


def test_more_time_than_anyone_waits_is_no_limit_and_none_is_refused() -> None:
    for seconds in (1e300, float("inf")):
        with process.connect(small_store(), ["playedhand"], Limits.of("1000TB", seconds)) as connection:
            assert connection.run("select 1").fetchall() == [(1,)]
    for seconds in (0.0, -1.0, float("nan")):
        with pytest.raises(limits.LimitError, match="must be more than nothing"):
            Limits.of(None, seconds)
