"""Find a hand by its id, by the first digits of it, or by its key in the source; also in quarantine."""

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import ID_DIGITS, stored_batches
from cardlog.pipelines.text.visible import is_text
from cardlog.schemas.errors import CardlogError

SHORTEST_PREFIX: Final = 4


class HandNotFound(CardlogError):
    """There is no such hand, or more than one; the text is for the user.

    entry
        The id of its entry if the hand is in quarantine.
    """

    def __init__(self, text: str, entry: str = "") -> None:
        super().__init__(text)
        self.entry = entry


def find(store: Store, name: str) -> Batch:
    """The stored hand with this id or source key, or else with this id prefix if none in quarantine has that
    id or key, as a batch of one. Raises HandNotFound, StoreError."""
    prefix = name.lower() if len(name) >= SHORTEST_PREFIX and is_hex(name) else ""
    hands = _with_prefix(store, prefix) if len(prefix) == ID_DIGITS else []
    if not hands and name and is_text(name):
        exact = only(name, ids_of(store, name))
        if exact is None and (entries := quarantined(store, name)):
            only(name, sorted({(entry["hand_id"], entry["dataset"]) for entry in entries}))
            entry = entries[0]
            raise HandNotFound(
                f"hand {name} is in quarantine ({entry['reason']}), {entry['source_path']}, line "
                f"{entry['first_line']}; 'cardlog quarantine show {entry['quarantine_id']}' shows it",
                entry["quarantine_id"],
            )
        prefix = exact or prefix
        hands = _with_prefix(store, prefix) if prefix else []
    if not hands and prefix:
        raise HandNotFound(f"no hand has an id that begins with {prefix}, or the key {name}")
    if not hands:
        raise HandNotFound(f"no hand has the key {name!r}; an id needs at least {SHORTEST_PREFIX} hex digits")
    if len(hands) > 1:
        ids = ", ".join(batch.hand_ids[0].decode()[: len(prefix) + 4] + "…" for batch in hands[:5])
        raise HandNotFound(f"{len(hands)} hands have an id that begins with {prefix}: {ids}")
    return hands[0]


def is_hex(name: str) -> bool:
    """Whether a name has only hexadecimal digits."""
    return set(name.lower()) <= set("0123456789abcdef")


def _with_prefix(store: Store, prefix: str) -> list[Batch]:
    """The hands with this id prefix, each as a batch of one."""
    return [
        batch.take(np.array([hand]))
        for path in store.paths("events")
        for batch in stored_batches(store, path, prefix=prefix)
        for hand in range(len(batch))
    ]


def ids_of(store: Store, name: str) -> list[tuple[str, str]]:
    """The stored hands with this id or source key: the id and the data set of each."""
    from cardlog.pipelines.sql import query  # not above: ids are found without loading DuckDB

    named = "source_key = $1 or hand_id = lower($1)"
    sql = f"select hand_id, dataset from events where seq = 0 and ({named}) order by all"
    return query.connect(store, ["events"]).execute(sql, [name]).fetchall()


def quarantined(store: Store, name: str) -> list[dict[str, Any]]:
    """The entries of the hands in quarantine with this id or source key, the latest first. Entries have no
    keys, but ids are made from them."""
    from cardlog.pipelines.readers import FORMATS
    from cardlog.pipelines.readers.arrays import hand_ids
    from cardlog.pipelines.readers.base import Source
    from cardlog.pipelines.sql import query

    if not is_text(name):
        return []
    connection = query.connect(Store(store.root), ["quarantine"])  # a pinned store may lack it
    datasets = {dataset for (dataset,) in connection.execute("select dataset from quarantine").fetchall()}
    pairs = product(FORMATS, {*datasets, *FORMATS})
    ids = [hand_ids(form, Source("", "", dataset), [name.encode()])[0].decode() for form, dataset in pairs]
    sql = "from quarantine where hand_id in (select unnest(?)) order by attempt desc, first_line"
    return connection.execute(sql, [[name.lower(), *ids]]).dicts()


def only(key: str, hands: Sequence[tuple[str, str]]) -> str | None:
    """The id of the only hand, if there is any. Raises HandNotFound if there are several."""
    if len(hands) > 1:
        ids = ", ".join(f"{hand_id} of {dataset}" for hand_id, dataset in hands[:5])
        raise HandNotFound(f"{len(hands)} hands have the key {key}: {ids}")
    return hands[0][0] if hands else None
