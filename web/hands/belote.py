"""Belote: who names trump, declarations on the table, bela; trumps are sorted by their own order."""

from typing import Any, Final

from cardlog.models.belote import rules as belote
from cardlog.models.belote.score import HAND_POINTS, PLAIN_ORDER, TRUMP_ORDER
from cardlog.models.belote.state import NOBODY, PASSED
from cardlog.models.trick import SEATS
from cardlog.pipelines.terminal.drawings.parts import BY_SUIT
from cardlog.web.hands import table
from cardlog.web.texts import _

HAND_CARDS: Final = 8


def about(state: Any, opening: dict[str, Any]) -> dict[str, Any]:
    """See `cardlog.web.hands.table`."""
    return {**table.trick_about(state), "unit": _("of %(points)s, with declarations", points=HAND_POINTS)}


def step(previous: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    """See `cardlog.web.hands.table`."""
    trump = table.trump_of(state)
    orders = [(TRUMP_ORDER if suit == trump else PLAIN_ORDER)[::-1] for suit in BY_SUIT]
    common = table.trick_step(previous, before, event, state)
    return {
        **common,
        "stop": common["stop"] or table.names_trump(before, state),
        "hands": [table.sorted_hand(table.held(state, seat, HAND_CARDS), orders) for seat in range(SEATS)],
        "tags": [_tags(state, seat) for seat in range(SEATS)],
        "melds": [_declarations(state, seat) for seat in range(SEATS)] if state["plays"] <= SEATS else None,
        "points": [int(belote.taken(state, team)) for team in range(2)],
    }


def _declarations(state: Any, seat: int) -> str:
    """The cards of the declarations that a seat has shown."""
    masks = [int(state["shown"][seat, number]) for number in range(int(state["shown_count"][seat]))]
    return "".join(card for mask in masks for card in table.in_mask(mask))


def _tags(state: Any, seat: int) -> list[str]:
    bid = _("pass") if state["bids"][seat] == PASSED else None
    tags = table.tags(state, seat, state["trump"] >= 0, bid)
    return [*tags, _("bela")] if state["bela"] != NOBODY and seat == state["bela"] else tags
