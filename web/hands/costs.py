"""What the cards of a hand cost, as its page shows it, from the rows of `analysis`."""

from typing import Any, Final

from cardlog import models
from cardlog.pipelines.charts.plot import Plot
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import replay_batch
from cardlog.pipelines.terminal.drawings.analysis import WORST
from cardlog.web.texts import _, filled

COLUMNS: Final = "step, seat, best_cards, best_value, value, cost_open, cost_known, exact"
"""What is needed of each card, in the order they were played."""


def told(batch: Batch, rows: list[dict[str, Any]], players: list[dict[str, Any] | None]) -> dict[str, Any]:
    """The costs of a hand.

    events
        What is said of a card, by the index of the event that played it.
    worst
        The events of the costliest ones.
    plot
        What the first team could expect after each card; None in games without teams.
    """
    decided = replay_batch(batch).rows["event"]
    played = [int(decided[row["step"]]) for row in rows]
    events = dict(zip(played, map(_said, rows), strict=True))
    costly = sorted((n for n, row in zip(played, rows, strict=True) if row["cost_open"]),
                    key=lambda n: -events[n]["cost"])  # fmt: skip
    plot = None
    if models.game(batch.game).has_teams:
        moves = [(row["seat"], row["value"], row["best_value"]) for row in rows]
        first, second = [player["name"] for player in players[::2] if player]
        plot = curve(moves, _("%(first)s and %(second)s", first=first, second=second))
    return {"events": events, "worst": costly[:WORST], "plot": plot}


def _said(row: dict[str, Any]) -> dict[str, Any]:
    """The cost of a card, that by what was known, and what would have been better."""
    cost, known = row["cost_open"], row["cost_known"]
    text = _("It led to %(value)s.")
    if cost:
        text = _("It led to %(value)s; %(better)s would have led to %(best)s: it cost %(cost)s.")
    better = {"cards": row["best_cards"]} if row["best_cards"] else _("another move")
    numbers = {"value": f"{row['value']:+g}", "best": f"{row['best_value']:+g}", "cost": f"{cost:g}"}
    if not row["exact"]:
        numbers = {name: _("about %(n)s", n=number) for name, number in numbers.items()}
    said = filled(text, better=better, **numbers)
    if cost and known is not None:
        said += [" ", _("By what was known, it cost %(cost)s.", cost=f"{known:.2g}")]
    return {"cost": cost, "known": known, "text": said}


def curve(moves: list[tuple[int, float, float]], names: str) -> Plot:
    """What the first team, with its players' names, could expect before the first card and after each.

    moves
        Of each card, the seat, what the card leads to for its side, and what the best one would have.
    """
    sides = [-1 if seat % 2 else 1 for seat, *_rest in moves]
    values = [sides[0] * moves[0][2]]
    values += [side * value for side, (_seat, value, _best) in zip(sides, moves, strict=True)]
    whole = [int(value) if float(value).is_integer() else value for value in values]
    return Plot(
        _("What %(names)s could expect", names=names),
        "line",
        list(range(len(whole))),
        {_("expected"): whole},
        _("card"),
        says=_(
            "Their score less that of the others after each card, if all play perfectly from there and see "
            "all cards."
        ),
    )
