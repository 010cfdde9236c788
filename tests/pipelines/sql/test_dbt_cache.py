"""The cache of what depends on the dbt project alone."""

import os
from pathlib import Path

from cardlog.pipelines.sql import dbt_cache


def test_what_is_unused_for_longest_is_removed_first(tmp_path: Path) -> None:
    for age in range(20):
        path = tmp_path / f"{age}"
        path.write_bytes(b"")
        os.utime(path, (1000 - age, 1000 - age))
    dbt_cache.keep(tmp_path / "new", b"content")
    assert (tmp_path / "new").read_bytes() == b"content"
    assert {path.name for path in tmp_path.iterdir()} == {"new", *map(str, range(15))}
