"""A hand of high card: who held what, the tricks, and who took more of them."""

from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cardlog.models.high_card.rules import SEATS, TRICKS
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.terminal import drawings as drawing
from cardlog.schemas import cards


def draw(batch: Batch, state: Any) -> RenderableType:
    """The drawing of the only hand of a batch, whose last state is given."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("", "held", *(f"trick {number + 1}" for number in range(TRICKS))):
        table.add_column(name)
    for seat in range(SEATS):
        dealt = state["dealt"] >> seat & 1
        held = [drawing.card(cards.text(int(card))) for card in state["dealt_cards"][seat]] if dealt else []
        table.add_row(f"seat {seat}", " ".join(held), *(_played(state, seat, n) for n in range(TRICKS)))
    end = drawing.UNFINISHED
    if state["done"]:
        winner = int(np.argmax(state["points"]))
        end = Text(f"Seat {winner} wins with {state['points'][winner]} tricks of {TRICKS}.")
    return Group(drawing.title("High card", batch, state), table, end)


def _played(state: Any, seat: int, trick: int) -> str:
    """What a seat played to a trick; ▸ if it led, bold if it took the trick."""
    index = SEATS * trick
    if index >= state["plays"]:
        return ""
    led = seat == state["leaders"][trick]
    index += not led
    if index >= state["plays"]:
        return ""
    shown = drawing.card(cards.text(int(state["played"][index])))
    if trick < state["tricks"] and seat == state["winners"][trick]:
        shown = f"[bold]{shown}[/]"
    return ("▸" if led else " ") + shown
