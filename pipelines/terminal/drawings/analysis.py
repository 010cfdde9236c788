"""What each card of a hand cost, drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from rich.console import RenderableType
from rich.table import Table

from cardlog import models
from cardlog.models.solving import searchable_of
from cardlog.pipelines.build.projections.analysis import priced
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import check_legal, replay_batch

WORST: Final = 3
"""How many of the costliest cards are named below the table."""


@dataclass(frozen=True)
class Cost:
    """What a card cost who played it, with all cards seen.

    event, trick
        The event's position in the hand, from 0; the trick's number from 1, or 0 in games without tricks.
    values
        What each legal card would have led to: the return of the seat if all play perfectly from there.
    """

    event: int
    trick: int
    seat: int
    card: str
    cost: float
    exact: bool
    values: dict[str, float]

    @property
    def best(self) -> list[str]:
        """The best cards."""
        most = max(self.values.values())
        return [card for card, value in self.values.items() if value == most]


def costs(batch: Batch) -> list[Cost]:
    """What each card of a hand cost; empty if the log does not show all cards. Raises ValueError if the game
    has no solver."""
    replayed = replay_batch(batch)
    check_legal(batch, replayed.folded)
    found = []
    game = models.game(batch.game)
    name = searchable_of(game).name
    for play, card, values, exact, _ in zip(*priced(batch, replayed, 0), strict=True):
        if np.isnan(values[card]):
            continue
        legal = {name(int(code)): float(values[code]) for code in np.flatnonzero(~np.isnan(values))}
        cost = max(legal.values()) - float(values[card])
        trick = int(play["trick"]) + 1 if game.has_teams else 0
        who, what = int(play["seat"]), name(int(card))
        found.append(Cost(int(play["event"]), trick, who, what, cost, bool(exact), legal))
    return found


def costliest(found: Sequence[Cost], most: int = WORST) -> list[Cost]:
    """The cards that cost most, with all cards seen."""
    return sorted((each for each in found if each.cost), key=lambda each: -each.cost)[:most]


def drawn(found: list[Cost]) -> RenderableType:
    """The costs as a table: each card, what it led to, and what would have been better."""
    if not found:
        return "The log does not show all cards of this hand, so it can't be analysed."
    table = Table("trick", "seat", "card", "leads to", "cost", "better", box=None)
    for each in found:
        table.add_row(
            f"{each.trick or ''}",
            f"{each.seat}",
            each.card,
            f"{'' if each.exact else 'about '}{each.values[each.card]:+g}",
            f"[red]{each.cost:g}[/]" if each.cost else "",
            " ".join(each.best) if each.cost else "",
        )
    first = found[0]
    worst = [f"{each.card} of seat {each.seat}: {each.cost:g}" for each in costliest(found)]
    table.caption = (
        f"{'Par for' if first.trick else 'Expected by'} seat {first.seat}: {max(first.values.values()):+g}. "
        f"Costliest, with all cards seen: {'; '.join(worst) or 'none'}. "
        "By what its player knew, a costly card may have been right."
    )
    return table
