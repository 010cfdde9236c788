"""The games. Each is a package whose `__init__` defines the one object that all else uses, a `Game`."""

from typing import Final

from cardlog.models.belote import BELOTE
from cardlog.models.engine.game import Game
from cardlog.models.five_card_draw import FIVE_CARD_DRAW
from cardlog.models.hold_em import HOLD_EM
from cardlog.models.kaiser import KAISER
from cardlog.models.pinochle import PINOCHLE
from cardlog.models.ruter_sju import RUTER_SJU
from cardlog.schemas import registry
from cardlog.schemas.registry import Registry

GAMES: Final[Registry[Game]] = Registry(
    registry.GAMES,
    Game,
    {
        "kaiser": KAISER,
        "belote": BELOTE,
        "ruter_sju": RUTER_SJU,
        "pinochle": PINOCHLE,
        "five_card_draw": FIVE_CARD_DRAW,
        "hold_em": HOLD_EM,
    },
    noun="game",
    named="name",
)
"""All games by name."""


def game(name: str) -> Game:
    """The game of this name. Raises `registry.Missing`, naming the games, if there is none."""
    return GAMES.find(name)
