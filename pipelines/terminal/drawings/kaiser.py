"""A Kaiser hand: the four hands by suit, the bidding, the tricks and the result."""

from collections.abc import Iterator
from typing import Any

from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.legal import bid_text
from cardlog.models.kaiser.state import GAME_POINTS, NO_BID, PASSED
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT


def draw(batch: Batch, state: Any, opening: dict[str, Any]) -> Iterator[Any]:
    """The parts of a drawing."""
    number = int(batch.events[0]["amount"])
    yield [*([] if number == NO_AMOUNT else [f"no. {number}"]), *parts.began(batch)]
    yield _agreed(opening["settings"])
    yield parts.dealt(state, opening["players"])
    named = ""
    if 0 <= state["trump"] < cards.NO_TRUMP:
        named = f" → seat {state['declarer']} names {parts.SYMBOLS[cards.SUITS[int(state['trump'])]]}"
    yield parts.bidding(state, NO_BID, _bid_words) + named
    yield from parts.tricks(state)


def _agreed(settings: dict[str, Any]) -> str:
    game = f"game at {GAME_POINTS}"
    if settings["no_trump_bid_out"] != GAME_POINTS:
        game += f", at {settings['no_trump_bid_out']} once no trump was bid"
    passing = "two cards passed" if settings["pass_cards"] else "no passing"
    lost = [f"lost at {kaiser.OUT_POINTS}"] if settings["game_over_at_minus_52"] else []
    return parts.agreed(f"bids from {settings['min_bid']}", passing, game, *lost)


def _bid_words(rank: int) -> str:
    return "pass" if rank == PASSED else f"[bold]{rank >> 1}{' no trump' if rank & 1 else ''}[/]"


def sentence(state: Any, opening: dict[str, Any]) -> str:
    """The bid and its result."""
    declarer, points = int(state["declarer"]), state["points"]
    team, bid = declarer & 1, int(state["bids"][declarer])
    did = f"bid {bid_text(bid)} and took {points[team]}"
    return parts.result(state, did, parts.MADE[bool(points[team] >= bid >> 1)], f"took {points[1 - team]}")
