"""The first difference between a stored hand and another one with the same id."""

from itertools import takewhile
from typing import Any, Final

import pyarrow as pa

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.ingest.judge import describe

MOST_SHOWN: Final = 60
"""Characters of a value shown in a message."""
_OF_HAND: Final = ("game", "match_id", "hand_no")
_OF_EVENT: Final = ("kind", "action", "seat", "cards", "suit", "amount", "occurred_at", "detail")


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
