"""The table in any game, and in games of four seats with tricks.

``step(previous, before, event, state)`` of a game's module describes the table after an event, given the step
before (empty at first). ``about(state, opening)`` has what does not change, from the last state. This module
has both for games without a module of their own: such hands are shown as lists of events.

A step has:

* ``hands``: each seat's cards, two characters each, ``??`` if unknown;
* ``tags``: short notes at each seat, such as its bid;
* ``stop``: whether the arrow keys up and down stop here;
* ``score``: for teams or for seats, see the modules;
* what else lies on the table, depending on the game's ``shape``.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from cardlog.models.trick import SEATS
from cardlog.pipelines.terminal.drawings.parts import BY_SUIT
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.web.texts import _

PACK_CODES: Final = 61
"""The codes of the usual pack are less than this."""


def about(state: Any, opening: dict[str, Any]) -> dict[str, Any]:
    """See the module."""
    return {"shape": "events"}


def step(previous: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    """See the module."""
    return {"hands": [], "tags": [], "stop": False}


def in_mask(mask: int) -> list[str]:
    """The cards in a bit mask."""
    return [cards.text(code) for code in range(PACK_CODES) if int(mask) >> code & 1]


def sorted_hand(held: Iterable[str], orders: Sequence[str] | str) -> str:
    """Cards by suit, high to low; unknown ones last.

    orders
        Ranks from high to low: for all suits, or for each suit of `BY_SUIT`.
    """
    by_suit = dict(zip(BY_SUIT, [orders] * 4 if isinstance(orders, str) else orders, strict=True))
    known = [card for card in held if card != cards.UNKNOWN_TEXT]
    known.sort(key=lambda card: (BY_SUIT.index(card[1]), by_suit[card[1]].index(card[0])))
    hidden = sum(card == cards.UNKNOWN_TEXT for card in held)
    return "".join(known) + cards.UNKNOWN_TEXT * hidden


def dealt_to(state: Any, seat: int) -> bool:
    """Whether a seat has its cards."""
    return bool(int(state["dealt"]) >> seat & 1)


# ---------------------------------------------------------------- games with tricks


def trick_step(previous: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    """The score, and the cards on the table: those of the current trick, or of the last one until the next
    begins.

    trick
        Its number from 0, -1 before the first.
    table
        Seat and card, in playing order.
    taker
        Who has taken it, if it is complete.
    """
    so_far = tricks(state)
    trick = so_far[-1] if so_far else {"cards": [None] * SEATS, "leader": 0, "taker": None}
    order = [(trick["leader"] + index) % SEATS for index in range(SEATS)]
    return {
        "trick": len(so_far) - 1,
        "tricks": int(state["tricks"]),
        "table": [[seat, trick["cards"][seat]] for seat in order if trick["cards"][seat]],
        "taker": trick["taker"],
        "stop": bool(event["action"] == Action.PLAY_CARD and trick["taker"] is not None),
        "trump": trump_of(state),
        "points": [int(points) for points in state["points"]],
        **_match_score(previous, event, state),
    }


def trump_of(state: Any) -> str | None:
    """The letter of the trump suit; None before it is named."""
    return None if state["trump"] < 0 else cards.SUIT_LETTERS[int(state["trump"])]


def names_trump(before: Any, state: Any) -> bool:
    """Whether trump was named between two states."""
    return bool(state["trump"] >= 0 and before["trump"] < 0)


def trick_about(state: Any) -> dict[str, Any]:
    """All tricks."""
    return {"shape": "tricks", "tricks": tricks(state)}


def tricks(state: Any) -> list[dict[str, Any]]:
    """Each trick so far: the leader, each seat's card, who took it and its points."""
    result: list[dict[str, Any]] = []
    plays = int(state["plays"])
    leaders, winners, values = (state[name].tolist() for name in ("leaders", "winners", "values"))
    played = [cards.text(card) for card in state["played"][:plays].tolist()]
    for number in range((plays + SEATS - 1) // SEATS):
        by_seat: list[str | None] = [None] * SEATS
        for index, card in enumerate(played[SEATS * number : SEATS * (number + 1)]):
            by_seat[(leaders[number] + index) % SEATS] = card
        is_complete = number < state["tricks"]
        result.append(
            {
                "cards": by_seat,
                "leader": leaders[number],
                "taker": winners[number] if is_complete else None,
                "points": values[number] if is_complete else None,
            }
        )
    return result


def tags(state: Any, seat: int, has_declarer: bool, bid: str | None) -> list[str]:
    """Short notes at a seat: the dealer, its bid if any, the declarer."""
    dealer = _("dealer") if seat == state["dealer"] else None
    declarer = _("declarer") if has_declarer and seat == state["declarer"] else None
    return list(filter(None, [dealer, bid, declarer]))


def _match_score(previous: dict[str, Any], event: Any, state: Any) -> dict[str, Any]:
    """The score of the match, which is that before the hand until the hand's end, and the score of the hand,
    by team."""
    match = previous["match"] if previous else [int(points) for points in state["before"]]
    if event["action"] == Action.SCORE_MATCH and event["amount"] != NO_AMOUNT and state["in_match"]:
        match = [int(event["amount"]) if team == event["seat"] else match[team] for team in range(2)]
    return {
        "match": match if state["in_match"] else None,
        "score": [int(points) for points in state["score"]] if state["done"] else None,
    }


def held(state: Any, seat: int, hand_cards: int) -> list[str]:
    """The cards a seat holds; unknown ones are `UNKNOWN_TEXT`, at the end.

    hand_cards
        How many cards each seat is dealt.
    """
    if not dealt_to(state, seat):
        return []
    known = in_mask(state["hands"][seat])
    played = sum(trick["cards"][seat] is not None for trick in tricks(state))
    hidden = hand_cards - played - len(known)
    return known + [cards.UNKNOWN_TEXT] * max(0, hidden)
