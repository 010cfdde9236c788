"""An exact solver for games in which each seat plays for itself and they finish one after the other: what an
action leads to if each seat does its best from there, with all cards seen.

"Max-n" (Luckhardt and Irani, "An algorithmic solution of n-person games", AAAI 1986): every seat chooses the
action that gives it the best place; ties, which decide what the others get, go to the lowest number. It
searches over the rules themselves, state by state with `evolve`. The places that a position leads to depend
only on the deal and the position's number, so they are kept in a table, with keys salted for each deal. The
search of a position ends early once the seat in turn finishes next.
"""

from typing import Any, Final, cast

import numpy as np

from cardlog.models.engine.compiled import Int, compiled, loop
from cardlog.models.engine.rng import begin, below, draw, mixed
from cardlog.models.solve.race import MOST_PLIES, Racing
from cardlog.models.solve.solvable import PLAYOUTS, RANDOM_MOVE_IN, credible
from cardlog.models.solve.solver import UNKNOWN

PLAYOUTS_A_WORLD: Final = 8  # of each move, where a player's search is not exact
_BITS: Final = 3  # of a packed place
_MASK: Final = 2**_BITS - 1

# ---------------------------------------------------------------- search

game = cast(Racing, None)  # in the loops below: the functions of the game they are compiled for


@loop
def places_of(state: Any, packed: Int) -> Int:
    """The places of all seats, packed: those that are out have theirs, the others those of `packed`; the
    last one in has the last."""
    places = np.int64(0)
    for seat in range(state.seats):
        place: Int = np.int64(state.places[seat])
        if place == 0:
            place = np.int64(state.seats) if state.out >= state.seats - 1 else packed >> _BITS * seat & _MASK
        places |= place << _BITS * seat
    return places


@compiled
def _remember(work: Any, ply: Int, packed: Int) -> None:
    """Note in the table the places that a position leads to."""
    entry = work.table[work.keys[ply] & work.mask]
    entry.key = work.keys[ply]
    entry.places = packed


@loop
def solve(work: Any, salt: np.uint64) -> Int:
    """The places to which `work.states[0]` leads if each seat does its best, packed; `UNKNOWN` if that takes
    more nodes than there are left."""
    ply = 0
    enters = True
    value: Int = UNKNOWN
    while True:
        state = work.states[ply]
        if enters:
            value = UNKNOWN
            if state.out >= state.seats - 1:
                value = places_of(state, 0)
            else:
                count = game.list_moves(state, work.moves[ply])
                if count == 1:
                    game.act(state, work.moves[ply, 0], work.event[0])
                    work.nodes[0] += 1
                    continue
                key = mixed(mixed(np.uint64(game.position(state))) + salt)
                entry = work.table[key & work.mask]
                if entry.key == key and entry.places > 0:
                    value = places_of(state, np.int64(entry.places))
                elif work.nodes[0] >= work.nodes[1]:
                    return UNKNOWN
                else:
                    work.keys[ply] = key
                    work.counts[ply] = count
                    work.tried[ply] = 0
                    work.best[ply] = -1
        else:
            shift = _BITS * np.int64(state.turn)
            place = value >> shift & _MASK
            if work.best[ply] < 0 or place < work.best[ply] >> shift & _MASK:
                work.best[ply] = value
            value = UNKNOWN
            if work.tried[ply] == work.counts[ply] or place == state.out + 1:
                value = work.best[ply]
                _remember(work, ply, value)
        if value != UNKNOWN:
            if ply == 0:
                return value
            ply -= 1
            enters = False
            continue
        work.states[ply + 1] = state
        game.act(work.states[ply + 1], work.moves[ply, work.tried[ply]], work.event[0])
        work.nodes[0] += 1
        work.tried[ply] += 1
        ply += 1
        enters = True


@loop
def play_out(work: Any, salt: np.uint64, number: Int) -> Int:
    """The places, packed, of a playout from `work.states[0]`, in which the seats follow rules of thumb, and
    now and then take a random action."""
    begin(work.rng, salt, number)
    state = work.states[0]
    while state.out < state.seats - 1:
        count = game.list_moves(state, work.moves[0])
        action = work.moves[0, 0]
        if count > 1:
            action = game.guess(state)
            if below(work.rng, RANDOM_MOVE_IN) == 0:
                action = work.moves[0, below(work.rng, count)]
        game.act(state, action, work.event[0])
    return np.int64(places_of(state, 0))


# ---------------------------------------------------------------- a hand


