"""Ruter Sju: the suits laid out from their middle cards, who holds the block, who is out."""

from typing import Any

from cardlog.models.ruter_sju.state import CARD_OF, RANK_LETTERS, SUIT_LETTERS
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.web.texts import _

_ACTS = Action.PLAY_CARD, Action.PLAY_BLOCK, Action.PLAY_BLOCKED, Action.PLAY_PASS


def about(state: Any, opening: dict[str, Any]) -> dict[str, Any]:
    """See `cardlog.web.hands.table`."""
    return {
        "shape": "layout",
        "suits": SUIT_LETTERS[: int(state["suits"])],
        "ranks": RANK_LETTERS[: int(state["ranks"])],
        "centre": int(state["centre"]) - 1,
    }


def step(previous: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    """See `cardlog.web.hands.table`.

    layout
        For each suit, a mask of the ranks that lie on the table.
    last
        The card laid by this event.
    lap, from_first
        Number of the lap, and how many seats this one is after the one that began.
    """
    seats = int(state["seats"])
    is_act = event["action"] in _ACTS
    first = previous.get("first")
    if is_act and first is None:
        first = int(event["seat"])
    lap, distance = previous.get("lap", 0), previous.get("from_first", -1)
    begins_lap = False
    if is_act and first is not None and not before["again"]:
        new_distance = (int(event["seat"]) - first) % seats
        begins_lap = new_distance <= distance or distance < 0
        lap, distance = lap + begins_lap, new_distance
    is_card = event["action"] == Action.PLAY_CARD
    return {
        "layout": [int(mask) for mask in state["placed"][: int(state["suits"])]],
        "last": cards.text(int(event["cards"][0])) if is_card else None,
        "first": first,
        "lap": lap,
        "from_first": distance,
        "stop": begins_lap,
        "block": int(state["holder"]) if state["holder"] >= 0 else None,
        "hands": [_held(state, seat) for seat in range(seats)],
        "tags": [_tags(state, seat) for seat in range(seats)],
        "places": [int(place) or None for place in state["places"][:seats]],
    }


def _held(state: Any, seat: int) -> str:
    if not int(state["dealt"]) >> seat & 1:
        return ""
    if int(state["hidden"]) >> seat & 1:
        return cards.UNKNOWN_TEXT * int(state["left"][seat])
    return "".join(
        cards.text(int(CARD_OF[suit, number]))
        for suit in range(int(state["suits"]))
        for number in range(1, int(state["ranks"]) + 1)
        if int(state["hands"][seat, suit]) >> (number - 1) & 1
    )


def _tags(state: Any, seat: int) -> list[str]:
    tags = [_("has the block")] if seat == state["holder"] else []
    place = int(state["places"][seat])
    return [*tags, _("out, place %(place)s", place=place)] if place else tags
