"""The games and log formats that cardlog supports, and the layout of observations."""

from types import ModuleType

from cardlog import models
from cardlog.pipelines import readers
from cardlog.schemas.errors import CardlogError


def games() -> dict[str, str]:
    """The games, each with a one-sentence summary."""
    return {name: game.summary for name, game in models.GAMES.items()}


def formats() -> dict[str, str]:
    """The log formats that `Store.ingest` reads, each with a short description."""
    return {name: reader.SUMMARY for name, reader in readers.FORMATS.items()}


def features(game: str) -> ModuleType:
    """The layout of a game's observations and actions, as named constants: docs/features lists them.

    ``DECISION_KINDS`` names the kinds of decision, ``OBSERVATION_WIDTH`` is the length of an observation.
    Raises CardlogError if there is no such game.
    """
    try:
        return models.game(game).features
    except KeyError as error:
        raise CardlogError(error.args[0]) from None
