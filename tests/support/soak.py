"""The unit run takes a few of a test's parameters; `make soak` takes the rest."""

from collections.abc import Callable
from typing import Any

import pytest


def soak(*values: Any) -> list[Any]:
    """Parameters for `make soak` only; a tuple is one set of several."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.soak)
        for value in values
    ]


def with_examples(count: int, check: Callable[..., None], *strategies: Any) -> None:
    """Run a property test on so many examples."""
    from hypothesis import given, settings  # which takes a second

    settings(deadline=None, max_examples=count)(given(*strategies)(check))()
