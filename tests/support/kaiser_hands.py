"""Kaiser hands for tests, made by hand or from CSV rows, with nothing from `pipelines`.

The tests of the rules must not depend on the reader, so rows become events here in the plainest way.
"""

import csv
import gzip
import hashlib
import json
import random
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardlog.models.engine.fold import fold
from cardlog.models.kaiser import KAISER
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser import state as kaiser_state
from cardlog.models.kaiser.legal import bid_text
from cardlog.schemas import cards
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import CODE, NO_AMOUNT, NO_SEAT, NO_TIME, Action
from cardlog.schemas.reasons import Reason

FIXTURES = Path(__file__).parents[1] / "fixtures" / "kaiser"

PLAYERS: list[dict[str, str]] = [{}, {}, {}, {}]

# Every seat has every suit. Seat 0 bids first when seat 3 deals.
MIXED = (
    "7C8CACKD5H9HAS8S",
    "9CTC7D8D8HTH3S9S",
    "JCQC9DTDJHQHTSJS",
    "KCJDQDADKHAHQSKS",
)
# Every seat has one suit, so nobody can follow and a leader without trump takes all.
ONE_SUIT_EACH = (
    "7C8C9CTCJCQCKCAC",
    "7D8D9DTDJDQDKDAD",
    "5H8H9HTHJHQHKHAH",
    "3S8S9STSJSQSKSAS",
)


class Event(NamedTuple):
    action: int
    seat: int = NO_SEAT
    cards: str = ""
    suit: int = NO_SUIT
    amount: int = NO_AMOUNT


def event(kind: str, name: str, seat: int = NO_SEAT, cards_text: str = "", **fields: Any) -> Event:
    """``event("bid", "bid", 2, amount=8, suit="N")``"""
    suit = fields.pop("suit", None)
    number = NO_SUIT if suit is None else cards.SUIT_LETTERS.index(suit)
    return Event(CODE[kind, name], seat, cards_text, number, **fields)


def record(what: Event) -> Any:
    """The compiled form of one event: a record, not an array."""
    return records([what])[0]


