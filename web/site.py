"""What the views share: the store, the limits of queries, and lists of marts."""

from collections.abc import Collection, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.sql import hand_lookup, warehouse
from cardlog.pipelines.sql.warehouse import unbuilt_hands
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.store import Store
from cardlog.web.asking import Asking
from cardlog.web.names import number
from cardlog.web.pages import page
from cardlog.web.play.building import Builder
from cardlog.web.sharing import Links
from cardlog.web.texts import N_, _

NO_MARTS: Final = N_("There are no marts in this store yet; 'cardlog build' makes them.")
PAGE_ROWS: Final = 50
MOST_PAGES: Final = 1_000


class Site:
    """A store that is being served.

    store
        As it is at the moment of each request.
    links
        Links to single hands.
    builder
        Brings into the marts what is stored while they are served.
    """

    def __init__(self, store: Store, asking: Asking, builder: Builder, links: Links) -> None:
        self.store, self.asking, self.builder, self.links = store, asking, builder, links

    def now(self, *tables: str) -> PinnedStore:
        """The store as it is now; of several tables at one moment."""
        return pinned(self.store, tables or None)

    def hand(self, name: str) -> Batch:
        """The hand with this id, id prefix or source key. Raises HandNotFound, StoreError."""
        return hand_lookup.find(self.now("events", "ingests"), name)

    def of_marts(self, request: Request, store: PinnedStore) -> dict[str, Any]:
        """What a page of marts shows whatever it has: the games, and how many hands it lacks, whether a build
        will bring them by itself, and its own address; the problem, if there are no marts at all."""
        back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        behind = {"hands": unbuilt_hands(store), "is_coming": self.builder.is_coming, "back": back}
        games = {name: game.title for name, game in models.GAMES.items()}
        return {"behind": behind, "games": games, "problem": None if has_marts(store) else _(NO_MARTS)}

    def listed(
        self, request: Request, tables: Collection[str], sql: str, parameters: Sequence[Any], **values: Any
    ) -> Response:
        """A page of the list at an address: the rows of a query without its limit.

        values
            What its template shows besides.
        """
        asked = asked_by(request)
        shown = min(number(asked.pop("page", ""), 5) or 1, MOST_PAGES)
        store = self.now()
        values = {**self.of_marts(request, store), "rows": [], "more": False, "number": shown} | values
        if has_marts(store):
            limit = f"limit {PAGE_ROWS + 1} offset {PAGE_ROWS * (shown - 1)}"
            found = self.asking.own(store, tables, f"{sql} {limit}", parameters, PAGE_ROWS)
            values |= {"rows": found.dicts(), "more": found.more and shown < MOST_PAGES}
        values["address"] = f"{request.url.path}?{urlencode(asked | {'page': ''})}"
        return page(request, f"{request.url.path[1:]}.html", values)


def has_marts(store: Store) -> bool:
    """Whether the store has marts at all."""
    return warehouse.path_of(store).exists()


def asked_by(request: Request) -> dict[str, str]:
    """What was entered into a form, but for empty fields."""
    return {name: value for name, value in request.query_params.items() if value}
