"""Events and choices in words, for people.

A sentence is a list: text, a seat's number where its player's name goes, ``{"cards": "8STH"}`` and
``{"suit": "H"}``, which the page shows with the suit's symbol.
"""

from collections.abc import Callable
from typing import Any, Final

from cardlog.models.game import Game
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_SEAT, Action

Sentence = list[Any]

RANK_NAMES: Final = dict(zip("TJQKA", ("ten", "jack", "queen", "king", "ace"), strict=True))
SUIT_NAMES: Final = dict(zip("CDHS", ("clubs", "diamonds", "hearts", "spades"), strict=True))
_OF_A_TEAM: Final = (Action.SCORE_HAND, Action.SCORE_MATCH, Action.SCORE_POINTS, Action.SCORE_PLACE)


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
        self.who = None if self.seat == NO_SEAT or self.action in _OF_A_TEAM else self.seat
        self.amount = 0 if event["amount"] == NO_AMOUNT else int(event["amount"])
        self.count = int(event["count"])
        self.cards = cards.texts(event["cards"][: self.count])
        self.suit = "" if event["suit"] == cards.NO_SUIT else cards.SUIT_LETTERS[int(event["suit"])]

    def sentence(self, from_log: bool) -> Sentence:
        """What happened.

        from_log
            Whether a log reports the results; the sentences about them say so.
        """
        if self.seat == NO_SEAT:
            return ["The hand begins."]
        teams = self.game.has_teams and self.action in _OF_A_TEAM
        who = [self.seat, " and ", self.seat + 2] if teams else [self.seat]
        said = _said(_SENTENCES.get(self.action, _plain), self)
        is_reported = from_log and self.kind == "score" and self.action != Action.SCORE_SHOW
        return [*who, " ", *said, *([", says the log"] if is_reported else [])]

    def choice(self) -> str:
        """What the event would do."""
        [text] = _said(_CHOICES.get(self.action, _named), self)
        return str(text)


Words = str | Sentence
Saying = str | Callable[[Told], Words]


def _said(saying: Saying, told: Told) -> Sentence:
    words = saying if isinstance(saying, str) else saying(told)
    return [words] if isinstance(words, str) else words


def _of(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if abs(number) == 1 else 's'}"


def _plain(told: Told) -> Words:
    return f"{told.name} {told.amount or ''}".strip()


def _with_cards(verb: str) -> Saying:
    return lambda told: [f"{verb} ", {"cards": told.cards}]


def _trump(told: Told) -> Words:
    return "plays without trump" if told.suit == "N" else ["names ", {"suit": told.suit}, " trump"]


def _raise(told: Told) -> Words:
    staked = told.before["staked"]
    word = "bets" if staked.max() == staked[told.seat] else "raises, paying"
    return f"{word} {told.amount:,}"


def _declare(told: Told) -> Words:
    if not told.count:
        return f"shows {told.amount or 'no meld'}"
    return ["shows ", {"cards": told.cards}, f" for {told.amount}"]


def _card(told: Told) -> Words:
    if told.game.name == "ruter_sju":
        return ["lays ", {"cards": told.cards}]
    said: Sentence = ["plays ", {"cards": told.cards}]
    if told.state["tricks"] > told.before["tricks"]:
        number = int(told.state["tricks"]) - 1
        points = _of(int(told.state["values"][number]), "point")
        said += [", and ", int(told.state["winners"][number]), f" takes the trick, {points}"]
    return said


def _hand(told: Told) -> Words:
    thing = "chip" if told.game.name == "five_card_draw" else "point"
    return f"{'win' if told.game.has_teams else 'wins'} {_of(told.amount, thing)} in the hand"


def _show(told: Told) -> Words:
    is_known = told.cards.replace(cards.UNKNOWN_TEXT, "")
    return ["shows ", {"cards": told.cards}] if is_known else "mucks"


_SENTENCES: Final[dict[Action, Saying]] = {
    Action.DEAL_HAND: lambda told: f"gets {_of(told.count, 'card')}",
    Action.DEAL_PASS: lambda told: ["passes ", {"cards": told.cards}, " to ", (told.seat + 2) % 4],
    Action.DEAL_DRAW: _with_cards("draws"),
    Action.BID_PASS: "passes",
    Action.BID_BID: lambda told: f"bids {told.amount}{' without trump' if told.suit == 'N' else ''}",
    Action.BID_TRUMP: _trump,
    Action.BID_THROW_IN: "throws the hand in",
    Action.BID_ANTE: lambda told: f"pays the ante, {told.amount:,}",
    Action.BID_CHECK: "checks",
    Action.BID_CALL: lambda told: f"calls, paying {told.amount:,}",
    Action.BID_RAISE: _raise,
    Action.BID_FOLD: "folds",
    Action.MELD_DECLARE: _declare,
    Action.MELD_BELA: lambda told: f"says bela, for {told.amount}" if told.amount else "says bela",
    Action.PLAY_CARD: _card,
    Action.PLAY_BLOCK: "has no card that fits, and takes the block",
    Action.PLAY_BLOCKED: "holds the block and is passed over",
    Action.PLAY_DISCARD: lambda told: (
        ["discards ", {"cards": told.cards}] if told.count else "keeps all cards"
    ),
    Action.PLAY_PASS: "plays nothing more",
    Action.SCORE_TRICK: lambda told: f"took the trick for {_of(told.amount, 'point')}",
    Action.SCORE_HAND: _hand,
    Action.SCORE_POINTS: lambda told: f"took {_of(told.amount, 'point')}",
    Action.SCORE_PLACE: lambda told: (
        f"{'finish' if told.game.has_teams else 'finishes'} in place {told.amount}"
    ),
    Action.SCORE_MATCH: lambda told: (
        f"have {_of(told.amount, 'point')} in the match"
        if told.game.has_teams
        else f"has {_of(told.amount, 'chip')}"
    ),
    Action.SCORE_SHOW: _show,
}


def card_name(card: str) -> str:
    """A card in words: ``ace of spades``."""
    return f"{RANK_NAMES.get(card[0], card[0])} of {SUIT_NAMES.get(card[1], f'suit {card[1]}')}"


def _named(told: Told) -> str:
    return ", ".join(card_name(told.cards[at : at + 2]) for at in range(0, len(told.cards), 2))


_CHOICES: Final[dict[Action, Saying]] = {
    Action.BID_PASS: "pass",
    Action.BID_BID: lambda told: f"bid {told.amount}{' no trump' if told.suit == 'N' else ''}",
    Action.BID_TRUMP: lambda told: f"{SUIT_NAMES[told.suit]} trump",
    Action.BID_THROW_IN: "throw the hand in",
    Action.BID_CHECK: "check",
    Action.BID_CALL: lambda told: f"call, paying {told.amount:,}",
    Action.BID_RAISE: lambda told: f"raise, paying {told.amount:,}",
    Action.BID_FOLD: "fold",
    Action.PLAY_BLOCK: "take the block",
    Action.PLAY_DISCARD: lambda told: f"discard {_named(told)}" if told.count else "keep all cards",
    Action.PLAY_PASS: "pass",
}
