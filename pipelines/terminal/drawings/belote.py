"""A belote hand: the four hands by suit, the bidding, the declarations, the tricks and the result."""

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from cardlog.models.belote import rules as belote
from cardlog.models.belote.legal import bid_text
from cardlog.models.belote.score import TRICKS
from cardlog.models.belote.state import NOBODY, NOT_SPOKEN, PASSED
from cardlog.models.trick import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts as shared
from cardlog.schemas import cards


def draw(batch: Batch, state: Any) -> RenderableType:
    """Draw the only hand of a batch, given its final state."""
    opening = shared.opening(batch)
    parts: list[RenderableType] = [
        shared.title("Belote", batch, state),
        _agreed(batch, opening),
        shared.dealt(state, opening["players"]),
        Text.from_markup(shared.bidding(state, NOT_SPOKEN, _said)),
    ]
    if state["shown_count"].any() or state["bela"] != NOBODY:
        parts.append(_melds(state))
    if state["plays"]:
        parts.append(shared.tricks(state))
    parts.append(result(state, opening))
    return Group(*parts)


def _agreed(batch: Batch, opening: dict[str, Any]) -> Text:
    words = [f"rules of {opening['settings']['dialect']}"]
    if batch.match_of[0] >= 0:
        words.append(f"match {batch.matches[batch.match_of[0]]}, hand {batch.hand_nos[0]}")
    if "match" in opening:
        words.append("{} : {} before".format(*opening["match"]["score"]))
    return Text(" · ".join(words), style="dim")


def _said(bid: int) -> str:
    return "pass" if bid == PASSED else f"names {shared.SYMBOLS[bid_text(bid)]}"


def _melds(state: Any) -> Text:
    words = []
    for seat in range(SEATS):
        for number in range(int(state["shown_count"][seat])):
            mask = int(state["shown"][seat, number])
            shown = [shared.card(cards.text(code)) for code in range(61) if mask >> code & 1]
            words.append(f"seat {seat} shows {' '.join(shown)}")
    if state["bela"] != NOBODY:
        words.append(f"seat {state['bela']} says bela")
    return Text.from_markup("Declarations: " + " · ".join(words))


def result(state: Any, opening: dict[str, Any]) -> Text:
    """What was bid, and what came of it."""
    if not state["done"]:
        return shared.UNFINISHED
    team = int(state["declarer"]) & 1
    if state["tricks_won"].max() == TRICKS:
        end = "all tricks"
    else:
        end = "[red]lost[/]" if state["failed"] else "[green]made[/]"
    has = [belote.taken(state, side) for side in range(2)]
    score = state["score"]
    return Text.from_markup(
        f"Seats {team} and {team + 2} needed {state['needed']} of {state['hand_value']} and have "
        f"{has[team]}: {end}, {score[team]:+d}. Seats {1 - team} and {3 - team} have {has[1 - team]}: "
        f"{score[1 - team]:+d}."
    )
