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
from cardlog.pipelines.terminal.drawings import parts

WORST: Final = 3
"""How many of the costliest cards are named below the table."""
CAVEAT: Final = "By what its player knew, a costly card may have been right."


@dataclass(frozen=True)
class Cost:
    """What a card cost who played it.

    event
        Position of the event that played it in its hand, from 0.
    trick
        Its number from 1; 0 in games without tricks.
    cost
        With all cards seen.
    known
        By what its player knew; None unless asked for.
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
        most = max(self.values.values())
        return [card for card, value in self.values.items() if value == most]

    def sentence(self, who: str) -> str:
        """What was played, what it cost and what would have been better, in rich's markup."""
        better = " or ".join(map(parts.card, self.best))
        return (
            f"In trick {self.trick} {who} played {parts.card(self.card)}. With all cards seen that cost "
            f"{self.cost:g} points: it leads to {self.values[self.card]:+g} for the seat's side if all play "
            f"perfectly from there, {better} to {max(self.values.values()):+g}."
        )


def costs(batch: Batch, known: int = 0) -> list[Cost]:
    """What each card of a hand cost; empty if the log does not show all cards.

    known
        Over how many deals that fit what the player knew a card's cost is averaged; 0 not to.

    Raises ValueError if the game has no solver.
    """
    replayed = replay_batch(batch)
    check_legal(batch, replayed.folded)
    found = []
    game = models.game(batch.game)
    name = searchable_of(game).name
    for play, card, values, exact, by_known in zip(*priced(batch, replayed, known), strict=True):
        if np.isnan(values[card]):
            continue
        legal = {name(int(code)): float(values[code]) for code in np.flatnonzero(~np.isnan(values))}
        cost = max(legal.values()) - float(values[card])
        trick = int(play["trick"]) + 1 if game.has_teams else 0
        who, what = int(play["seat"]), name(int(card))
        found.append(Cost(int(play["event"]), trick, who, what, cost, by_known.as_py(), bool(exact), legal))
    return found


def costliest(found: Sequence[Cost], most: int = WORST) -> list[Cost]:
    """The cards that cost most, with all cards seen."""
    return sorted((each for each in found if each.cost), key=lambda each: -each.cost)[:most]


def drawn(found: list[Cost]) -> RenderableType:
    """The costs as a table: each card, what it led to, and what would have been better."""
    if not found:
        return "The log does not show all cards of this hand, so it can't be analysed."
    is_known = found[0].known is not None
    known = ["by what was known"] if is_known else []
    table = Table("trick", "seat", "card", "leads to", "cost", *known, "better", box=None)
    for index, each in enumerate(found):
        sign = "" if each.exact else "about "
        table.add_row(
            f"{each.trick or ''}" if index == 0 or found[index - 1].trick != each.trick else "",
            f"{each.seat}",
            _symbols(each.card),
            f"{sign}{each.values[each.card]:+g}",
            f"[red]{each.cost:g}[/]" if each.cost else "",
            *([f"{each.known:.2g}" if each.known else ""] if is_known else []),
            " ".join(map(_symbols, each.best)) if each.cost else "",
        )
    worst = costliest(found)
    said = "; ".join(
        f"{_symbols(each.card)} of seat {each.seat}"
        f"{f' in trick {each.trick}' if each.trick else ''}: {each.cost:g}"
        for each in worst
    )
    first = found[0]
    expected = "Par for" if first.trick else "Expected by"
    table.caption = (
        f"{expected} seat {first.seat}: {max(first.values.values()):+g}. "
        + (f"Costliest, with all cards seen: {said}. " if worst else "No card cost anything. ")
        + CAVEAT
    )
    return table


def _symbols(move: str) -> str:
    """A card as the drawing of the hand has it; another move by its name."""
    return parts.card(move) if len(move) == 2 else move
