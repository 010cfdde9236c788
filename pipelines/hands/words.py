"""Events and choices in words, for people."""

from collections.abc import Callable
from typing import Any, Final

from cardlog.models.engine.game import Game
from cardlog.pipelines.hands.shapes import Cards, Sentence, Suit
from cardlog.pipelines.text.texts import N_, _, filled, grouped, ngettext
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_SEAT, Action

_RANKS: Final = {"T": N_("ten"), "J": N_("jack"), "Q": N_("queen"), "K": N_("king"), "A": N_("ace")}
_CARDS: Final = {
    "C": N_("%(rank)s of clubs"), "D": N_("%(rank)s of diamonds"), "H": N_("%(rank)s of hearts"),
    "S": N_("%(rank)s of spades"),
}  # fmt: skip
_SUITS: Final = {"C": N_("clubs"), "D": N_("diamonds"), "H": N_("hearts"), "S": N_("spades")}


class DescribedEvent:
    """An event with the states before and after it, which can be put into words.

    actor
        The seat that acted; None if nobody did, or the event's seat may be a team.
    amount
        0 if there is none.
    cards, suit
        As text; empty if there are none.
    """

    def __init__(self, game: Game, event: Any, before: Any = None, state: Any = None) -> None:
        self.game, self.event, self.before, self.state = game, event, before, state
        self.action = Action(event["action"])
        self.kind, self.name = ACTIONS[self.action].kind, ACTIONS[self.action].name
        self.seat = int(event["seat"])
        self.actor = None if self.seat == NO_SEAT or self.action in _OF_TEAMS else self.seat
        self.amount = 0 if event["amount"] == NO_AMOUNT else int(event["amount"])
        self.count = int(event["count"])
        self.cards = cards.texts(event["cards"][: self.count])
        self.known = self.cards.replace(cards.UNKNOWN_TEXT, "")
        self.suit = "" if event["suit"] == cards.NO_SUIT else cards.SUIT_LETTERS[int(event["suit"])]
        self.has_trump, self.has_chips = self.suit != "N", game.decisions.raises is not None

    def sentence(self, from_log: bool) -> Sentence:
        """What happened.

        from_log
            Whether the results are those that a log reports; then their sentences say so.
        """
        if self.action == Action.DEAL_OPEN:
            return [_("The hand begins.")]
        teams = _OF_TEAMS if self.game.has_teams else {}
        sentence = self._resolved(teams.get(self.action) or _SENTENCES.get(self.action, _plain))
        is_reported = from_log and self.kind == "score" and self.action != Action.SCORE_SHOW
        return filled(_("%(sentence)s, says the log"), sentence=sentence) if is_reported else sentence

    def choice(self) -> str:
        """What the event would do, as a choice."""
        return "".join(self._resolved(_CHOICES.get(self.action, "%(names)s")))

    def _resolved(self, phrase: "Phrase") -> Sentence:
        while callable(phrase):
            phrase = phrase(self)
        return self.filled(_(phrase)) if isinstance(phrase, str) else phrase

    def filled(self, text: str, **values: Any) -> Sentence:
        """A text with the event's seat, amount and so on, and other values, in their places."""
        names = ", ".join(map(card_name, cards.singly(self.cards)))
        parts = {"cards": Cards(self.cards), "names": names, "suit": Suit(self.suit)}
        seats = {"seat": self.seat, "partner": self.seat + 2, "receiver": (self.seat + 2) % 4}
        return filled(text, n=grouped(self.amount), count=str(self.count), **parts, **seats, **values)


Phrase = str | Sentence | Callable[[DescribedEvent], "Phrase"]
"""A message, the sentence made of it, or what gives either for an event."""


def _counts(one: str, many: str, number: str = "amount") -> Phrase:
    """A message that depends on a number: the event's amount, or its count."""
    return lambda event: event.filled(ngettext(one, many, abs(getattr(event, number))))


def _if(attribute: str, phrase: Phrase, otherwise: Phrase) -> Phrase:
    """One phrase if an attribute of the event is true, another if not."""
    return lambda event: phrase if getattr(event, attribute) else otherwise


def _plain(event: DescribedEvent) -> Sentence:
    return event.filled("%(seat)s %(name)s", name=f"{event.name} {event.amount or ''}".strip())


def _raise(event: DescribedEvent) -> str:
    staked = event.before["staked"]
    is_first = staked.max() == staked[event.seat]
    return N_("%(seat)s bets %(n)s") if is_first else N_("%(seat)s raises, paying %(n)s")


def _card(event: DescribedEvent) -> Phrase:
    if "winners" not in (event.game.state.names or ()):  # there are no tricks
        return N_("%(seat)s lays %(cards)s")
    if event.state["tricks"] == event.before["tricks"]:
        return N_("%(seat)s plays %(cards)s")
    trick = int(event.state["tricks"]) - 1
    taker, points = int(event.state["winners"][trick]), int(event.state["values"][trick])
    text = ngettext(
        "%(seat)s plays %(cards)s, and %(taker)s takes the trick, %(points)s point",
        "%(seat)s plays %(cards)s, and %(taker)s takes the trick, %(points)s points",
        abs(points),
    )
    return event.filled(text, taker=taker, points=grouped(points))


