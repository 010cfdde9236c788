"""The games: for each its constants, its rules, its state and how an event changes it.

A game is a folder of its name. Its modules are loaded on demand, because compiled code takes a
moment to load:

* `rules`: how an event changes the state of a hand, or why it is illegal;
* `decisions`: what a seat knew and could do, and the outcome;
* `players`: who plays the hands that `cardlog simulate` writes; a game may do without.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

GAMES: Final = {
    "kaiser": "cardlog.models.kaiser",
    "belote": "cardlog.models.belote",
    "ruter_sju": "cardlog.models.ruter_sju",
    "pinochle": "cardlog.models.pinochle",
    "five_card_draw": "cardlog.models.five_card_draw",
}
"""Package of each game."""


def game(name: str) -> ModuleType:
    """The rules of a game. Raises KeyError, naming the games, if there is no such game."""
    return part(name, "rules")


def part(name: str, module: str) -> ModuleType:
    """A module of a game. Raises KeyError, naming the games, if there is no such game."""
    if name not in GAMES:
        raise KeyError(f"there is no game {name!r}; there are: {', '.join(GAMES)}")
    return import_module(f"{GAMES[name]}.{module}")


def has_part(name: str, module: str) -> bool:
    """Whether a game has a module of this name."""
    return find_spec(GAMES[name]) is not None and find_spec(f"{GAMES[name]}.{module}") is not None


def summary(name: str) -> str:
    """The first sentence about a game."""
    return str(game(name).__doc__).split("\n", 1)[0]
