"""Players that search: what does each card lead to, on average over worlds that fit what the seat knows?

In each of some worlds, see `worlds`, every legal card has the value that the solver finds if all play
perfectly from there and see all cards, and the card with the best mean is played: "perfect information Monte
Carlo" (Levy, "The million pound bridge program", 1989; Ginsberg, "GIB: Imperfect information in a
computationally challenging game", JAIR 14, 2001). Far from the end, or if the nodes do not suffice, values
come from playouts. Of equally good cards the expert's is played. Bids are valued differently, see `bidding`.
Budgets are nodes, never time, and the worlds follow from what the seat knows, so equal knowledge leads to
equal play.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled, loop
from cardlog.models.engine.dealing import new_event
from cardlog.models.engine.game import WORLDS, Game, Records
from cardlog.models.engine.policy import Actions, DecisionBatch, counted, named
from cardlog.models.engine.rng import begin, draw, mixed
from cardlog.models.engine.trick import lowest
from cardlog.models.players import bidding
from cardlog.models.solve import max_n, worlds
from cardlog.models.solve.race import Race
from cardlog.models.solve.solvable import Solving, search_loop, searchable_of, workspace
from cardlog.models.solve.solver import UNKNOWN, advance, play_out, scored, solve
from cardlog.models.solve.worlds import draw_world, learn
from cardlog.schemas.events import Action

NAME: Final = "search"
NODES: Final = 2_000_000
PLAYOUTS: Final = 4  # of each card in each world
TABLE_BITS: Final = 16
ALWAYS: Final = 1000  # more tricks, or cards, than any game has
MARGIN: Final = 1e-6  # values that differ by less are the same
_PLAY: Final = int(Action.PLAY_CARD)  # passed to compiled functions much faster than a member of an enum


@dataclass(frozen=True)
class Level:
    """How hard a player thinks about a card."""

    # how many worlds it looks at; 0 for one that sees all cards, by which others are measured
    worlds: int = WORLDS
    nodes: int = NODES  # how many plays it may search in all of them


game = cast(Solving, None)  # in the loops below: the functions of the game they are compiled for


@compiled
def beginning(state: Any, once: Int, twice: Int) -> np.uint64:
    """The key of a decision's random numbers, which follows from what the seat in turn knows."""
    key = mixed(np.uint64(once)) ^ np.uint64(twice)
    for play in range(state.plays):
        key = mixed(key ^ np.uint64(state.played[play]))
    return key + np.uint64(state.dealer)


@loop
def value_of(work: Any, world: Any, card: Int, salt: np.uint64, guess: Int) -> tuple[float, Int]:
    """What a card leads to in a world, for team 0 less team 1, and by which total. If the guess of a total is
    `UNKNOWN`, both come from playouts; a value that takes more nodes than are left is nan."""
    if guess != UNKNOWN:
        advance(work, world, card, 0)
        total: Int = solve(work, 0, world, guess, salt)
        return (np.nan if total == UNKNOWN else np.float64(scored(work, world, total))), total
    value = 0.0
    for number in range(PLAYOUTS):
        advance(work, world, card, 0)
        value += play_out(work, 0, world, salt, number) / PLAYOUTS
    return value, guess


@loop
def weigh(workspace: Any, known: Any, state: Any, count: Int, tricks: Int, means: Any) -> bool:
    """Find what each legal card of a state leads to on average over `count` worlds, 0 to see all cards, for
    the team of the seat in turn less the other.

    tricks
        How many tricks before the end the values become exact.
    means
        Out: for each card code, nan if it is not legal: shape (64,).

    Returns whether the values are exact.
    """
    work = workspace[0]
    if count > 0 and not learn(state, known, work.tables):
        raise AssertionError("no deal fits what a seat knows")
    legal = game.legal_cards(state)
    key = beginning(state, game.held(state, state.turn), game.held_twice(state, state.turn))
    is_exact = len(state.winners) - state.tricks <= tricks
    work.nodes[0] = 0
    while True:
        begin(known.rng, key, 0)
        means[:] = np.nan
        fails = False
        total: Int = game.total(state) if is_exact else UNKNOWN
        for number in range(max(count, 1)):
            if count > 0:
                draw_world(state, known)
            else:
                known.world[0] = state
                game.complete(known.world[0])
            salt = draw(known.rng)
            left = legal
            while left and not fails:
                card = lowest(left)
                left &= left - 1
                value, total = value_of(work, known.world[0], card, salt, total)
                fails = bool(np.isnan(value))
                means[card] = value if number == 0 else means[card] + (value - means[card]) / (number + 1)
        if not fails:
            if state.turn & 1:
                means *= -1
            return bool(is_exact)
        is_exact = False


def weigh_of(game: Game) -> Callable[..., bool]:
    """`weigh` for a game, or the loop of `max_n` that takes its place."""
    return search_loop(game, max_n.weigh if isinstance(searchable_of(game), Race) else weigh)


