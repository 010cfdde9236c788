"""What a seat is sent: the table after each event, made of nothing but what `allowed` lists for it.

The hand is folded once more for each seat that looks at it. Of the state and the event only the bytes that
the seat may see are copied into blank ones, and from these the page's own description (`cardlog.web.hands`)
is made.
"""

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.dealing import NOTHING, new_event
from cardlog.models.five_card_draw.legal import owed
from cardlog.pipelines.terminal.drawings import DRAWINGS
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.web import hands
from cardlog.web.hands import words
from cardlog.web.play.allowed import ALL, CARDS, NOBODY, OWN_CARDS, STATES
from cardlog.web.play.dealing import game_of, legal
from cardlog.web.play.lines import dumped, plain
from cardlog.web.play.table import Hand

View = dict[str, Any]
_DEAL: Final = Action.DEAL_HAND
_SCORE_TRICK: Final = Action.SCORE_TRICK
_ACTIONS: Final[dict[tuple[str, int, int], View]] = {}
"""Actions that are the same in every state: by game, kind of decision and number."""


@cache
def _bytes_for(game: str, seat: int) -> NDArray[np.bool_]:
    """Which bytes of a state a seat may see."""
    state = game_of(game).state
    fields: Any = state.fields
    allowed = np.zeros(state.itemsize, np.bool_)
    for name in STATES[game].public:
        kind, offset = fields[name][:2]
        allowed[offset : offset + kind.itemsize] = True
    for name in STATES[game].own if seat != NOBODY else ():
        kind, offset = fields[name][:2]
        row = kind.itemsize // kind.shape[0]
        allowed[offset + seat * row : offset + (seat + 1) * row] = True
    return allowed


