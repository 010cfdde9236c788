"""Ruter Sju's players: the author's three bots, and an expert. A hand is a match of its own."""

import json
from functools import cache
from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import BOOK, NO_MATCH, POLICY, Setup, new_event, shuffle_pack, table_dtype
from cardlog.models.engine.game import Players, Records
from cardlog.models.engine.rng import below
from cardlog.models.ruter_sju import state as ruter_sju
from cardlog.models.ruter_sju.decisions import to_event
from cardlog.models.ruter_sju.expert import expert
from cardlog.models.ruter_sju.legal import placements
from cardlog.models.ruter_sju.state import CARD_OF, FEWEST_SEATS, NUMBER_OF, ORIGINAL, SEATS, SUIT_OF
from cardlog.schemas.events import Action

SETTINGS: Final = ruter_sju.Settings()
_RANDOM, _SMART, _DUMB, _EXPERT = range(4)
_NO_CARD: Final = -1
_DECK: Final = CARD_OF[: SETTINGS.suits, 1 : SETTINGS.cards_per_suit + 1].ravel()
LAPS_A_CARD: Final = 2
"""The most laps of the table until another card is placed: in the first one, the only seat with a card that
fits may hold the block, which another seat then takes."""


def prepare(setup: Setup, tables: Records) -> Records:
    """See `Players`. Players look for cards in all suits, until a deal sorts their hands."""
    tables["suits"] = np.arange(ruter_sju.SUITS)
    tables["draws_first"] = setup.rules == BOOK and len(_DECK) % len(setup.players) > 0
    return ruter_sju.begin(json.loads(_opening(setup)))


def detail(setup: Setup, table: Any) -> str:
    """See `Players`. It is the same for every hand."""
    return _opening(setup)


@cache
def _opening(setup: Setup) -> str:
    settings = ruter_sju.Settings(setup.rules, SETTINGS.suits, SETTINGS.cards_per_suit)
    players = [{"name": str(seat), "kind": "computer"} for seat in range(len(setup.players))]
    for player, name in zip(players, setup.players, strict=True):
        if name != POLICY:
            player["bot"] = name
    return ruter_sju.opening(settings, players)


@compiled
def begin_match(table: Any) -> None:
    """[R4] Draw who is dealt the first card if some get one more; by the author's rules it is seat 0."""
    table.first = below(table.rng, table.seats) if table.draws_first else 0


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """Shuffle."""
    shuffle_pack(table, _DECK)


@compiled
def follow(table: Any, state: Any, events: Any, size: Int) -> Int:
    """The deal, the skipped turns of the block's holder, and the finishing places."""
    if state.phase == ruter_sju.DEALING:
        return _deal(table, state, events, size)
    if state.phase == ruter_sju.PLAYING and state.holder == state.turn:
        new_event(events, size, Action.PLAY_BLOCKED, state.turn)
        return size + 1
    if table.scored and state.done and events[size - 1].action != Action.SCORE_PLACE:
        for number in range(1, np.int64(state.seats) + 1):
            for seat in range(state.seats):
                if state.places[seat] == number:
                    new_event(events, size, Action.SCORE_PLACE, seat).amount = number
                    size += 1
    return size


@compiled
def _deal(table: Any, state: Any, events: Any, size: Int) -> Int:
    """[R4] Deal one by one from seat `first`. A hand is sorted: suits in the order of the first card dealt of
    each, ascending within a suit. Returns the index of the next event."""
    seats = np.int64(state.seats)
    for seat in range(seats):
        event = new_event(events, size + seat, Action.DEAL_HAND, seat)
        held = np.zeros(ruter_sju.SUITS, np.int64)
        suit_count = 0
        for index in range(ruter_sju.SUITS):
            table.suits[seat, index] = -1
        for index in range((seat - table.first) % seats, len(table.deck), seats):
            suit = np.int64(SUIT_OF[table.deck[index]])
            if held[suit] == 0:
                table.suits[seat, suit_count] = suit
                suit_count += 1
            held[suit] |= np.int64(1) << np.int64(NUMBER_OF[table.deck[index]])
        count = 0
        for index in range(suit_count):
            suit = np.int64(table.suits[seat, index])
            for number in range(1, np.int64(state.ranks) + 1):
                if held[suit] >> number & 1:
                    event.cards[count] = CARD_OF[suit, number]
                    count += 1
        event.count = count
    return size + seats


