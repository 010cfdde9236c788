"""Openings: the JSON `detail` of a hand's first event. Each game writes and checks its own with these
functions. All checks raise ValueError."""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final, TypeVar

Rules = TypeVar("Rules")

MOST_SHOWN: Final = 60  # characters of a value that a message shows
_KINDS: Final = {bool: "true or false", int: "a whole number", list: "a list", str: "a string"}


def to_json(detail: dict[str, Any], *, ascii_only: bool = False) -> str:
    """Canonical JSON: no whitespace, keys sorted."""
    return json.dumps(detail, separators=(",", ":"), sort_keys=True, ensure_ascii=ascii_only)


KEYS: Final = ("dealer", "match.score", "players.bot", "players.kind", "players.name", "settings")
"""The keys of the `detail` of openings in most games."""
_WITH_PARTS: Final = ("match", "players")


def unknown_keys(detail: dict[str, Any], known: Collection[str]) -> list[str]:
    """The keys of an opening's `detail` that are not among the known, those of players and the match after a
    dot: ``match.score``. Settings are checked by the game."""
    keys = []
    for key, value in detail.items():
        parts = [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, dict)]
        keys += [f"{key}.{name}" for part in parts for name in part] if key in _WITH_PARTS else [key]
    return [key for key in dict.fromkeys(keys) if key not in known]


def without(detail: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:
    """An opening's `detail` without some keys, which are given as by `unknown_keys`."""

    def left_of(key: str, value: Any) -> Any:
        if isinstance(value, list):
            return [left_of(key, part) for part in value]
        if key not in _WITH_PARTS or not isinstance(value, dict):
            return value
        return {name: part for name, part in value.items() if f"{key}.{name}" not in keys}

    return {key: left_of(key, value) for key, value in detail.items() if key not in keys}


NUMBER: Final[Any] = "%d"  # stands for a number in the detail that `to_template` is given


def to_template(detail: str) -> str:
    """A text into which the operator % puts the numbers, in the order of the keys: hardly two hands of a
    simulation begin with the same scores, but few openings differ otherwise."""
    return detail.replace(f'"{NUMBER}"', NUMBER)


def checked_settings(
    detail: dict[str, Any],
    kinds: Mapping[str, type],
    optional: Mapping[str, type] | None = None,
    ranges: Mapping[str, tuple[int, int]] | None = None,
) -> dict[str, Any]:
    """The settings: all of `kinds`, each of its type, and perhaps some of `optional`; numbers within
    `ranges`."""
    ranges = ranges or {}
    settings = detail.get("settings")
    if not isinstance(settings, dict):
        raise ValueError("the opening has no settings")
    optional = optional or {}
    for name in sorted(settings.keys() - kinds.keys() - optional.keys()):
        raise ValueError(f"unknown setting {name}; there are: {', '.join(sorted({*kinds, *optional}))}")
    for name, kind in {**kinds, **optional}.items():
        if type(settings.get(name)) is not kind and (name in kinds or name in settings):
            actual = "missing from the opening, event 0" if name not in settings else _shown(settings[name])
            bounds = " from {} to {}".format(*ranges[name]) if name in ranges else ""
            raise ValueError(f"setting {name} is {actual}; it must be {_KINDS[kind]}{bounds}")
    for name, (lowest, highest) in ranges.items():
        if not lowest <= settings[name] <= highest:
            raise ValueError(f"setting {name} is {settings[name]}; it must be from {lowest} to {highest}")
    return settings


def _shown(value: Any) -> str:
    """A value of JSON for a message."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def rules_of(settings: dict[str, Any], rules: Mapping[str, Rules]) -> Rules:
    """The rules that the setting `dialect` names."""
    dialect = settings["dialect"]
    if dialect not in rules:
        raise ValueError(f"dialect is {dialect!r}; it must be one of: {', '.join(rules)}")
    return rules[dialect]


def dealer_of(detail: dict[str, Any], seats: int) -> int:
    """The seat of the dealer."""
    dealer = detail.get("dealer")
    if type(dealer) is not int or dealer not in range(seats):
        raise ValueError(f"dealer is {dealer!r}; it must be a seat from 0 to {seats - 1}")
    return dealer


def players_of(detail: dict[str, Any], fewest: int, most: int, *, empty: bool = False) -> list[Any]:
    """The players by seat, each an object that may have a kind and names, or if `empty` None for an empty
    seat."""
    players = detail.get("players")
    if not isinstance(players, list) or not fewest <= len(players) <= most:
        count = f"{most}" if fewest == most else f"{fewest} to {most}"
        raise ValueError(f"the opening must name {count} players{', null for an empty seat' * empty}")
    for seat, player in enumerate(players):
        if empty and player is None:
            continue
        if not isinstance(player, dict) or player.get("kind") not in (None, "human", "computer"):
            raise ValueError(
                f"the player at seat {seat} is {_shown(player)}; a player must be an object, "
                "its kind human or computer if given"
            )
        for key in ("name", "bot"):
            if player.get(key) is not None and not isinstance(player[key], str):
                raise ValueError(f"the {key} of the player at seat {seat} is {_shown(player[key])}, no text")
    return players


def scores_of(match: Any, lowest: int, highest: int, sides: int = 2) -> list[int]:
    """The match scores of two teams, or of several seats, before the hand."""
    score = match.get("score") if isinstance(match, dict) else None
    if (
        not isinstance(score, list)
        or [type(points) for points in score] != [int] * sides
        or min(score) < lowest
        or max(score) > highest
    ):
        count = "two" if sides == 2 else sides
        raise ValueError(f"match must hold score, {count} whole numbers from {lowest} to {highest}")
    return score
