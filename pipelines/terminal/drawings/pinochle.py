"""A Pinochle hand: the four hands by suit, the bidding, the melds, the tricks and the result."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from cardlog.models.pinochle.cards import RANKS, spread
from cardlog.models.pinochle.state import MELDING, MOST_SHOWN, NAMING, NO_BID, PASSED, TRICKS
from cardlog.models.trick import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts
from cardlog.schemas import cards
from cardlog.schemas.events import NO_DETAIL, Action


def draw(batch: Batch, state: Any, opening: dict[str, Any]) -> Iterator[Any]:
    """The parts of a drawing."""
    before = [f"score before {state['before'][0]} : {state['before'][1]}"] if state["in_match"] else []
    yield [f"rules {opening['settings']['dialect']}", *before]
    yield parts.dealt(state, opening["players"], RANKS)
    yield parts.bidding(state, NO_BID, _bid_words) + _named(state)
    if state["melded"]:
        yield "Meld: " + " · ".join(_melds(state))
    yield from parts.tricks(state)
    refused = _refused(batch)
    if refused:
        yield f"[dim]Refused before a card was taken: {refused}[/]"


def _named(state: Any) -> str:
    """The result of the bidding."""
    text = f" → seat {state['declarer']} for {state['high_bid']}" if state["phase"] >= NAMING else ""
    trump = "no trump" if state["trump"] < 0 else parts.SYMBOLS[cards.SUITS[int(state["trump"])]]
    if state["thrown_in"]:
        played_on = "" if state["throw_in_ends_hand"] else f", played on with {trump}"
        return f"{text}, [yellow]thrown in[/]{played_on}"
    return f"{text}, names {trump}" if state["phase"] >= MELDING else text


def _bid_words(bid: int) -> str:
    return "pass" if bid == PASSED else f"[bold]{bid}[/]"


def _melds(state: Any) -> Iterator[str]:
    """The melds shown by each seat, and their points."""
    for seat in range(SEATS):
        if state["melded"] >> seat & 1:
            codes = np.zeros(2 * MOST_SHOWN, np.uint8)
            count = spread(state["meld_firsts"][seat], state["meld_seconds"][seat], codes)
            shown = " ".join(parts.card(cards.text(int(code))) for code in codes[:count])
            yield f"seat {seat} [bold]{state['meld_points'][seat]}[/]" + (f" ({shown})" if shown else "")


def _refused(batch: Batch) -> str:
    """Cards from the client that the server refused."""
    refused = []
    for event in batch.events[1:]:
        if event["action"] == Action.PLAY_CARD and event["detail"] != NO_DETAIL:
            refused += json.loads(batch.details[int(event["detail"])]).get("refused", [])
    return " ".join(map(parts.card, refused))


def sentence(state: Any, opening: dict[str, Any]) -> str:
    """The bid and its result."""
    team, score = int(state["declarer"]) & 1, state["score"]
    bid = f"bid {state['high_bid']} and"
    if state["tricks"] < TRICKS:
        return f"Seats {team} and {team + 2} {bid} gave the hand up: {score[team]:+d}."
    melds, points = state["meld_points"], state["points"]
    taken = [f"had {melds[side] + melds[side + 2]} meld and {points[side]} counters" for side in range(2)]
    return parts.result(state, f"{bid} {taken[team]}", parts.MADE[bool(score[team] > 0)], taken[1 - team])
