"""The first difference between a stored hand and another one with the same id."""

import json
from collections import Counter
from itertools import starmap, takewhile
from typing import Any, Final

import pyarrow as pa

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.ingest.judge import describe
from cardlog.schemas.cards import UNKNOWN

MOST_SHOWN: Final = 60
"""Characters of a value shown in a message."""
_SHOWN: Final = "dealt_order"
"""The setting that says how much of the hands a log shows."""
_OF_HAND: Final = ("game", "match_id", "hand_no")
_OF_EVENT: Final = ("kind", "action", "seat", "cards", "suit", "amount", "occurred_at", "detail")


def begins_with(hand: Batch, other: Batch) -> bool:
    """Whether a hand begins with another one. If the other one is shorter, it may lack what a log says only
    later: cards, and names and kinds of players. Both are batches of one."""
    size = len(other.events)
    if hand.begins_with(int(other.content()[0]), size):
        return True
    if len(hand.events) <= size or _position(hand) != _position(other):
        return False
    mine, its = hand.events[:size], other.events
    details = (_details(batch, events) for batch, events in ((hand, mine), (other, its)))
    return (
        all((mine[name] == its[name]).all() for name in ("action", "seat", "suit", "count", "amount", "at"))
        and all(starmap(_shows, zip(mine["cards"].tolist(), its["cards"].tolist(), strict=True)))
        and all(starmap(_says, zip(*details, strict=True)))
    )


def _position(hand: Batch) -> tuple[str, int]:
    match = int(hand.match_of[0])
    return hand.matches[match] if match >= 0 else "", int(hand.hand_nos[0])


def _shows(cards: list[int], others: list[int]) -> bool:
    """Whether cards are the others, in any order, of which some may be unknown."""
    return cards == others or (Counter(others) - Counter(cards)).keys() <= {UNKNOWN}


def _details(batch: Batch, events: Any) -> list[Any]:
    return [
        json.loads(batch.details[number]) if number >= 0 else None for number in events["detail"].tolist()
    ]


def _says(detail: Any, other: Any) -> bool:
    """Whether a detail says at least what another one says."""
    if isinstance(other, dict) and isinstance(detail, dict):
        return all(_says(detail.get(name), value) for name, value in other.items() if name != _SHOWN)
    if isinstance(other, list) and isinstance(detail, list):
        return len(other) == len(detail) and all(starmap(_says, zip(detail, other, strict=True)))
    return other is None or bool(detail == other)


def first_difference(stored: Batch, new: Batch) -> str:
    """A sentence on where two hands, batches of one, first differ; empty if they are equal."""
    old_rows, new_rows = (pa.concat_tables(to_tables(batch)).to_pylist() for batch in (stored, new))
    for event, old, row in zip(stored.events, old_rows, new_rows, strict=False):
        for name in (*_OF_HAND, *_OF_EVENT):
            if old[name] != row[name]:
                difference = _difference(name, old[name], row[name])
                return f"Event {old['seq']}, {describe(event)}: {difference}."
    if len(old_rows) != len(new_rows):
        return f"There are {len(old_rows)} events in the stored hand, {len(new_rows)} in this one."
    return ""


def _difference(name: str, stored: Any, new: Any) -> str:
    """Both values of a column; long ones are cut to begin shortly before the difference."""
    texts = ["nothing" if value is None else str(value) for value in (stored, new)]
    start = 0
    if any(len(text) > MOST_SHOWN for text in texts):
        equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
        start = max(equal - MOST_SHOWN // 2, 0)
    stored_text, new_text = (text[start : start + MOST_SHOWN] for text in texts)
    return f"{name} is {stored_text} in the stored hand, {new_text} in this one"
