"""What the cards of a hand cost, as its page shows it, from the rows of `analysis`."""

from typing import Any, Final

from cardlog import models
from cardlog.pipelines.charts.plot import Plot
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import replay_batch
from cardlog.pipelines.terminal.drawings.analysis import WORST
from cardlog.web.hands.words import Sentence

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
        plot = curve(moves, [player["name"] for player in players[::2] if player])
    return {"events": events, "worst": costly[:WORST], "plot": plot}


def _said(row: dict[str, Any]) -> dict[str, Any]:
    """The cost of a card, that by what was known, and what would have been better."""
    cost, known = row["cost_open"], row["cost_known"]
    about = "" if row["exact"] else "about "
    best = {"cards": row["best_cards"]} if row["best_cards"] else "another move"
    better: Sentence = [best, f" would have led to {about}{row['best_value']:+g}"]
    said: Sentence = [f"led to {about}{row['value']:+g}"]
    if cost:
        said += ["; ", *better, f": it cost {about}{cost:g}"]
        said += [] if known is None else [f", and {known:.2g} by what was known"]
    return {"cost": cost, "known": known, "text": said}


def curve(moves: list[tuple[int, float, float]], names: list[str]) -> Plot:
    """What the first team, with its players' names, could expect before the first card and after each.

    moves
        Of each card, the seat, what the card leads to for its side, and what the best one would have.
    """
    sides = [-1 if seat % 2 else 1 for seat, *_ in moves]
    values = [sides[0] * moves[0][2]]
    values += [side * value for side, (_, value, _) in zip(sides, moves, strict=True)]
    whole = [int(value) if float(value).is_integer() else value for value in values]
    return Plot(
        f"What {' and '.join(names)} could expect",
        "line",
        list(range(len(whole))),
        {"expected": whole},
        "card",
        says="Their score less that of the others after each card, if all play perfectly from there and see "
        "all cards.",
    )
