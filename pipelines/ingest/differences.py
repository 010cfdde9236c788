"""The first difference between a hand and another one with the same id, which may know more."""

import json
from collections import Counter
from itertools import takewhile
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.ingest.judge import describe
from cardlog.schemas.cards import UNKNOWN_TEXT

MOST_SHOWN: Final = 60
"""Characters of a value shown in a message."""
ORDER: Final = "dealt_order"
"""A setting of hands: whose cards are in the order in which they were dealt, as far as the text tells."""
_OF_HAND: Final = ("game", "match_id", "hand_no")
_OF_EVENT: Final = ("kind", "action", "seat", "cards", "suit", "amount", "occurred_at", "detail")


def first_difference(stored: Batch, new: Batch) -> str:
    """A sentence on what a stored hand says and a new one, batches of one, does not; empty if the new one
    begins with all of it. What one that was broken off did not know yet, such as a card, the order of a
    player's cards or the kind of a player, the new one may."""
    is_over = bool(fold_batch(stored).done[0])
    is_ordered = ORDER not in stored.details[stored.events["detail"][0]]
    old_rows, new_rows = (pa.concat_tables(to_tables(batch)).to_pylist() for batch in (stored, new))
    for event, old, row in zip(stored.events, old_rows, new_rows, strict=False):
        for name in (*_OF_HAND, *_OF_EVENT):
            if old[name] != row[name] and (is_over or not _adds(name, old[name], row[name], is_ordered)):
                difference = _difference(name, old[name], row[name])
                return f"Event {old['seq']}, {describe(event)}: {difference}."
    if len(old_rows) > len(new_rows):
        return f"There are {len(old_rows)} events in the stored hand, {len(new_rows)} in this one."
    return ""


def extends(hand: Batch, other: Batch) -> bool:
    """Whether a hand, a batch of one, says all that another one does."""
    if fold_batch(other).done[0]:
        return hand.begins_with(other)
    return not first_difference(other, hand)


def most_complete(batch: Batch, contents: NDArray[np.uint64], first: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each hand of a batch the index of the one that says all that it does: itself, or another one with
    its id that extends it.

    contents, first
        Each hand's digest, and the index of the first one with its id.
    """
    whole, best = np.where(contents == contents[first], first, np.arange(len(batch))), dict[int, int]()
    for index in np.flatnonzero(contents != contents[first]).tolist():
        known = best.get(int(first[index]), int(first[index]))
        hand, other = (batch.take(np.array([number])) for number in (index, known))
        if extends(other, hand):
            whole[index] = known
        elif extends(hand, other):
            whole[whole == known] = best[int(first[index])] = index
    return whole


def _adds(name: str, old: Any, new: Any, is_ordered: bool) -> bool:
    """Whether a new value of a column says what the old one does, and more."""
    if name == "detail" and old and new:
        return _holds(json.loads(new), json.loads(old))
    if name == "cards" and old and new and len(old) == len(new):
        known, cards = (Counter(text[at : at + 2] for at in range(0, len(text), 2)) for text in (old, new))
        return (known.pop(UNKNOWN_TEXT, 0) > 0 or not is_ordered) and known <= cards
    return False


def _holds(new: Any, old: Any) -> bool:
    """Whether a JSON value has all keys and values of another one."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key == ORDER or (key in new and _holds(new[key], old[key])) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_holds, new, old))
    return bool(new == old)


def _difference(name: str, stored: Any, new: Any) -> str:
    """Both values of a column; long ones are cut to begin shortly before the difference."""
    texts = ["nothing" if value is None else str(value) for value in (stored, new)]
    start = 0
    if any(len(text) > MOST_SHOWN for text in texts):
        equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
        start = max(equal - MOST_SHOWN // 2, 0)
    stored_text, new_text = (text[start : start + MOST_SHOWN] for text in texts)
    return f"{name} is {stored_text} in the stored hand, {new_text} in this one"
