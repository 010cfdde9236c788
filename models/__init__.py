"""The games: for each its constants, its rules, its state and how an event changes it.

The registry names every game once. Their modules are loaded when they are asked for, because
compiled code takes a moment to load.
"""

from importlib import import_module
from types import ModuleType
from typing import Final

GAMES: Final = {
    "kaiser": "models.kaiser",
    "belote": "models.belote",
    "ruter_sju": "models.ruter_sju",
    "pinochle": "models.pinochle",
    "five_card_draw": "models.five_card_draw",
}
"""Module of each game."""


def summary(name: str) -> str:
    """The first sentence of a game's module."""
    return str(game(name).__doc__).split("\n", 1)[0]


def game(name: str) -> ModuleType:
    """The module of a game. Raises KeyError, naming the games there are, if there is none such."""
    if name not in GAMES:
        raise KeyError(f"there is no game {name!r}; there are: {', '.join(GAMES)}")
    return import_module(GAMES[name])
