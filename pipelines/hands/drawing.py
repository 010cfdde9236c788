"""Hands drawn as text for terminals and notebooks, with rich."""

import io
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.hands import describer_of
from cardlog.pipelines.hands.costs import CAVEAT, Cost, costliest, move
from cardlog.pipelines.hands.shapes import Cards, Marked, Rows, Sentence, Suit, Team
from cardlog.pipelines.text.screen import console_for
from cardlog.pipelines.text.visible import one_line
from cardlog.schemas import cards

_MARKS: Final = {
    "strong": "bold", "taken": "bold underline", "quiet": "dim", "odd": "yellow", "good": "green",
    "bad": "red", "id": "cyan",
}  # fmt: skip
_SUITS: Final = dict(zip(cards.SUIT_LETTERS, ("♣", "♦", "♥", "♠", "no trump"), strict=True))
_RED: Final = "DH"
_FACES: Final = {"T": "10", "E": "14", "F": "15"}


def hand(batch: Batch) -> RenderableType:
    """A drawing of the hand in a batch of one."""
    [state] = fold_batch(batch).states
    opening = json.loads(batch.details[int(batch.events["detail"][0])])
    game, describer = models.game(batch.game), describer_of(batch.game)

    def player(seat: int) -> str:
        name = None if game.has_teams else (opening["players"][seat] or {}).get("name")
        return str(name or f"seat {seat}")

    facts = describer.facts(batch, state, opening)
    title: Sentence = [Marked([game.title], "strong"), " hand ", Marked([batch.hand_ids[0].decode()], "id")]
    end = "complete" if state["done"] else Marked(["broken off"], "odd")
    for words in filter(None, [*facts.words, end]):
        title += ["  ·  ", words]
    result: Sentence = [Marked(["The record of this hand ends here."], "odd")]
    if state["done"]:
        result = [part for sentence in describer.result(state) for part in (" ", *sentence)][1:]
    parts = (_rows(part, player) if isinstance(part, Rows) else line(part, player) for part in facts.body)
    return Group(line(title), *parts, line(result, player))


def text(batch: Batch) -> str:
    """The drawing as text, without colours."""
    out = io.StringIO()
    console_for(out, colours=False).print(hand(batch), highlight=False)
    return out.getvalue()


def _seat(seat: int) -> str:
    return f"seat {seat}"


def line(sentence: Sentence, player: Callable[[int], str] = _seat) -> Text:
    """A sentence, escaped for display; `player` names the player at a seat."""
    out = Text()
    for part in sentence:
        if isinstance(part, Marked):
            marked = line(part.parts, player)
            marked.stylize(_MARKS[part.mark])
            out.append_text(marked)
        elif isinstance(part, Cards):
            shown = (card(part.cards[first : first + 2]) for first in range(0, len(part.cards), 2))
            out.append_text(Text(" ").join(shown))
        elif isinstance(part, Suit):
            out.append_text(_suited("", part.suit))
        elif isinstance(part, Team):
            out.append(f"Seats {part.team} and {part.team + 2}")
        else:
            out.append(one_line(player(part) if isinstance(part, int) else part))
    return out


def card(text: str) -> Text:
    """A card with its suit's symbol, or the letter of a suit that has none: ``5♥``, ``14/4``."""
    if text == cards.UNKNOWN_TEXT:
        return Text(text, "dim")
    return _suited(_FACES.get(text[0], text[0]), text[1])


def _suited(rank: str, suit: str) -> Text:
    symbol = _SUITS.get(suit, f"/{suit}" if rank else f"suit {suit}")
    return Text(rank + symbol, "red" if suit in _RED else "")


def _rows(rows: Rows, player: Callable[[int], str]) -> Table:
    def cell(content: Any) -> Text:
        return line(content if isinstance(content, list) else [content], player)

    columns = (Column(cell(name), justify="right" if name in rows.right else "left") for name in rows.columns)
    table = Table(*columns, box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for row in rows.rows:
        table.add_row(*map(cell, row))
    return table


# ---------------------------------------------------------------- what the cards cost


def cost_table(plays: list[Cost]) -> RenderableType:
    """The costs as a table: each card, what it led to, and what would have been better."""
    if not plays:
        return "The log does not show all cards of this hand, so it can't be analysed."
    first, worst = plays[0], costliest(plays)
    has_known = first.known is not None
    known = ["by what was known"] if has_known else []
    table = Table("trick", "seat", "card", "leads to", "cost", *known, "better", box=None)
    for play, previous in zip(plays, [0, *(play.trick for play in plays)], strict=False):
        table.add_row(
            "" if play.trick == previous else f"{play.trick}",
            f"{play.seat}",
            line([move(play.card)]),
            f"{'' if play.exact else 'about '}{play.values[play.card]:+g}",
            Text(f"{play.cost:g}" if play.cost else "", "red"),
            *([f"{play.known:.2g}" if play.known else ""] if has_known else []),
            Text(" ").join(line([move(each)]) for each in (play.best if play.cost else ())),
        )
    expected = "Par for" if first.trick else "Expected by"
    table.caption = Text.assemble(
        f"{expected} seat {first.seat}: {max(first.values.values()):+g}. ", *_worst(worst), CAVEAT
    )
    return table


def _worst(worst: list[Cost]) -> Iterator[Text | str]:
    """The costliest cards in a sentence."""
    for number, play in enumerate(worst):
        yield "; " if number else "Costliest, with all cards seen: "
        in_trick = f" in trick {play.trick}" if play.trick else ""
        yield from (line([move(play.card)]), f" of seat {play.seat}{in_trick}: {play.cost:g}")
    yield ". " if worst else "No card cost anything. "
