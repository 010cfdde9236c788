"""The events of a stored hand in words, for second opinions on it, which share no code with the rules."""

import json
from typing import Any, NamedTuple

from cardlog.pipelines.events.batch import Batch
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_DETAIL


class Illegal(Exception):
    """A hand breaks the rules."""


def need(condition: Any, what: str = "") -> None:
    if not condition:
        raise Illegal(what)


class Step(NamedTuple):
    """An event, as ``play card``; amount and suit are None where there is none."""

    what: str
    seat: int
    cards: list[str]
    amount: int | None
    suit: str | None
    has_detail: bool


def steps(events: Any) -> list[Step]:
    return [
        Step(
            f"{ACTIONS[one['action']].kind} {ACTIONS[one['action']].name}",
            int(one["seat"]),
            [cards.text(int(code)) for code in one["cards"][: one["count"]]],
            None if one["amount"] == NO_AMOUNT else int(one["amount"]),
            None if one["suit"] < 0 else cards.SUIT_LETTERS[one["suit"]],
            bool(one["detail"] != NO_DETAIL),
        )
        for one in events
    ]


def events_of(batch: Batch, hand: int) -> Any:
    return batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]


def opening_of(batch: Batch, hand: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(batch.details[int(events_of(batch, hand)["detail"][0])])
    return found