_SENTENCES: Final[dict[Action, Phrase]] = {
    Action.DEAL_HAND: _counts("%(seat)s gets %(count)s card", "%(seat)s gets %(count)s cards", "count"),
    Action.DEAL_PASS: N_("%(seat)s passes %(cards)s to %(receiver)s"),
    Action.DEAL_DRAW: N_("%(seat)s draws %(cards)s"),
    Action.DEAL_BOARD: N_("The board gets %(cards)s"),
    Action.BID_PASS: N_("%(seat)s passes"),
    Action.BID_BID: _if("has_trump", N_("%(seat)s bids %(n)s"), N_("%(seat)s bids %(n)s without trump")),
    Action.BID_TRUMP: _if(
        "has_trump", N_("%(seat)s names %(suit)s trump"), N_("%(seat)s plays without trump"),
    ),
    Action.BID_THROW_IN: N_("%(seat)s throws the hand in"),
    Action.BID_ANTE: N_("%(seat)s pays the ante, %(n)s"),
    Action.BID_BLIND: N_("%(seat)s posts a blind, %(n)s"),
    Action.BID_DEAD: N_("%(seat)s posts %(n)s for blinds missed"),
    Action.BID_CHECK: N_("%(seat)s checks"),
    Action.BID_CALL: N_("%(seat)s calls, paying %(n)s"),
    Action.BID_RAISE: _raise,
    Action.BID_FOLD: N_("%(seat)s folds"),
    Action.MELD_DECLARE: _if(
        "count", N_("%(seat)s shows %(cards)s for %(n)s"),
        _if("amount", N_("%(seat)s shows %(n)s"), N_("%(seat)s shows no meld")),
    ),
    Action.MELD_BELA: _if("amount", N_("%(seat)s says bela, for %(n)s"), N_("%(seat)s says bela")),
    Action.PLAY_CARD: _card,
    Action.PLAY_BLOCK: N_("%(seat)s has no card that fits, and takes the block"),
    Action.PLAY_BLOCKED: N_("%(seat)s holds the block and is passed over"),
    Action.PLAY_DISCARD: _if("count", N_("%(seat)s discards %(cards)s"), N_("%(seat)s keeps all cards")),
    Action.PLAY_PASS: N_("%(seat)s plays nothing more"),
    Action.SCORE_TRICK: _counts(
        "%(seat)s took the trick for %(n)s point", "%(seat)s took the trick for %(n)s points"
    ),
    Action.SCORE_HAND: _if(
        "has_chips",
        _counts("%(seat)s wins %(n)s chip in the hand", "%(seat)s wins %(n)s chips in the hand"),
        _counts("%(seat)s wins %(n)s point in the hand", "%(seat)s wins %(n)s points in the hand"),
    ),
    Action.SCORE_POINTS: _counts("%(seat)s took %(n)s point", "%(seat)s took %(n)s points"),
    Action.SCORE_PLACE: N_("%(seat)s finishes in place %(n)s"),
    Action.SCORE_MATCH: _counts("%(seat)s has %(n)s chip", "%(seat)s has %(n)s chips"),
    Action.SCORE_UNCALLED: N_("%(seat)s gets %(n)s back, which nobody called"),
    Action.SCORE_POT: _counts("%(n)s chip was in the pot", "%(n)s chips were in the pot"),
    Action.SCORE_RAKE: N_("The house takes %(n)s"),
    Action.SCORE_CASH_OUT: N_("%(seat)s sells the hand to the house for %(n)s"),
    Action.SCORE_SHOW: _if("known", N_("%(seat)s shows %(cards)s"), N_("%(seat)s mucks")),
}  # fmt: skip
_OF_TEAMS: Final[dict[Action, Phrase]] = {
    Action.SCORE_HAND: _counts(
        "%(seat)s and %(partner)s win %(n)s point in the hand",
        "%(seat)s and %(partner)s win %(n)s points in the hand",
    ),
    Action.SCORE_POINTS: _counts(
        "%(seat)s and %(partner)s took %(n)s point", "%(seat)s and %(partner)s took %(n)s points"
    ),
    Action.SCORE_PLACE: N_("%(seat)s and %(partner)s finish in place %(n)s"),
    Action.SCORE_MATCH: _counts(
        "%(seat)s and %(partner)s have %(n)s point in the match",
        "%(seat)s and %(partner)s have %(n)s points in the match",
    ),
}  # fmt: skip
"""Sentences on a team, whose seats are `seat` and `partner`; the seat of these events may be a team."""


def card_name(card: str) -> str:
    """A card in words: ``ace of spades``."""
    rank = _(_RANKS.get(card[0], card[0]))
    return _(_CARDS.get(card[1], N_("%(rank)s of suit %(suit)s")), rank=rank, suit=card[1])


_CHOICES: Final[dict[Action, Phrase]] = {
    Action.BID_PASS: N_("pass"),
    Action.BID_BID: _if("has_trump", N_("bid %(n)s"), N_("bid %(n)s no trump")),
    Action.BID_TRUMP: lambda event: [_("name %(suit)s", suit=_(_SUITS[event.suit]))],
    Action.BID_THROW_IN: N_("throw in"),
    Action.BID_CHECK: N_("check"),
    Action.BID_CALL: N_("call %(n)s"),
    Action.BID_RAISE: N_("raise, paying %(n)s"),
    Action.BID_FOLD: N_("fold"),
    Action.PLAY_BLOCK: N_("take the block"),
    Action.PLAY_DISCARD: _if("count", N_("discard %(names)s"), N_("keep all cards")),
    Action.PLAY_PASS: N_("pass"),
}
