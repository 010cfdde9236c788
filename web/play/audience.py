"""Browsers that show a table, and the views that they are sent.

All browsers that show what one seat sees, in one language, are sent the same texts, each made once.
"""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from typing import Final, NamedTuple

from cardlog.models.engine.visible import NOBODY
from cardlog.pipelines.text.texts import language
from cardlog.pipelines.text.visible import shown
from cardlog.web.hands import View
from cardlog.web.play.event_json import dumped
from cardlog.web.play.seats import ME, Plan, computers_of, place_of
from cardlog.web.play.sheet import Sheet
from cardlog.web.play.table import Table
from cardlog.web.play.views import Observer

MERGE_SECONDS: Final = 0.2
"""Changes that are no events, such as names, are shown together with those that follow within this time."""
MOST_BROWSERS: Final = 4
"""Browsers that show what one seat sees; another one takes the place of the oldest."""
MOST_WATCHING: Final = 50
"""Browsers that only watch a table, likewise."""
OTHERS_CAME: Final = 4409
"""Close code of a browser whose place was taken."""


class Browser:
    """A browser that shows a table as one seat sees it.

    seat
        `NOBODY` for those who only watch.
    send
        Queues a message.
    end
        Closes the connection, with a code.
    """

    def __init__(self, seat: int, send: Callable[[str], None], end: Callable[[int], None]) -> None:
        self.seat, self.send, self.end = seat, send, end
        self.sees = Sight(seat, language.get())


class Sight(NamedTuple):
    """What a browser is shown: a seat's view, in a language."""

    seat: int
    language: str


class Audience:
    """The browsers at a table.

    due
        When the computer will act for the seat in turn, by the event loop's clock; None if it will not.
    """

    def __init__(self, plan: Plan, table: Table, sheet: Sheet) -> None:
        self.plan, self.table, self.sheet = plan, table, sheet
        self.browsers: list[Browser] = []
        self.due: float | None = None
        self._viewpoints: dict[Sight, Viewpoint] = {}

    def add(self, browser: Browser) -> None:
        """Add a browser, in place of the oldest at its seat if there are too many."""
        alike = [other for other in self.browsers if other.seat == browser.seat]
        if len(alike) >= (MOST_WATCHING if browser.seat == NOBODY else MOST_BROWSERS):
            self.remove(alike[0])
            alike[0].end(OTHERS_CAME)
        self.browsers.append(browser)
        if browser.sees not in self._viewpoints:
            self._viewpoints[browser.sees] = Viewpoint(self, browser.seat)

    def remove(self, browser: Browser) -> None:
        """Remove a browser, unless that was done before."""
        self.browsers = [other for other in self.browsers if other is not browser]
        shown = {other.sees for other in self.browsers}
        self._viewpoints = {sight: point for sight, point in self._viewpoints.items() if sight in shown}

    def seats(self, viewer: int = NOBODY) -> list[View | None]:
        """The seats as one of them sees them, for a page; None where a player has left the match."""
        connected = {browser.seat for browser in self.browsers}
        count, has_teams = len(self.plan.seats), self.table.game.has_teams
        titles = {name: title for name, (title, _about) in computers_of(self.plan.game).items()}
        return [
            present
            and {
                "name": shown(seat.name, 24)
                if seat.name
                else place_of(number, viewer, count, has_teams=has_teams),
                "kind": "human" if seat.kind == ME else seat.kind,
                "player": titles.get(seat.player, seat.player),
                "connected": number in connected,
                "played_by_computer": number in self.table.away,
            }
            for number, (seat, present) in enumerate(
                zip(self.plan.seats, self.table.current.opening["players"], strict=True)
            )
        ]

    @property
    def is_behind(self) -> bool:
        """Whether there are events that nobody has been shown."""
        return any(viewpoint.is_behind for viewpoint in self._viewpoints.values())

    def first(self, browser: Browser) -> str:
        """The current view, with the whole score sheet."""
        return self._viewpoints[browser.sees].view(whole_sheet=True)

    def current(self, browser: Browser) -> str:
        """The current view, at most `MERGE_SECONDS` old; empty if the browser was removed."""
        viewpoint = self._viewpoints.get(browser.sees)
        return viewpoint.current() if viewpoint else ""

    def news(self) -> list[tuple[Callable[[str], None], str]]:
        """What is new for each browser, and how to send it: a view after each event; if there was none, the
        current view."""
        news = {sight: viewpoint.news() for sight, viewpoint in self._viewpoints.items()}
        return [(browser.send, text) for browser in self.browsers for text in news[browser.sees]]


