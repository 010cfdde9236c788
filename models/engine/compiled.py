"""Compiled functions, and loops that are compiled for each game. Numba loads with the first of them."""

import os
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, Final, TypeVar, cast

import numpy as np

from cardlog.models.engine.origins import SOURCES, modules_of

Function = TypeVar("Function", bound=Callable[..., Any])

Int = int | np.int64  # an integer in compiled code; a NumPy integer where that runs as plain Python

_IS_LOOP: Final = "__is_loop__"


def compiled(function: Function) -> Function:
    """Compile a function when it is first called, or load it from the cache. Nothing is cached if no folder
    can be written, nor are functions that are in no file. With NUMBA_DISABLE_JIT=1 it stays plain Python, and
    numba is not even loaded, which takes as long as a small run."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return function
    from cardlog.models.engine import dispatcher

    return cast(Function, dispatcher.of(cast(FunctionType, function)))


def loop(template: Function) -> Function:
    """Mark a function that is written once, with a global `game`, for `specialised` to compile for each."""
    setattr(template, _IS_LOOP, True)
    return template


@cache
def specialised(
    template: Callable[..., Any], name: str, functions: Any, **overrides: Any
) -> Callable[..., Any]:
    """Compile a loop for one game, with the loops that it calls. If a function is plain Python, so is the
    loop.

    functions
        The value of the loop's global `game`: a game's functions.
    overrides
        Values of other globals.

    Numba could take the functions as arguments, but can't cache such compilations for more than one game.
    """
    code, variables = cast(FunctionType, template).__code__, template.__globals__
    for used in code.co_names:
        if used not in overrides and hasattr(variables.get(used), _IS_LOOP):
            overrides[used] = specialised(variables[used], name, functions)
    variables = {**variables, "game": functions, **overrides}
    function = FunctionType(code, variables, f"{template.__name__}_{name}")
    function.__module__ = template.__module__
    function.__qualname__ = function.__name__
    named = [value for field, value in functions._asdict().items() if field in code.co_names]
    called = [value for value in named if callable(value)]
    called += overrides.values()
    setattr(function, SOURCES, modules_of(called))
    is_plain = any(isinstance(callee, FunctionType) for callee in called)
    return function if is_plain else compiled(function)
