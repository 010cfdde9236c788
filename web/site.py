"""What the views share: the store, queries, and lists of rows of marts."""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.sql import hand_lookup, warehouse
from cardlog.pipelines.sql.warehouse import unbuilt_hands
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.store import Store, game_of
from cardlog.pipelines.text.texts import N_, _
from cardlog.web.asking import Asking
from cardlog.web.names import number
from cardlog.web.pages import page
from cardlog.web.play.recording import Builder
from cardlog.web.play.rooms import Rooms

NO_MARTS: Final = N_("There are no marts in this store yet; 'cardlog build' makes them.")
PAGE_ROWS: Final = 50
MOST_PAGES: Final = 1_000


class Listing(NamedTuple):
    """The rows of a query over tables and marts, which has no limit.

    order
        The columns by which they are sorted.
    sortable
        The columns of numbers and times by which they are sorted instead if the field ``sort`` names one,
        with a hyphen before it for the largest first.
    """

    tables: Collection[str]
    sql: str
    parameters: Sequence[Any]
    order: tuple[str, ...]
    sortable: tuple[str, ...]


class Site:
    """A store that is being served.

    store
        Not pinned: each request sees its latest version.
    builder
        Brings hands that are stored meanwhile into the marts.
    rooms
        The tables, and links to single hands.
    """

    def __init__(self, store: Store, asking: Asking, builder: Builder, rooms: Rooms) -> None:
        self.store, self.asking, self.builder, self.rooms = store, asking, builder, rooms

    def now(self, *tables: str) -> PinnedStore:
        """The store pinned at its latest version, all these tables at one moment."""
        return pinned(self.store, tables or None)

    def hand(self, name: str) -> Batch:
        """The hand with this id, id prefix or source key. Raises HandNotFound, StoreError."""
        return hand_lookup.find(self.now("events", "ingests"), name)

    def mart_values(self, request: Request, store: PinnedStore) -> dict[str, Any]:
        """The values that all pages of marts show: the games; how many hands are missing, whether a build is
        coming, and the page's own address; and the problem if there are no marts at all."""
        back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        behind = {"hands": unbuilt_hands(store), "is_coming": self.builder.is_coming, "back": back}
        games = {name: game.title for name, game in models.GAMES.items()}
        return {"behind": behind, "games": games, "problem": None if has_marts(store) else _(NO_MARTS)}

    def listed(self, request: Request, listing: Listing, **values: Any) -> Response:
        """One page of the rows of a list, and their number; the template is named like the address, and gets
        more values."""
        fields = fields_of(request)
        sort = fields.get("sort", "")
        order = listing.order
        if (column := sort.removeprefix("-")) in listing.sortable:
            order = (f"{column} {'desc' if sort.startswith('-') else 'asc'} nulls last", *order)
        else:
            sort = ""
        page_number = min(number(fields.pop("page", ""), 5) or 1, MOST_PAGES)
        store = self.now()
        values = {"rows": [], "more": False, "number": page_number, **values}
        values = self.mart_values(request, store) | values
        if has_marts(store):
            limit = f"limit {PAGE_ROWS + 1} offset {PAGE_ROWS * (page_number - 1)}"
            sql = f"{listing.sql} order by {', '.join(order)} {limit}"
            queries = [sql, f"select count(*) from ({listing.sql})"]
            rows, count = self.asking.run_all(store, listing.tables, queries, listing.parameters, PAGE_ROWS)
            values |= {"rows": rows.dicts(), "more": rows.more and page_number < MOST_PAGES}
            values["count"] = count.rows[0][0]
        values["address"] = f"{request.url.path}?{urlencode(fields | {'page': ''})}"
        values["sort"] = {"by": sort, "address": f"?{urlencode(fields | {'sort': ''})}"}
        return page(request, f"{request.url.path[1:]}.html", values)


def has_marts(store: Store) -> bool:
    """Whether the store has marts at all."""
    return warehouse.path_of(store).exists()


def is_analysed(store: Store, game: str) -> bool:
    """Whether hands of a game are analysed."""
    return game in map(game_of, store.paths("analysis"))


def fields_of(request: Request) -> dict[str, str]:
    """The fields of a form that are not empty."""
    return {name: value for name, value in request.query_params.items() if value}