class Viewpoint:
    """What a seat sees, in the language in which this is made, whoever acts."""

    def __init__(self, audience: Audience, seat: int) -> None:
        self.audience, self.table, self.seat = audience, audience.table, seat
        self._observer = Observer(self.table.game.name, self.table.current, seat)
        self._observer.catch_up()
        self._context = copy_context()
        self._current, self._made_at = "", -MERGE_SECONDS

    @property
    def is_behind(self) -> bool:
        """Whether there are events that it was not asked for."""
        return self._observer.hand is not self.table.current or self._observer.seen < self.table.current.size

    @property
    def observer(self) -> Observer:
        """What the seat sees of the current hand."""
        hand, last = self.table.current, self._observer.hand
        if last is not hand:
            self._observer = Observer(self.table.game.name, hand, self.seat)
            if last.number == hand.number:  # a choice was taken back
                self._observer.catch_up()
        return self._observer

    def news(self) -> list[str]:
        """A view after each new event; if there is none, the current view."""
        observer, views = self.observer, []
        while observer.seen < observer.hand.size:
            self._context.run(observer.advance)
            views.append(self.view())
        views = views or [self.view()]
        self._current, self._made_at = views[-1], asyncio.get_running_loop().time()
        return views

    def current(self) -> str:
        """The current view, made anew only if it is `MERGE_SECONDS` old, however often it is asked for."""
        if asyncio.get_running_loop().time() > self._made_at + MERGE_SECONDS:
            self.news()
        return self._current

    def view(self, *, whole_sheet: bool = False) -> str:
        """The table as the seat sees it, as JSON; the score sheet is left out during a hand."""
        return self._context.run(self._view, whole_sheet)

    def _view(self, whole_sheet: bool) -> str:
        table, due, observer = self.table, self.audience.due, self.observer
        newest = observer.seen == observer.hand.size
        is_over = newest and observer.hand.is_over
        choice = observer.choice() if newest and self.seat not in table.away else None
        if choice is not None:
            choice["undo"] = table.is_solo and table.last_choice(self.seat) is not None
        if choice is not None and due is not None:
            choice["seconds"] = max(0, round(due - asyncio.get_running_loop().time()))
        return dumped(
            {
                "type": "view",
                "version": observer.seen,
                "hand_no": observer.hand.number,
                "seat": None if self.seat == NOBODY else self.seat,
                "hand": observer.about(),
                "step": observer.step,
                "choice": choice,
                "log": observer.log,
                "seats": self.audience.seats(self.seat),
                "sheet": self._sheet(is_over=is_over) if is_over or whole_sheet else None,
                "newest": newest,
                "over": self._over(observer) if is_over else None,
            }
        )

    def _over(self, observer: Observer) -> View:
        """How the hand ended."""
        hand = observer.hand
        row = self.audience.sheet.rows[-1]
        return {
            "result": observer.result(),
            "score": row["score"],
            "hand_id": hand.hand_id if hand.number <= self.audience.sheet.recorded else None,
            "match_over": row["winner"] is not None,
            "winner": row["winner"],
        }

    def _sheet(self, *, is_over: bool) -> list[View]:
        """The rows of the score sheet."""
        sheet = self.audience.sheet
        return [
            {**row, "hand_id": row["hand_id"] if row["number"] <= sheet.recorded else None}
            for row in sheet.rows
            if row["number"] < self.observer.hand.number or is_over
        ]
