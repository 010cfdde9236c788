"""Compiled functions: numba, and its cache.

A function's callees are compiled into it, so a compilation is stale as soon as one of them has changed.
Numba looks only at the file a function is in; here a compilation is kept under the digest of everything
that can be in it: the function's module and all that it imports of our packages. So nothing stale is ever
loaded, an edit to one game leaves the others compiled, and a copy of the tree starts with the same cache.
"""

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, Final, TypeVar, cast

import numba
import numpy as np
from numba.core import caching, event

Function = TypeVar("Function", bound=Callable[..., Any])

Int = int | np.int64  # an integer in compiled code; a NumPy integer where that runs as plain Python

_ROOT: Final = Path(__file__).parents[2]
_PACKAGE: Final = "cardlog"
_IMPORT: Final = re.compile(
    rf"^\s*(?:from\s+({_PACKAGE}\b[\w.]*)\s+import\s+(\([^)]*\)|[^\n#]*)|import\s+({_PACKAGE}\b[\w.]*))",
    re.MULTILINE,
)
_FOLDER: Final = "cardlog-numba"
_SOURCES: Final = "__compiled_from__"
"""Attribute of a function: modules besides its own that are compiled into it."""
_IS_LOOP: Final = "__is_loop__"
_KEPT: Final = 8  # how many versions of a function are kept


