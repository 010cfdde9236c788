"""What comes with cardlog, and what installed packages add to it under the same kinds of name.

A package declares an object as an entry point, in the group that the registry is named by:

    [project.entry-points."cardlog.games"]
    hearts = "cardlog_hearts:HEARTS"

It is loaded when it is asked for, or when all of them are listed. A package that can't be loaded is named on
standard error, once, and missing in the registry; so is each of two that claim one name.
"""

import multiprocessing
import sys
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from threading import RLock
from typing import Any, Final, Generic, TypeVar, cast

from cardlog.schemas.errors import CardlogError

Thing = TypeVar("Thing")
OURS: Final = "cardlog"
GAMES: Final = "cardlog.games"
"""The group by which packages declare games."""
_LOADING: Final = RLock()  # two threads that import one package may each see half of it


class Missing(CardlogError, KeyError):
    """There is nothing of this name."""

    __str__ = CardlogError.__str__  # a KeyError's is in quotes


class Registry(Mapping[str, Thing], Generic[Thing]):
    """Things by name: ours first, then those of packages in alphabetical order.

    group
        The group of the entry points.
    kind
        What each must be an instance of.
    ours
        Those that come with cardlog, or, to be imported when asked for, the modules that are them.
    noun
        What one is called in messages.
    named
        The attribute that has its name, if there is one.
    """

    def __init__(
        self, group: str, kind: Any, ours: Mapping[str, Thing | str], noun: str, named: str = ""
    ) -> None:
        self.ours = dict(ours)
        self._group, self._kind, self._noun, self._named = group, kind, noun, named
        self._loaded: dict[str, Thing] = {}
        self._failed: dict[str, str] = {}

    def __getitem__(self, name: str) -> Thing:
        if name in self.ours:
            own = self.ours[name]
            return cast(Thing, import_module(own)) if isinstance(own, str) else own
        with _LOADING:
            if name not in self._loaded:
                if name not in self._points or name in self._failed:
                    raise KeyError(name)
                self._load(self._points[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.ours
        yield from (name for name in self._points if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def find(self, name: str) -> Thing:
        """The thing of this name. Raises Missing, which names those there are, if there is none."""
        if name in self:
            return self[name]
        problem = self._failed.get(name, f"there is no {self._noun} {name!r}")
        raise Missing(f"{problem}; there are: {', '.join(self)}")

    def origin(self, name: str) -> str:
        """The package that a thing comes from, with its version unless it is cardlog."""
        return OURS if name in self.ours else _package(self._points[name])

    @cached_property
    def _points(self) -> dict[str, EntryPoint]:
        """The entry points of installed packages, without names that two claim."""
        claims: dict[str, list[EntryPoint]] = {}
        for point in sorted(installed(self._group), key=_claim):
            claims.setdefault(point.name, []).append(point)
        for name, points in claims.items():
            claimants = [*map(_package, points)]
            if name in self.ours:
                claimants.insert(0, f"{OURS} itself")
            if len(claimants) > 1:
                problem = f"the {self._noun} {name!r} is claimed by {' and '.join(claimants)}"
                self._fail(name, problem + ("; cardlog's own is used" if name in self.ours else ""))
        return {name: points[0] for name, points in claims.items() if name not in self._failed}

    def _load(self, point: EntryPoint) -> None:
        try:
            found = point.load()
            if not isinstance(found, self._kind):
                raise TypeError(f"{point.value} is no {self._kind.__name__}")
            own = getattr(found, self._named, point.name)
            if own != point.name:
                raise ValueError(f"{point.value} is named {own!r}, not {point.name!r}")
        except Exception as error:  # whatever a package does while it is imported
            reason = f"{type(error).__name__}: {error}"
            self._fail(point.name, f"the package {_package(point)} can't be loaded: {reason}")
            raise KeyError(point.name) from error
        self._loaded[point.name] = found

    def _fail(self, name: str, problem: str) -> None:
        self._failed[name] = problem
        if sys.stderr is not None and multiprocessing.parent_process() is None:
            _say(problem)


@cache
def _say(problem: str) -> None:
    print(f"cardlog: {problem}", file=sys.stderr)


_all_installed = cache(entry_points)  # one search of all packages for all groups


def installed(group: str) -> EntryPoints:
    """The entry points of a group of all installed packages."""
    return _all_installed().select(group=group)


def package_of(group: str, name: str) -> str:
    """The installed package that declares a name in a group; empty if none does."""
    return next((p.dist.name for p in installed(group) if p.name == name and p.dist), "")


def _claim(point: EntryPoint) -> tuple[str, str]:
    return point.name, _package(point)


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value
