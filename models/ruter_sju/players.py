"""Ruter Sju's players: the author's three bots, who play the hands that `cardlog simulate` writes.

Every card is taken from what `placements` allows and goes through `evolve`, so a simulated hand is
legal as a logged one is.
"""

import json
from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.fold import Records
from cardlog.models.playing import BOOK, Played, at_seats, new_event
from cardlog.models.rng import begin, below, shuffle
from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.models.ruter_sju.rules import CARD_OF, FEWEST_SEATS, NUMBER_OF, ORIGINAL, SEATS, SUIT_OF
from cardlog.schemas.events import NO_SEAT

PLAYERS: Final = {
    "random": "any card that fits",
    "smart": "the card that opens the way to its farthest one from the middle",
    "dumb": "the card on whose side its nearest one to the middle is",
}
"""The players there are. [R11]"""
RULES: Final = {BOOK: "docs/rules/ruter_sju.md", ORIGINAL: "those of the author's program"}
"""The rules they can play by; among bots both come to the same."""

USUAL_SEATS: Final = 4
"""Players at the table if one name stands for all."""
SETTINGS: Final = ruter_sju.Settings()
_SMART, _DUMB, _RANDOM = range(3)
_DECK: Final = CARD_OF[: SETTINGS.suits, 1 : SETTINGS.cards_per_suit + 1].ravel()
LAPS_A_CARD: Final = 2
"""Laps of the table that may pass before another card is placed: in one of them the only seat with a
card that fits may hold the block, which then somebody else takes."""


class Simulation:
    """Hands without end, each a match of its own, the same for the same key, however many are asked
    for at a time.

    key
        Where chance begins, 64 bits.
    scores
        Whether the log tells who finished where. The hands themselves are the same with and without.
    players
        Three to six names of `PLAYERS`, one a seat; one name stands for four.
    rules
        A name of `RULES`.

    Raises ValueError for another number of players.
    """

    def __init__(
        self, key: int, scores: bool, players: tuple[str, ...] = ("random",), rules: str = BOOK
    ) -> None:
        if len(players) != 1 and not FEWEST_SEATS <= len(players) <= SEATS:
            raise ValueError(
                f"{len(players)} players are named; it must be one for all {USUAL_SEATS}, "
                f"or {FEWEST_SEATS} to {SEATS}"
            )
        seats = at_seats(players, USUAL_SEATS if len(players) == 1 else len(players))
        self._key = np.uint64(key)
        self._scores = scores
        self._done = 0
        self._kinds = np.array([ruter_sju.BOTS.index(name) for name in seats], np.int8)
        settings = ruter_sju.Settings(rules, SETTINGS.suits, SETTINGS.cards_per_suit)
        named = [{"name": str(seat), "kind": "computer", "bot": player} for seat, player in enumerate(seats)]
        self._detail = ruter_sju.opening(settings, named)
        self._blank = ruter_sju.begin(json.loads(self._detail))

    def play(self, count: int) -> Played:
        """The next hands."""
        seats = len(self._kinds)
        most = 1 + 2 * seats + LAPS_A_CARD * seats * len(_DECK)
        events = np.empty(count * most, ruter_sju.EVENT)
        offsets = np.zeros(count + 1, np.int64)
        refused = _play(self._key, self._done, self._scores, self._blank, self._kinds, events, offsets)
        if refused >= 0:
            raise AssertionError(f"hand {self._done + refused}: the player did what the rules forbid")
        numbers = np.arange(self._done, self._done + count, dtype=np.int32)
        self._done += count
        return Played(events[: offsets[-1]], offsets, [self._detail], numbers, np.zeros(count, np.int32))


