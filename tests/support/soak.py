"""`make test` takes a few of a test's parameters; `make long` and `make soak` take the rest."""

from typing import Any

import pytest


def soak(*values: Any, marks: Any = pytest.mark.soak) -> list[Any]:
    """Parameters for `make soak` only; a tuple is one set of several."""
    return [pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=marks) for value in values]


def long(*values: Any) -> list[Any]:
    """Parameters for `make long` only."""
    return soak(*values, marks=pytest.mark.long)
