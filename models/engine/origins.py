"""From which modules a function is compiled."""

from collections.abc import Iterable
from typing import Any, Final

SOURCES: Final = "__compiled_from__"
"""Attribute of a function: modules besides its own that are compiled into it."""


def modules_of(functions: Iterable[Any]) -> frozenset[str]:
    """The modules from which functions are compiled."""
    modules: set[str] = set()
    for function in functions:
        modules |= {function.__module__, *getattr(function, SOURCES, ())}
    return frozenset(modules)