def _base() -> Path:
    given = os.environ.get("NUMBA_CACHE_DIR")
    return Path(given or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / _FOLDER


@cache
def _file_of(module: str) -> Path | None:
    stem = _ROOT.joinpath(*module.split("."))
    found = (path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file())
    return next(found, None)


@cache
def _imports_of(module: str) -> frozenset[str]:
    """The modules of our packages that a module imports, anywhere in it."""
    path = _file_of(module)
    text = path.read_text(encoding="utf-8") if path else ""
    found = set()
    for package, names, plain in _IMPORT.findall(text):
        members = {f"{package}.{name}" for name in re.findall(r"(\w+)(?:\s+as\s+\w+)?", names) if package}
        modules = {name for name in members if _file_of(name)}
        # A package of which only modules are imported is left out: its own may name all others.
        found |= modules | ({package or plain} if modules != members or plain else set())
    return frozenset(name for name in found if name != _PACKAGE and _file_of(name))


@cache
def _digest_of(modules: frozenset[str]) -> str:
    """Digest of some modules and of all that they import, directly or indirectly."""
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += _imports_of(module)
    digest = hashlib.sha256(numba.__version__.encode())
    for module in sorted(reached):
        path = _file_of(module)
        digest.update(f"\0{module}\0".encode() + (path.read_bytes() if path else b""))
    return digest.hexdigest()[:20]


class ContentLocator(caching._CacheLocator):  # type: ignore[misc]
    """Tells numba where a function's compilations are: in a folder named by the digest of their source."""

    def __init__(self, function: FunctionType) -> None:
        self._digest = _digest_of(_modules_of([function]))
        self._line = function.__code__.co_firstlineno
        self._function = _base() / function.__module__ / function.__qualname__

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> "ContentLocator":
        """The locator of a function."""
        return cls(function)

    def can_keep(self) -> bool:
        """Whether the folder exists or can be made."""
        try:
            if not self._folder.exists():
                self._remove_older()
            self.ensure_cache_path()
        except OSError:
            return False
        return True

    def _remove_older(self) -> None:
        with suppress(OSError):
            found = sorted(self._function.iterdir(), key=lambda path: path.stat().st_mtime)
            for path in found[: -_KEPT + 1]:
                shutil.rmtree(path, ignore_errors=True)

    @property
    def _folder(self) -> Path:
        return self._function / self._digest

    def get_cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """What makes a compilation stale if it differs; here it is the folder's name."""
        return self._digest

    def get_disambiguator(self) -> str:
        """Tells functions of the same name in a module apart."""
        return str(self._line)


def _modules_of(functions: Iterable[Any]) -> frozenset[str]:
    """The modules from which functions are compiled."""
    found: set[str] = set()
    for function in functions:
        found |= {function.__module__, *getattr(function, _SOURCES, ())}
    return frozenset(found)


def compiled(function: Function) -> Function:
    """Compile a function when it is first called, or load it from the cache; functions of other packages are
    not cached, nor are any if no folder can be written."""
    return cast(Function, _with_wide_arguments(_dispatcher(cast(FunctionType, function))))


def _dispatcher(function: FunctionType) -> Any:
    if not all(map(_file_of, _modules_of([function]))) or not ContentLocator(function).can_keep():
        return numba.njit(nogil=True)(function)
    before = numba.config.CACHE_LOCATOR_CLASSES
    numba.config.CACHE_LOCATOR_CLASSES = f"{ContentLocator.__module__}.{ContentLocator.__name__}"
    try:
        return numba.njit(cache=True, nogil=True)(function)
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = before


def _with_wide_arguments(dispatcher: Any) -> Any:
    """Have calls from other compiled functions pass all integers and members of enums as int64: numba would
    compile a function once more for each width, and for each constant that it is called with."""
    if isinstance(dispatcher, FunctionType):
        return dispatcher  # plain Python
    resolve = dispatcher.get_call_template

    def resolve_wide(arguments: Iterable[Any], named: dict[str, Any]) -> Any:
        return resolve([*map(_wide, arguments)], {name: _wide(kind) for name, kind in named.items()})

    dispatcher.get_call_template = resolve_wide
    return dispatcher


def _wide(kind: Any) -> Any:
    kind = numba.types.unliteral(kind)
    is_small = isinstance(kind, numba.types.Integer) and kind.bitwidth < 64
    return numba.types.int64 if is_small or isinstance(kind, numba.types.IntEnumMember) else kind


def loop(template: Function) -> Function:
    """Mark a function that is written once, for a global `game`, and that `specialised` compiles for each."""
    setattr(template, _IS_LOOP, True)
    return template


@cache
def specialised(template: Callable[..., Any], name: str, functions: Any, **called: Any) -> Callable[..., Any]:
    """Compile a loop for one game, with the loops that it calls. If a function is plain Python, so is the
    loop.

    functions
        What the loop's global `game` is: a game's functions.
    called
        What stands for others of its globals.

    Numba could take the functions as arguments, but can't cache such compilations for more than one game.
    """
    code, known = cast(FunctionType, template).__code__, template.__globals__
    for each in code.co_names:
        if each not in called and hasattr(known.get(each), _IS_LOOP):
            called[each] = specialised(known[each], name, functions)
    function = FunctionType(code, {**known, "game": functions, **called}, f"{template.__name__}_{name}")
    function.__module__ = template.__module__
    function.__qualname__ = function.__name__
    own = [each for field, each in zip(functions._fields, functions, strict=True) if field in code.co_names]
    own += called.values()
    setattr(function, _SOURCES, _modules_of(own))
    is_plain = any(isinstance(each, FunctionType) for each in own)
    return function if is_plain else compiled(function)


# ---------------------------------------------------------------- the first use of a game

_GAME_MODULE: Final = re.compile(rf"{_PACKAGE}\.models\.(\w+)\.\w+")


class FirstUse(event.Listener):  # type: ignore[misc]
    """Says on standard error that a game with nothing in the cache is compiled, which takes seconds."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def on_start(self, event: event.Event) -> None:
        """Called before each compilation, whether of a game's functions or of shared ones."""
        for module in _modules_of([event.data["dispatcher"].py_func]):
            found = _GAME_MODULE.fullmatch(module)
            if found and found[1] not in self._known:
                self._known.add(found[1])
                if not _is_cached(found[1]) and sys.stderr is not None:
                    print(f"cardlog: compiling the rules of {found[1]}, once …", file=sys.stderr)

    def on_end(self, event: event.Event) -> None:
        """Called after each compilation."""


def _is_cached(game: str) -> bool:
    return any(_base().glob(f"{_PACKAGE}.models.{game}.*/*/*/*.nbi"))


event.register("numba:compile", FirstUse())
