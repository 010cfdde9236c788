"""A hand of high card: who held what, the tricks, and who took more of them."""

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from cardlog.models.high_card.rules import TRICKS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts


def draw(batch: Batch, state: Any) -> RenderableType:
    """The drawing of the only hand of a batch, whose last state is given."""
    opening = parts.opening(batch)
    table = parts.dealt(state, opening["players"])
    return Group(parts.title("High card", batch, state), table, parts.tricks(state), result(state, opening))


def result(state: Any, opening: dict[str, Any]) -> Text:
    """Who took more tricks."""
    if not state["done"]:
        return parts.UNFINISHED
    team = int(state["score"].argmax())
    return Text(f"Seats {team} and {team + 2} win with {state['points'][team]} tricks of {TRICKS}.")
