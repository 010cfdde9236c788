"""What each card of a hand cost its player."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cardlog import models
from cardlog.models.solve.solvable import searchable_of
from cardlog.pipelines.derive.projections.analysis import priced
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import check_legal, replay_batch
from cardlog.pipelines.hands.shapes import Cards, Sentence

WORST: Final = 3
"""The number of costliest cards named below the table."""
CAVEAT: Final = "By what its player knew, a costly card may have been right."


@dataclass(frozen=True)
class Cost:
    """What a card cost its player.

    event
        Index in the hand of the event that played it, from 0.
    trick
        Its number from 1; 0 in games without tricks.
    cost
        The cost with all cards seen.
    known
        The cost by what its player knew; None unless asked for.
    values
        What each legal card would have led to: the return of the seat if all play perfectly from there.
    """

    event: int
    trick: int
    seat: int
    card: str
    cost: float
    known: float | None
    exact: bool
    values: dict[str, float]

    @property
    def best(self) -> list[str]:
        """The best cards."""
        highest = max(self.values.values())
        return [card for card, value in self.values.items() if value == highest]

    def sentence(self) -> Sentence:
        """What was played, what it cost and what would have been better."""
        better = [part for card in self.best for part in (" or ", move(card))][1:]
        led_to, best = self.values[self.card], max(self.values.values())
        said = f". With all cards seen that cost {self.cost:g} points: it leads to {led_to:+g} for the "
        said += "seat's side if all play perfectly from there, "
        played = [f"In trick {self.trick} ", self.seat, " played ", move(self.card)]
        return [*played, said, *better, f" to {best:+g}. {CAVEAT}"]


def move(name: str) -> Cards | str:
    """A card that was or could be played; any other move by its name."""
    return Cards(name) if len(name) == 2 else name


def costs(batch: Batch, known: int = 0) -> list[Cost]:
    """What each card of a hand cost; empty if the log does not show all cards.

    known
        The number of deals consistent with what the player knew, over which a card's cost is averaged; 0 for
        none.

    Raises ValueError if the game has no solver.
    """
    replayed = replay_batch(batch)
    check_legal(batch, replayed.folded)
    result = []
    game = models.game(batch.game)
    name = searchable_of(game).name
    for play, card, values, exact, by_known in zip(*priced(batch, replayed, known), strict=True):
        if np.isnan(values[card]):
            continue
        legal = {name(int(code)): float(values[code]) for code in np.flatnonzero(~np.isnan(values))}
        cost = max(legal.values()) - float(values[card])
        trick = int(play["trick"]) + 1 if game.has_teams else 0
        seat, text = int(play["seat"]), name(int(card))
        result.append(Cost(int(play["event"]), trick, seat, text, cost, by_known.as_py(), bool(exact), legal))
    return result


def costliest(plays: Sequence[Cost], count: int = WORST) -> list[Cost]:
    """The cards that cost most, with all cards seen."""
    return sorted((play for play in plays if play.cost), key=lambda play: -play.cost)[:count]
