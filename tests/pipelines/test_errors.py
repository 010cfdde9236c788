"""Errors that are the user's to mend are one sentence, not a traceback."""

from pathlib import Path

import pytest

from cardlog.pipelines.errors import for_user
from cardlog.pipelines.storage.errors import StoreError
from cardlog.pipelines.storage.store import Store

UNMAPPED = "_duckdb.so: failed to map segment from shared object"


@pytest.mark.parametrize("error", [MemoryError(), ImportError(UNMAPPED)])
def test_too_little_memory_is_said(error: Exception) -> None:
    assert str(for_user(error)) == "there is too little memory to run; 'ulimit -v' may limit it"


def test_a_module_that_is_missing_is_a_bug() -> None:
    assert for_user(ImportError("No module named 'x'")) is None


def test_a_store_needs_a_path_in_utf_8(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store can be made at"):
        Store(f"{tmp_path}/\udcff")
