"""Hands described, once for the terminal and the page: `DESCRIBERS` has a describer for each game."""

from typing import Any, Final

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import belote, five_card_draw, hold_em, kaiser, pinochle, ruter_sju
from cardlog.pipelines.hands.shapes import Describer, Facts, changes
from cardlog.pipelines.hands.words import DescribedEvent
from cardlog.schemas.registry import Registry

DESCRIBERS: Final[Registry[Describer]] = Registry(
    "cardlog.hands",
    Describer,
    {
        "kaiser": kaiser.DESCRIBER,
        "belote": belote.DESCRIBER,
        "ruter_sju": ruter_sju.DESCRIBER,
        "pinochle": pinochle.DESCRIBER,
        "five_card_draw": five_card_draw.DESCRIBER,
        "hold_em": hold_em.DESCRIBER,
    },
    "describer of hands",
)
"""By game. Hands of a game that is missing are shown as lists of events."""


def describer_of(game: str) -> Describer:
    """The describer of a game's hands."""
    return DESCRIBERS.get(game, _PLAIN)


def _events(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    game = models.game(batch.game)
    changed = changes(batch)
    told = (DescribedEvent(game, event, before, after) for before, event, after in changed)
    return Facts([], [event.sentence(from_log=True) for event in told])


_PLAIN: Final = Describer(
    lambda state: {"shape": "events"},
    lambda previous, before, event, state: {"hands": [], "tags": [], "stop": False},
    _events,
    lambda state: [],
)
