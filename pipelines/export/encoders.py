"""Encoders: how what a seat knew becomes numbers. docs/features describes each, number by number.

Observations are made from the events when they are asked for. ``v1`` is each game's own encoder, and that
of its policies; ``module:object`` names an `Encoder` of the user's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from cardlog import models
from cardlog.models import policy
from cardlog.models.belote import original
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import Observe, Replayed, replay_batch
from cardlog.pipelines.export import belote_original
from cardlog.pipelines.export.output import OutputError

DEFAULT: Final = "v1"


@dataclass(frozen=True)
class Encoder:
    """An encoder of one's own, for one game; ``--encoder module:object`` names it.

    layout
        A name for each number of an observation.
    observe
        ``observe(state, seat, observation)`` writes what a seat knows into an observation, an array of
        int8. The state is the record that the game's `evolve` keeps. A function compiled with
        `numba.njit` is some hundred times as fast as plain Python.
    version
        Rows made by another version are not the same.
    """

    game: str
    layout: tuple[str, ...]
    observe: Observe
    version: int = 1


@dataclass(frozen=True)
class NamedEncoder:
    """An encoder of a game as an export uses it.

    encode
        Folds a batch and gives its decisions with their observations.
    layout
        A name for each number of an observation, if it is the user's encoder; docs/features has the others.
    """

    game: str
    name: str
    version: int
    encode: Callable[[Batch], Replayed]
    layout: tuple[str, ...] = ()


def names(game: str) -> tuple[str, ...]:
    """The encoders that come with cardlog, `DEFAULT` first."""
    return (DEFAULT, *(name for of_game, name in _OTHERS if of_game == game))


def encoder(game: str, name: str) -> NamedEncoder:
    """An encoder of a game by its name. Raises OutputError, naming what there is, if there is none such."""
    if ":" in name:
        return _own(game, name)
    if name not in names(game):
        raise OutputError(
            f"{game} has no encoder {name!r}; there are: {', '.join(names(game))}, module:object"
        )
    if name == DEFAULT:
        own = models.game(game).decisions
        return NamedEncoder(game, name, own.version, _replay_with(own.observe, own.width))
    return _OTHERS[game, name]


_OTHERS: Final = {
    ("belote", "original"): NamedEncoder("belote", "original", original.VERSION, belote_original.encode)
}
"""Encoders besides `DEFAULT`, by game and name."""


def _replay_with(observe: Observe, width: int) -> Callable[[Batch], Replayed]:
    return lambda batch: replay_batch(batch, observe, width)


# ---------------------------------------------------------------- the user's own


def _own(game: str, name: str) -> NamedEncoder:
    """The user's encoder of a name, ``module:object``. Raises OutputError if it can't be used."""
    found = _loaded(name)
    problem = _problem(game, found)
    if problem:
        raise OutputError(f"the encoder {name!r} can't be used: {problem}")
    replay = _replay_with(found.observe, len(found.layout))

    def encode(batch: Batch) -> Replayed:
        try:
            return replay(batch)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise OutputError(f"the encoder {name!r} failed: {what}") from error

    return NamedEncoder(game, name, found.version, encode, tuple(found.layout))


def _loaded(name: str) -> Any:
    try:
        return policy.named(name)
    except Exception as error:  # whatever the user's module raises
        raise OutputError(f"no encoder {name!r}: {type(error).__name__}: {error}") from error


def _problem(game: str, found: Any) -> str | None:
    """Why an object is no encoder of a game; None if it is one."""
    if not isinstance(found, Encoder):
        return f"it is of the type {type(found).__name__}, not cardlog.Encoder"
    if found.game != game:
        return f"it is for {found.game}, not for {game}"
    if isinstance(found.layout, str) or not all(isinstance(name, str) and name for name in found.layout):
        return "its layout must be names, one for each number of an observation"
    if not found.layout or len(set(found.layout)) < len(found.layout):
        return "its layout must have at least one name, and no name twice"
    if not callable(found.observe):
        return "its observe must be a function of state, seat and observation"
    if not isinstance(found.version, int) or not 0 <= found.version < 2**15:
        return "its version must be a number from 0 to 32767"
    return None
