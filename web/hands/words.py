"""Events as sentences for people.

A sentence is a list: text, a seat's number where its player's name goes, ``{"cards": "8STH"}`` and
``{"suit": "H"}``, which the page shows with the suit's symbol.
"""

from typing import Any, Final

from cardlog import models
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_SEAT

_OF_A_TEAM: Final = {("score", "hand"), ("score", "match"), ("score", "points"), ("score", "place")}

Sentence = list[Any]


def kind_of(event: Any) -> str:
    """The kind of an event."""
    return ACTIONS[int(event["action"])].kind


def name_of(event: Any) -> str:
    """An event's action within its kind."""
    return ACTIONS[int(event["action"])].name


def is_of_team(event: Any) -> bool:
    """Whether the seat of an event may be a team's number."""
    return (kind_of(event), name_of(event)) in _OF_A_TEAM


def sentence(game: str, before: Any, event: Any, state: Any, from_log: bool = True) -> Sentence:
    """What happened.

    from_log
        Whether a log reports the results; the sentences about them say so.
    """
    action = ACTIONS[int(event["action"])]
    seat = int(event["seat"])
    if seat == NO_SEAT:
        return ["The hand begins."]
    who: Sentence = [seat]
    if is_of_team(event) and models.game(game).has_teams:
        who = [seat, " and ", seat + 2]
    said = _SENTENCES.get((action.kind, action.name), _plain)(game, event, before, state)
    is_reported = from_log and action.kind == "score" and action.name != "show"
    return [*who, " ", *said, *([", says the log"] if is_reported else [])]


def _cards(event: Any) -> str:
    return cards.texts(event["cards"][: int(event["count"])])


def _amount(event: Any) -> int:
    return 0 if event["amount"] == NO_AMOUNT else int(event["amount"])


def _of(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if abs(number) == 1 else 's'}"


def _plain(game: str, event: Any, before: Any, state: Any) -> Sentence:
    return [f"{name_of(event)} {_amount(event) or ''}".strip()]


def _dealt(game: str, event: Any, before: Any, state: Any) -> Sentence:
    return [f"gets {_of(int(event['count']), 'card')}"]


def _given(game: str, event: Any, before: Any, state: Any) -> Sentence:
    return ["passes ", {"cards": _cards(event)}, " to ", (int(event["seat"]) + 2) % 4]


def _drawn(game: str, event: Any, before: Any, state: Any) -> Sentence:
    return ["draws ", {"cards": _cards(event)}]


def _bid(game: str, event: Any, before: Any, state: Any) -> Sentence:
    without = " without trump" if event["suit"] == cards.NO_TRUMP else ""
    return [f"bids {_amount(event)}{without}"]


def _trump(game: str, event: Any, before: Any, state: Any) -> Sentence:
    if event["suit"] == cards.NO_TRUMP:
        return ["plays without trump"]
    return ["names ", {"suit": cards.SUIT_LETTERS[int(event["suit"])]}, " trump"]


def _call(game: str, event: Any, before: Any, state: Any) -> Sentence:
    return [f"calls, paying {_amount(event):,}"]


def _raise(game: str, event: Any, before: Any, state: Any) -> Sentence:
    word = "bets" if before["staked"].max() == before["staked"][int(event["seat"])] else "raises, paying"
    return [f"{word} {_amount(event):,}"]


def _declare(game: str, event: Any, before: Any, state: Any) -> Sentence:
    if not event["count"]:
        return ["shows no meld" if not _amount(event) else f"shows {_amount(event)}"]
    return ["shows ", {"cards": _cards(event)}, f" for {_amount(event)}"]


def _bela(game: str, event: Any, before: Any, state: Any) -> Sentence:
    return [f"says bela, for {_amount(event)}" if _amount(event) else "says bela"]


def _card(game: str, event: Any, before: Any, state: Any) -> Sentence:
    if game == "ruter_sju":
        return ["lays ", {"cards": _cards(event)}]
    said: Sentence = ["plays ", {"cards": _cards(event)}]
    if state["tricks"] > before["tricks"]:
        number = int(state["tricks"]) - 1
        points = _of(int(state["values"][number]), "point")
        said += [", and ", int(state["winners"][number]), f" takes the trick, {points}"]
    return said


def _discard(game: str, event: Any, before: Any, state: Any) -> Sentence:
    if not event["count"]:
        return ["keeps all cards"]
    return ["discards ", {"cards": _cards(event)}]


def _trick(game: str, event: Any, before: Any, state: Any) -> Sentence:
    return [f"took the trick for {_of(_amount(event), 'point')}"]


def _hand(game: str, event: Any, before: Any, state: Any) -> Sentence:
    thing = "chip" if game == "five_card_draw" else "point"
    verb = "win" if models.game(game).has_teams else "wins"
    return [f"{verb} {_of(_amount(event), thing)} in the hand"]


def _points(game: str, event: Any, before: Any, state: Any) -> Sentence:
    return [f"took {_of(_amount(event), 'point')}"]


def _place(game: str, event: Any, before: Any, state: Any) -> Sentence:
    return [f"{'finish' if models.game(game).has_teams else 'finishes'} in place {_amount(event)}"]


def _match(game: str, event: Any, before: Any, state: Any) -> Sentence:
    if models.game(game).has_teams:
        return [f"have {_of(_amount(event), 'point')} in the match"]
    return [f"has {_of(_amount(event), 'chip')}"]


def _show(game: str, event: Any, before: Any, state: Any) -> Sentence:
    known = any(int(card) != cards.UNKNOWN for card in event["cards"][: int(event["count"])])
    return ["shows ", {"cards": _cards(event)}] if known else ["mucks"]


def _always(*said: Any) -> Any:
    return lambda game, event, before, state: list(said)


_SENTENCES: Final[dict[tuple[str, str], Any]] = {
    ("deal", "hand"): _dealt,
    ("deal", "pass"): _given,
    ("deal", "draw"): _drawn,
    ("bid", "pass"): _always("passes"),
    ("bid", "bid"): _bid,
    ("bid", "trump"): _trump,
    ("bid", "throw_in"): _always("throws the hand in"),
    ("bid", "ante"): lambda game, event, before, state: [f"pays the ante, {_amount(event):,}"],
    ("bid", "check"): _always("checks"),
    ("bid", "call"): _call,
    ("bid", "raise"): _raise,
    ("bid", "fold"): _always("folds"),
    ("meld", "declare"): _declare,
    ("meld", "bela"): _bela,
    ("play", "card"): _card,
    ("play", "block"): _always("has no card that fits, and takes the block"),
    ("play", "blocked"): _always("holds the block and is passed over"),
    ("play", "discard"): _discard,
    ("play", "pass"): _always("plays nothing more"),
    ("score", "trick"): _trick,
    ("score", "hand"): _hand,
    ("score", "points"): _points,
    ("score", "place"): _place,
    ("score", "match"): _match,
    ("score", "show"): _show,
}
