"""`make test` takes a few of a test's parameters; `make long` and `make soak` take the rest."""

from collections.abc import Callable
from typing import Any

import pytest


def soak(*values: Any, marks: Any = pytest.mark.soak) -> list[Any]:
    """Parameters for `make soak` only; a tuple is one set of several."""
    return [pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=marks) for value in values]


def long(*values: Any) -> list[Any]:
    """Parameters for `make long` only."""
    return soak(*values, marks=pytest.mark.long)


def with_examples(count: int, check: Callable[..., None], *strategies: Any) -> None:
    """Run a property test on so many examples."""
    from hypothesis import given, settings  # which takes a second

    settings(deadline=None, max_examples=count)(given(*strategies)(check))()