class Eyes:
    """What a seat sees of a hand, event by event.

    seat
        `NOBODY` for those who only watch.
    """

    def __init__(self, game: str, hand: Hand, seat: int, opening: dict[str, Any]) -> None:
        self.hand, self.seat, self.opening = hand, seat, opening
        self._game = game_of(game)
        self._about = hands.view_of(game)
        self._allowed = _bytes_for(game, seat)
        self._blank = self._game.begin(opening)
        self._folded = self._blank.copy()
        self._state = plain(self._folded)[0]
        self._mask = np.zeros(self._game.decisions.most_actions, np.bool_)
        self._events = np.zeros(1, self._game.event)
        self.shown = self._shown()
        self.seen = 0
        """How many of the events have been seen."""
        self.step: View = {}
        self.event: Any = None
        self.log: list[str] = []
        """What happened so far, each a sentence in JSON."""
        self._seats = [hands.player(player, number) for number, player in enumerate(opening["players"])]
        self._settings = hands.settings(opening.get("settings", {}))
        self._last_about: tuple[Any, str] = (None, "")

    def look_on(self) -> None:
        """See all events that there are."""
        while self.seen < self.hand.size:
            self.look()

    def look(self) -> None:
        """See the next event."""
        events = plain(self.hand.events[self.seen : self.seen + 1])
        self._game.evolve(self._state, events.copy()[0])
        before, self.shown = self.shown, self._shown()
        event = self.event = self._masked(events.copy()[0])
        self.seen += 1
        seat = int(event["seat"])
        turn = None if self._state["done"] else int(self.shown["turn"])
        self.step = {
            "seat": seat if seat != NO_SEAT and not words.is_of_team(event) else None,
            "kind": words.kind_of(event),
            "text": words.sentence(self._game.name, before, event, self.shown, from_log=False),
            "turn": turn,
            **self._about.step(self.step, before, event, self.shown),
        }
        if event["action"] != _SCORE_TRICK:  # the sentence of the trick's last card has said it
            self.log.append(dumped(self.step["text"]))

    def _shown(self) -> Any:
        """The state, as far as the seat may see it."""
        shown = self._blank.copy()
        np.copyto(shown.view(np.uint8), self._folded.view(np.uint8), where=self._allowed)
        STATES[self._game.name].amend(shown[0], self._state, self.seat)
        return plain(shown)[0]

    def _masked(self, event: Any) -> Any:
        """An event, as far as the seat may see it."""
        who = CARDS.get(Action(event["action"]))
        count = int(event["count"])
        mine = who == OWN_CARDS and event["seat"] == self.seat
        if who != ALL and not mine:
            event["cards"][:count] = cards.UNKNOWN
        elif mine and event["action"] == _DEAL:
            known = self.shown["dealt_cards"][self.seat]
            event["cards"][:count] = known[:count]
        return event

    # ------------------------------------------------------------ what is sent

    def about_text(self) -> str:
        """What `about` says, as JSON. It changes with the cards played only."""
        shown = self.shown
        key = int(shown["plays"]) if "plays" in shown.dtype.names else 0, bool(self.is_over)
        if self._last_about[0] != key:
            self._last_about = key, dumped(self.about())
        return self._last_about[1]

    @property
    def is_over(self) -> bool:
        """Whether the hand is over, and all of it has been seen."""
        return self.hand.is_over and self.seen == self.hand.size

    def about(self) -> View:
        """What `cardlog.web.hands.view` says of the hand, so far; its id only once it is over."""
        game, over = self._game.name, self.is_over
        return {
            "game": game,
            "title": hands.title(game),
            "hand_no": self.hand.hand_no,
            "complete": over,
            "seats": self._seats,
            "partners": self._game.has_teams,
            "settings": self._settings,
            "result": DRAWINGS[game].result(self.shown, self.opening).plain if over else "",
            **self._about.about(self.shown, self.opening),
        }

    def choice(self) -> View | None:
        """What the seat may do, if it is its turn."""
        if self.shown["turn"] != self.seat or self._state["done"]:
            return None
        kind, count = legal(self._game, self.shown, self._mask)
        if kind == NOTHING:
            return None
        actions = [self._action(kind, action) for action in np.flatnonzero(self._mask[:count]).tolist()]
        text = str(self._game.legal_text(self.shown))
        self.step["legal"] = "".join(action["card"] for action in actions if action["card"])
        return {"text": text.partition(": ")[2], "actions": actions}

    def _action(self, kind: int, action: int) -> View:
        """An action, for a page."""
        key = self._game.name, kind, action
        if key in _ACTIONS:
            return _ACTIONS[key]
        found = self._described(action)
        if found["amount"] is None and found["cards"] is None:  # others depend on the state
            _ACTIONS[key] = found
        return found

    def _described(self, action: int) -> View:
        event = new_event(self._events, 0, 0, self.seat)
        self._game.decisions.to_event(self.shown, action, event)
        name = words.name_of(event)
        held = cards.texts(event["cards"][: int(event["count"])])
        is_set = name == "discard"
        return {
            "action": action,
            "text": action_text(event),
            "card": held if held and not is_set else None,
            "cards": held if is_set else None,
            "kind": name,
            "amount": None if event["amount"] == NO_AMOUNT else int(event["amount"]),
            "suit": None if event["suit"] == cards.NO_SUIT else cards.SUIT_LETTERS[int(event["suit"])],
            **(self._raise_range() if name == "raise" else {}),
        }

    def _raise_range(self) -> View:
        """The chips that a raise may pay, which need not be those of an action."""
        return {"least": int(owed(self.shown)) + 1, "most": int(self.shown["stack"][self.seat])}


RANK_NAMES: Final = dict(zip("TJQKA", ("ten", "jack", "queen", "king", "ace"), strict=True))
SUIT_NAMES: Final = dict(zip("CDHS", ("clubs", "diamonds", "hearts", "spades"), strict=True))
_PLAIN: Final = {
    "pass": "pass",
    "check": "check",
    "fold": "fold",
    "throw_in": "throw the hand in",
    "block": "take the block",
}


def card_name(card: str) -> str:
    """A card in words: ``ace of spades``."""
    return f"{RANK_NAMES.get(card[0], card[0])} of {SUIT_NAMES.get(card[1], f'suit {card[1]}')}"


def action_text(event: Any) -> str:
    """What an event would do, in words."""
    name, amount = words.name_of(event), int(event["amount"])
    held = cards.texts(event["cards"][: int(event["count"])])
    named = ", ".join(card_name(held[at : at + 2]) for at in range(0, len(held), 2))
    if name in _PLAIN:
        return _PLAIN[name]
    if name == "discard":
        return f"discard {named}" if held else "keep all cards"
    if name == "trump":
        return f"{SUIT_NAMES[cards.SUIT_LETTERS[int(event['suit'])]]} trump"
    if name == "bid":
        return f"bid {amount}" + (" no trump" if event["suit"] == cards.NO_TRUMP else "")
    if name == "call":
        return f"call, paying {amount:,}"
    if name == "raise":
        return f"raise, paying {amount:,}"
    return named
