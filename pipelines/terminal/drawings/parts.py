"""What drawings of several games have in common: cards, the deal, the bidding, tricks."""

import json
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
from rich.table import Table
from rich.text import Text

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.visible import one_line
from cardlog.schemas import cards
from cardlog.schemas.cards import SUITS
from cardlog.schemas.events import NO_TIME

SYMBOLS: Final = dict(zip(SUITS + "N", ("♣", "[red]♦[/]", "[red]♥[/]", "♠", "no trump"), strict=True))
BY_SUIT: Final = "SHCD"
"""Suits in the order of columns: black and red in turn."""
SEATS: Final = 4
UNFINISHED: Final = Text("The record of this hand ends here.", style="yellow")
"""The result of a hand that was broken off."""


def opening(batch: Batch) -> dict[str, Any]:
    """The opening of the only hand of a batch, with its texts escaped for display."""
    detail = json.loads(batch.details[int(batch.events["detail"][0])])
    return cast(dict[str, Any], escaped(detail))


def escaped(value: Any) -> Any:
    """Plain values with all texts in them escaped for display."""
    if isinstance(value, dict):
        return {name: escaped(item) for name, item in value.items()}
    if isinstance(value, list):
        return [escaped(item) for item in value]
    return one_line(value) if isinstance(value, str) else value


def card(text: str) -> str:
    """A card with its suit's symbol, in rich's markup: ``[red]5♥[/]``."""
    symbol = SYMBOLS[text[1]]
    rank = "10" if text[0] == "T" else text[0]
    return f"[red]{rank}{symbol[5]}[/]" if symbol.startswith("[red]") else rank + symbol


def title(game: str, batch: Batch, state: Any, *more: str) -> Text:
    """The first line: the game, the id, what else there is to say, and whether the hand is complete."""
    words = [f"[bold]{game}[/] hand [cyan]{batch.hand_ids[0].decode()}[/]", *more]
    words.append("complete" if state["done"] else "[yellow]broken off[/]")
    return Text.from_markup("  ·  ".join(words))


def began(batch: Batch) -> list[str]:
    """When the hand began, if that is known, for its title."""
    microseconds = int(batch.events[0]["at"])
    if microseconds == NO_TIME:
        return []
    second = np.datetime64(microseconds, "us").astype("datetime64[s]")
    return [str(second).replace("T", " ") + " UTC"]


def dealt(state: Any, players: list[dict[str, Any]], ranks: str = cards.RANKS[::-1]) -> Table:
    """What each of four seats was dealt, by suit, and how many cards were never shown.

    ranks
        From high to low, as the game orders them.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("", "player", *(SYMBOLS[suit] for suit in BY_SUIT), ""):
        table.add_column(name)
    for seat, player in enumerate(players):
        codes = state["dealt_cards"][seat] if state["dealt"] >> seat & 1 else []
        held = [cards.text(int(code)) for code in codes]
        hidden = held.count(cards.UNKNOWN_TEXT)
        name = player.get("name") or player.get("kind") or ""
        mark = " (dealer)" if seat == state["dealer"] else ""
        suits = [_ranks(held, suit, ranks) for suit in BY_SUIT]
        rest = f"[dim]{hidden} not shown[/]" if hidden else ""
        table.add_row(f"seat {seat}", Text(f"{name}{mark}"), *suits, rest)
    return table


def _ranks(held: list[str], suit: str, ranks: str) -> str:
    of_suit = sorted((card[0] for card in held if card[1] == suit), key=ranks.index)
    return " ".join(of_suit).replace("T", "10") or "–"


def bidding(state: Any, silent: int, said: Callable[[int], str]) -> str:
    """What each of four seats said in turn, from the one after the dealer, in rich's markup.

    silent
        The bid of a seat that has not spoken.
    said
        The words for a bid.
    """
    words = []
    for step in range(1, SEATS + 1):
        seat = (int(state["dealer"]) + step) % SEATS
        bid = int(state["bids"][seat])
        if bid == silent:
            break
        words.append(f"seat {seat} {said(bid)}")
    return "Bidding: " + (" · ".join(words) or "none")


def tricks(state: Any) -> Table:
    """The tricks of a four-seat game, one line each: who played what, who led (▸), who took it (bold), its
    points. The layout of the state is in `cardlog.pipelines.build.projections.tricks`."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("trick", justify="right")
    for seat in range(SEATS):
        table.add_column(f"seat {seat}")
    table.add_column("taken by")
    table.add_column("points", justify="right")
    for trick in range(len(state["winners"])):
        played = state["played"][SEATS * trick : min(SEATS * (trick + 1), int(state["plays"]))]
        if not len(played):
            break
        complete = trick < state["tricks"]
        cells = [""] * SEATS
        for step, code in enumerate(played):
            seat = (int(state["leaders"][trick]) + step) % SEATS
            shown = card(cards.text(int(code)))
            if complete and seat == state["winners"][trick]:
                shown = f"[bold underline]{shown}[/]"
            cells[seat] = ("▸" if step == 0 else " ") + shown
        end = (f"seat {state['winners'][trick]}", str(state["values"][trick])) if complete else ("", "")
        table.add_row(str(trick + 1), *cells, *end)
    return table
