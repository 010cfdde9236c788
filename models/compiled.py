"""Compiled functions: numba, and where it keeps what it has compiled.

Numba looks only at the file a function is in to tell whether a kept compilation is stale, but a
function's callees are compiled into it. So they are kept in a folder named by the state of all our
modules: whatever changes, nothing stale is loaded.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any, Final, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_ROOT: Final = Path(__file__).resolve().parent.parent
_FOLDER: Final = "cardlog-numba"
_KEPT_FOLDERS: Final = 12


def _cache_folder() -> Path:
    modules = sorted(
        path for name in ("schemas", "models", "pipelines") for path in (_ROOT / name).rglob("*.py")
    )
    stamps = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in modules]
    name = hashlib.sha256(repr((sys.version, stamps)).encode()).hexdigest()[:16]
    beside = _ROOT / "models" / "__pycache__"
    with suppress(OSError):
        beside.mkdir(exist_ok=True)
    base = beside if os.access(beside, os.W_OK) else Path.home() / ".cache"
    return base / _FOLDER / name


def _set_cache_folder() -> None:
    """Name the folder to numba, unless the user has named one."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given and _FOLDER not in given:
        return
    folder = _cache_folder()
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    if not folder.exists():
        with suppress(OSError):
            older = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime)
            for path in older[: -_KEPT_FOLDERS + 1]:
                shutil.rmtree(path, ignore_errors=True)


_set_cache_folder()
import numba  # noqa: E402
import numpy as np  # noqa: E402

numba.config.reload_config()

Int = int | np.int64
"""An integer in compiled code, which is NumPy's when the code runs as plain Python."""


def compiled(function: Function) -> Function:
    """Compile a function when it is first called, or load what was compiled before."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def specialised(template: Callable[..., Any], name: str, **functions: Any) -> Callable[..., Any]:
    """Compile a function with some of its global names standing for a game's own functions.

    Numba could take the functions as arguments, but can't keep such compilations for more than
    one game.
    """
    code = cast(FunctionType, template).__code__
    function = FunctionType(code, {**template.__globals__, **functions}, f"{template.__name__}_{name}")
    function.__module__ = template.__module__
    function.__qualname__ = function.__name__
    return compiled(function)
