"""A hand of high card: who held what, the tricks, and who took more of them."""

from collections.abc import Iterator
from typing import Any

from cardlog.models.high_card.rules import TRICKS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts


def draw(batch: Batch, state: Any, opening: dict[str, Any]) -> Iterator[Any]:
    """The parts of a drawing."""
    yield []
    yield parts.dealt(state, opening["players"])
    yield from parts.tricks(state)


def sentence(state: Any, opening: dict[str, Any]) -> str:
    """Who took more tricks."""
    team = int(state["score"].argmax())
    return f"Seats {team} and {team + 2} win with {state['points'][team]} tricks of {TRICKS}."