def records(what: Iterable[Event]) -> Any:
    """Events in compiled form, shape (events,)."""
    what = list(what)
    made = np.zeros(len(what), kaiser.EVENT)
    made["action"] = [one.action for one in what]
    made["seat"] = [one.seat for one in what]
    made["suit"] = [one.suit for one in what]
    made["amount"] = [one.amount for one in what]
    made["count"] = [len(one.cards) // 2 for one in what]
    made["at"] = NO_TIME
    made["detail"] = -1
    shown = b"".join(_codes(one.cards) for one in what)
    made["cards"] = np.frombuffer(shown, np.uint8).reshape(len(what), kaiser.MOST_CARDS)
    return made


_CODE_OF = {
    kaiser_state.DECK_TEXT[i : i + 2]: cards.code(kaiser_state.DECK_TEXT[i : i + 2]) for i in range(0, 64, 2)
}


@lru_cache(maxsize=1024)
def _codes(text: str) -> bytes:
    pairs = [text[i : i + 2] for i in range(0, len(text), 2)]
    codes = bytes(_CODE_OF[pair] if pair in _CODE_OF else cards.code(pair) for pair in pairs)
    return codes.ljust(kaiser.MOST_CARDS, b"\0")


def opening(dealer: int = 3, match: dict[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
    """The detail of a hand's opening."""
    flags = {name: settings.pop(name) for name in [kaiser_state.CAPPED] if name in settings}
    text = kaiser.opening(kaiser_state.Settings(**settings), dealer, [None] * 4, match and {"match": match})
    detail: dict[str, Any] = json.loads(text)
    detail["settings"] |= flags
    return detail


class Hand:
    """A hand in progress. Checks that every refused event leaves the state unchanged."""

    def __init__(self, deal: tuple[str, ...] | None = MIXED, **detail: Any) -> None:
        self.states = kaiser.begin(opening(**detail))
        if deal is not None:
            self.all(Event(Action.DEAL_OPEN), *(event("deal", "hand", s, deal[s]) for s in range(4)))

    @property
    def state(self) -> Any:
        return self.states[0]

    def do(self, what: Event | Any) -> Reason:
        """Apply an event if it is legal."""
        before = self.states.tobytes()
        reason = Reason(kaiser.evolve(self.state, record(what) if isinstance(what, Event) else what))
        assert (self.states.tobytes() == before) or not reason, f"{reason!r} changed the state"
        return reason

    def all(self, *what: Event) -> "Hand":
        """Apply events; none may be refused."""
        for one in what:
            assert self.do(one) == Reason.OK, one
        return self

    def bid(self, text: str, seat: int | None = None) -> Reason:
        """A bid as in the original data, ``pass``, ``7`` or ``8N``, by default from the seat in turn."""
        return self.do(bid(self.state.turn if seat is None else seat, text))

    def bids(self, *texts: str) -> "Hand":
        """Bids from the dealer's left; none may be refused."""
        for text in texts:
            assert self.bid(text) == Reason.OK, text
        return self

    def trump(self, suit: str, seat: int | None = None) -> Reason:
        return self.do(event("bid", "trump", self.state.turn if seat is None else seat, suit=suit))

    def play(self, text: str, seat: int = NO_SEAT) -> Reason:
        return self.do(event("play", "card", seat, text))

    def plays(self, text: str) -> "Hand":
        """Cards in turn; none may be refused."""
        for index in range(0, len(text), 2):
            assert self.play(text[index : index + 2]) == Reason.OK, (index, text[index : index + 2])
        return self

    def play_on(self) -> "Hand":
        """Play to the end of the hand: every seat plays its first legal card."""
        while not self.state.done:
            self.plays(cards.text(lowest(kaiser.legal_actions(self.state))))
        return self

    def legal(self) -> set[str]:
        """What the seat to act may do, as text: bids, suits or cards."""
        return legal(self.state)


def auction(*texts: str, trump: str | None = None, **detail: object) -> Hand:
    """A hand whose auction is over: bids from the dealer's left, then trump."""
    hand = Hand(**detail).bids(*texts)
    if trump is not None:
        assert hand.trump(trump) == Reason.OK
    return hand


def bid(seat: int, text: str) -> Event:
    if text == "pass":
        return Event(Action.BID_PASS, seat)
    return event("bid", "bid", seat, amount=int(text.rstrip("N")), suit="N" if text[-1] == "N" else None)


def bits(mask: int) -> list[int]:
    """The indices of a mask's bits."""
    return [bit for bit in range(64) if int(mask) >> bit & 1]


def lowest(mask: int) -> int:
    return bits(mask)[0]


def legal(state: Any) -> set[str]:
    """`kaiser.legal_actions` as text."""
    found = bits(kaiser.legal_actions(state))
    if state.phase == kaiser_state.PLAYING:
        return {cards.text(card) for card in found}
    if state.phase == kaiser_state.NAMING:
        return {cards.SUITS[suit] for suit in found}
    return {bid_text(rank) for rank in found}


def legal_event(state: Any, action: int) -> Event:
    """The event that carries out an action of `kaiser.legal_actions`, from the seat in turn."""
    seat = int(state.turn)
    if state.phase == kaiser_state.PLAYING:
        return Event(Action.PLAY_CARD, seat, cards.text(action))
    if state.phase == kaiser_state.NAMING:
        return Event(Action.BID_TRUMP, seat, suit=action)
    return bid(seat, bid_text(action))


# ---------------------------------------------------------------- rows


def rows(name: str = "playedhand.csv.gz") -> list[dict[str, str]]:
    path = FIXTURES / name
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return list(csv.DictReader(text.decode().splitlines()))


def json_lines(name: str) -> Iterator[dict[str, Any]]:
    """The objects of a fixture, one per line."""
    yield from map(json.loads, gzip.decompress((FIXTURES / name).read_bytes()).splitlines())


def detail_of(row: dict[str, str], match: dict[str, Any] | None = None) -> dict[str, Any]:
    """The opening of a row."""
    return opening(
        int(row["dealer"]),
        match,
        min_bid=int(row["setting_min_bid"]),
        pass_cards=row["setting_pass_cards"] in ("t", "true"),
        no_trump_bid_out=int(row["setting_no_trump_bid_out"]),
        game_over_at_minus_52=row["setting_game_over_at_minus_52"] in ("t", "true"),
    )


def events_of(row: dict[str, str]) -> list[Event]:
    """The events of a row: hands as they were after the pass, bids from the dealer's left, cards."""
    dealer = int(row["dealer"])
    found = [Event(Action.DEAL_OPEN)]
    found += [Event(Action.DEAL_HAND, seat, row[f"player_{seat}_hand"]) for seat in range(4)]
    named = []
    for seat in [(dealer + step) % 4 for step in (1, 2, 3, 4)]:
        text = row[f"player_{seat}_bid"]
        if text[-1] in cards.SUITS:
            named.append(event("bid", "trump", seat, suit=text[-1]))
            text = text[:-1]
        found.append(bid(seat, text))
    played = "" if row["played_cards"] == "\\N" else row["played_cards"]
    found += named
    found += [Event(Action.PLAY_CARD, NO_SEAT, played[i : i + 2]) for i in range(0, len(played), 2)]
    return found


def fold_hands(details: list[dict[str, Any]], hands: list[list[Event]]) -> tuple[Any, Any, Any]:
    """States, reasons and indices of the first illegal event in its hand, each of shape (hands,)."""
    begun: dict[str, Any] = {}
    states = np.zeros(len(hands), kaiser.STATE)
    for number, detail in enumerate(details):
        key = json.dumps(detail)
        if key not in begun:
            begun[key] = kaiser.begin(detail)[0]
        states[number] = begun[key]
    offsets = np.cumsum([0, *(len(hand) for hand in hands)])
    reasons = np.full(len(hands), 99, np.int8)
    at = np.full(len(hands), 99, np.int64)
    flat = records(one for hand in hands for one in hand)
    fold(KAISER, flat, offsets, states, reasons, at)
    return states, reasons, np.where(at < 0, at, at - offsets[:-1])


# ---------------------------------------------------------------- random events


def random_deal(rng: random.Random) -> list[str]:
    pack = [kaiser_state.DECK_TEXT[i : i + 2] for i in range(0, 64, 2)]
    rng.shuffle(pack)
    return ["".join(pack[seat * 8 : seat * 8 + 8]) for seat in range(4)]


def random_detail(rng: random.Random) -> dict[str, Any]:
    return opening(
        rng.randrange(4),
        min_bid=rng.randint(5, 8),
        pass_cards=rng.random() < 0.5,
        no_trump_bid_out=rng.choice((52, 62)),
        game_over_at_minus_52=rng.random() < 0.5,
        match=rng.choice((None, {"score": [rng.randint(-60, 60), 45], "no_trump": False})),
    )


_ACTIONS = (
    Action.DEAL_OPEN, Action.DEAL_HAND, Action.DEAL_PASS, Action.BID_BID, Action.BID_PASS, Action.BID_TRUMP,
    Action.PLAY_CARD, Action.SCORE_TRICK, Action.SCORE_HAND, Action.SCORE_MATCH,
)  # fmt: skip


def random_garbage(rng: random.Random) -> Any:
    """An event with random fields: sometimes random bytes, sometimes values of the right kind."""
    if rng.random() < 0.3:
        made = np.frombuffer(rng.randbytes(kaiser.EVENT.itemsize), kaiser.EVENT).copy()
    else:
        made = np.zeros(1, kaiser.EVENT)
        made["action"] = rng.choice((*_ACTIONS, *_ACTIONS, rng.randrange(256)))
        made["seat"] = rng.choice((NO_SEAT, 0, 1, 2, 3, rng.randrange(-128, 128)))
        made["suit"] = rng.randrange(-2, 6)
        made["amount"] = rng.choice((rng.randrange(-3, 16), NO_AMOUNT, 2**31 - 1))
        made["cards"] = [rng.choice((*_CODE_OF.values(), 13, 61, 255)) for _ in range(kaiser.MOST_CARDS)]
    made["count"] = rng.choice((0, 1, 1, 1, 2, 8, rng.randrange(9)))
    return made[0]


def random_step(state: Any, rng: random.Random, sense: float) -> Any:
    """A random next event: with probability `sense` a legal one, otherwise garbage."""
    if rng.random() >= sense:
        return random_garbage(rng)
    if state.phase == kaiser_state.OPENING:
        return record(Event(Action.DEAL_OPEN))
    if state.phase == kaiser_state.DEALING:
        seat = rng.choice([seat for seat in range(4) if not state.dealt >> seat & 1])
        left = rng.sample(bits(int(kaiser_state.DECK) & ~int(state.seen)), kaiser_state.HAND_CARDS)
        return record(Event(Action.DEAL_HAND, seat, cards.texts(left)))
    if state.phase == kaiser_state.PASSING and (state.gave or rng.random() < 0.5):
        seat = rng.choice([seat for seat in range(4) if not state.gave >> seat & 1])
        given = rng.sample(bits(state.hands[seat]), 2)
        return record(Event(Action.DEAL_PASS, seat, cards.texts(given)))
    if state.phase == kaiser_state.DONE:
        team = rng.randrange(2)
        amount = int(state.score[team]) + rng.choice((0, 0, 1))
        return record(Event(Action.SCORE_HAND, team, amount=amount))
    return record(legal_event(state, rng.choice(bits(kaiser.legal_actions(state)))))


def trace(seed: int, hands: int) -> str:
    """A digest of every state and reason of many random hands, half of them mostly legal, half garbage."""
    rng = random.Random(seed)
    digest = hashlib.sha256()
    finished = 0
    for _ in range(hands):
        states = kaiser.begin(random_detail(rng))
        sense = rng.choice((0.3, 0.8, 1.0))
        for _ in range(60):
            reason = kaiser.evolve(states[0], random_step(states[0], rng, sense))
            digest.update(states.tobytes() + bytes([int(reason)]))
        finished += int(states[0].done)
    return f"{digest.hexdigest()} {finished}"


def fold_digest(count: int) -> str:
    """A digest of the fold's results for the first rows of the fixture."""
    some = rows("playedhand_sample.csv")[:count]
    states, reasons, at = fold_hands([detail_of(row) for row in some], [events_of(row) for row in some])
    return hashlib.sha256(states.tobytes() + reasons.tobytes() + at.tobytes()).hexdigest()
