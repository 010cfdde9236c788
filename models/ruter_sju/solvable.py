"""What the solver of `max_n` needs of Ruter Sju. [R3] is rule 3 of docs/rules/ruter_sju.md."""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.game import Records
from cardlog.models.engine.rng import draw, mixed
from cardlog.models.ruter_sju.decisions import BLOCK_ACTION
from cardlog.models.ruter_sju.expert import expert
from cardlog.models.ruter_sju.legal import may_block, may_pass, placements
from cardlog.models.ruter_sju.rules import evolve
from cardlog.models.ruter_sju.state import CARD_OF, DECK_CARDS, NO_CARD, PLAYING, RANKS, SEATS, STATE
from cardlog.models.solve.race import MOVES, Race, Racing
from cardlog.schemas.events import NO_SEAT, Action

BLOCK, PASS = MOVES - 2, MOVES - 1  # the moves that place no card


@compiled
def _reveal(state: Any, last: Any) -> bool:
    """Hidden hands stay hidden. [R10] A hand with a seat whose acts are unchecked need not end, nor one with
    a seat that stays in without cards."""
    if state.hidden or (state.humans_unchecked and state.humans):
        return False
    return not (state.sole_card_keeps_in and state.counts[: state.seats].min() == 1)


@compiled
def _acted(state: Any, event: Any) -> Int:
    if event.action == Action.PLAY_BLOCK:
        return np.int64(BLOCK)
    if event.action == Action.PLAY_PASS:
        return np.int64(PASS)
    return np.int64(event.cards[0])


@compiled
def _list_moves(state: Any, moves: Any) -> Int:
    seat = np.int64(state.turn)
    count = 0
    for suit in range(np.int64(state.suits)):
        fit: Int = placements(state, seat, suit)
        number = 1
        while fit:
            if fit & 1:
                moves[count] = CARD_OF[suit, number]
                count += 1
            fit >>= 1
            number += 1
    if count == 0 and may_block(state, seat):
        moves[count] = BLOCK
        count += 1
    if may_pass(state, seat):
        moves[count] = PASS
        count += 1
    return count


@compiled
def _act(state: Any, move: Int, event: Any) -> None:
    """[R8] The holder of the block is passed over."""
    event.seat = NO_SEAT
    event.count = 0
    if move == BLOCK:
        event.action = Action.PLAY_BLOCK
    elif move == PASS:
        event.action = Action.PLAY_PASS
    else:
        event.action = Action.PLAY_CARD
        event.count = 1
        event.cards[0] = move
    evolve(state, event)
    while state.phase == PLAYING and state.holder == state.turn:
        event.action = Action.PLAY_BLOCKED
        event.seat = NO_SEAT
        evolve(state, event)


@compiled
def _position(state: Any) -> Int:
    """A number made of the ends of each suit, who is in turn and may go on, and who holds the block."""
    centre, ranks = np.int64(state.centre), np.int64(state.ranks)
    upper = ranks - centre + 1
    position = np.int64(state.turn) * 2 + np.int64(state.again)
    position = position * (np.int64(state.seats) + 1) + np.int64(state.holder) + 1
    for suit in range(state.suits):
        is_open = np.int64(state.placed[suit]) >> (centre - 1) & 1
        below = 0 if state.under[suit] == NO_CARD else centre - np.int64(state.under[suit])
        above = 0 if state.over[suit] == NO_CARD else np.int64(state.over[suit]) - centre
        position = position * (centre * upper + 1) + is_open * (1 + below * upper + above)
    return position


