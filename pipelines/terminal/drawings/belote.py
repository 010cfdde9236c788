"""A belote hand: the four hands by suit, the bidding, the declarations, the tricks and the result."""

from collections.abc import Iterator
from typing import Any

from cardlog.models.belote import rules as belote
from cardlog.models.belote.legal import bid_text
from cardlog.models.belote.score import TRICKS
from cardlog.models.belote.state import NOBODY, NOT_SPOKEN, PASSED
from cardlog.models.trick import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts
from cardlog.schemas import cards


def draw(batch: Batch, state: Any, opening: dict[str, Any]) -> Iterator[Any]:
    """The parts of a drawing."""
    yield []
    words = [f"rules of {opening['settings']['dialect']}"]
    if batch.match_of[0] >= 0:
        words.append(f"match {batch.matches[batch.match_of[0]]}, hand {batch.hand_nos[0]}")
    if "match" in opening:
        words.append("{} : {} before".format(*opening["match"]["score"]))
    yield parts.agreed(*words)
    yield parts.dealt(state, opening["players"])
    yield parts.bidding(state, NOT_SPOKEN, _bid_words)
    melds = [*_melds(state)]
    if melds:
        yield "Declarations: " + " · ".join(melds)
    yield from parts.tricks(state)


def _bid_words(bid: int) -> str:
    return "pass" if bid == PASSED else f"names {parts.SYMBOLS[bid_text(bid)]}"


def _melds(state: Any) -> Iterator[str]:
    for seat in range(SEATS):
        for mask in map(int, state["shown"][seat, : int(state["shown_count"][seat])]):
            shown = [parts.card(cards.text(code)) for code in range(61) if mask >> code & 1]
            yield f"seat {seat} shows {' '.join(shown)}"
    if state["bela"] != NOBODY:
        yield f"seat {state['bela']} says bela"


def sentence(state: Any, opening: dict[str, Any]) -> str:
    """The bid and its result."""
    team = int(state["declarer"]) & 1
    points = [belote.taken(state, side) for side in range(2)]
    did = f"needed {state['needed']} of {state['hand_value']} and have {points[team]}"
    end = "all tricks" if state["tricks_won"].max() == TRICKS else parts.MADE[not state["failed"]]
    return parts.result(state, did, end, f"have {points[1 - team]}")
