"""What the drawings of several games share: cards, the deal, the bidding, tricks; in rich's markup."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, Final, cast

from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text

from cardlog import models
from cardlog.models.trick import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.visible import one_line
from cardlog.schemas import cards
from cardlog.schemas.cards import SUITS
from cardlog.schemas.events import NO_TIME

SYMBOLS: Final = dict(zip(SUITS + "N", ("♣", "[red]♦[/]", "[red]♥[/]", "♠", "no trump"), strict=True))
BY_SUIT: Final = "SHCD"
"""Suits in the order of columns: black and red in turn."""
UNFINISHED: Final = "[yellow]The record of this hand ends here.[/]"
"""The result of a hand that was broken off."""
MADE: Final = {True: "[green]made[/]", False: "[red]lost[/]"}


def opening(batch: Batch) -> dict[str, Any]:
    """The opening of a batch's only hand, with its texts escaped for display."""
    detail = json.loads(batch.details[int(batch.events["detail"][0])])
    return cast(dict[str, Any], escaped(detail))


def escaped(value: Any) -> Any:
    """A JSON value with all texts in it escaped for display."""
    if isinstance(value, dict):
        return {name: escaped(item) for name, item in value.items()}
    if isinstance(value, list):
        return [escaped(item) for item in value]
    return one_line(value) if isinstance(value, str) else value


def table(*columns: str | Column) -> Table:
    """An empty table without lines."""
    return Table(*columns, box=None, padding=(0, 2, 0, 0), pad_edge=False)


def numbers(name: str) -> Column:
    """A column of numbers."""
    return Column(name, justify="right")


def card(text: str) -> str:
    """A card with its suit's symbol: ``[red]5♥[/]``."""
    return suited("10" if text[0] == "T" else text[0], text[1])


def suited(rank: str, suit: str) -> str:
    """A rank with the symbol of its suit, or with the letter of one that has none."""
    symbol = SYMBOLS.get(suit, f"/{suit}")
    return f"[red]{rank}{symbol[5:]}" if symbol.startswith("[red]") else rank + symbol


def title(batch: Batch, state: Any, words: list[str]) -> str:
    """The first line: the game, the id, the game's own words, and whether the hand is complete."""
    game = f"[bold]{models.game(batch.game).title}[/] hand [cyan]{batch.hand_ids[0].decode()}[/]"
    return "  ·  ".join([game, *words, "complete" if state["done"] else "[yellow]broken off[/]"])


def agreed(*words: str) -> str:
    """The line with the settings of the hand."""
    return f"[dim]{escape(' · '.join(words))}[/]"


def began(batch: Batch) -> list[str]:
    """When the hand began, for its title; empty if unknown."""
    microseconds = int(batch.events[0]["at"])
    if microseconds == NO_TIME:
        return []
    return [f"{datetime(1970, 1, 1) + timedelta(microseconds=microseconds):%Y-%m-%d %H:%M:%S} UTC"]


def dealt(state: Any, players: list[dict[str, Any]], ranks: str = cards.RANKS[::-1]) -> Table:
    """The cards dealt to each of four seats, by suit, and the number never shown; `ranks` is the game's
    order, from high to low."""
    rows = table("", "player", *(SYMBOLS[suit] for suit in BY_SUIT), "")
    for seat, player in enumerate(players):
        codes = state["dealt_cards"][seat] if state["dealt"] >> seat & 1 else []
        held = [cards.text(int(code)) for code in codes]
        hidden = held.count(cards.UNKNOWN_TEXT)
        name = player.get("name") or player.get("kind") or ""
        mark = " (dealer)" if seat == state["dealer"] else ""
        suits = [_ranks(held, suit, ranks) for suit in BY_SUIT]
        rest = f"[dim]{hidden} not shown[/]" if hidden else ""
        rows.add_row(f"seat {seat}", Text(f"{name}{mark}"), *suits, rest)
    return rows


def _ranks(held: list[str], suit: str, ranks: str) -> str:
    of_suit = sorted((card[0] for card in held if card[1] == suit), key=ranks.index)
    return " ".join(of_suit).replace("T", "10") or "–"


def bidding(state: Any, silent: int, text_of: Callable[[int], str]) -> str:
    """The bids of four seats in turn, from the one after the dealer: `text_of` describes a bid, and `silent`
    is the value of a seat that has not bid."""
    order = [(int(state["dealer"]) + step) % SEATS for step in range(1, SEATS + 1)]
    bids = [(seat, int(state["bids"][seat])) for seat in order]
    words = [f"seat {seat} {text_of(bid)}" for seat, bid in bids if bid != silent]
    return "Bidding: " + (" · ".join(words) or "none")


def tricks(state: Any) -> Iterator[Table]:
    """The tricks of a four-seat game, one line each: who played what, who led (▸), who took it (bold), its
    points; nothing before the first card. `cardlog.pipelines.derive.projections.tricks` has the layout of the
    state."""
    if not state["plays"]:
        return
    rows = table(numbers("trick"), *(f"seat {seat}" for seat in range(SEATS)), "taken by", numbers("points"))
    for first in range(0, int(state["plays"]), SEATS):
        trick, cells = first // SEATS, [""] * SEATS
        complete = trick < state["tricks"]
        for step, code in enumerate(state["played"][first : min(first + SEATS, int(state["plays"]))]):
            seat = (int(state["leaders"][trick]) + step) % SEATS
            shown = card(cards.text(int(code)))
            if complete and seat == state["winners"][trick]:
                shown = f"[bold underline]{shown}[/]"
            cells[seat] = ("▸" if step == 0 else " ") + shown
        end = (f"seat {state['winners'][trick]}", str(state["values"][trick])) if complete else ("", "")
        rows.add_row(str(trick + 1), *cells, *end)
    yield rows


def result(state: Any, did: str, end: str, others: str) -> str:
    """What both teams did and scored, the declarer's first."""
    team, score = int(state["declarer"]) & 1, state["score"]
    return (
        f"Seats {team} and {team + 2} {did}: {end}, {score[team]:+d}. "
        f"Seats {1 - team} and {3 - team} {others}: {score[1 - team]:+d}."
    )
