"""A Kaiser hand: the four hands by suit, the bidding, the tricks and the result."""

from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.legal import bid_text
from cardlog.models.kaiser.state import GAME_POINTS, NO_BID, PASSED, SEATS
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.terminal import drawings
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_TIME


def draw(batch: Batch, state: Any) -> RenderableType:
    """Draw the only hand of a batch, given its final state."""
    opening = drawings.opening(batch)
    parts: list[RenderableType] = [_title(batch, state), _agreed(opening["settings"])]
    parts += [_hands(state, opening["players"]), _bidding(state)]
    if state["plays"]:
        parts.append(drawings.tricks(state))
    parts.append(result(state, opening))
    return Group(*parts)


def _title(batch: Batch, state: Any) -> Text:
    first = batch.events[0]
    words = [f"[bold]Kaiser[/] hand [cyan]{batch.hand_ids[0].decode()}[/]"]
    if first["amount"] != NO_AMOUNT:
        words.append(f"no. {first['amount']}")
    if first["at"] != NO_TIME:
        second = np.datetime64(int(first["at"]), "us").astype("datetime64[s]")
        words.append(str(second).replace("T", " ") + " UTC")
    words.append("complete" if state["done"] else "[yellow]broken off[/]")
    return Text.from_markup("  ·  ".join(words))


def _agreed(settings: dict[str, Any]) -> Text:
    words = [
        f"bids from {settings['min_bid']}",
        "two cards passed" if settings["pass_cards"] else "no passing",
    ]
    words.append(f"game at {GAME_POINTS}")
    if settings["no_trump_bid_out"] != GAME_POINTS:
        words[-1] += f", at {settings['no_trump_bid_out']} once no trump was bid"
    if settings["game_over_at_minus_52"]:
        words.append(f"lost at {kaiser.OUT_POINTS}")
    return Text(" · ".join(words), style="dim")


def _hands(state: Any, players: list[dict[str, Any]]) -> Table:
    """Who held what, sorted by suit."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("", "player", "♠", "[red]♥[/]", "♣", "[red]♦[/]"):
        table.add_column(name)
    for seat in range(SEATS):
        held = [int(card) for card in state["dealt_cards"][seat]] if state["dealt"] >> seat & 1 else []
        name = players[seat].get("name") or players[seat].get("kind") or ""
        mark = " (dealer)" if seat == state["dealer"] else ""
        suits = [_ranks(held, suit) for suit in (3, 2, 0, 1)]
        table.add_row(f"seat {seat}", Text(f"{name}{mark}"), *suits)
    return table


def _ranks(held: list[int], suit: int) -> str:
    of_suit = sorted((card for card in held if card >> 4 == suit), reverse=True)
    return " ".join(cards.text(card)[0].replace("T", "10") for card in of_suit) or "–"


def _bidding(state: Any) -> Text:
    words = []
    for step in range(1, SEATS + 1):
        seat = (int(state["dealer"]) + step) % SEATS
        rank = int(state["bids"][seat])
        if rank == NO_BID:
            break
        bid = "pass" if rank == PASSED else f"[bold]{rank >> 1}{' no trump' if rank & 1 else ''}[/]"
        words.append(f"seat {seat} {bid}")
    text = "Bidding: " + (" · ".join(words) or "none")
    if 0 <= state["trump"] < cards.NO_TRUMP:
        text += f" → seat {state['declarer']} names {drawings.SYMBOLS[cards.SUITS[int(state['trump'])]]}"
    return Text.from_markup(text)


def result(state: Any, opening: dict[str, Any]) -> Text:
    """What was bid, and what came of it."""
    if not state["done"]:
        return Text.from_markup("[yellow]The record of this hand ends here.[/]")
    team = int(state["declarer"]) & 1
    bid = bid_text(int(state["bids"][int(state["declarer"])]))
    points, score = state["points"], state["score"]
    made = (
        "[green]made[/]"
        if points[team] >= int(state["bids"][int(state["declarer"])]) >> 1
        else "[red]lost[/]"
    )
    return Text.from_markup(
        f"Seats {team} and {team + 2} bid {bid} and took {points[team]}: {made}, {score[team]:+d}. "
        f"Seats {1 - team} and {3 - team} took {points[1 - team]}: {score[1 - team]:+d}."
    )
