"""Limits of memory and disk: their defaults, and their meaning to DuckDB."""

from pathlib import Path

import duckdb
import pytest

from cardlog.pipelines.sql import limits


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


@pytest.mark.parametrize("text", ["", "2", "GB", "-1GB", "2 GB of it", "1KB", "0GB", "1e9GB"])
def test_what_is_no_size_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(limits.LimitError, match=r"not a size|too small"):
        limits.bytes_of(text)


def test_what_spills_is_capped_by_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 6 * 2**30}))
    assert limits.spill_limit(2**30, tmp_path / "not" / "there") == 3 * 2**30
    assert limits.spill_limit(2**29, tmp_path) == 2 * 2**30


def test_duckdb_takes_the_settings(tmp_path: Path) -> None:
    config = limits.duckdb_config(2**30, tmp_path / "spill") | {"threads": "1"}
    names = ("memory_limit", "threads", "temp_directory")
    asked = f"select {', '.join(f'current_setting({name!r})' for name in names)}"
    with duckdb.connect(config=config) as connection:
        assert connection.execute(asked).fetchone() == ("1.0 GiB", 1, str(tmp_path / "spill"))
        connection.execute("select 1").fetchall()
    assert not list(tmp_path.iterdir())


def test_without_a_folder_nothing_is_spilled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        duckdb.connect(config=limits.duckdb_config(limits.LEAST_MEMORY) | {"threads": "1"}) as connection,
        pytest.raises(duckdb.OutOfMemoryException),
    ):
        connection.execute("select max(a) from (select hash(range) as a from range(10_000_000) order by 1)")
    assert not list(tmp_path.iterdir())
