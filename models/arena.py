"""The arena: one way to play, for every game.

A seat's choice is an *action*, the same number as in a training row. A game's `decisions` has the functions
that deal with one choice:

* ``legal_actions(state, mask) -> (kind, count)``: the kind of decision the seat in turn faces, an index into
  `DECISION_KINDS`, or `NOTHING` if no seat has to decide; how many actions that kind has; and in ``mask``
  which of them are legal, by the functions that `evolve` judges with.
* ``observe(state, seat, observation)``: writes what a seat knows, and nothing else.
* ``to_event(state, action, event)``: turns a blank event of the seat in turn into the one for an action.
* ``decide(state, event, mask) -> (kind, count, action)``: the reverse, for replaying hands.

`players` has what it takes to play hand after hand at a table, a record of `TABLE`:

* ``begin_match(table)``: determines the dealer, and what the table has agreed on.
* ``open_hand(table, state, event)``: shuffles, and writes what is known before the hand into a blank state
  and the opening.
* ``follow(table, state, events, size) -> size``: writes the events that need no choice, such as deals, melds
  that must be shown and score reports; none if a seat has to decide.
* ``choose(table, state, events, size) -> size``: writes the choice of the built-in player in turn.
* ``carry_out(table, state, action, events, size) -> size``: writes the events of an action.
* ``settle(table, state)``: adds the hand to the match, and ends the match if it is over.

All these are compiled. Events are written at index ``size`` and judged by `evolve` here, in `play_on`, and
nowhere else. In plain Python, `players` has ``prepare(setup, tables) -> state``, which sets up new tables by
the rules and gives the state before a hand; ``openings(setup, before) -> (details, which)``, the openings'
texts; and `PLAYERS`, `RULES`, `TABLE`, `TABLES`, `MOST_EVENTS`, `SEAT_COUNTS`, `USUAL_SEATS`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.compiled import specialised
from cardlog.models.dealing import MOST_SEATS, NO_MATCH, OPEN, new_event
from cardlog.models.fold import DECISION, Records
from cardlog.models.rng import begin
from cardlog.schemas.events import NO_SEAT

STEP_EVENTS: Final = 64
"""More events than any one choice leads to."""


class Deal(NamedTuple):
    """How hands begin.

    key
        The random seed, 64 bits.
    single
        Whether each hand is a match of its own.
    blank
        The state before a hand: shape (1,).
    matches
        How many matches have begun: shape (1,).
    question
        Scratch space for the decision that `outcome` is asked about: shape (1,).
    """

    key: np.uint64
    single: bool
    blank: Records
    matches: NDArray[np.int32]
    question: Records


def new_deal(key: int, single: bool, blank: Records) -> Deal:
    """The beginning of a simulation."""
    return Deal(np.uint64(key % 2**64), single, blank, np.zeros(1, np.int32), np.zeros(1, DECISION))


class Log(NamedTuple):
    """Output: the hands that were played.

    before
        The table before each hand: shape (hands,), the game's `TABLE`.
    returns
        Each seat's `return`, as in a training row; nan for empty seats: shape (hands, `MOST_SEATS`).
    events, offsets
        As in a batch.
    """

    before: Records
    returns: NDArray[np.float64]
    events: Records
    offsets: NDArray[np.int64]


class Wave(NamedTuple):
    """Hands played at the same time, each at a table of its own.

    tables
        All tables; hand n is at table n modulo their number.
    states
        Each hand's state: shape (hands,).
    judged, sizes
        How many of its events have been applied to the state, and how many it has: shape (hands,).
    events
        Their events: shape (hands, capacity).
    """

    tables: Records
    states: Records
    events: Records
    judged: NDArray[np.int64]
    sizes: NDArray[np.int64]


class Waiting(NamedTuple):
    """Tables that wait for policies, and the decisions these face; see `cardlog.models.policy`.

    hands
        Index of each one's hand in the wave: shape (tables,).
    policies
        Which policy is asked: shape (tables,).
    """

    hands: NDArray[np.int64]
    policies: NDArray[np.int8]
    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    kinds: NDArray[np.int8]
    seats: NDArray[np.int8]


class Loops(NamedTuple):
    """The functions of this module for one game."""

    open_table: Callable[..., int]
    play_on: Callable[..., int]
    close_table: Callable[..., None]
    play: Callable[..., None]
    begin_wave: Callable[..., None]
    ask: Callable[..., int]
    act: Callable[..., None]
    end_wave: Callable[..., None]


@cache
def loops_of(game: str) -> Loops:
    """The functions for a game, each compiled when first called."""
    rules, decisions, players = (models.part(game, part) for part in ("rules", "decisions", "players"))

    def of(template: Callable[..., Any], **functions: Any) -> Callable[..., Any]:
        return specialised(template, game, **functions)

    open_table = of(_open_table, begin_match=players.begin_match, open_hand=players.open_hand)
    play_on = of(_play_on, evolve=rules.evolve, follow=players.follow, choose=players.choose)
    close_table = of(_close_table, outcome=decisions.outcome, settle=players.settle)
    return Loops(
        open_table,
        play_on,
        close_table,
        of(_play, open_table=open_table, play_on=play_on, close_table=close_table),
        of(_begin_wave, open_table=open_table),
        of(_ask, legal_actions=decisions.legal_actions, observe=decisions.observe, play_on=play_on),
        of(_act, carry_out=players.carry_out),
        of(_end_wave, close_table=close_table),
    )


def _of_the_game(*arguments: Any) -> Any:
    """Placeholder in the templates below for a game's own functions, which `specialised` inserts."""
    raise NotImplementedError


