"""Numba's dispatchers of compiled functions, and their cache.

A function's callees are compiled into it, so a compilation is stale as soon as one of them has changed.
Numba looks only at the file that a function is in; here a compilation is kept under the digest of everything
it may contain: the function's module and all that it imports from cardlog or from the package it is in. So
nothing stale is ever loaded, an edit to one game leaves the others compiled, and a copy of the tree shares
the cache.
"""

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import numba
from numba.core import caching, event

from cardlog.models.engine.origins import modules_of
from cardlog.schemas import registry
from cardlog.schemas.folders import cache_folder

_IMPORT: Final = re.compile(
    r"^\s*(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n#]*)|import\s+([\w.]+))", re.MULTILINE
)
_FOLDER: Final = "cardlog-numba"
_KEPT: Final = 8  # how many versions of a function are kept


def _base() -> Path:
    return Path(os.environ.get("NUMBA_CACHE_DIR") or cache_folder()) / _FOLDER


@cache
def _root_of(package: str) -> Path | None:
    """The folder in which a package's folder, or a module's file, is."""
    try:
        spec = find_spec(package)
    except ValueError:  # __main__
        return None
    inside = spec.submodule_search_locations if spec else None
    file = next(iter(inside), None) if inside else spec.origin if spec else None
    return Path(file).parent if file else None


@cache
def _file_of(module: str) -> Path | None:
    root = _root_of(_package(module))
    if root is None:
        return None
    stem = root.joinpath(*module.split("."))
    candidates = stem.with_suffix(".py"), stem / "__init__.py"
    return next((path for path in candidates if path.is_file()), None)


def _package(module: str) -> str:
    return module.partition(".")[0]


@cache
def _imports_of(module: str) -> frozenset[str]:
    """The modules of cardlog and of its own package that a module imports, anywhere in it."""
    path = _file_of(module)
    text = path.read_text(encoding="utf-8") if path else ""
    parent = module if path and path.name == "__init__.py" else module.rpartition(".")[0]
    near = {registry.OURS, _package(module)}
    imported = set()
    for package, names, plain in _IMPORT.findall(text):
        if package.startswith("."):
            package = resolve_name(package, parent)
        if _package(package or plain) not in near:
            continue
        members = {f"{package}.{name}" for name in re.findall(r"(\w+)(?:\s+as\s+\w+)?", names) if package}
        modules = {name for name in members if _file_of(name)}
        # A package from which only modules are imported is left out: its own imports may name all others.
        imported |= modules | ({package or plain} if modules != members or plain else set())
    return frozenset(name for name in imported - {registry.OURS} if _file_of(name))


@cache
def _digest_of(modules: frozenset[str]) -> str:
    """Digest of some modules and of all that they import, directly or indirectly."""
    reached: set[str] = set()
    pending = list(modules)
    while pending:
        module = pending.pop()
        if module not in reached:
            reached.add(module)
            pending += _imports_of(module)
    digest = hashlib.sha256(numba.__version__.encode())
    for module in sorted(reached):
        path = _file_of(module)
        digest.update(f"\0{module}\0".encode() + (path.read_bytes() if path else b""))
    return digest.hexdigest()[:20]


class ContentLocator(caching._CacheLocator):  # type: ignore[misc]
    """Tells numba where a function's compilations are: in a folder named by the digest of their source."""

    def __init__(self, function: FunctionType) -> None:
        self._digest = _digest_of(modules_of([function]))
        self._line = function.__code__.co_firstlineno
        self._function = _base() / function.__module__ / function.__qualname__

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> "ContentLocator":
        """The locator of a function."""
        return cls(function)

    def can_keep(self) -> bool:
        """Whether the folder exists or can be created."""
        try:
            if not self._folder.exists():
                self._remove_older()
            self.ensure_cache_path()
        except OSError:
            return False
        return True

    def _remove_older(self) -> None:
        with suppress(OSError):
            folders = sorted(self._function.iterdir(), key=lambda path: path.stat().st_mtime)
            for path in folders[: -_KEPT + 1]:
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


def of(function: FunctionType) -> Any:
    """The dispatcher of a function."""
    return _with_wide_arguments(_dispatcher(function))


def _dispatcher(function: FunctionType) -> Any:
    if not all(map(_file_of, modules_of([function]))) or not ContentLocator(function).can_keep():
        return numba.njit(nogil=True)(function)
    before = numba.config.CACHE_LOCATOR_CLASSES
    numba.config.CACHE_LOCATOR_CLASSES = f"{ContentLocator.__module__}.{ContentLocator.__name__}"
    try:
        return numba.njit(cache=True, nogil=True)(function)
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = before


def _with_wide_arguments(dispatcher: Any) -> Any:
    """Have other compiled functions pass all integers and enum members as int64: numba would compile a
    function again for each width, and for each constant that it is called with."""
    if isinstance(dispatcher, FunctionType):
        return dispatcher  # plain Python
    resolve = dispatcher.get_call_template

    def resolve_wide(arguments: Iterable[Any], keywords: dict[str, Any]) -> Any:
        return resolve([*map(_wide, arguments)], {name: _wide(kind) for name, kind in keywords.items()})

    dispatcher.get_call_template = resolve_wide
    return dispatcher


def _wide(kind: Any) -> Any:
    kind = numba.types.unliteral(kind)
    is_small = isinstance(kind, numba.types.Integer) and kind.bitwidth < 64
    return numba.types.int64 if is_small or isinstance(kind, numba.types.IntEnumMember) else kind


# ---------------------------------------------------------------- the first use of a game

_GAME_MODULE: Final = re.compile(rf"{registry.OURS}\.models\.(\w+)\.\w+")


def _game_of(module: str) -> tuple[str, str]:
    """The game that a module is of, and the beginning of the names of its modules; empty if it is of none."""
    match = _GAME_MODULE.fullmatch(module)
    if match and _file_of(f"{registry.OURS}.models.{match[1]}.rules"):  # and not a room that games share
        return match[1], f"{registry.OURS}.models.{match[1]}."
    for point in registry.installed(registry.GAMES):
        if _package(point.module) == _package(module):
            return point.name, _package(module)
    return "", ""


class FirstUse(event.Listener):  # type: ignore[misc]
    """Says on standard error that a game that is not cached yet is compiled, which takes seconds."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def on_start(self, event: event.Event) -> None:
        """Called before each compilation, whether of a game's functions or of shared ones."""
        for module in modules_of([event.data["dispatcher"].py_func]):
            game, modules = _game_of(module)
            if game and game not in self._known:
                self._known.add(game)
                if not any(_base().glob(f"{modules}*/*/*/*.nbi")) and sys.stderr is not None:
                    print(f"cardlog: compiling the rules of {game}, once …", file=sys.stderr)

    def on_end(self, event: event.Event) -> None:
        """Called after each compilation."""


event.register("numba:compile", FirstUse())
