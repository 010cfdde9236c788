"""What the table looks like in any game, and in games of four seats with tricks.

``step(last, before, event, state)`` of a game's module describes the state after an event, given what it made
of the event before (empty at first). ``about(state, opening)`` has what does not change, from the last state.
This module has both for games without a module of their own: such hands are shown as a list of events.

A step has:

* ``hands``: each seat's cards, two characters each, ``??`` if not known;
* ``tags``: short notes at each seat, such as its bid;
* ``stop``: whether the arrow keys up and down stop here;
* ``score``: for teams or for seats, see the modules;
* what else lies on the table, by the game's ``shape``.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from cardlog.models.trick import SEATS
from cardlog.pipelines.terminal.drawings.parts import BY_SUIT
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.web.texts import _

PACK_CODES: Final = 61
"""The codes of the usual pack are below."""


def about(state: Any, opening: dict[str, Any]) -> dict[str, Any]:
    """See the module."""
    return {"shape": "events"}


def step(last: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    """See the module."""
    return {"hands": [], "tags": [], "stop": False}


def in_mask(mask: int) -> list[str]:
    """The cards of a mask."""
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


def trick_step(last: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    """The score, and the cards on the table: those of the trick, or of the last one until the next begins.

    trick
        Its number from 0, -1 before the first.
    table
        Seat and card, in playing order.
    taker
        Who has taken it, if it is whole.
    """
    made = tricks(state)
    row = made[-1] if made else {"cards": [None] * SEATS, "leader": 0, "taker": None}
    order = [(row["leader"] + index) % SEATS for index in range(SEATS)]
    return {
        "trick": len(made) - 1,
        "tricks": int(state["tricks"]),
        "table": [[seat, row["cards"][seat]] for seat in order if row["cards"][seat]],
        "taker": row["taker"],
        "stop": bool(event["action"] == Action.PLAY_CARD and row["taker"] is not None),
        "trump": trump_of(state),
        "points": [int(points) for points in state["points"]],
        **_match_score(last, event, state),
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
    """Each trick so far: who led, each seat's card, who took it and what it was worth."""
    found: list[dict[str, Any]] = []
    plays = int(state["plays"])
    leaders, winners, values = (state[name].tolist() for name in ("leaders", "winners", "values"))
    played = [cards.text(card) for card in state["played"][:plays].tolist()]
    for number in range((plays + SEATS - 1) // SEATS):
        row: list[str | None] = [None] * SEATS
        for index, card in enumerate(played[SEATS * number : SEATS * (number + 1)]):
            row[(leaders[number] + index) % SEATS] = card
        whole = number < state["tricks"]
        found.append(
            {
                "cards": row,
                "leader": leaders[number],
                "taker": winners[number] if whole else None,
                "points": values[number] if whole else None,
            }
        )
    return found


def tags(state: Any, seat: int, is_declarer: bool, *said: str | None) -> list[str]:
    """Short notes at a seat: the dealer, what it said if anything, the declarer."""
    found = [_("dealer") if seat == state["dealer"] else None, *said]
    return list(filter(None, [*found, _("declarer") if is_declarer and seat == state["declarer"] else None]))


def _match_score(last: dict[str, Any], event: Any, state: Any) -> dict[str, Any]:
    """The score of the match, before the hand and at its end after it, and that of the hand, by team."""
    match = last["match"] if last else [int(points) for points in state["before"]]
    if event["action"] == Action.SCORE_MATCH and event["amount"] != NO_AMOUNT and state["in_match"]:
        match = [int(event["amount"]) if team == event["seat"] else match[team] for team in range(2)]
    return {
        "match": match if state["in_match"] else None,
        "score": [int(points) for points in state["score"]] if state["done"] else None,
    }


def held(state: Any, seat: int, hand_cards: int) -> list[str]:
    """The cards a seat holds; those that are not known are `UNKNOWN_TEXT`, the last ones.

    hand_cards
        How many a seat is dealt.
    """
    if not dealt_to(state, seat):
        return []
    known = in_mask(state["hands"][seat])
    played = sum(trick["cards"][seat] is not None for trick in tricks(state))
    hidden = hand_cards - played - len(known)
    return known + [cards.UNKNOWN_TEXT] * max(0, hidden)
