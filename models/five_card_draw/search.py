"""What five-card draw's `search` tries its bets in, see `cardlog.models.poker.search`.

The others' hands are drawn from the unseen cards, and are as good as those of players who have exchanged as
many cards, see `expert.EXPECTED`; a raise makes them better. All play on as the expert does. Before and in
the draw, it acts as the expert.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.game import Game
from cardlog.models.engine.rng import below, draw
from cardlog.models.five_card_draw.decisions import legal_actions, to_event
from cardlog.models.five_card_draw.expert import BEATEN, RESPECT, expert
from cardlog.models.five_card_draw.rules import evolve
from cardlog.models.five_card_draw.state import SEATS, SECOND_BETS, key_of
from cardlog.models.players.search import Level
from cardlog.models.poker.ranks import HAND_CARDS, PACK, mask_of, rank_of_codes
from cardlog.models.poker.search import Bets, BetSearch, Betting
from cardlog.schemas.events import compiled_dtype

TRIED: Final = 64  # random hands of which the one nearest to the wanted strength is taken


@compiled
def _prepare(rng: Any, state: Any, world: Any) -> None:
    """See `Betting`: list the cards that the seat in turn has not seen."""
    seen = mask_of(state.held_cards[state.turn])
    for index in range(state.swapped[state.turn]):
        seen |= np.int64(1) << np.int64(state.discards[state.turn, index])
    world.size = 0
    for code in PACK:
        if seen >> code & 1 == 0:
            world.unseen[world.size] = code
            world.size += 1


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
def _deal(rng: Any, state: Any, world: Any) -> None:
    """See `Betting`."""
    pack, size = world.unseen, np.int64(world.size)
    state.shows_freely = 0  # all hands are known, and decide
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
def _follow(state: Any, events: Any, world: Any) -> bool:
    """See `Betting`: after the draw there are only bets."""
    return False


@compiled
def _act(state: Any, world: Any) -> Int:
    """See `Betting`."""
    return expert(state)


BETS: Final = Bets(
    Betting(evolve, legal_actions, to_event, key_of, _prepare, _deal, _follow, _act),
    world=compiled_dtype([("size", np.int64), ("unseen", np.int64, (len(PACK),))]),
    names=("fold", "check", "call", "small raise", "middle raise", "big raise", "all in"),
    deals=50,
    doubt=0.0,
    searches=lambda state: state["phase"] == SECOND_BETS,
)


def player(game: Game, level: Level) -> BetSearch:
    """The player of a level."""
    return BetSearch(game, level, BETS)
