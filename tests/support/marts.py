"""Builds of a few marts: all of them take dbt many seconds."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cardlog.pipelines.sql import dbt_run


@contextmanager
def only_marts(*names: str) -> Iterator[None]:
    """Have builds make these marts, what they need, and no others. A name may have wildcards."""
    with pytest.MonkeyPatch.context() as patch:
        select = ["--indirect-selection", "buildable", "--select", *(f"+{name}" for name in names)]
        patch.setattr(dbt_run, "BUILD", (*dbt_run.BUILD, *select))
        yield