@compiled
def _play(
    key: np.uint64, first: int, scores: bool, blank: Records, kinds: Any, events: Any, offsets: Any
) -> int:
    """Play hands, from number `first` on; returns the place of one that was refused, -1 if none."""
    chance = np.zeros(1, np.uint64)
    deck = np.empty(len(_DECK), np.uint8)
    suits = np.empty((SEATS, ruter_sju.SUITS), np.int8)
    options = np.empty(len(_DECK), np.uint8)
    state = blank.copy()
    for place in range(len(offsets) - 1):
        begin(chance, key, first + place)
        state[0] = blank[0]
        size = offsets[place]
        new_event(events, size, ruter_sju.OPEN, NO_SEAT).detail = 0
        refused = ruter_sju.evolve(state[0], events[size])
        deck[:] = _DECK
        shuffle(chance, deck)
        refused |= _deal(state[0], deck, suits, events, size + 1)
        size += 1 + len(kinds)
        while state[0].phase == ruter_sju.PLAYING and refused == 0:
            event = new_event(events, size, ruter_sju.BLOCKED, state[0].turn)
            if state[0].holder != state[0].turn:
                _choose(chance, state[0], kinds[state[0].turn], suits, options, event)
            refused |= ruter_sju.evolve(state[0], event)
            size += 1
        for number in range(1, len(kinds) + 1 if scores else 1):
            for seat in range(len(kinds)):
                if state[0].places[seat] == number:
                    event = new_event(events, size, ruter_sju.SCORE_PLACE, seat)
                    event.amount = number
                    refused |= ruter_sju.evolve(state[0], event)
                    size += 1
        if refused != 0:
            return place
        offsets[place + 1] = size
    return -1


@compiled
def _deal(state: Any, deck: Any, suits: Any, events: Any, size: Int) -> int:
    """[R4] Deal one by one from seat 0. A hand is sorted: suits in the order of the first card dealt of
    each, which goes to `suits` by seat, -1 at the end; ascending inside a suit."""
    refused = 0
    seats = np.int64(state.seats)
    for seat in range(seats):
        event = new_event(events, size + seat, ruter_sju.DEAL_HAND, seat)
        held = np.zeros(ruter_sju.SUITS, np.int64)
        found = 0
        suits[seat, :] = -1
        for place in range(seat, len(deck), seats):
            suit = np.int64(SUIT_OF[deck[place]])
            if held[suit] == 0:
                suits[seat, found] = suit
                found += 1
            held[suit] |= np.int64(1) << np.int64(NUMBER_OF[deck[place]])
        count = 0
        for place in range(found):
            suit = np.int64(suits[seat, place])
            for number in range(1, np.int64(state.ranks) + 1):
                if held[suit] >> number & 1:
                    event.cards[count] = CARD_OF[suit, number]
                    count += 1
        event.count = count
        refused |= ruter_sju.evolve(state, event)
    return refused


@compiled
def _choose(chance: Any, state: Any, kind: int, suits: Any, options: Any, event: Any) -> None:
    """[R11] What the seat in turn does: a card that fits, the block if there is none."""
    seat = np.int64(state.turn)
    middle = np.int64(state.centre)
    count = 0
    chosen = np.int64(0)
    best: Int = np.int64(-1)
    for place in range(np.int64(state.suits)):
        suit = np.int64(suits[seat, place])
        if suit < 0:
            break
        fit: Int = ruter_sju.placements(state, seat, suit)
        while fit != 0:
            number = _lowest(fit)
            fit &= fit - 1
            if kind == _RANDOM:
                options[count] = CARD_OF[suit, number]
                count += 1
                continue
            distance = _distance(np.int64(state.hands[seat, suit]), number, middle, kind == _SMART)
            if best < 0 or (distance > best if kind == _SMART else distance < best):
                best = distance
                chosen = np.int64(CARD_OF[suit, number])
    if count > 0:
        chosen = np.int64(options[below(chance, count)])
    if chosen == 0 and best < 0 and count == 0:
        event.action = ruter_sju.TAKE_BLOCK
        return
    event.action = ruter_sju.PLAY_CARD
    event.count = 1
    event.cards[0] = chosen


@compiled
def _distance(held: Int, number: Int, middle: Int, farthest: bool) -> Int:
    """How far from the middle card the farthest or the nearest card lies that is held on the side of
    a number; the middle card is on the upper side."""
    below_middle = (np.int64(1) << (middle - 1)) - 1
    if number < middle:
        side = held & below_middle
        return middle - (_lowest(side) if farthest else _highest(side))
    side = held & ~below_middle
    return (_highest(side) if farthest else _lowest(side)) - middle


@compiled
def _lowest(cards: Int) -> Int:
    """The lowest number in a set that is not empty."""
    number = np.int64(1)
    while cards & 1 == 0:
        cards >>= 1
        number += 1
    return number


@compiled
def _highest(cards: Int) -> Int:
    """The highest number in a set that is not empty."""
    number = np.int64(0)
    while cards != 0:
        cards >>= 1
        number += 1
    return number
