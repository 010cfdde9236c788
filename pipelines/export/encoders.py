"""Encoders: how what a seat knew becomes numbers. docs/features describes each, number by number.

Observations are not stored but made from the events at each export. ``v1`` is each game's own encoder, which
its policies use too; ``module:object`` names an `Encoder` of the user's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np

from cardlog import models
from cardlog.models.engine import policy
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import Observe, Replayed, replay_batch
from cardlog.pipelines.export.output import OutputError

DEFAULT: Final = "v1"
_SAMPLE: Final = 8
"""Hands of a batch in which an encoder is checked."""


@dataclass(frozen=True)
class Encoder:
    """A user's encoder for one game; ``--encoder module:object`` names it.

    layout
        A name for each number of an observation.
    observe
        ``observe(state, seat, observation)`` writes what a seat knows into an observation, an array of
        int8. The state is the record that the game's `evolve` updates. A function compiled with
        `numba.njit` is some hundred times as fast as plain Python.
    version
        Raised whenever the same hands give other rows.

    Raises ValueError for a layout that is empty or has a name twice, and for a version beyond 32767.
    """

    game: str
    layout: tuple[str, ...]
    observe: Observe
    version: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.layout, tuple) or not 0 < len(self.layout) == len(set(self.layout)):
            raise ValueError("the layout must be a tuple of names, at least one and no name twice")
        if not 0 <= self.version < 2**15:
            raise ValueError("the version must be a number from 0 to 32767")
        if not callable(self.observe):
            raise ValueError("observe must be a function of state, seat and observation")


@dataclass(frozen=True)
class NamedEncoder:
    """An encoder of a game as an export uses it.

    encode
        Folds a batch and gives its decisions with their observations.
    words
        Those of the game's `Decisions`, unless it has actions of its own.
    layout
        A name for each number of an observation, if it is the user's encoder; docs/features has the others.
    """

    game: str
    name: str
    version: int
    encode: Callable[[Batch], Replayed]
    words: Mapping[str, tuple[str, ...]]
    layout: tuple[str, ...] = ()


def names(game: str) -> tuple[str, ...]:
    """The encoders that come with cardlog, `DEFAULT` first."""
    return (DEFAULT, *models.game(game).decisions.encoders)


def encoder(game: str, name: str) -> NamedEncoder:
    """An encoder of a game by its name. Raises OutputError, listing those there are, for any other name."""
    if ":" in name:
        return _user_encoder(game, name)
    if name not in names(game):
        raise OutputError(
            f"{game} has no encoder {name!r}; there are: {', '.join(names(game))}, module:object"
        )
    decisions = models.game(game).decisions
    if name == DEFAULT:
        encode = _replay_with(decisions.observe, decisions.width)
        return NamedEncoder(game, name, decisions.version, encode, decisions.words)
    return cast(NamedEncoder, policy.named(decisions.encoders[name]))


def _replay_with(observe: Observe, width: int) -> Callable[[Batch], Replayed]:
    return lambda batch: replay_batch(batch, observe, width)


def _sees_more(user: Encoder, batch: Batch) -> str:
    """A name in the layout of a number that is made of more than `Game.visible` shows the seat; empty if
    there is none in some hands of a batch."""
    visible = models.game(user.game).visible

    def observe_shown(state: Any, seat: Any, observation: Any) -> None:
        states = np.array([state], models.game(user.game).state)
        user.observe(visible.seen_by(states, np.array([seat]))[0], seat, observation)

    some = batch.take(np.unique(np.linspace(0, len(batch) - 1, _SAMPLE).astype(np.int64)))
    width = len(user.layout)
    seen, shown = (replay_batch(some, each, width).observations for each in (user.observe, observe_shown))
    other = np.flatnonzero((seen != shown).any(axis=0))
    return f"{user.layout[other[0]]!r}" if len(other) else ""


def _user_encoder(game: str, name: str) -> NamedEncoder:
    """The user's encoder named ``module:object``. Raises OutputError if it can't be used."""
    try:
        user = policy.named(name)
    except Exception as error:  # whatever the user's module raises
        raise OutputError(f"no encoder {name!r}: {type(error).__name__}: {error}") from error
    if not isinstance(user, Encoder):
        kind = type(user).__name__
        raise OutputError(f"the encoder {name!r} can't be used: it is a {kind}, not a cardlog.Encoder")
    if user.game != game:
        raise OutputError(f"the encoder {name!r} can't be used: it is for {user.game}, not for {game}")
    replay = _replay_with(user.observe, len(user.layout))

    def encode(batch: Batch) -> Replayed:
        try:
            found = replay(batch)
            more = _sees_more(user, batch)
        except Exception as error:
            fields = ", ".join(models.game(game).state.names or ())
            is_field = isinstance(error, AttributeError) or type(error).__name__ == "TypingError"
            there_are = f"; a state of {game} has: {fields}" if is_field else ""
            message = f"the encoder {name!r} failed: {type(error).__name__}: {error}{there_are}"
            raise OutputError(message) from error
        if more:
            raise OutputError(
                f"the encoder {name!r} can't be used: it sees more than its seat knows; {more} is another "
                "number if what others hold is hidden"
            )
        return found

    return NamedEncoder(game, name, user.version, encode, models.game(game).decisions.words, user.layout)
