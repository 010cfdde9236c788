"""Encoders: how what a seat knew becomes numbers. docs/features describes each, place by place.

An encoder is a view of a game, as `models.fold.walk` takes it. ``v1`` is what the table `decisions`
holds; another one is worked out from the events when it is asked for.
"""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Final

import models

DEFAULT: Final = "v1"


@dataclass(frozen=True)
class Encoder:
    """An encoder of a game.

    name, version
        Rows made by another version are not the same.
    module
        With what `models.fold.walk` asks of a view; and `SCALE`, what observations are multiples of,
        if that is not 1.
    """

    game: str
    name: str
    version: int
    path: str

    @property
    def module(self) -> ModuleType:
        """The module, loaded when it is asked for."""
        return import_module(self.path)


def encoders(game: str) -> dict[str, Encoder]:
    """The encoders of a game by name, `DEFAULT` first."""
    path = models.GAMES[game]
    found = [Encoder(game, DEFAULT, 1, f"{path}_decisions"), *(e for e in _OTHERS if e.game == game)]
    return {encoder.name: encoder for encoder in found}


_OTHERS: Final[tuple[Encoder, ...]] = ()
