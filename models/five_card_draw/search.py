"""Five-card draw's player `search`: after the draw, it makes the bet that wins most on average over hands
that the others may hold.

These are drawn from the unseen cards, and are as good as those of players who have exchanged as many cards,
see `expert.EXPECTED`; a raise makes them better. Each legal bet is tried in each of these worlds, where all
play on as the expert does. Before and in the draw, it acts as the expert.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import new_event
from cardlog.models.engine.game import Game
from cardlog.models.engine.rng import begin, below, draw
from cardlog.models.five_card_draw.decisions import BID_ACTIONS, MOST_ACTIONS, legal_actions, to_event
from cardlog.models.five_card_draw.expert import BEATEN, RESPECT, expert
from cardlog.models.five_card_draw.rules import evolve
from cardlog.models.five_card_draw.state import EVENT, SEATS, SECOND_BETS, STATE, key_of
from cardlog.models.players.search import Level, Search
from cardlog.models.poker.ranks import HAND_CARDS, PACK, mask_of, rank_of_codes
from cardlog.schemas.events import Action

BETS: Final = ("fold", "check", "call", "small raise", "middle raise", "big raise", "all in")
"""The bets, as a hint names them."""
DEALS_PER_WORLD: Final = 50  # deals that count as one world of a level, since there is much luck in poker
TRIED: Final = 64  # random hands of which the one nearest to the wanted strength is taken


@compiled
def _unseen(state: Any, pack: Any) -> Int:
    """Write the cards that the seat in turn has not seen; returns how many."""
    seen = mask_of(state.held_cards[state.turn])
    for index in range(state.swapped[state.turn]):
        seen |= np.int64(1) << np.int64(state.discards[state.turn, index])
    count = 0
    for code in PACK:
        if seen >> code & 1 == 0:
            pack[count] = code
            count += 1
    return count


@compiled
def _draw_hand(rng: Any, pack: Any, size: Int, wanted: float, beaten: Any) -> None:
    """Move a hand that beats about a wanted share of others to the end of the first `size` cards."""
    chosen = np.zeros(HAND_CARDS, np.int64)
    nearest = 2.0
    for _ in range(TRIED):
        for index in range(HAND_CARDS):
            other = below(rng, size - index)
            last = size - 1 - index
            pack[other], pack[last] = pack[last], pack[other]
        distance = abs(beaten[rank_of_codes(pack[size - HAND_CARDS : size])] - wanted)
        if distance < nearest:
            nearest = distance
            chosen[:] = pack[size - HAND_CARDS : size]
    for index in range(HAND_CARDS):
        for other in range(size):
            if pack[other] == chosen[index]:
                last = size - 1 - index
                pack[other], pack[last] = pack[last], pack[other]
                break


@compiled
def _deal(rng: Any, state: Any, pack: Any, size: Int) -> None:
    """Give all others who have not folded a hand that they may hold."""
    for seat in range(SEATS):
        if seat == state.turn or state.live >> seat & 1 == 0:
            continue
        wanted = np.float64(draw(rng) >> np.uint64(11)) / 2.0**53
        raises = np.float64(state.raises) + np.float64(state.raiser == seat)
        if state.staked[seat] > state.level or state.raiser == seat:
            wanted = wanted ** (1.0 / (1.0 + RESPECT * raises))
        _draw_hand(rng, pack, size, wanted, BEATEN[state.swapped[seat]])
        size -= HAND_CARDS
        state.held_cards[seat, :] = pack[size : size + HAND_CARDS]
        state.rank[seat] = rank_of_codes(state.held_cards[seat])
        state.known |= 1 << seat


@compiled
def weigh(state: Any, count: Int, room: tuple[Any, Any], means: Any) -> None:
    """Write what each bet of the seat in turn wins on average over deals, in chips won less those put in, nan
    where it is not legal: shape (7,). `room` has states and an event to work on: shapes (2,) and (1,)."""
    states, events = room
    rng = np.zeros(1, np.uint64)
    begin(rng, key_of(state), 0)
    pack = np.zeros(len(PACK), np.int64)
    size = _unseen(state, pack)
    mask = np.zeros(MOST_ACTIONS, np.bool_)
    legal_actions(state, mask)
    seat = np.int64(state.turn)
    means[:] = np.nan
    for action in range(BID_ACTIONS):
        if mask[action]:
            means[action] = 0.0
    for _ in range(count):
        states[0] = state
        _deal(rng, states[0], pack, size)
        for action in range(BID_ACTIONS):
            if mask[action]:
                states[1] = states[0]
                _play_out(states[1], action, events)
                means[action] += np.float64(states[1].won[seat]) - np.float64(states[1].staked[seat])
    means /= count


@compiled
def _play_out(state: Any, action: Int, events: Any) -> None:
    """Take an action, and play the hand to its end."""
    while state.done == 0:
        event = new_event(events, 0, Action.BID_CHECK, state.turn)
        to_event(state, action, event)
        evolve(state, event)
        if state.done == 0:
            action = expert(state)


class BetSearch(Search):
    """The player."""

    unit = "chips won less those put in"

    def __init__(self, game: Game, level: Level) -> None:
        self.game, self.level = game, level
        self._room = np.zeros(2, STATE), np.zeros(1, EVENT)

    def advice(self, state: Any, kind: int, mask: NDArray[np.bool_]) -> tuple[int, NDArray[np.float64]]:
        """See `Search.advice`; the values are in chips."""
        values = np.full(BID_ACTIONS, np.nan)
        if state["phase"] != SECOND_BETS or mask.sum() == 1:
            return int(expert(state)), values
        weigh(state, self.level.worlds * DEALS_PER_WORLD, self._room, values)
        return int(np.nanargmax(values)), values

    def name(self, column: int) -> str:
        """See `Search.name`."""
        return BETS[column]


def player(game: Game, level: Level) -> BetSearch:
    """The player of a level."""
    return BetSearch(game, level)