@compiled
def _guess(state: Any) -> Int:
    """The expert's move."""
    action = expert(state)
    if action >= BLOCK_ACTION:
        return np.int64(BLOCK if action == BLOCK_ACTION else PASS)
    return np.int64(CARD_OF[action // RANKS, action % RANKS + 1])


# ---------------------------------------------------------------- what a seat knows


class Knowledge(NamedTuple):
    """What a seat knows, as `_learn` finds it."""

    world: Records  # a deal that fits, as `_deal` makes it: shape (1,)
    # the unseen cards, numbered as actions, and the seats that can hold each, as masks: shape (cards,)
    cards: NDArray[np.int64]
    may: NDArray[np.int64]
    needs: NDArray[np.int64]  # how many of them each seat holds: shape (6,)
    # each seat's stride in the index of what `_learn` returns; 0 for the last seat that holds any: shape (6,)
    strides: NDArray[np.int64]
    # how many cards are unseen, and a stream of random numbers: shape (1,)
    counts: NDArray[np.int64]
    rng: NDArray[np.uint64]


def _knowledge() -> Knowledge:
    return Knowledge(
        np.zeros(1, STATE),
        np.zeros(DECK_CARDS, np.int64),
        np.zeros(DECK_CARDS, np.int64),
        np.zeros(SEATS, np.int64),
        np.zeros(SEATS, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.uint64),
    )


@compiled
def _list_unseen(state: Any, known: Any) -> Int:
    """List the cards that the seat in turn does not see; returns how many."""
    me = np.int64(state.turn)
    count = 0
    for suit in range(np.int64(state.suits)):
        seen = np.int64(state.placed[suit]) | np.int64(state.hands[me, suit])
        for step in range(np.int64(state.ranks)):
            if seen >> step & 1:
                continue
            known.cards[count] = suit * RANKS + step
            known.may[count] = 0
            for seat in range(np.int64(state.seats)):
                if seat != me and np.int64(state.lacks[seat, suit]) >> step & 1 == 0:
                    known.may[count] |= 1 << seat
            count += 1
    return count


@compiled
def _needs(known: Any, seat: Int, index: Int) -> Int:
    """How many cards a seat still needs at an index of `ways`; 0 for the last seat."""
    stride = known.strides[seat]
    return index // stride % (known.needs[seat] + 1) if stride else np.int64(0)


@compiled
def _learn(state: Any, known: Any) -> NDArray[np.float64]:
    """See `Racing`. A seat that took the block held no card that fitted then; nor did one that was not asked
    to go on after an end card. That a seat which was asked and passed did hold one is not used.

    Returns in how many ways the cards from the n-th on can be dealt, by how many each seat still needs: shape
    (cards + 1, needs), where the second index is the sum of strides times needs."""
    me = np.int64(state.turn)
    count = _list_unseen(state, known)
    known.counts[0] = count
    last = -1
    total = 0
    size = 1
    known.needs[:] = 0
    known.strides[:] = 0
    for seat in range(np.int64(state.seats)):
        if seat != me and state.left[seat] > 0:
            known.needs[seat] = state.left[seat]
            total += known.needs[seat]
            if last >= 0:
                known.strides[last] = size
                size *= known.needs[last] + 1
            last = seat
    if total != count:
        return np.zeros((0, 0))
    ways = np.zeros((count + 1, size))
    ways[count, 0] = 1.0
    for number in range(count - 1, -1, -1):
        for index in range(size):
            others: Int = 0
            for seat in range(SEATS):
                need = _needs(known, seat, index)
                others += need
                if need > 0 and known.may[number] >> seat & 1:
                    ways[number, index] += ways[number + 1, index - known.strides[seat]]
            last_needs = count - number - others
            if others > count - number or last_needs > known.needs[last]:
                ways[number, index] = 0.0
            elif last_needs > 0 and known.may[number] >> last & 1:
                ways[number, index] += ways[number + 1, index]
    return ways if ways[0, size - 1] > 0 else ways[:0]


@compiled
def _deal(state: Any, known: Any, ways: NDArray[np.float64]) -> None:
    """See `Racing`. Deals card by card, each to a seat in proportion to the ways to deal the rest then."""
    known.world[0] = state
    world = known.world[0]
    world.hidden = 0
    me = np.int64(state.turn)
    for seat in range(SEATS):
        if seat != me:
            world.hands[seat] = 0
    index = ways.shape[1] - 1
    for number in range(known.counts[0]):
        left = np.float64(draw(known.rng) >> np.uint64(11)) * 2.0**-53 * ways[number, index]
        chosen = -1
        last = -1
        for seat in range(SEATS):
            stride = known.strides[seat]
            if known.needs[seat] > 0 and stride == 0:
                last = seat
            elif chosen < 0 and known.may[number] >> seat & 1 and _needs(known, seat, index) > 0:
                left -= ways[number + 1, index - stride]
                if left < 0:
                    chosen = seat
        if chosen < 0:
            chosen = last
        index -= known.strides[chosen]
        card = known.cards[number]
        world.hands[chosen, card // RANKS] |= np.int64(1) << card % RANKS


@compiled
def _beginning(state: Any) -> np.uint64:
    """See `Racing`: made of the cards held, those placed, and who has the block."""
    key = np.uint64(state.holder + 1)
    for suit in range(state.suits):
        key = mixed(key ^ np.uint64(state.hands[state.turn, suit]))
    for number in range(state.plays):
        key = mixed(key ^ np.uint64(state.played[number]))
    return key


RACE: Final = Race(
    Racing(evolve, _reveal, _acted, _list_moves, _act, _position, _guess, _learn, _deal, _beginning),
    budget=20_000_000,
    moves={Action.PLAY_BLOCK: BLOCK, Action.PLAY_PASS: PASS},
    knowledge=_knowledge,
    late=26,
    worlds=40,
)
