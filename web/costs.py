"""What the cards of a hand cost, for its page, from the rows of `analysis`."""

from typing import Any, Final

from cardlog import models
from cardlog.pipelines.charts.plot import Plot
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import replay_batch
from cardlog.pipelines.hands.costs import WORST
from cardlog.pipelines.hands.shapes import Cards
from cardlog.pipelines.text.texts import _, filled
from cardlog.web.hands import plain

COLUMNS: Final = "step, seat, best_cards, best_value, value, cost_open, cost_known, exact"
"""The columns of `analysis` that are needed, one row per card, in the order of play."""


def described(
    batch: Batch, rows: list[dict[str, Any]], players: list[dict[str, Any] | None]
) -> dict[str, Any]:
    """The costs of a hand.

    events
        The cost of each card, by the index of the event that played it.
    worst
        The events of the costliest cards.
    plot
        What the first team could expect after each card; None in games without teams.
    """
    event_of_step = replay_batch(batch).rows["event"]
    events = {int(event_of_step[row["step"]]): _cost(row) for row in rows}
    costly = [index for index, cost in events.items() if cost["cost"]]
    costly.sort(key=lambda index: -events[index]["cost"])
    plot = None
    if models.game(batch.game).has_teams:
        moves = [(row["seat"], row["value"], row["best_value"]) for row in rows]
        first, second = [player["name"] for player in players[::2] if player]
        plot = curve(moves, _("%(first)s and %(second)s", first=first, second=second))
    return {"events": events, "worst": costly[:WORST], "plot": plot}


def _cost(row: dict[str, Any]) -> dict[str, Any]:
    """The cost of a card, its cost by what was known, and a sentence on them and what would have been
    better."""
    cost, known = row["cost_open"], row["cost_known"]
    text = _("It led to %(value)s.")
    if cost:
        text = _("It led to %(value)s; %(better)s would have led to %(best)s: it cost %(cost)s.")
    better = Cards(row["best_cards"]) if row["best_cards"] else _("another move")
    numbers = {"value": f"{row['value']:+g}", "best": f"{row['best_value']:+g}", "cost": f"{cost:g}"}
    if not row["exact"]:
        numbers = {name: _("about %(n)s", n=number) for name, number in numbers.items()}
    sentence = plain(filled(text, better=better, **numbers))
    if cost and known is not None:
        sentence += [" ", _("By what was known, it cost %(cost)s.", cost=f"{known:.2g}")]
    return {"cost": cost, "known": known, "text": sentence}


def curve(moves: list[tuple[int, float, float]], names: str) -> Plot:
    """What the first team, with its players' names, could expect before the first card and after each.

    moves
        For each card the seat, and for its side the value of the card and of the best card.
    """
    sides = [-1 if seat % 2 else 1 for seat, *_rest in moves]
    values = [sides[0] * moves[0][2]]
    values += [side * value for side, (_seat, value, _best) in zip(sides, moves, strict=True)]
    values = [int(value) if float(value).is_integer() else value for value in values]
    return Plot(
        _("What %(names)s could expect", names=names),
        "line",
        list(range(len(values))),
        {_("expected"): values},
        _("card"),
        says=_(
            "Their score less that of the others after each card, if all play perfectly from there and see "
            "all cards."
        ),
    )
