"""Events as JSON: the columns of cardlog-jsonl, which the journal has, too."""

import json
from functools import lru_cache
from typing import Any, Final

import numpy as np

from cardlog.models.dealing import new_event
from cardlog.models.game import Records
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, CODE, NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME

Line = dict[str, Any]


def line_of(event: Any, details: list[str]) -> Line:
    """The columns of an event that are not null. A detail is an object."""
    action = ACTIONS[int(event["action"])]
    line: Line = {"kind": action.kind, "action": action.name}
    if event["seat"] != NO_SEAT:
        line["seat"] = int(event["seat"])
    if event["count"]:
        line["cards"] = cards.texts(event["cards"][: int(event["count"])])
    if event["suit"] != cards.NO_SUIT:
        line["suit"] = cards.SUIT_LETTERS[int(event["suit"])]
    if event["amount"] != NO_AMOUNT:
        line["amount"] = int(event["amount"])
    if event["detail"] != NO_DETAIL:
        line["detail"] = _parsed(details[int(event["detail"])])
    if event["at"] != NO_TIME:
        line["occurred_at"] = int(event["at"])
    return line


@lru_cache(256)
def _parsed(detail: str) -> Any:
    return json.loads(detail)


def write_event(line: Line, events: Records, index: int, detail: int) -> None:
    """Write an event at an index. detail: the index of its detail's text, if it has one."""
    new_event(events, index, CODE[line["kind"], line["action"]], line.get("seat", NO_SEAT))
    event = events[index]
    codes = cards.codes(line.get("cards", ""))
    event["count"] = len(codes)
    event["cards"][: len(codes)] = np.array(codes, np.uint8)
    if "suit" in line:
        event["suit"] = cards.SUIT_LETTERS.index(line["suit"])
    event["amount"] = line.get("amount", NO_AMOUNT)
    event["detail"] = detail if "detail" in line else NO_DETAIL
    event["at"] = line.get("occurred_at", NO_TIME)


dumped: Final = json.JSONEncoder(separators=(",", ":")).encode
"""Compact JSON of a value."""


def plain(records: Records) -> Records:
    """The same records without attributes, whose fields Python gets sooner."""
    return records.view(np.dtype((np.void, records.dtype)))
