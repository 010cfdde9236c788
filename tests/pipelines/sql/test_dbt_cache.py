"""The cache of what depends on the dbt project alone."""

import os
from pathlib import Path

from cardlog.pipelines.sql import dbt_cache


def test_what_is_unused_for_longest_is_removed_first(tmp_path: Path) -> None:
    for age in range(40):
        path = tmp_path / f"{age}"
        path.write_bytes(b"")
        os.utime(path, (1000 - age, 1000 - age))
    dbt_cache.used(tmp_path / "39")
    kept = dbt_cache.keep(tmp_path / "new", b"content")
    assert kept == tmp_path / "new"
    assert kept.read_bytes() == b"content"
    assert {path.name for path in tmp_path.iterdir()} == {"new", "39", *map(str, range(30))}
