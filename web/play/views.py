"""What a seat sees: the table after each event.

The hand is folded again for each observer. The page's usual description (`cardlog.web.hands`) is made of what
`cardlog.models.engine.visible` lets the seat see of the state and the event, and of nothing else.
"""

from typing import Any

import numpy as np

from cardlog.models.engine.visible import CARDS, EVERYONE, OWN
from cardlog.pipelines.hands.words import DescribedEvent
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.web.hands import HandPage, View
from cardlog.web.play.event_json import plain
from cardlog.web.play.table import Hand


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