class Search:
    """A player that searches, a policy, of a game that has a solver and an expert."""

    def __init__(self, game: Game, level: Level | None = None) -> None:
        self.game = game
        self.level = level or Level()
        self.unit = "points more than the other side" if game.has_teams else "result of the hand"
        self._work = workspace(game, self.level.nodes, TABLE_BITS)
        self._known = knowledge_of(game)
        self._event = np.zeros(1, game.event)

    @cached_property
    def _table(self) -> bidding.Table:
        return bidding.table_of(self.game)

    def sees(self, states: Records, seats: NDArray[np.integer[Any]]) -> Records:
        """The states of some decisions as far as the player gets to see them: what their seats know."""
        return states.copy() if self.level.worlds == 0 else self.game.visible.seen_by(states, seats)

    def choose(self, decisions: DecisionBatch) -> Actions:
        """An action for each decision: shape (tables,)."""
        assert decisions.states is not None
        actions = np.zeros(len(decisions.kinds), np.int64)
        for number, state in enumerate(decisions.states):
            actions[number] = self.action(state, int(decisions.kinds[number]), decisions.masks[number])
        return actions

    def action(self, state: Any, kind: int, mask: NDArray[np.bool_]) -> int:
        """The action of the seat in turn, from a state in which `sees` has left only what the seat knows."""
        return self.advice(state, kind, mask)[0]

    def advice(self, state: Any, kind: int, mask: NDArray[np.bool_]) -> tuple[int, NDArray[np.float64]]:
        """The same with what `values` returns; all nan if there is nothing to search."""
        legal = np.flatnonzero(mask)
        expert = self.game.playing().expert
        assert expert is not None
        guess = int(legal[0]) if len(legal) == 1 else int(expert(state))
        if len(legal) == 1 or self.game.decisions.kinds[kind] != "play":
            if len(legal) > 1 and self.level.worlds > 0 and self.game.has_teams:
                bids, count = bidding.candidates(legal, guess), bidding.WORLDS * self.level.worlds
                values = bidding.values_of(self.game, self._table, self._known, state, bids, count)
                guess = int(bids[bidding.best_of(values)])
            return guess, np.full(searchable_of(self.game).width, np.nan)
        values = self.values(state)
        scores = self.preferred(values)[self._columns(state, legal)]
        best = legal[scores >= scores.max() - MARGIN]
        return guess if guess in best else int(best[0]), values

    def values(self, state: Any) -> NDArray[np.float64]:
        """What the seat in turn can expect from each card code, in games without teams from each move; nan
        if it is not legal: shape (`Searchable.width`,)."""
        means = np.empty(searchable_of(self.game).width)
        late = ALWAYS if self.level.worlds == 0 else searchable_of(self.game).late
        weigh_of(self.game)(self._work, self._known, state, self.level.worlds, late, means)
        return means

    def preferred(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What it maximises, given the `values` it has just found: shape (`Searchable.width`,)."""
        return values

    def name(self, column: int) -> str:
        """What a column of the values is called."""
        return searchable_of(self.game).name(column)

    def _columns(self, state: Any, actions: NDArray[np.int64]) -> list[int]:
        """Where the values of some actions are."""
        acted = searchable_of(self.game).functions.acted
        columns = []
        for action in actions.tolist():
            event = new_event(self._event, 0, _PLAY, int(state["turn"]))
            self.game.decisions.to_event(state, action, event)
            columns.append(int(acted(state, event)))
        return columns


def knowledge_of(game: Game) -> Any:
    """Room for what a seat of a game knows."""
    searchable = searchable_of(game)
    return searchable.knowledge() if isinstance(searchable, Race) else worlds.knowledge(game)


def costs_known(
    game: Game,
    hands: tuple[Records, NDArray[np.int64], Records, Records],
    plays: NDArray[np.int64],
    count: int,
) -> NDArray[np.float32]:
    """What each play cost by what its player knew: how far it was behind the card that is best on average
    over worlds, which follow from that knowledge. `hands` and `plays` are those of `pricing.analyse`.

    Returns a cost for each play, 0 for the best one, nan for hands of which the log does not show all cards:
    shape (plays,).
    """
    searchable, weigh = searchable_of(game), weigh_of(game)
    work, known = workspace(game, NODES, TABLE_BITS), knowledge_of(game)
    means, costs = np.empty(searchable.width), np.full(len(plays), np.nan, np.float32)
    rows = {index: row for row, index in enumerate(plays.tolist())}
    events, offsets, befores, lasts = hands
    for hand, state in enumerate(befores.copy()):
        for index in range(offsets[hand], offsets[hand + 1]):
            position = state.copy()
            if index in rows and searchable.functions.reveal(position, lasts[hand]):
                weigh(work, known, position, count, searchable.late, means)
                column = searchable.functions.acted(state, events[index])
                costs[rows[index]] = np.nanmax(means) - means[column]
            game.evolve(state, events[index])
    return costs


def is_search(game: Game, name: str) -> bool:
    """Whether a name is a searching player's: ``search``, or ``search-20`` for twenty worlds."""
    return counted(name, NAME) is not None and NAME in game.playing().names


@cache
def searcher(game: Game, name: str) -> Search:
    """The player of a name that `is_search`."""
    level = Level(worlds=counted(name, NAME) or game.worlds)
    own = game.playing().policies.get(NAME)
    player: Search = named(own)(game, level) if own else Search(game, level)
    return player