evolve = follow = choose = carry_out = begin_match = open_hand = settle = _of_the_game
legal_actions = observe = outcome = play_on = open_table = close_table = _of_the_game


# ---------------------------------------------------------------- one hand


def _open_table(deal: Deal, number: int, table: Any, state: Any, events: Any, size: int) -> int:
    """Write the opening of a hand whose state is blank, beginning a match if there is none; returns the index
    of the next event."""
    begin(table.rng, deal.key, number)
    table.number = number
    if table.match == NO_MATCH:
        begin_match(table)
        table.hand_no = 0
        table.match = deal.matches[0]
        deal.matches[0] += 1
    open_hand(table, state, new_event(events, size, OPEN, NO_SEAT))
    return size + 1


def _play_on(table: Any, state: Any, events: Any, first: int, size: int) -> int:
    """Apply the events from `first` to `size` and those that follow, and let built-in players play on: to the
    end of the hand, to a policy's turn, or until the event buffer is full. Returns the index of the next
    event."""
    while True:
        while first < size:
            for index in range(first, size):
                if evolve(state, events[index]) != 0:
                    raise AssertionError("a player did what the rules forbid")
            first = size
            size = follow(table, state, events, size)
        if state.done or table.players[state.turn] < 0 or size + STEP_EVENTS > len(events):
            return size
        size = choose(table, state, events, size)


def _close_table(deal: Deal, table: Any, state: Any, returns: Any) -> None:
    """Record a hand's returns, and add it to its match."""
    question = deal.question[0]
    for seat in range(MOST_SEATS):
        returns[seat] = np.nan
        if seat < table.seats:
            question.seat = seat
            returns[seat] = outcome(state, question)[1]
    settle(table, state)
    table.hand_no += 1
    if deal.single:
        table.match = NO_MATCH


# ---------------------------------------------------------------- many hands, one after the other


def _play(deal: Deal, first: int, tables: Any, log: Log) -> None:
    """Play hands with built-in players only, from number `first`."""
    state = deal.blank.copy()
    for hand in range(len(log.before)):
        table = tables[(first + hand) % len(tables)]
        state[0] = deal.blank[0]
        start = log.offsets[hand]
        size = open_table(deal, first + hand, table, state[0], log.events, start)
        log.before[hand] = table
        log.offsets[hand + 1] = play_on(table, state[0], log.events, start, size)
        if state[0].done == 0:
            raise AssertionError("a hand has more events than MOST_EVENTS")
        close_table(deal, table, state[0], log.returns[hand])


# ---------------------------------------------------------------- many hands at the same time


def _begin_wave(deal: Deal, first: int, wave: Wave, before: Any) -> None:
    """Begin hands, from number `first`."""
    for hand in range(len(wave.states)):
        table = wave.tables[(first + hand) % len(wave.tables)]
        wave.states[hand] = deal.blank[0]
        wave.sizes[hand] = open_table(deal, first + hand, table, wave.states[hand], wave.events[hand], 0)
        before[hand] = table


def _ask(first: int, wave: Wave, waiting: Waiting) -> int:
    """Play on at all tables to a policy's turn or the end of the hand; returns how many tables wait."""
    count = 0
    for hand in range(len(wave.states)):
        state = wave.states[hand]
        if state.done:
            continue
        table = wave.tables[(first + hand) % len(wave.tables)]
        size = play_on(table, state, wave.events[hand], wave.judged[hand], wave.sizes[hand])
        wave.judged[hand] = size
        wave.sizes[hand] = size
        if state.done == 0 and table.players[state.turn] < 0 and size + STEP_EVENTS <= wave.events.shape[1]:
            waiting.hands[count] = hand
            waiting.policies[count] = -1 - table.players[state.turn]
            waiting.masks[count] = False
            waiting.kinds[count] = legal_actions(state, waiting.masks[count])[0]
            waiting.seats[count] = state.turn
            observe(state, state.turn, waiting.observations[count])
            count += 1
    return count


def _act(first: int, wave: Wave, hands: Any, actions: Any) -> None:
    """Write the events of the actions that policies have chosen."""
    for number in range(len(hands)):
        hand = hands[number]
        table = wave.tables[(first + hand) % len(wave.tables)]
        wave.sizes[hand] = carry_out(
            table, wave.states[hand], actions[number], wave.events[hand], wave.sizes[hand]
        )


def _end_wave(deal: Deal, first: int, wave: Wave, returns: Any) -> None:
    """Add the hands to their matches."""
    for hand in range(len(wave.states)):
        table = wave.tables[(first + hand) % len(wave.tables)]
        close_table(deal, table, wave.states[hand], returns[hand])
