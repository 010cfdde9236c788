"""Find a hand by the first digits of its id, or by its key in the source."""

from typing import Final

import numpy as np

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import ID_DIGITS, stored_batches
from cardlog.schemas.errors import CardlogError

SHORTEST_PREFIX: Final = 4


class HandNotFound(CardlogError):
    """There is no such hand, or more than one; the text is for the user."""


def find(store: Store, name: str) -> Batch:
    """The hand with this id prefix or source key, as a batch of one. A number is looked up as a key first.
    Raises HandNotFound, StoreError."""
    prefix = name.lower() if len(name) >= SHORTEST_PREFIX and _is_hex(name) else ""
    hands = _with_prefix(store, prefix) if prefix and not name.isdigit() else []
    if not hands and name:
        prefix = _id_of_key(store, name) or prefix
        hands = _with_prefix(store, prefix) if prefix else []
    if not hands and prefix:
        raise HandNotFound(f"no hand has an id that begins with {prefix}, or the key {name}")
    if not hands:
        raise HandNotFound(f"no hand has the key {name!r}; an id needs at least {SHORTEST_PREFIX} hex digits")
    if len(hands) > 1:
        ids = ", ".join(batch.hand_ids[0].decode()[: len(prefix) + 4] + "…" for batch in hands[:5])
        raise HandNotFound(f"{len(hands)} hands have an id that begins with {prefix}: {ids}")
    return hands[0]


def id_of(store: Store, name: str) -> str:
    """The id of the hand that `find` finds; or a complete id as it is, since the hand may be in quarantine.
    Raises HandNotFound, StoreError."""
    try:
        return str(find(store, name).hand_ids[0].decode())
    except HandNotFound:
        if len(name) == ID_DIGITS and _is_hex(name):
            return name.lower()
        raise


def _is_hex(name: str) -> bool:
    return set(name.lower()) <= set("0123456789abcdef")


def _with_prefix(store: Store, prefix: str) -> list[Batch]:
    """The hands with this id prefix, each as a batch of one."""
    return [
        batch.take(np.array([hand]))
        for path in store.paths("events")
        for batch in stored_batches(store, path, prefix=prefix)
        for hand in range(len(batch))
    ]


def _id_of_key(store: Store, key: str) -> str | None:
    """The id of the hand with this source key. Raises HandNotFound if several data sets have one."""
    from cardlog.pipelines.sql import query  # not above: ids are found without loading DuckDB

    sql = "select hand_id, dataset from events where seq = 0 and source_key = ? order by all"
    rows = query.connect(store, ["events"]).execute(sql, [key]).fetchall()
    if len(rows) > 1:
        ids = ", ".join(f"{hand_id[:8]}… of {dataset}" for hand_id, dataset in rows[:5])
        raise HandNotFound(f"{len(rows)} hands have the key {key}: {ids}")
    return rows[0][0] if rows else None
