"""Builds of a few marts, or without data tests, because building and testing all takes many seconds."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cardlog.pipelines.sql import data_tests, marts


@contextmanager
def only_marts(*names: str) -> Iterator[None]:
    """Limit builds to these marts and their ancestors; the others stay empty. A name may have wildcards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(marts.Plan, "folders", tuple(f"+{name}" for name in names))
        yield


@contextmanager
def without_data_tests() -> Iterator[None]:
    """Build the models and leave out dbt's data tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data_tests, "run", lambda *_, **__: [])
        yield
