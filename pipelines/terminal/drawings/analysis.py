"""What each card of a hand cost, drawn."""

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

_WORST: Final = 3
"""How many of the costliest cards are named below the table."""


@dataclass(frozen=True)
class Cost:
    """What a card cost who played it, with all cards seen.

    trick
        Its number from 1; 0 in games without tricks.
    values
        What each legal card would have led to: the return of the seat if all play perfectly from there.
    """

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
    for play, card, values, exact, _ in zip(*priced(batch, replayed), strict=True):
        if np.isnan(values[card]):
            continue
        legal = {name(int(code)): float(values[code]) for code in np.flatnonzero(~np.isnan(values))}
        cost = max(legal.values()) - float(values[card])
        found.append(
            Cost(
                int(play["trick"]) + 1 if game.has_teams else 0,
                int(play["seat"]),
                name(int(card)),
                cost,
                bool(exact),
                legal,
            )
        )
    return found


def drawn(found: list[Cost]) -> RenderableType:
    """The costs as a table: each card, what it led to, and what would have been better."""
    if not found:
        return "The log does not show all cards of this hand, so it can't be analysed."
    table = Table("trick", "seat", "card", "leads to", "cost", "better", box=None)
    for index, each in enumerate(found):
        sign = "" if each.exact else "about "
        table.add_row(
            f"{each.trick or ''}" if index == 0 or found[index - 1].trick != each.trick else "",
            f"{each.seat}",
            each.card,
            f"{sign}{each.values[each.card]:+g}",
            f"[red]{each.cost:g}[/]" if each.cost else "",
            " ".join(each.best) if each.cost else "",
        )
    worst = sorted((each for each in found if each.cost), key=lambda each: -each.cost)[:_WORST]
    said = "; ".join(
        f"{each.card} of seat {each.seat}{f' in trick {each.trick}' if each.trick else ''}: {each.cost:g}"
        for each in worst
    )
    first = found[0]
    table.caption = (
        f"Par for seat {first.seat}: {max(first.values.values()):+g}. "
        + (f"Costliest, with all cards seen: {said}. " if worst else "No card cost anything. ")
        + "By what its player knew, a costly card may have been right."
    )
    return table
