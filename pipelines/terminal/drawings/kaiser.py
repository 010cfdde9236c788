"""A Kaiser hand: the four hands by suit, the bidding, the tricks and the result."""

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.legal import bid_text
from cardlog.models.kaiser.state import GAME_POINTS, NO_BID, PASSED
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts as shared
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT


def draw(batch: Batch, state: Any) -> RenderableType:
    """Draw the only hand of a batch, given its final state."""
    opening = shared.opening(batch)
    number = int(batch.events[0]["amount"])
    words = [] if number == NO_AMOUNT else [f"no. {number}"]
    parts: list[RenderableType] = [
        shared.title("Kaiser", batch, state, *words, *shared.began(batch)),
        _agreed(opening["settings"]),
        shared.dealt(state, opening["players"]),
        _bidding(state),
    ]
    if state["plays"]:
        parts.append(shared.tricks(state))
    parts.append(result(state, opening))
    return Group(*parts)


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


def _bidding(state: Any) -> Text:
    text = shared.bidding(state, NO_BID, _said)
    if 0 <= state["trump"] < cards.NO_TRUMP:
        text += f" → seat {state['declarer']} names {shared.SYMBOLS[cards.SUITS[int(state['trump'])]]}"
    return Text.from_markup(text)


def _said(rank: int) -> str:
    return "pass" if rank == PASSED else f"[bold]{rank >> 1}{' no trump' if rank & 1 else ''}[/]"


def result(state: Any, opening: dict[str, Any]) -> Text:
    """What was bid, and what came of it."""
    if not state["done"]:
        return shared.UNFINISHED
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
