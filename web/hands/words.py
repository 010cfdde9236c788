"""Events and choices in words, for people.

A sentence is a list: text, a seat's number where its player's name goes, ``{"cards": "8STH"}`` and
``{"suit": "H"}``, which the page shows with the suit's symbol.
"""

from collections.abc import Callable
from typing import Any, Final

from cardlog.models.game import Game
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_SEAT, Action
from cardlog.web.texts import N_, _, filled, ngettext

Sentence = list[Any]

_RANKS: Final = {"T": N_("ten"), "J": N_("jack"), "Q": N_("queen"), "K": N_("king"), "A": N_("ace")}
_CARDS: Final = {
    "C": N_("%(rank)s of clubs"), "D": N_("%(rank)s of diamonds"), "H": N_("%(rank)s of hearts"),
    "S": N_("%(rank)s of spades"),
}  # fmt: skip
_SUITS: Final = {"C": N_("clubs"), "D": N_("diamonds"), "H": N_("hearts"), "S": N_("spades")}


class Told:
    """An event, and the states before and after it.

    who
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
        self.who = None if self.seat == NO_SEAT or self.action in _OF_TEAMS else self.seat
        self.amount = 0 if event["amount"] == NO_AMOUNT else int(event["amount"])
        self.count = int(event["count"])
        self.cards = cards.texts(event["cards"][: self.count])
        self.known = self.cards.replace(cards.UNKNOWN_TEXT, "")
        self.suit = "" if event["suit"] == cards.NO_SUIT else cards.SUIT_LETTERS[int(event["suit"])]
        self.has_trump, self.has_chips = self.suit != "N", game.name == "five_card_draw"

    def sentence(self, from_log: bool) -> Sentence:
        """What happened.

        from_log
            Whether a log reports the results; the sentences about them say so.
        """
        if self.seat == NO_SEAT:
            return [_("The hand begins.")]
        teams = _OF_TEAMS if self.game.has_teams else {}
        said = self._said(teams.get(self.action) or _SENTENCES.get(self.action, _plain))
        is_reported = from_log and self.kind == "score" and self.action != Action.SCORE_SHOW
        return filled(_("%(sentence)s, says the log"), sentence=said) if is_reported else said

    def choice(self) -> str:
        """What the event would do."""
        return "".join(self._said(_CHOICES.get(self.action, "%(names)s")))

    def _said(self, saying: "Saying") -> Sentence:
        while callable(saying):
            saying = saying(self)
        return self.filled(_(saying)) if isinstance(saying, str) else saying

    def filled(self, text: str, **more: Any) -> Sentence:
        """A sentence of the event, with its seat, its amount and so on where their names are."""
        cards_of = {"cards": {"cards": self.cards}, "names": _named(self.cards), "suit": {"suit": self.suit}}
        seats = {"seat": self.seat, "partner": self.seat + 2, "receiver": (self.seat + 2) % 4}
        return filled(text, n=f"{self.amount:,}", count=str(self.count), **cards_of, **seats, **more)


Saying = str | Sentence | Callable[[Told], "Saying"]


def _counts(one: str, many: str, of: str = "amount") -> Saying:
    """A sentence about as many things as the event's amount, or its count, says."""
    return lambda told: told.filled(ngettext(one, many, abs(getattr(told, of))))


def _if(name: str, one: Saying, other: Saying) -> Saying:
    """One sentence about an event that has something, another about one that has not."""
    return lambda told: one if getattr(told, name) else other


def _plain(told: Told) -> Sentence:
    return told.filled("%(seat)s %(name)s", name=f"{told.name} {told.amount or ''}".strip())


def _raise(told: Told) -> str:
    staked = told.before["staked"]
    is_first = staked.max() == staked[told.seat]
    return N_("%(seat)s bets %(n)s") if is_first else N_("%(seat)s raises, paying %(n)s")


def _card(told: Told) -> Saying:
    if told.game.name == "ruter_sju":
        return N_("%(seat)s lays %(cards)s")
    if told.state["tricks"] == told.before["tricks"]:
        return N_("%(seat)s plays %(cards)s")
    trick = int(told.state["tricks"]) - 1
    taker, points = int(told.state["winners"][trick]), int(told.state["values"][trick])
    text = ngettext(
        "%(seat)s plays %(cards)s, and %(taker)s takes the trick, %(points)s point",
        "%(seat)s plays %(cards)s, and %(taker)s takes the trick, %(points)s points",
        abs(points),
    )
    return told.filled(text, taker=taker, points=f"{points:,}")


_SENTENCES: Final[dict[Action, Saying]] = {
    Action.DEAL_HAND: _counts("%(seat)s gets %(count)s card", "%(seat)s gets %(count)s cards", "count"),
    Action.DEAL_PASS: N_("%(seat)s passes %(cards)s to %(receiver)s"),
    Action.DEAL_DRAW: N_("%(seat)s draws %(cards)s"),
    Action.BID_PASS: N_("%(seat)s passes"),
    Action.BID_BID: _if("has_trump", N_("%(seat)s bids %(n)s"), N_("%(seat)s bids %(n)s without trump")),
    Action.BID_TRUMP: _if(
        "has_trump", N_("%(seat)s names %(suit)s trump"), N_("%(seat)s plays without trump"),
    ),
    Action.BID_THROW_IN: N_("%(seat)s throws the hand in"),
    Action.BID_ANTE: N_("%(seat)s pays the ante, %(n)s"),
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
    Action.SCORE_SHOW: _if("known", N_("%(seat)s shows %(cards)s"), N_("%(seat)s mucks")),
}  # fmt: skip
_OF_TEAMS: Final[dict[Action, Saying]] = {
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
"""Of a team, whose seats are `seat` and `partner`; the seat of these events may be a team."""


def card_name(card: str) -> str:
    """A card in words: ``ace of spades``."""
    rank = _(_RANKS.get(card[0], card[0]))
    return _(_CARDS.get(card[1], N_("%(rank)s of suit %(suit)s")), rank=rank, suit=card[1])


def _named(held: str) -> str:
    return ", ".join(card_name(held[at : at + 2]) for at in range(0, len(held), 2))


_CHOICES: Final[dict[Action, Saying]] = {
    Action.BID_PASS: N_("pass"),
    Action.BID_BID: _if("has_trump", N_("bid %(n)s"), N_("bid %(n)s no trump")),
    Action.BID_TRUMP: lambda told: [_("name %(suit)s", suit=_(_SUITS[told.suit]))],
    Action.BID_THROW_IN: N_("throw in"),
    Action.BID_CHECK: N_("check"),
    Action.BID_CALL: N_("call %(n)s"),
    Action.BID_RAISE: N_("raise, paying %(n)s"),
    Action.BID_FOLD: N_("fold"),
    Action.PLAY_BLOCK: N_("take the block"),
    Action.PLAY_DISCARD: _if("count", N_("discard %(names)s"), N_("keep all cards")),
    Action.PLAY_PASS: N_("pass"),
}
