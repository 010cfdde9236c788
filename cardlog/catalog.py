"""What cardlog knows: games, log formats, and what the numbers of an observation are."""

from types import ModuleType

from cardlog import models
from cardlog.pipelines import readers
from cardlog.schemas.errors import CardlogError


def games() -> dict[str, str]:
    """The games, each with a sentence about it."""
    return {name: models.summary(name) for name in models.GAMES}


def formats() -> dict[str, str]:
    """The log formats that `Store.ingest` reads, each with a few words about it."""
    return {name: readers.get(name).SUMMARY for name in readers.FORMATS}


def features(game: str) -> ModuleType:
    """The layout of a game's observations and actions, as named constants: docs/features lists them.

    ``DECISION_KINDS`` names the kinds of decision, ``OBSERVATION_WIDTH`` says how long an observation is.
    Raises CardlogError if there is no such game.
    """
    try:
        return models.part(game, "decisions")
    except KeyError as error:
        raise CardlogError(error.args[0]) from None
