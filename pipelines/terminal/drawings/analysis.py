"""What each card of a hand cost, drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from rich.console import RenderableType
from rich.table import Table

from cardlog import models
from cardlog.models.solving import searchable_of
from cardlog.pipelines.derive.projections.analysis import priced
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import check_legal, replay_batch
from cardlog.pipelines.terminal.drawings import parts

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

    def sentence(self, player: str) -> str:
        """What was played, what it cost and what would have been better, in rich's markup."""
        better = " or ".join(map(parts.card, self.best))
        return (
            f"In trick {self.trick} {player} played {parts.card(self.card)}. With all cards seen that cost "
            f"{self.cost:g} points: it leads to {self.values[self.card]:+g} for the seat's side if all play "
            f"perfectly from there, {better} to {max(self.values.values()):+g}."
        )


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


def cost_table(plays: list[Cost]) -> RenderableType:
    """The costs as a table: each card, what it led to, and what would have been better."""
    if not plays:
        return "The log does not show all cards of this hand, so it can't be analysed."
    first = plays[0]
    has_known = first.known is not None
    known = ["by what was known"] if has_known else []
    table = Table("trick", "seat", "card", "leads to", "cost", *known, "better", box=None)
    previous = 0
    for play in plays:
        table.add_row(
            "" if play.trick == previous else f"{play.trick}",
            f"{play.seat}",
            _symbols(play.card),
            f"{'' if play.exact else 'about '}{play.values[play.card]:+g}",
            f"[red]{play.cost:g}[/]" if play.cost else "",
            *([f"{play.known:.2g}" if play.known else ""] if has_known else []),
            " ".join(map(_symbols, play.best)) if play.cost else "",
        )
        previous = play.trick
    worst = costliest(plays)
    mistakes = "; ".join(
        f"{_symbols(play.card)} of seat {play.seat}"
        f"{f' in trick {play.trick}' if play.trick else ''}: {play.cost:g}"
        for play in worst
    )
    expected = "Par for" if first.trick else "Expected by"
    table.caption = (
        f"{expected} seat {first.seat}: {max(first.values.values()):+g}. "
        + (f"Costliest, with all cards seen: {mistakes}. " if worst else "No card cost anything. ")
        + CAVEAT
    )
    return table


def _symbols(move: str) -> str:
    """A card with its suit's symbol; any other move by its name."""
    return parts.card(move) if len(move) == 2 else move
