"""Information set Monte Carlo tree search: the player `search` of belote, and of trick-taking games without
teams; in ladders a yardstick.

There is one tree for what the seat knows, of the cards that all seats play from here on. Each round descends
it in another world, along cards that are legal there, adds a node, and plays the hand out (Cowling, Powley
and Whitehouse, "Information set Monte Carlo tree search", IEEE Transactions on Computational Intelligence and
AI in Games 4, 2012: the single-observer variant). Worlds, playouts and bids are those of `search`.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled, loop
from cardlog.models.engine.game import Game, Records
from cardlog.models.engine.rng import begin, below, draw
from cardlog.models.engine.trick import any_card, lowest
from cardlog.models.players.search import Level, Search, beginning
from cardlog.models.solve.max_n import play_out as play_moves_out
from cardlog.models.solve.max_n import return_of
from cardlog.models.solve.race import MOVES, Race
from cardlog.models.solve.solvable import RANDOM_MOVE_IN, Unsolved, search_loop, searchable_of
from cardlog.models.solve.solver import play_out
from cardlog.models.solve.worlds import draw_world
from cardlog.models.solve.worlds import learn as learn_cards
from cardlog.schemas.events import NO_SEAT, compiled_dtype

ROUNDS: Final = 1000
EXPLORE: Final = 0.7  # weight of the bonus for moves that were tried less often; results go from 0 to 1

NODE: Final = compiled_dtype(
    [
        ("move", np.int64),  # a card, or another move
        ("seat", np.int64),  # who makes it
        ("child", np.int64),  # its first child, 0 for none
        ("sibling", np.int64),  # the next child of its parent, 0 for none
        ("visits", np.int64),
        ("available", np.int64),  # how often it was legal when its parent was visited
        ("total", np.float64),  # the sum of what its seat got
    ]
)


class Tree(NamedTuple):
    """A tree of moves, and room for a round."""

    nodes: Records  # the first is the decision to be made: shape (nodes,)
    path: NDArray[np.int64]  # the nodes of a round: shape (nodes,)
    # which moves are legal, and the list of them: shape (`MOVES`,)
    legal: NDArray[np.bool_]
    listed: NDArray[np.int64]


def tree_of(rounds: int) -> Tree:
    """Room for a tree."""
    return Tree(
        np.zeros(rounds + 1, NODE),
        np.zeros(rounds + 1, np.int64),
        np.zeros(MOVES, np.bool_),
        np.zeros(MOVES, np.int64),
    )


game = cast(Any, None)
"""In the loops below: the functions of the game they are compiled for, a `Solving`, `Playing` or
`race.Racing`."""
learn = deal = list_moves = act = roll_out = start = reward = cast(Callable[..., Any], None)
"""In `_grow`: its functions for games of tricks, or for races."""

# ---------------------------------------------------------------- in games of tricks


@loop
def _learn_cards(work: Any, state: Any, known: Any) -> Any:
    if not learn_cards(state, known, work.tables):
        raise AssertionError("no deal fits what a seat knows")
    return known.ways


@loop
def _deal_cards(state: Any, known: Any, ways: Any) -> None:
    draw_world(state, known)


@loop
def _list_cards(state: Any, listed: Any) -> Int:
    count = 0
    left = np.int64(0) if state.done else game.legal_cards(state)
    while left:
        listed[count] = lowest(left)
        left &= left - 1
        count += 1
    return count


@loop
def _act_card(state: Any, card: Int, event: Any) -> None:
    event.cards[0] = card
    event.seat = NO_SEAT
    game.evolve(state, event)


@loop
def _roll_out_cards(work: Any, known: Any, salt: np.uint64, number: Int) -> Int:
    return np.int64(play_out(work, 0, known.world[0], salt, number))


@loop
def _start_cards(state: Any) -> np.uint64:
    return beginning(state, game.held(state, state.turn), game.held_twice(state, state.turn))


@compiled
def _reward_cards(state: Any, outcome: Int, seat: Int) -> float:
    return np.float64(-outcome if seat & 1 else outcome)


# ---------------------------------------------------------------- in games of tricks without teams


@loop
def _guess_on(work: Any, known: Any, salt: np.uint64, number: Int) -> Int:
    begin(work.rng, salt, number)
    state = work.states[0]
    while state.done == 0:
        card = game.guess(state)
        if below(work.rng, RANDOM_MOVE_IN) == 0:
            card = any_card(work.rng, game.legal_cards(state))
        _act_card(state, card, work.event[0])
    return np.int64(0)


@loop
def _reward_result(state: Any, outcome: Int, seat: Int) -> float:
    return np.float64(game.result(state, seat))


# ---------------------------------------------------------------- in races


@loop
def _learn_moves(work: Any, state: Any, known: Any) -> Any:
    return game.learn(state, known)


@loop
def _list_all_moves(state: Any, listed: Any) -> Int:
    return np.int64(0) if state.done else game.list_moves(state, listed)


@loop
def _roll_out_moves(work: Any, known: Any, salt: np.uint64, number: Int) -> Int:
    return np.int64(play_moves_out(work, salt, number))


@compiled
def _reward_moves(state: Any, outcome: Int, seat: Int) -> float:
    return return_of(np.int64(state.seats), outcome, seat)


# ---------------------------------------------------------------- the tree


@compiled
def _choose(tree: Tree, node: Int, count: Int, low: float, spread: float) -> tuple[Int, Int]:
    """The best legal child of a node, by what it brought and how rarely it was visited; 0 for none. And how
    many of the `count` legal moves in `tree.listed` have no node yet; these are moved to the front."""
    nodes, legal, listed = tree.nodes, tree.legal, tree.listed
    legal[listed[:count]] = True
    best: Int = np.int64(0)
    best_score = -np.inf
    index = nodes[node].child
    while index:
        child = nodes[index]
        if legal[child.move]:
            legal[child.move] = False
            child.available += 1
            score = (child.total / child.visits - low) / spread
            score += EXPLORE * np.sqrt(np.log(child.available) / child.visits)
            if score > best_score:
                best, best_score = index, score
        index = child.sibling
    untried = 0
    for index in range(count):
        if legal[listed[index]]:
            legal[listed[index]] = False
            listed[untried] = listed[index]
            untried += 1
    return best, untried


@compiled
def _add(nodes: Any, parent: Int, new: Int, move: Int, seat: Int) -> None:
    """Make a node a child of another."""
    node = nodes[new]
    node.move = move
    node.seat = seat
    node.sibling = nodes[parent].child
    nodes[parent].child = new
    node.child = 0
    node.visits = 0
    node.available = 1
    node.total = 0.0


@loop
def _grow(workspace: Any, known: Any, tree: Tree, state: Any, rounds: Int, results: Any) -> None:
    """Play rounds from a state. Writes how often each move was visited and what it brought on average, nan if
    it is not legal: shape (2, moves)."""
    visits, means = results
    work = workspace[0]
    ways = learn(work, state, known)
    begin(known.rng, start(state), 0)
    nodes, path, listed = tree.nodes, tree.path, tree.listed
    nodes[0].child = 0
    low, high = np.inf, -np.inf
    for number in range(rounds):
        deal(state, known, ways)
        salt = draw(known.rng)
        work.states[0] = known.world[0]
        position = work.states[0]
        node: Int = np.int64(0)
        depth = 0
        untried: Int = np.int64(0)
        while untried == 0:
            count = list_moves(position, listed)
            if count == 0:
                break
            best, untried = _choose(tree, node, count, low, max(high - low, 1.0))
            if untried > 0:
                best = number + 1
                _add(nodes, node, best, listed[below(known.rng, untried)], position.turn)
            node = best
            path[depth] = node
            depth += 1
            act(position, nodes[node].move, work.event[0])
        outcome = roll_out(work, known, salt, number)
        for step in range(depth):
            visited = nodes[path[step]]
            value = reward(position, outcome, visited.seat)
            low, high = min(low, value), max(high, value)
            visited.visits += 1
            visited.total += value
    visits[:] = np.nan
    means[:] = np.nan
    visits[listed[: list_moves(state, listed)]] = 0.0
    child = nodes[0].child
    while child:
        visits[nodes[child].move] = nodes[child].visits
        means[nodes[child].move] = nodes[child].total / nodes[child].visits
        child = nodes[child].sibling


def _functions(game: Game) -> dict[str, Callable[..., Any]]:
    """The functions that `_grow` calls in a game."""
    searchable = searchable_of(game)
    functions: dict[str, Callable[..., Any]] = {"reward": _reward_cards}
    loops: dict[str, Callable[..., Any]] = {
        "learn": _learn_cards, "deal": _deal_cards, "list_moves": _list_cards, "act": _act_card,
        "roll_out": _roll_out_cards, "start": _start_cards,
    }  # fmt: skip
    if isinstance(searchable, Race):
        own = searchable.functions
        functions = {"deal": own.deal, "act": own.act, "start": own.beginning, "reward": _reward_moves}
        loops = {"learn": _learn_moves, "list_moves": _list_all_moves, "roll_out": _roll_out_moves}
    elif isinstance(searchable, Unsolved):
        functions, loops = {}, loops | {"reward": _reward_result, "roll_out": _guess_on}
    return functions | {name: search_loop(game, template) for name, template in loops.items()}


class TreeSearch(Search):
    """The player, a policy that bids like `Search`. For a card it plays `rounds` rounds, by default as many
    as the game says for each world of its level."""

    def __init__(self, game: Game, level: Level | None = None, rounds: int | None = None) -> None:
        super().__init__(game, level)
        self._tree = tree_of(rounds or self.level.worlds * searchable_of(game).rounds)
        self._visits, self._means = self._results = np.empty((2, searchable_of(game).width))

    def values(self, state: Any) -> NDArray[np.float64]:
        """What each card, or other move, brought on average; nan where it was not tried."""
        rounds = len(self._tree.nodes) - 1
        grow = search_loop(self.game, _grow, **_functions(self.game))
        grow(self._work, self._known, self._tree, state, rounds, self._results)
        return self._means.copy()

    def preferred(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """How often each was visited: the most visited one is played."""
        return self._visits
