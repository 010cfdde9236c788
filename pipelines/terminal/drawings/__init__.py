"""Drawings for the terminal: hands trick by trick, tables and bar charts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.terminal.drawings import belote, five_card_draw, kaiser, parts, pinochle, ruter_sju


@dataclass(frozen=True)
class Drawing:
    """How hands of a game are drawn.

    draw
        ``draw(batch, state)``: the only hand of a batch, given its last state.
    result
        ``result(state, opening)``: its last sentence, what came of the hand.
    """

    draw: Callable[[Batch, Any], RenderableType]
    result: Callable[[Any, dict[str, Any]], Text]


DRAWINGS: Final = {
    "kaiser": Drawing(kaiser.draw, kaiser.result),
    "belote": Drawing(belote.draw, belote.result),
    "ruter_sju": Drawing(ruter_sju.draw, ruter_sju.result),
    "pinochle": Drawing(pinochle.draw, pinochle.result),
    "five_card_draw": Drawing(five_card_draw.draw, five_card_draw.result),
}
"""By game."""


def hand(batch: Batch) -> RenderableType:
    """A drawing of the hand in a batch of one."""
    folded = fold_batch(batch)
    return DRAWINGS[batch.game].draw(batch, folded.states[0])


def result(game: str, state: Any, opening: dict[str, Any]) -> str:
    """The sentence on the result of a hand, given its last state and its opening's detail."""
    return DRAWINGS[game].result(state, parts.escaped(opening)).plain


def bars(values: dict[str, float], width: int, unit: str = "") -> list[str]:
    """A bar chart, one line per value: label, bar, number."""
    if not values:
        return []
    longest = max(map(len, values))
    top = max(max(values.values()), 1e-12)
    lines = []
    for label, value in values.items():
        eighths = round(max(value, 0) / top * width * 8)
        bar = "█" * (eighths // 8) + ("" if eighths % 8 == 0 else " ▏▎▍▌▋▊▉"[eighths % 8])
        lines.append(f"{label:<{longest}}  {bar} {value:,.4g}{unit}")
    return lines
