"""What the views share: the store, the limits of queries, and hands shown lately."""

import threading
from collections import OrderedDict
from typing import Any, Final

from starlette.requests import Request

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.sql import hand_lookup, warehouse
from cardlog.pipelines.sql.warehouse import unbuilt_hands
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.store import Store
from cardlog.web.asking import Asking
from cardlog.web.play.building import Builder

KEPT: Final = 64
"""Hands kept in memory."""
NO_MARTS: Final = "There are no marts in this store yet; 'cardlog build' makes them."


class Site:
    """A store that is being served.

    store
        As it is at the moment of each request.
    builder
        Brings into the marts what is stored while they are served.
    """

    def __init__(self, store: Store, asking: Asking, builder: Builder) -> None:
        self.store, self.asking, self.builder = store, asking, builder
        self._hands: OrderedDict[tuple[int, str], Batch] = OrderedDict()
        self._lock = threading.Lock()

    def now(self, *tables: str) -> PinnedStore:
        """The store as it is now; of several tables at one moment."""
        return pinned(self.store, tables or None)

    def behind(self, store: PinnedStore, request: Request) -> dict[str, Any]:
        """What a list of a mart lacks: how many hands, and whether a build will bring them by itself. `back`:
        the list's own address."""
        back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return {"hands": unbuilt_hands(store), "is_coming": self.builder.is_coming, "back": back}

    def hand(self, name: str) -> Batch:
        """The hand with this id, id prefix or source key. Raises HandNotFound, StoreError."""
        store = self.now("events", "ingests")
        key = store.moment.versions["events"], name
        with self._lock:
            if key in self._hands:
                self._hands.move_to_end(key)
                return self._hands[key]
        found = hand_lookup.find(store, name)
        with self._lock:
            self._hands[key] = found
            if len(self._hands) > KEPT:
                self._hands.popitem(last=False)
        return found


def has_marts(store: Store) -> bool:
    """Whether the store has marts at all."""
    return warehouse.path_of(store).exists()
