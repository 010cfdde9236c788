"""A Pinochle hand: the four hands by suit, the bidding, the melds, the tricks and the result."""

import json
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from cardlog.models.pinochle.cards import RANKS, spread
from cardlog.models.pinochle.state import MELDING, MOST_SHOWN, NAMING, NO_BID, PASSED, TRICKS
from cardlog.models.trick import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts as shared
from cardlog.schemas import cards
from cardlog.schemas.events import NO_DETAIL, Action


def draw(batch: Batch, state: Any) -> RenderableType:
    """Draw the only hand of a batch, given its final state."""
    opening = shared.opening(batch)
    words = [f"rules {opening['settings']['dialect']}"]
    if state["in_match"]:
        words.append(f"score before {state['before'][0]} : {state['before'][1]}")
    parts: list[RenderableType] = [
        shared.title("Pinochle", batch, state, *words),
        shared.dealt(state, opening["players"], RANKS),
        _bidding(state),
    ]
    if state["melded"]:
        parts.append(_melds(state))
    if state["plays"]:
        parts.append(shared.tricks(state))
    refused = _refused(batch)
    if refused:
        parts.append(Text.from_markup(f"[dim]Refused before a card was taken: {refused}[/]"))
    parts.append(result(state, opening))
    return Group(*parts)


def _bidding(state: Any) -> Text:
    text = shared.bidding(state, NO_BID, _said)
    if state["phase"] >= NAMING:
        text += f" → seat {state['declarer']} for {state['high_bid']}"
    trump = "no trump" if state["trump"] < 0 else shared.SYMBOLS[cards.SUITS[int(state["trump"])]]
    if state["thrown_in"]:
        text += ", [yellow]thrown in[/]"
        if not state["throw_in_ends_hand"]:
            text += f", played on with {trump}"
    elif state["phase"] >= MELDING:
        text += f", names {trump}"
    return Text.from_markup(text)


def _said(bid: int) -> str:
    return "pass" if bid == PASSED else f"[bold]{bid}[/]"


def _melds(state: Any) -> Text:
    """The melds shown by each seat, and their points."""
    words = []
    for seat in range(SEATS):
        if state["melded"] >> seat & 1:
            codes = np.zeros(2 * MOST_SHOWN, np.uint8)
            count = spread(state["meld_firsts"][seat], state["meld_seconds"][seat], codes)
            shown = " ".join(shared.card(cards.text(int(code))) for code in codes[:count])
            words.append(
                f"seat {seat} [bold]{state['meld_points'][seat]}[/]" + (f" ({shown})" if shown else "")
            )
    return Text.from_markup("Meld: " + " · ".join(words))


def _refused(batch: Batch) -> str:
    """Cards from the client that the server refused."""
    found = []
    for event in batch.events[1:]:
        if event["action"] == Action.PLAY_CARD and event["detail"] != NO_DETAIL:
            found += json.loads(batch.details[int(event["detail"])]).get("refused", [])
    return " ".join(map(shared.card, found))


def result(state: Any, opening: dict[str, Any]) -> Text:
    """What was bid, and what came of it."""
    if not state["done"]:
        return shared.UNFINISHED
    team = int(state["declarer"]) & 1
    bid, score = int(state["high_bid"]), [int(side) for side in state["score"]]
    if state["tricks"] < TRICKS:
        return Text.from_markup(
            f"Seats {team} and {team + 2} bid {bid} and gave the hand up: {score[team]:+d}."
        )
    melds, points = state["meld_points"], state["points"]
    sides = [
        f"{int(melds[side]) + int(melds[side + 2])} meld and {points[side]} counters" for side in range(2)
    ]
    made = "[green]made[/]" if score[team] > 0 else "[red]lost[/]"
    return Text.from_markup(
        f"Seats {team} and {team + 2} bid {bid} and had {sides[team]}: {made}, {score[team]:+d}. "
        f"Seats {1 - team} and {3 - team} had {sides[1 - team]}: {score[1 - team]:+d}."
    )
