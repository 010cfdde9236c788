"""Builds of a few marts, because building all of them takes many seconds."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cardlog.pipelines.sql import marts


@contextmanager
def only_marts(*names: str) -> Iterator[None]:
    """Limit builds to these marts and their ancestors; the others stay empty. A name may have wildcards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(marts.Plan, "folders", tuple(f"+{name}" for name in names))
        yield
