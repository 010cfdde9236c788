"""The arena: one way to play every game. A seat's choice is an *action*, the same number as in a training
row. Events are judged by `evolve` here, in `play_on`, and nowhere else."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, loop, specialised
from cardlog.models.engine.dealing import MOST_SEATS, NO_MATCH, Setup, new_event
from cardlog.models.engine.fold import DECISION
from cardlog.models.engine.game import Functions, Game, Records
from cardlog.models.engine.rng import begin
from cardlog.schemas.events import NO_SEAT, Action

STEP_EVENTS: Final = 64  # more than any one choice leads to


class Deal(NamedTuple):
    """How hands begin."""

    key: np.uint64  # the random seed
    single: bool  # whether each hand is a match of its own
    blank: Records  # the state before a hand: shape (1,)
    matches: NDArray[np.int32]  # how many matches have begun: shape (1,)
    question: Records  # scratch space for the decision that `outcome` is asked about: shape (1,)


def new_deal(key: int, single: bool, blank: Records) -> Deal:
    """The `Deal` at the beginning of a simulation."""
    return Deal(np.uint64(key % 2**64), single, blank, np.zeros(1, np.int32), np.zeros(1, DECISION))


def new_tables(game: Game, setup: Setup, seated: NDArray[np.int8], count: int) -> tuple[Records, Records]:
    """Tables between matches, and the state before a hand, shape (1,)."""
    players = game.playing()
    tables = np.zeros(count, players.table)
    tables["match"] = NO_MATCH
    tables["scored"] = setup.scored
    tables["seats"] = len(setup.players)
    tables["players"] = seated
    return tables, players.prepare(setup, tables)


class Log(NamedTuple):
    """Output: the hands that were played."""

    before: Records  # the table before each hand: shape (hands,), the game's `TABLE`
    # each seat's `return`, as in a training row; nan for empty seats: shape (hands, `MOST_SEATS`)
    returns: NDArray[np.float64]
    # as in a batch
    events: Records
    offsets: NDArray[np.int64]


class Wave(NamedTuple):
    """Hands played at the same time, each at a table of its own."""

    tables: Records  # all tables; hand n is at table n modulo their number
    states: Records  # each hand's state: shape (hands,)
    events: Records  # their events: shape (hands, capacity)
    # how many of its events have been applied to the state, and how many it has: shape (hands,)
    judged: NDArray[np.int64]
    sizes: NDArray[np.int64]


class Waiting(NamedTuple):
    """Tables that wait for a policy, and the decisions it faces; see `cardlog.models.engine.policy`."""

    hands: NDArray[np.int64]  # index of each table's hand in the wave: shape (tables,)
    policies: NDArray[np.int8]  # which policy is asked: shape (tables,)
    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    kinds: NDArray[np.int8]
    seats: NDArray[np.int8]


def loop_of(game: Game, template: Callable[..., Any]) -> Callable[..., Any]:
    """A loop of this module for a game. Raises ValueError if it has no players."""
    own_carry_out = game.playing().carry_out
    overrides = {"carry_out": own_carry_out} if own_carry_out and template is act else {}
    return specialised(template, game.name, game.functions(), **overrides)


def carry_out_of(game: Game) -> Callable[..., Any]:
    """`carry_out` for a game, which may have its own."""
    return game.playing().carry_out or loop_of(game, carry_out)


game = cast(Functions, None)  # in the loops below: the functions of the game they are compiled for


# ---------------------------------------------------------------- one hand


@loop
def open_table(deal: Deal, number: int, table: Any, state: Any, events: Any, size: int) -> int:
    """Write the opening of a hand whose state is blank; returns the index of the next event."""
    begin(table.rng, deal.key, number)
    table.number = number
    if table.match == NO_MATCH:
        game.begin_match(table)
        table.hand_no = 0
        table.match = deal.matches[0]
        deal.matches[0] += 1
    game.open_hand(table, state, new_event(events, size, Action.DEAL_OPEN, NO_SEAT))
    return size + 1


@loop
def play_on(table: Any, state: Any, events: Any, first: Int, size: Int) -> Int:
    """Apply the events from `first` to `size` and those that follow, and let built-in players play on: to the
    end of the hand, to a policy's turn, or until the buffer is full. Returns the index of the next event."""
    while True:
        while first < size:
            for index in range(first, size):
                if game.evolve(state, events[index]) != 0:
                    raise AssertionError("a player did what the rules forbid")
            first = size
            size = game.follow(table, state, events, size)
        if state.done or table.players[state.turn] < 0 or size + STEP_EVENTS > len(events):
            return size
        size = game.choose(table, state, events, size)


@loop
def close_table(deal: Deal, table: Any, state: Any, returns: Any) -> None:
    """Record a hand's returns, and add it to its match."""
    question = deal.question[0]
    for seat in range(MOST_SEATS):
        returns[seat] = np.nan
        if seat < table.seats:
            question.seat = seat
            returns[seat] = game.outcome(state, question)[1]
    game.settle(table, state)
    table.hand_no += 1
    if deal.single:
        table.match = NO_MATCH


@loop
def carry_out(table: Any, state: Any, action: Int, events: Any, size: Int) -> Int:
    """Write the event of an action of the seat in turn; returns the index of the next event."""
    game.to_event(state, action, new_event(events, size, Action.DEAL_OPEN, state.turn))
    return size + 1


# ---------------------------------------------------------------- many hands, one after the other


@loop
def play(deal: Deal, first: int, tables: Any, log: Log) -> None:
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


@loop
def begin_wave(deal: Deal, first: int, wave: Wave, before: Any) -> None:
    """Begin hands, from number `first`."""
    for hand in range(len(wave.states)):
        table = wave.tables[(first + hand) % len(wave.tables)]
        wave.states[hand] = deal.blank[0]
        wave.sizes[hand] = open_table(deal, first + hand, table, wave.states[hand], wave.events[hand], 0)
        before[hand] = table


@loop
def ask(first: int, wave: Wave, waiting: Waiting) -> int:
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
            waiting.kinds[count] = game.legal_actions(state, waiting.masks[count])[0]
            waiting.seats[count] = state.turn
            game.observe(state, state.turn, waiting.observations[count])
            count += 1
    return count


@loop
def act(first: int, wave: Wave, hands: Any, actions: Any) -> None:
    """Write the events of the actions that policies have chosen."""
    for number in range(len(hands)):
        hand = hands[number]
        table = wave.tables[(first + hand) % len(wave.tables)]
        wave.sizes[hand] = carry_out(
            table, wave.states[hand], actions[number], wave.events[hand], wave.sizes[hand]
        )


@loop
def end_wave(deal: Deal, first: int, wave: Wave, returns: Any) -> None:
    """Add the hands to their matches."""
    for hand in range(len(wave.states)):
        table = wave.tables[(first + hand) % len(wave.tables)]
        close_table(deal, table, wave.states[hand], returns[hand])
