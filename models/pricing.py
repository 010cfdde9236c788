"""What every card of a hand was worth: exact values from `solver`, and estimates where these take too
long."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models import max_n
from cardlog.models.compiled import Int, compiled, specialised
from cardlog.models.game import Game, Records
from cardlog.models.playouts import credible, play_out_of
from cardlog.models.race import Race
from cardlog.models.solver import UNKNOWN, loops_of, lowest
from cardlog.models.solving import PLAYOUTS, Solving, searchable_of

game = cast(Solving, None)
"""In the loops below: the functions of the game they are compiled for."""
advance = solve = scored = play_out = estimate = price = acted = cast(Callable[..., Any], None)
"""The loops that others call, as compiled for the game."""


def _estimate(work: Any, number: Int, last: Any, salt: np.uint64, after: float, values: Any) -> float:
    """Estimate what the legal cards of a play lead to, from what the one that was played leads to, and how
    much better or worse they do in the same playouts. A card is said to be better only if the difference is
    more than twice its standard error. Returns the best value."""
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


def _price(work: Any, count: Int, last: Any, salt: np.uint64, values: Any, exact: Any) -> None:
    """Find what every legal card of a hand leads to, from its last play to its first.

    Where that takes too many nodes, the alternatives to the card that was played are estimated, by how much
    better or worse they do in playouts.

    count
        How many plays there are in `work.positions` and `work.plays`.
    last
        The state at the end of the hand, or where it breaks off.
    values, exact
        Out: see `analyse`; the rows of this hand.
    """
    work.nodes[0] = 0
    work.states[0] = last
    total = solve(work, 0, last, game.total(last), salt)
    known = total != UNKNOWN
    after = np.float64(scored(work, last, total if known else game.total(last)))
    for number in range(count - 1, -1, -1):
        position = work.positions[number]
        legal = game.legal_cards(position)
        side = -1 if position.turn & 1 else 1
        values[number] = np.nan
        values[number, work.plays[number]] = after
        best = after
        left = legal & ~(np.int64(1) << np.int64(work.plays[number]))
        while left and known:
            card = lowest(left)
            left &= left - 1
            advance(work, position, card, 0)
            found = solve(work, 0, last, total, salt)
            known = found != UNKNOWN
            if known:
                value = np.float64(scored(work, last, found))
                values[number, card] = value
                if side * value > side * best:
                    best = value
                    total = found
        exact[number] = known
        if not known:
            best = estimate(work, number, last, salt, after, values[number])
        after = best


def _analyse(
    workspace: Any, hands: tuple[Any, Any, Any, Any], plays: Any, salts: Any, values: Any, exact: Any
) -> None:
    work = workspace[0]
    events, offsets, befores, lasts = hands
    done = 0
    for hand in range(len(befores)):
        first = done
        work.replayed[0] = befores[hand]
        state = work.replayed[0]
        knows_all = True
        for index in range(offsets[hand], offsets[hand + 1]):
            if done < len(plays) and plays[done] == index:
                number = done - first
                if number < len(work.positions):
                    work.positions[number] = state
                    knows_all &= game.reveal(work.positions[number], lasts[hand])
                    work.plays[number] = acted(state, events[index])
                else:
                    knows_all = False  # a game that need not end
                done += 1
            game.evolve(state, events[index])
        if knows_all:
            price(work, done - first, lasts[hand], salts[hand], values[first:done], exact[first:done])
        else:
            values[first:done] = np.nan


@compiled
def _card_of(state: Any, event: Any) -> Int:
    """What a play is called in a game of tricks."""
    return np.int64(event.cards[0])


def acted_of(game: Game) -> Callable[..., Any]:
    """``acted(state, event)``: the column of the values that an event of play has."""
    of = searchable_of(game)
    return cast(Callable[..., Any], of.functions.acted if isinstance(of, Race) else _card_of)


@cache
def _analyse_for(game: Game) -> Callable[..., None]:
    """`_analyse` for a game."""
    of = searchable_of(game)

    def compile_for(template: Callable[..., Any], **called: Any) -> Any:
        return specialised(template, game.name, of.functions, **called)

    if isinstance(of, Race):
        price = max_n.loops_of(game).price
    else:
        advance, _, solve, scored = loops_of(game)
        estimate = compile_for(_estimate, advance=advance, play_out=play_out_of(game))
        price = compile_for(_price, advance=advance, solve=solve, scored=scored, estimate=estimate)
    return cast(Callable[..., None], compile_for(_analyse, price=price, acted=acted_of(game)))


def analyse(
    game: Game,
    hands: tuple[Records, NDArray[np.int64], Records, Records],
    plays: NDArray[np.int64],
    salts: NDArray[np.uint64],
    work: Records,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """What every legal card of every play leads to if all play perfectly from there, with all cards seen: see
    `solver`, and `max_n` for games without teams, in which it is an action of every decision.

    hands
        Events, offsets, and each hand's states before its first event and after its last.
    plays
        The indices of the plays in `events`, ascending: shape (plays,).
    salts
        A number for each hand, any that differ.
    work
        A workspace of the game's, see `solving.workspace`.

    Returns the score of team 0 less that of team 1 for each play and card code, in games without teams the
    return of the seat for each of its moves; nan for those that were not legal, and for hands that can't be
    solved, as the log does not show all cards: shape (plays, `Searchable.width`); and which plays' are exact,
    the others being estimates: shape (plays,).
    """
    values = np.empty((len(plays), searchable_of(game).width), np.float32)
    exact = np.zeros(len(plays), np.bool_)
    _analyse_for(game)(work, hands, plays, salts, values, exact)
    return values, exact
