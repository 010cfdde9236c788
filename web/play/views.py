"""What people at a table see: the table after each event, the score sheet, and the browsers that show them.

The hand is folded again for each observer. The page's usual description (`cardlog.web.hands`) is made of what
`cardlog.models.engine.visible` lets the seat see of the state and the event, and of nothing else. All
browsers that show what one seat sees, in one language, are sent the same texts, each made once.
"""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, Final

import numpy as np

from cardlog.models.engine.visible import CARDS, EVERYONE, NOBODY, OWN
from cardlog.pipelines.hands.words import DescribedEvent
from cardlog.pipelines.text.texts import language
from cardlog.pipelines.text.visible import shown
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, Action
from cardlog.web.hands import HandPage, View
from cardlog.web.play.dealing import Dealer
from cardlog.web.play.event_json import dumped, plain
from cardlog.web.play.seats import ME, Plan, computers_of, place_of
from cardlog.web.play.table import Hand, Table

MERGE_SECONDS: Final = 0.2
"""Changes that are no events, such as names, are shown together with those that follow within this time."""
MOST_BROWSERS: Final = 4
"""Browsers that show what one seat sees; another one takes the place of the oldest."""
MOST_WATCHING: Final = 50
"""Browsers that only watch a table, likewise."""
NO_TABLE: Final = 4404
"""Close code of a browser whose table is not there, or no longer."""
OTHERS_CAME: Final = 4409
"""Close code of a browser whose place was taken."""
MOST_ROWS: Final = 60
"""Hands on the score sheet."""

Row = dict[str, Any]
Sight = tuple[int, str]
"""What a browser is shown: a seat's view, in a language."""


class Observer:
    """What a seat sees of a hand, event by event.

    seat
        `visible.NOBODY` for those who only watch.
    shown
        The state, as far as the seat may see it.
    seen
        How many events have been seen.
    step
        The table after the last of them.
    log
        What happened so far, as sentences.
    """

    def __init__(self, game: str, hand: Hand, seat: int) -> None:
        self.hand, self.seat = hand, seat
        self._page = HandPage(game, hand.opening)
        self._game = self._page.game
        self._folded = plain(self._game.begin(hand.opening))
        self._state = self._folded[0]
        self.shown = self._shown()
        self.seen = 0
        self.step: View = {}
        self.log: list[Any] = []

    def catch_up(self) -> None:
        """See all events so far."""
        while self.seen < self.hand.size:
            self.advance()

    def advance(self) -> None:
        """See the next event."""
        event = plain(self.hand.events[self.seen : self.seen + 1]).copy()
        self._game.evolve(self._state, event.copy()[0])
        before, self.shown = self.shown, self._shown()
        described = DescribedEvent(self._game, self._masked(event[0]), before, self.shown)
        self.seen += 1
        self.step = self._page.step(self.step, described, from_log=False)
        if not self._state["done"]:
            self.step["turn"] = int(self.shown["turn"])
        if described.action != Action.SCORE_TRICK:  # the sentence on the trick's last card includes it
            self.log.append(self.step["text"])

    def _shown(self) -> Any:
        return self._game.visible.seen_by(self._folded, np.array([self.seat]))[0]

    def _masked(self, event: Any) -> Any:
        """An event, as far as the seat may see it."""
        visibility = CARDS.get(Action(event["action"]))
        count = int(event["count"])
        is_own = visibility == OWN and event["seat"] == self.seat
        if visibility != EVERYONE and not is_own:
            event["cards"][:count] = cards.UNKNOWN
        elif is_own and event["action"] == Action.DEAL_HAND:
            known = self.shown["dealt_cards"][self.seat]
            event["cards"][:count] = known[:count]
        return event

    @property
    def is_over(self) -> bool:
        """Whether the hand is over and all of it has been seen."""
        return self.hand.is_over and self.seen == self.hand.size

    def about(self) -> View:
        """The hand so far."""
        about = self._page.about(self.shown, self.is_over)
        return {**about, "hand_no": self.hand.hand_no, "result": self.result()}

    def result(self) -> list[Any]:
        """The sentences on the result; empty until the hand is over."""
        return self._page.result(self.shown) if self.is_over else []

    def choice(self) -> View | None:
        """What the seat may do; None if it is not its turn. Adds the legal cards to the step."""
        if self.shown["turn"] != self.seat or self._state["done"]:
            return None
        actions = self._page.actions(self.shown)
        if not actions:
            return None
        self.step["legal"] = "".join(action["card"] for action in actions if action["card"])
        text = str(self._game.legal_text(self.shown))
        return {"text": text.partition(": ")[2], "actions": actions}


class Sheet:
    """The last finished hands, oldest first.

    rows
        For each hand its `number` and `hand_id`, the number of its `match`, `score` as in `score_of`, and the
        `winner` of the match: a team or a seat, -1 for none, or None if the match goes on.
    recorded
        Number of the last hand that the store has; -1 if it has none.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.recorded = -1

    def add(self, hand: Hand, dealer: Dealer, *, is_single: bool = False) -> None:
        """Add a finished hand, unless the sheet has it; a hand that is `is_single` does not win a match."""
        if self.rows and self.rows[-1]["number"] >= hand.number:
            return
        row = {
            "number": hand.number,
            "hand_id": hand.hand_id,
            "match": hand.match,
            "score": score_of(hand, dealer.game.has_teams),
            "winner": None,
        }
        if dealer.match_is_over and not is_single:
            row["winner"] = int(dealer.game.playing().winner_of(dealer.record, hand.state))
        self.rows = [*self.rows, row][-MOST_ROWS:]


def score_of(hand: Hand, has_teams: bool) -> Row:
    """The scores reported at the end of a hand: of the hand, the match and the places, by team or seat."""
    score: Row = {"of": "teams" if has_teams else "seats", "hand": {}, "match": {}, "place": {}}
    for event in hand.events[: hand.size]:
        action = ACTIONS[int(event["action"])]
        if action.kind == "score" and action.name in score and event["amount"] != NO_AMOUNT:
            score[action.name][str(event["seat"])] = int(event["amount"])
    return score


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
        self.sees: Sight = (seat, language.get())


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
        sheet = self.audience.sheet
        rows = [
            {**row, "hand_id": row["hand_id"] if row["number"] <= sheet.recorded else None}
            for row in sheet.rows
            if row["number"] < observer.hand.number or is_over
        ]
        over = None
        if is_over:
            last = {name: rows[-1][name] for name in ("score", "hand_id", "winner")}
            over = {"result": observer.result(), "match_over": last["winner"] is not None, **last}
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
                "sheet": rows if is_over or whole_sheet else None,
                "newest": newest,
                "over": over,
            }
        )
