"""Information set Monte Carlo tree search, a player for ladders only, by which `search` is measured.

One tree for what the seat knows, of the cards that all play from here; each round goes down it in another
world, through cards that are legal there, adds one, and plays out (Cowling, Powley and Whitehouse,
"Information set Monte Carlo tree search", IEEE Transactions on Computational Intelligence and AI in Games 4,
2012: the one for a single observer). Worlds, playouts and bids are those of `search`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models import max_n, worlds
from cardlog.models.compiled import Int, compiled, specialised
from cardlog.models.game import Game
from cardlog.models.playouts import play_out_of
from cardlog.models.race import MOVES, Race
from cardlog.models.rng import begin, below, draw
from cardlog.models.search import Search, beginning
from cardlog.models.solver import lowest
from cardlog.models.solving import searchable_of
from cardlog.schemas.events import NO_SEAT

ROUNDS: Final = 1000
EXPLORE: Final = 0.7
"""How much a card that has been tried less often is preferred; results go from 0 to 1."""


class Tree(NamedTuple):
    """A tree of cards; the first node is where the seat has to play.

    moves, seats
        The card of each node, or another move, and who makes it: shape (nodes,).
    children, siblings
        The first of the nodes below, and the next one below the same; 0 for none: shape (nodes,).
    tried, could, totals
        How often each was gone through, how often it could have been, and the sum of what its seat got.
    path
        The nodes of a round: shape (nodes,).
    legal, listed
        Which moves are legal, and the list of them: shape (`MOVES`,).
    """

    moves: NDArray[np.int64]
    seats: NDArray[np.int64]
    children: NDArray[np.int64]
    siblings: NDArray[np.int64]
    tried: NDArray[np.int64]
    could: NDArray[np.int64]
    totals: NDArray[np.float64]
    path: NDArray[np.int64]
    legal: NDArray[np.bool_]
    listed: NDArray[np.int64]


def tree_of(rounds: int) -> Tree:
    """Room for a tree."""
    moves, seats, children, siblings, tried, could, path = np.zeros((7, rounds + 1), np.int64)
    totals, legal, listed = np.zeros(rounds + 1), np.zeros(MOVES, np.bool_), np.zeros(MOVES, np.int64)
    return Tree(moves, seats, children, siblings, tried, could, totals, path, legal, listed)


game = cast(Any, None)
"""In the loops below: the functions of the game they are compiled for, a `Solving` or a `race.Racing`."""
learn = draw_world = deal = list_moves = act = play_out = ended = start = worth = cast(
    Callable[..., Any], None
)
"""What they call."""

# ---------------------------------------------------------------- in games of tricks


def _learn_cards(work: Any, state: Any, known: Any) -> Any:
    if not learn(state, known, work.tables):
        raise AssertionError("no deal fits what a seat knows")
    return known.ways


def _deal_cards(state: Any, known: Any, ways: Any) -> None:
    draw_world(state, known)


def _list_cards(state: Any, listed: Any) -> Int:
    count = 0
    left = np.int64(0) if state.done else game.legal_cards(state)
    while left:
        listed[count] = lowest(left)
        left &= left - 1
        count += 1
    return count


def _act_card(state: Any, card: Int, event: Any) -> None:
    event.cards[0] = card
    event.seat = NO_SEAT
    game.evolve(state, event)


def _end_cards(work: Any, known: Any, salt: np.uint64, number: Int) -> Int:
    return np.int64(play_out(work, 0, known.world[0], salt, number))


def _start_cards(state: Any) -> np.uint64:
    return beginning(state, game.held(state, state.turn), game.held_twice(state, state.turn))


@compiled
def _worth_cards(state: Any, outcome: Int, seat: Int) -> float:
    return np.float64(-outcome if seat & 1 else outcome)


# ---------------------------------------------------------------- in games without teams


def _learn_moves(work: Any, state: Any, known: Any) -> Any:
    return game.learn(state, known)


def _list_all_moves(state: Any, listed: Any) -> Int:
    return np.int64(0) if state.done else game.list_moves(state, listed)


def _end_moves(work: Any, known: Any, salt: np.uint64, number: Int) -> Int:
    return np.int64(play_out(work, salt, number))


@compiled
def _worth_moves(state: Any, outcome: Int, seat: Int) -> float:
    return max_n.return_of(np.int64(state.seats), outcome, seat)


# ---------------------------------------------------------------- the tree


@compiled
def _choose(tree: Tree, node: Int, count: Int, low: float, spread: float) -> tuple[Int, Int]:
    """The best node below one, by what it brought and how seldom it was tried, of those that are legal; 0 for
    none. And how many of the `count` legal moves in `tree.listed` have no node; these are in front then."""
    tree.legal[tree.listed[:count]] = True
    best: Int = np.int64(0)
    best_score = -np.inf
    child = tree.children[node]
    while child:
        move = tree.moves[child]
        if tree.legal[move]:
            tree.legal[move] = False
            tree.could[child] += 1
            score = (tree.totals[child] / tree.tried[child] - low) / spread
            score += EXPLORE * np.sqrt(np.log(tree.could[child]) / tree.tried[child])
            if score > best_score:
                best, best_score = child, score
        child = tree.siblings[child]
    fresh = 0
    for index in range(count):
        if tree.legal[tree.listed[index]]:
            tree.legal[tree.listed[index]] = False
            tree.listed[fresh] = tree.listed[index]
            fresh += 1
    return best, fresh


@compiled
def _add(tree: Tree, node: Int, new: Int, move: Int, seat: Int) -> None:
    """Put a new node below one."""
    tree.moves[new] = move
    tree.seats[new] = seat
    tree.siblings[new] = tree.children[node]
    tree.children[node] = new
    tree.children[new] = 0
    tree.tried[new] = 0
    tree.could[new] = 1
    tree.totals[new] = 0.0


def _grow(work: Any, known: Any, tree: Tree, state: Any, rounds: Int, visits: Any) -> None:
    """Play rounds from a state.

    visits
        Out: how often each move was tried, nan if it is not legal.
    """
    ways = learn(work, state, known)
    begin(known.rng, start(state), 0)
    tree.children[0] = 0
    low, high = np.inf, -np.inf
    for number in range(rounds):
        deal(state, known, ways)
        salt = draw(known.rng)
        work.states[0] = known.world[0]
        now = work.states[0]
        node: Int = np.int64(0)
        depth = 0
        fresh: Int = np.int64(0)
        while fresh == 0:
            count = list_moves(now, tree.listed)
            if count == 0:
                break
            best, fresh = _choose(tree, node, count, low, max(high - low, 1.0))
            if fresh > 0:
                best = number + 1
                _add(tree, node, best, tree.listed[below(known.rng, fresh)], now.turn)
            node = best
            tree.path[depth] = node
            depth += 1
            act(now, tree.moves[node], work.event[0])
        outcome = ended(work, known, salt, number)
        for step in range(depth):
            node = tree.path[step]
            value = worth(state, outcome, tree.seats[node])
            low, high = min(low, value), max(high, value)
            tree.tried[node] += 1
            tree.totals[node] += value
    visits[:] = np.nan
    visits[tree.listed[: list_moves(state, tree.listed)]] = 0.0
    child = tree.children[0]
    while child:
        visits[tree.moves[child]] = tree.tried[child]
        child = tree.siblings[child]


@cache
def _grow_for(game: Game) -> Callable[..., None]:
    """`_grow` for a game."""
    of = searchable_of(game)

    def made(template: Callable[..., Any], **called: Any) -> Any:
        return specialised(template, game.name, of.functions, **called)

    if isinstance(of, Race):
        called = {
            "learn": made(_learn_moves), "deal": of.functions.deal, "list_moves": made(_list_all_moves),
            "act": of.functions.act, "ended": made(_end_moves, play_out=max_n.loops_of(game).play_out),
            "start": of.functions.beginning, "worth": _worth_moves,
        }  # fmt: skip
    else:
        drawing = worlds.loops_of(game)
        called = {
            "learn": made(_learn_cards, learn=drawing.learn),
            "deal": made(_deal_cards, draw_world=drawing.draw_world),
            "list_moves": made(_list_cards), "act": made(_act_card),
            "ended": made(_end_cards, play_out=play_out_of(game)), "start": made(_start_cards),
            "worth": _worth_cards,
        }  # fmt: skip
    return cast(Callable[..., None], made(_grow, **called))


class TreeSearch(Search):
    """The player, a policy; bids as `search`.

    rounds
        How many it plays for a card.
    """

    def __init__(self, game: Game, rounds: int = ROUNDS) -> None:
        super().__init__(game)
        self._tree = tree_of(rounds)

    def values(self, state: Any) -> NDArray[np.float64]:
        """How often each card, or other move, was tried; the one that was tried most is played."""
        visits = np.empty(searchable_of(self.game).width)
        rounds = len(self._tree.moves) - 1
        _grow_for(self.game)(self._work, self._known, self._tree, state, rounds, visits)
        return visits
