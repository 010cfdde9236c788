"""What hands are described in: sentences and tables without markup, which the terminal and the page each show
in their own way."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states
from cardlog.schemas.events import NO_TIME

Sentence = list[Any]
"""Parts: text, the number of a seat whose player is named there, and the shapes of this module."""
Table = dict[str, Any]
"""What lies on the table after an event, as plain values for JSON; `Describer.step` says what."""


@dataclass(frozen=True)
class Cards:
    """Cards, two characters each."""

    cards: str


@dataclass(frozen=True)
class Suit:
    """A suit by its letter; ``N`` is no trump."""

    suit: str


@dataclass(frozen=True)
class Team:
    """The two seats of a team, 0 or 1, at the beginning of a sentence."""

    team: int


@dataclass(frozen=True)
class Marked:
    """Parts that stand out: ``strong``, ``taken``, ``quiet``, ``odd``, ``good`` or ``bad``."""

    parts: Sentence
    mark: str


@dataclass(frozen=True)
class Rows:
    """A table of cells, each a text, a part or a sentence; the columns named in `right` are of numbers."""

    columns: Sequence[Any]
    rows: Sequence[Sequence[Any]]
    right: Sequence[str] = ()


@dataclass(frozen=True)
class Facts:
    """A hand between its title and its result: what the title says beside the game and the id (no empty
    words), then sentences and tables."""

    words: list[str]
    body: list[Sentence | Rows]


@dataclass(frozen=True)
class Describer:
    """How hands of a game are described.

    about(state)
        What does not change during a hand, from any state: its `shape`, and what that shape needs.
    step(previous, before, event, state)
        The table after an event, given the table before (empty at first): each seat's cards as `hands`, two
        characters each, ``??`` if unknown; short notes at each seat, such as its bid, as `tags`; whether the
        arrow keys up and down stop here, as `stop`; and what else the shape needs.
    facts(batch, state, opening)
        A whole hand, from a batch of one, its last state, and its opening.
    result(state)
        The sentences on the result of a complete hand.
    """

    about: Callable[[Any], Table]
    step: Callable[[Table, Any, Any, Any], Table]
    facts: Callable[[Batch, Any, dict[str, Any]], Facts]
    result: Callable[[Any], list[Sentence]]


def changes(batch: Batch) -> Iterator[tuple[Any, Any, Any]]:
    """The events of the only hand of a batch, with the states before and after it; that after it
    is the same object every time."""
    [state] = initial_states(batch)[0].copy()
    evolve = models.game(batch.game).evolve
    for event in batch.events:
        before, evolved = state.copy(), event.copy()
        if evolve(state, evolved) != 0:
            return  # a store has no illegal event
        yield before, evolved, state


def began(batch: Batch) -> str:
    """When the hand began; empty if unknown."""
    at = int(batch.events[0]["at"])
    return "" if at == NO_TIME else f"{datetime(1970, 1, 1) + timedelta(seconds=at // 1_000_000)} UTC"


def joined(sentences: Iterable[Sentence]) -> Sentence:
    """Sentences in one line, with dots between them."""
    return [part for sentence in sentences for part in (" · ", *sentence)][1:]


def quiet(*words: str) -> Sentence:
    """A line of what is of less interest, such as the settings."""
    return [Marked([" · ".join(words)], "quiet")]
