"""Drawings of hands for the terminal, and the sentence on the result of each."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.screen import console_for
from cardlog.pipelines.terminal.drawings import belote, five_card_draw, kaiser, parts, pinochle, ruter_sju


@dataclass(frozen=True)
class Drawing:
    """How hands of a game are drawn, in rich's markup. `draw` yields a list of words for the title, then the
    parts between title and result; `sentence` describes the result of a complete hand."""

    draw: Callable[[Batch, Any, dict[str, Any]], Iterator[Any]]
    sentence: Callable[[Any, dict[str, Any]], str]

    def result(self, state: Any, opening: dict[str, Any]) -> Text:
        """The result of a hand."""
        markup = self.sentence(state, opening) if state["done"] else parts.UNFINISHED
        return Text.from_markup(markup, emoji=False)


DRAWINGS: Final = {
    "kaiser": Drawing(kaiser.draw, kaiser.sentence),
    "belote": Drawing(belote.draw, belote.sentence),
    "ruter_sju": Drawing(ruter_sju.draw, ruter_sju.sentence),
    "pinochle": Drawing(pinochle.draw, pinochle.sentence),
    "five_card_draw": Drawing(five_card_draw.draw, five_card_draw.sentence),
}
"""By game."""


def hand(batch: Batch) -> RenderableType:
    """A drawing of the hand in a batch of one."""
    [state] = fold_batch(batch).states
    opening, drawing = parts.opening(batch), DRAWINGS[batch.game]
    words, *body = drawing.draw(batch, state, opening)
    body.insert(0, parts.title(batch, state, words))
    texts = (Text.from_markup(part, emoji=False) if isinstance(part, str) else part for part in body)
    return Group(*texts, drawing.result(state, opening))


def text(batch: Batch) -> str:
    """The drawing as text, without colours."""
    out = io.StringIO()
    console_for(out, colours=False).print(hand(batch), highlight=False)
    return out.getvalue()


def result(game: str, state: Any, opening: dict[str, Any]) -> str:
    """The sentence on the result of a hand, from its last state and the detail of its opening."""
    return DRAWINGS[game].result(state, parts.escaped(opening)).plain
