"""Events as JSON for the journal, with the columns of cardlog-jsonl."""

from typing import Any

import msgspec
import numpy as np

from cardlog.models.engine.dealing import new_event
from cardlog.models.engine.game import Records
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, CODE, NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME


class Line(msgspec.Struct, omit_defaults=True):
    """An event. Defaults are null."""

    kind: str
    action: str
    seat: int = NO_SEAT
    cards: str = ""
    suit: str = ""
    amount: int = NO_AMOUNT
    detail: dict[str, Any] | None = None
    occurred_at: int = NO_TIME


def lines_of(events: Records, details: list[str]) -> list[dict[str, Any]]:
    """Events with their details, as plain values for JSON."""
    lines: list[dict[str, Any]] = msgspec.to_builtins([_line(event, details) for event in plain(events)])
    return lines


def _line(event: Any, details: list[str]) -> Line:
    action, suit, detail = ACTIONS[int(event["action"])], int(event["suit"]), int(event["detail"])
    return Line(
        action.kind,
        action.name,
        int(event["seat"]),
        cards.texts(event["cards"][: int(event["count"])]),
        "" if suit == cards.NO_SUIT else cards.SUIT_LETTERS[suit],
        int(event["amount"]),
        None if detail == NO_DETAIL else msgspec.json.decode(details[detail]),
        int(event["at"]),
    )


def write_event(line: Line, events: Records, index: int, detail: int) -> None:
    """Write an event at an index; `detail` is the index of its detail's text, if it has one."""
    new_event(events, index, CODE[line.kind, line.action], line.seat)
    event = events[index]
    codes = cards.codes(line.cards)
    event["count"] = len(codes)
    event["cards"][: len(codes)] = np.array(codes, np.uint8)
    if line.suit:
        event["suit"] = cards.SUIT_LETTERS.index(line.suit)
    event["amount"] = line.amount
    event["detail"] = NO_DETAIL if line.detail is None else detail
    event["at"] = line.occurred_at


def dumped(value: Any) -> str:
    """Compact JSON of a value."""
    return msgspec.json.encode(value).decode()


def plain(records: Records) -> Records:
    """The same records without attributes; Python reads their fields faster."""
    return records.view(np.dtype((np.void, records.dtype)))