@compiled
def return_of(seats: Int, packed: Int, seat: Int) -> float:
    """What a seat gets for its place: how many seats finish after it less how many before."""
    return np.float64(seats) + 1.0 - 2.0 * np.float64(packed >> _BITS * seat & _MASK)


@loop
def estimate(work: Any, number: Int, salt: np.uint64, values: Any) -> None:
    """Estimate what the actions of a decision lead to, in the same playouts. An action that was not taken
    counts as better than the one that was only if the difference is more than twice its standard error."""
    position = work.positions[number]
    seats, seat = np.int64(position.seats), np.int64(position.turn)
    taken = work.plays[number]
    value = 0.0
    for playout in range(PLAYOUTS):
        work.states[0] = position
        game.act(work.states[0], taken, work.event[0])
        work.played_out[playout] = return_of(seats, play_out(work, salt, playout), seat)
        value += work.played_out[playout] / PLAYOUTS
    values[taken] = value
    moves = work.moves[1]
    for index in range(game.list_moves(position, moves)):
        if moves[index] == taken:
            continue
        mean = 0.0
        squares = 0.0
        for playout in range(PLAYOUTS):
            work.states[0] = position
            game.act(work.states[0], moves[index], work.event[0])
            difference = return_of(seats, play_out(work, salt, playout), seat) - work.played_out[playout]
            mean += difference / PLAYOUTS
            squares += difference * difference / PLAYOUTS
        values[moves[index]] = value + credible(mean, squares)


@loop
def price(work: Any, count: Int, last: Any, salt: np.uint64, values: Any, exact: Any) -> None:
    """Find what every legal action of a hand leads to for its seat, from its last decision to its first; see
    `pricing`. `last` is not needed: a hand that breaks off is played on from there."""
    work.nodes[0] = 0
    is_exact = True
    moves = work.moves[MOST_PLIES - 1]
    for number in range(count - 1, -1, -1):
        position = work.positions[number]
        seats, seat = np.int64(position.seats), np.int64(position.turn)
        values[number] = np.nan
        for index in range(game.list_moves(position, moves)):
            if is_exact:
                work.states[0] = position
                game.act(work.states[0], moves[index], work.event[0])
                work.nodes[0] += 1
                packed = solve(work, salt)
                is_exact = packed != UNKNOWN
                values[number, moves[index]] = return_of(seats, packed, seat)
        exact[number] = is_exact
        if not is_exact:
            estimate(work, number, salt, values[number])


# ---------------------------------------------------------------- what a seat can expect


@loop
def value_of(work: Any, world: Any, move: Int, salt: np.uint64, is_exact: bool) -> float:
    """What a move leads to in a world, for the seat in turn; nan if that takes more nodes than are left."""
    seats, seat = np.int64(world.seats), np.int64(world.turn)
    count = 1 if is_exact else PLAYOUTS_A_WORLD
    value = 0.0
    for playout in range(count):
        work.states[0] = world
        game.act(work.states[0], move, work.event[0])
        packed: Int = solve(work, salt) if is_exact else play_out(work, salt, playout)
        if packed == UNKNOWN:
            return np.nan
        value += return_of(seats, packed, seat) / count
    return value


@loop
def weigh(workspace: Any, known: Any, state: Any, count: Int, late: Int, means: Any) -> bool:
    """Find what each action of a state leads to on average for the seat in turn, over worlds that fit what it
    knows, as `search.weigh` does in games of tricks; `late` is how many cards before the end the values begin
    to be exact. Writes a mean for each move, nan if it is not legal, shape (`MOVES`,); returns whether they
    are exact."""
    work = workspace[0]
    ways = game.learn(state, known)
    if count > 0 and len(ways) == 0:
        raise AssertionError("no deal fits what a seat knows")
    key = game.beginning(state)
    moves = work.moves[MOST_PLIES - 1]
    legal = game.list_moves(state, moves)
    left = np.int64(0)
    for seat in range(state.seats):
        left += np.int64(state.left[seat])
    is_exact = bool(left <= late)
    work.nodes[0] = 0
    while True:
        begin(known.rng, key, 0)
        means[:] = np.nan
        for index in range(legal):
            means[moves[index]] = 0.0
        fails = False
        worlds = max(count, 1)
        for _ in range(worlds):
            if count > 0:
                game.deal(state, known, ways)
            else:
                known.world[0] = state
            salt = draw(known.rng)
            for index in range(legal):
                value = value_of(work, known.world[0], moves[index], salt, is_exact)
                fails |= bool(np.isnan(value))
                means[moves[index]] += value / worlds
            if fails:
                break
        if not fails:
            return is_exact
        is_exact = False
