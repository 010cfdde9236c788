"""The `search` of poker games: it makes the bet that wins most on average over cards that others may hold.

Each legal bet is tried in each of some deals, in which the cards that the seat has not seen are dealt anew,
and all play on by rules of thumb. What is dealt and how all play on is a matter of the game, see `Betting`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, loop, specialised
from cardlog.models.engine.dealing import new_event
from cardlog.models.engine.game import Game
from cardlog.models.engine.rng import begin
from cardlog.models.players.search import Level, Search
from cardlog.schemas.events import Action


class Betting(NamedTuple):
    """What the search asks of a game. All functions are compiled; `world` is a record of the game's own."""

    evolve: Callable[[Any, Any], Any]  # these three are the game's own
    legal_actions: Callable[[Any, Any], Any]
    to_event: Callable[[Any, Int, Any], None]
    # ``key_of(state)``: the key of a decision's random numbers, which follows from what its seat knows
    key_of: Callable[[Any], np.uint64]
    # ``prepare(rng, state, world)``: note what follows from the state for all deals
    prepare: Callable[[Any, Any, Any], None]
    # ``deal(rng, state, world)``: give all others who have not folded cards that they may hold
    deal: Callable[[Any, Any, Any], None]
    # ``follow(state, events, world)``: write the next event, if it needs no choice; False if it does
    follow: Callable[[Any, Any, Any], bool]
    # ``act(state, world)``: what the seat in turn does where a deal is played out
    act: Callable[[Any, Any], Int]


@dataclass(frozen=True, eq=False)
class Bets:
    """A poker game's part of its search."""

    functions: Betting
    world: np.dtype[np.void]
    names: tuple[str, ...]  # of the bets, as a hint has them, by action
    deals: int  # how many count as one world of a level, since there is much luck in poker
    doubt: float  # how many standard errors are taken off what a bet gains over the expert's
    searches: Callable[[Any], bool]  # whether bets of a state are tried; else the expert acts


game = cast(Betting, None)  # in the loops below: the functions of the game they are compiled for


@loop
def weigh(state: Any, mask: Any, guess: Int, count: Int, room: tuple[Any, Any, Any], found: Any) -> None:
    """Write what each bet of the seat in turn wins on average over deals, in chips won less those put in, and
    the standard error of how much that is more than the bet `guess` wins; nan where `mask` says that it is
    not legal: shape (2, bets). `room` has states, an event and a world to work on: shapes (2,), (1,) and
    (1,)."""
    states, events, worlds = room
    rng = np.zeros(1, np.uint64)
    begin(rng, game.key_of(state), 0)
    seat = np.int64(state.turn)
    found[:] = np.nan
    won = np.zeros(found.shape[1])
    for action in range(len(won)):
        if mask[action]:
            found[:, action] = 0.0
    game.prepare(rng, state, worlds[0])
    for _ in range(count):
        states[0] = state
        game.deal(rng, states[0], worlds[0])
        for action in range(len(won)):
            if mask[action]:
                states[1] = states[0]
                play_out(states[1], action, events, worlds[0])
                won[action] = np.float64(states[1].won[seat]) - np.float64(states[1].staked[seat])
        found[0] += won
        found[1] += (won - won[guess]) ** 2
    found[0] /= count
    found[1] = np.sqrt((found[1] / count - (found[0] - found[0, guess]) ** 2) / count)


@loop
def play_out(state: Any, action: Int, events: Any, world: Any) -> None:
    """Take an action, and play the hand to its end."""
    while True:
        event = new_event(events, 0, Action.BID_CHECK, state.turn)
        game.to_event(state, action, event)
        game.evolve(state, event)
        while state.done == 0 and game.follow(state, events, world):
            game.evolve(state, event)
        if state.done:
            return
        action = game.act(state, world)


class BetSearch(Search):
    """The player."""

    def __init__(self, game: Game, level: Level, bets: Bets) -> None:
        self.game, self.level, self._bets = game, level, bets
        self.unit = "chips won less those put in"
        self._room = np.zeros(2, game.state), np.zeros(1, game.event), np.zeros(1, bets.world)
        self._weigh = specialised(weigh, game.name, bets.functions)

    def advice(self, state: Any, kind: int, mask: NDArray[np.bool_]) -> tuple[int, NDArray[np.float64]]:
        """See `Search.advice`; the values are in chips."""
        found = np.full((2, len(self._bets.names)), np.nan)
        expert = self.game.playing().expert
        assert expert is not None
        guess = int(expert(state))
        if mask.sum() > 1 and self._bets.searches(state):
            self._weigh(state, mask, guess, self.level.worlds * self._bets.deals, self._room, found)
            guess = int(np.nanargmax(found[0] - self._bets.doubt * found[1]))
        return guess, found[0]

    def name(self, column: int) -> str:
        """See `Search.name`."""
        return self._bets.names[column]
