"""What every card of a hand was worth: exact values, and estimates where these take too long."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, loop
from cardlog.models.engine.game import Game, Records
from cardlog.models.engine.trick import lowest
from cardlog.models.solve import max_n
from cardlog.models.solve.race import Race
from cardlog.models.solve.solvable import PLAYOUTS, Solving, credible, search_loop, searchable_of
from cardlog.models.solve.solver import UNKNOWN, advance, play_out, scored, solve

game = cast(Solving, None)  # in the loops below: the functions of the game they are compiled for


@loop
def _estimate(work: Any, number: Int, last: Any, salt: np.uint64, after: float, values: Any) -> float:
    """Estimate what the legal cards of a play lead to: what the card that was played does, `after`, and by
    how much the others do better or worse in the same playouts, see `credible`. Returns the best value."""
    position = work.positions[number]
    played = np.int64(work.plays[number])
    for playout in range(PLAYOUTS):
        advance(work, position, played, 0)
        work.played_out[playout] = play_out(work, 0, last, salt, playout)
    best = after
    side = -1 if position.turn & 1 else 1
    left = game.legal_cards(position) & ~(np.int64(1) << played)
    while left:
        card = lowest(left)
        left &= left - 1
        mean = 0.0
        squares = 0.0
        for playout in range(PLAYOUTS):
            advance(work, position, card, 0)
            difference = side * (play_out(work, 0, last, salt, playout) - work.played_out[playout])
            mean += difference / PLAYOUTS
            squares += difference * difference / PLAYOUTS
        values[card] = after + side * credible(mean, squares)
        best = max(best, values[card]) if side > 0 else min(best, values[card])
    return best


@loop
def _price(work: Any, count: Int, last: Any, salt: np.uint64, values: Any, exact: Any) -> None:
    """Find what every legal card of a hand leads to, from its last play to its first, or estimate it where
    that takes too many nodes. `count` is how many plays `work` has, `last` the state at the end of the hand,
    or where it breaks off; `values` and `exact` are rows of what `analyse` returns."""
    work.nodes[0] = 0
    work.states[0] = last
    total = solve(work, 0, last, game.total(last), salt)
    is_exact = total != UNKNOWN
    after: float = np.float64(scored(work, last, total if is_exact else game.total(last)))
    for number in range(count - 1, -1, -1):
        position = work.positions[number]
        legal = game.legal_cards(position)
        side = -1 if position.turn & 1 else 1
        values[number] = np.nan
        values[number, work.plays[number]] = after
        best: float = after
        left = legal & ~(np.int64(1) << np.int64(work.plays[number]))
        while left and is_exact:
            card = lowest(left)
            left &= left - 1
            advance(work, position, card, 0)
            card_total = solve(work, 0, last, total, salt)
            is_exact = card_total != UNKNOWN
            if is_exact:
                value = np.float64(scored(work, last, card_total))
                values[number, card] = value
                if side * value > side * best:
                    best = value
                    total = card_total
        exact[number] = is_exact
        if not is_exact:
            best = _estimate(work, number, last, salt, after, values[number])
        after = best


@loop
def _analyse(
    workspace: Any, hands: tuple[Any, Any, Any, Any], plays: Any, salts: Any, values: Any, exact: Any
) -> None:
    work = workspace[0]
    events, offsets, befores, lasts = hands
    play = 0
    for hand in range(len(befores)):
        first = play
        work.replayed[0] = befores[hand]
        state = work.replayed[0]
        knows_all = True
        for index in range(offsets[hand], offsets[hand + 1]):
            if play < len(plays) and plays[play] == index:
                number = play - first
                if number < len(work.positions):
                    work.positions[number] = state
                    knows_all &= game.reveal(work.positions[number], lasts[hand])
                    work.plays[number] = game.acted(state, events[index])
                else:
                    knows_all = False  # too many plays, in a game that need not end
                play += 1
            game.evolve(state, events[index])
        if knows_all:
            _price(work, play - first, lasts[hand], salts[hand], values[first:play], exact[first:play])
        else:
            values[first:play] = np.nan


def analyse(
    game: Game,
    hands: tuple[Records, NDArray[np.int64], Records, Records],
    plays: NDArray[np.int64],
    salts: NDArray[np.uint64],
    work: Records,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """What every legal card of every play leads to if all play perfectly from there, with all cards seen: see
    `solver`, and `max_n` for games without teams, in which it is an action of every decision.

    hands, plays
        Events, offsets, and each hand's states before its first event and after its last; the indices of the
        plays in `events`, ascending: shape (plays,).
    salts, work
        A number for each hand, all different; and a workspace, see `solvable.workspace`.

    Returns the score of team 0 less that of team 1 for each play and card code, in games without teams the
    return of the seat for each of its moves; nan for those that were not legal, and for hands of which the
    log does not show all cards: shape (plays, `Searchable.width`). And for which plays these are exact rather
    than estimates: shape (plays,).
    """
    values = np.empty((len(plays), searchable_of(game).width), np.float32)
    exact = np.zeros(len(plays), np.bool_)
    is_race = isinstance(searchable_of(game), Race)
    overrides = {"_price": search_loop(game, max_n.price)} if is_race else {}
    search_loop(game, _analyse, **overrides)(work, hands, plays, salts, values, exact)
    return values, exact