@compiled
def choose(table: Any, state: Any, events: Any, size: Int) -> Int:
    """[R11] Let the built-in player in turn act: place a card that fits, or take the block if none does."""
    seat = np.int64(state.turn)
    event = new_event(events, size, Action.PLAY_BLOCK, seat)
    if table.players[seat] == _EXPERT:
        to_event(state, expert(state), event)
        return size + 1
    if table.players[seat] == _RANDOM:
        card = _any_fitting(table, state, seat)
    else:
        card = _best_fitting(table, state, seat)
    if card != _NO_CARD:
        event.action = Action.PLAY_CARD
        event.count = 1
        event.cards[0] = card
    return size + 1


@compiled
def _any_fitting(table: Any, state: Any, seat: Int) -> Int:
    """A random card that fits; `_NO_CARD` if none does."""
    count = 0
    for index in range(np.int64(state.suits)):
        suit = np.int64(table.suits[seat, index])
        if suit < 0:
            break
        fit: Int = placements(state, seat, suit)
        while fit != 0:
            table.options[count] = CARD_OF[suit, _lowest(fit)]
            fit &= fit - 1
            count += 1
    return np.int64(table.options[below(table.rng, count)]) if count else np.int64(_NO_CARD)


@compiled
def _best_fitting(table: Any, state: Any, seat: Int) -> Int:
    """The fitting card on the side of the card held that is farthest from the middle, or for the dumb player
    nearest to it; the first such card in the hand, `_NO_CARD` if none fits."""
    smart = table.players[seat] == _SMART
    chosen = np.int64(_NO_CARD)
    best: Int = np.int64(-1)
    for index in range(np.int64(state.suits)):
        suit = np.int64(table.suits[seat, index])
        if suit < 0:
            break
        fit: Int = placements(state, seat, suit)
        while fit != 0:
            number = _lowest(fit)
            fit &= fit - 1
            distance = _distance(np.int64(state.hands[seat, suit]), number, np.int64(state.centre), smart)
            if best < 0 or (distance > best if smart else distance < best):
                best = distance
                chosen = np.int64(CARD_OF[suit, number])
    return chosen


@compiled
def _distance(held: Int, number: Int, middle: Int, farthest: bool) -> Int:
    """The distance from the middle of the farthest or nearest card held on the side of a number; the middle
    card belongs to the upper side."""
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


@compiled
def settle(table: Any, state: Any) -> None:
    """The match is over."""
    table.match = NO_MATCH


PLAYERS: Final = Players(
    names={
        "random": "any card that fits",
        "smart": "the card on the side of its farthest card from the middle",
        "dumb": "the card on the side of its nearest card to the middle",
        "expert": "opens the way for its own cards, not for others'",
        "search": "averages values over deals that fit what it knows",
        "network": "has learnt what search plays",
    },
    rules={BOOK: "docs/rules/ruter_sju.md", ORIGINAL: "those of the author's program"},
    table=table_dtype(
        len(_DECK),
        [
            # the suits of each hand in the order of its cards, -1 at the end
            ("suits", np.int8, (SEATS, ruter_sju.SUITS)),
            ("draws_first", np.int8),
            ("first", np.int8),  # the seat that gets the first card
            ("options", np.uint8, (len(_DECK),)),  # room for the cards to choose from
        ],
    ),
    most_events=1 + 2 * SEATS + LAPS_A_CARD * SEATS * len(_DECK),
    usual_seats=4,
    prepare=prepare,
    detail=detail,
    begin_match=begin_match,
    open_hand=open_hand,
    follow=follow,
    choose=choose,
    settle=settle,
    winner_of=lambda table, state: int(state["places"].tolist().index(1)),
    expert=expert,
    not_at_tables=(ORIGINAL,),  # people's actions are not checked, so a hand need not end
    preselected="smart",
    seat_counts=range(FEWEST_SEATS, SEATS + 1),
)
