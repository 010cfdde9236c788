"""The cache of what depends on the dbt project alone."""

import os
from pathlib import Path

import pytest

from cardlog.pipelines.sql import dbt_cache


def test_what_is_unused_for_longest_is_removed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "cardlog-dbt").mkdir()
    for age in range(20):
        path = tmp_path / "cardlog-dbt" / f"{age}"
        path.write_bytes(b"")
        os.utime(path, (1000 - age, 1000 - age))
    made = [dbt_cache.kept(tmp_path / "project", "new", content) for content in (lambda: b"1", lambda: b"2")]
    assert made == [b"1", b"1"]
    names = {path.name for path in (tmp_path / "cardlog-dbt").iterdir()}
    assert {name for name in names if not name.endswith(".new")} == {*map(str, range(15))}
