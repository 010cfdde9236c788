"""Worlds: the complete deals that fit what a seat knows, with the probabilities of a well-shuffled pack.

Apart from its own hand, what a seat knows is public: the cards played, in order, and those passed to it,
melded, declared or claimed. A seat that played a card that would have been illegal from a hand of that card
and x, by the game's own function of legal cards, does not hold x.

The unseen cards are dealt one by one. For each of them every seat has a weight: 0 if it can't hold the card,
else 1. In a pack with twins it is 2, unless the seat is known to have had the other one: twins can be dealt
to two hands in two ways, to one hand in one. `ways` counts, from the last card, the ways in which the rest
fills the hands, so draws are exact and none is wasted. Only what was shown of melds and declarations can make
`Solving.complete` reject a deal.
"""

from typing import Any, Final, cast

import numpy as np

from cardlog.models.engine.compiled import Int, compiled, loop
from cardlog.models.engine.game import Game
from cardlog.models.engine.rng import draw, shuffle
from cardlog.models.engine.trick import SEATS, lowest, player_of, size_of, suit_of
from cardlog.models.solve.solvable import MOST_CARDS, Solving
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import compiled_dtype

MOST_UNSEEN: Final = 3 * MOST_CARDS // SEATS
MOST_HELD: Final = MOST_CARDS // SEATS
MOST_TRIES: Final = 20_000  # deals that are drawn until one fits; more than the rarest melds need


def knowledge(game: Game) -> Any:
    """Room for what a seat of a game knows, as `learn` finds it, a record."""
    ways = MOST_UNSEEN + 1, MOST_HELD + 1, MOST_HELD + 1
    dtype = compiled_dtype(
        [
            ("known", np.int64, (2, SEATS)),  # the cards known of the hands as they are now, and known twice
            ("hands", np.int64, (2, SEATS)),  # the same for a deal
            ("may", np.int64, (SEATS,)),  # the unseen cards that a seat can have, masks
            ("weights", np.int64, (MOST_UNSEEN, SEATS)),  # of each of `cards` for each seat
            ("needs", np.int64, (SEATS,)),  # how many of them each seat has
            # the weight of all ways to deal the cards from the n-th on, by how many cards the next two seats
            # still need
            ("ways", np.float64, ways),
            ("unseen_count", np.int64, (1,)),
            ("rng", np.uint64, (1,)),
            ("world", game.state, (1,)),  # a deal that fits, as `draw_world` makes it
            ("cards", np.uint8, (MOST_UNSEEN,)),  # the unseen cards, twins side by side
        ]
    )
    return np.zeros(1, dtype).view(np.recarray)[0]


game = cast(Solving, None)  # in the loops below: the functions of the game they are compiled for


@loop
def narrow(state: Any, world: Any, may: Any, above: Any) -> None:
    """Remove from what the others may have the cards that would have made their plays illegal."""
    me = np.int64(state.turn)
    best = np.int64(0)
    for play in range(state.plays):
        seat = player_of(state, play)
        card = np.int64(state.played[play])
        bit = np.int64(1) << card
        if play % SEATS == 0:
            best = card
            continue
        if seat != me:
            world.plays = play
            world.trick_cards = play % SEATS
            world.turn = seat
            world.best = best
            left = np.int64(may[seat])
            while left:
                other = np.int64(1) << lowest(left)
                left &= left - 1
                game.give(world, seat, bit | other, np.int64(0))
                if game.legal_cards(world) & bit == 0:
                    may[seat] &= ~other
        same = suit_of(card) == suit_of(best)
        if (same and above[best] >> card & 1) or (not same and suit_of(card) == state.trump):
            best = card


@loop
def list_unseen(state: Any, known: Any, order: Any) -> None:
    """List the cards that the seat in turn does not see, and what the others are known to have."""
    me = np.int64(state.turn)
    copies = SEATS * len(state.winners) // len(order)
    had = np.zeros((SEATS, 64), np.int64)  # how many of each card a seat is known to have had
    played = np.zeros((SEATS, 64), np.int64)
    for play in range(state.plays):
        played[player_of(state, play), state.played[play]] += 1
    known.known[:] = 0
    known.unseen_count[0] = 0
    for index in range(len(order)):
        card = np.int64(order[index])
        unseen = np.int64(copies)
        for seat in range(SEATS):
            if seat == me:
                once, twice = game.held(state, seat), game.held_twice(state, seat)
                had[seat, card] = played[seat, card] + (once >> card & 1) + (twice >> card & 1)
            else:
                once, twice = game.shown(state, me, seat)
                had[seat, card] = max(played[seat, card], (once >> card & 1) + (twice >> card & 1))
                now = had[seat, card] - played[seat, card]
                known.known[0, seat] |= np.int64(now > 0) << card
                known.known[1, seat] |= np.int64(now > 1) << card
            unseen -= had[seat, card]
        for _ in range(unseen):
            number = known.unseen_count[0]
            known.cards[number] = card
            for seat in range(SEATS):
                known.weights[number, seat] = 2 if unseen < copies and had[seat, card] == 0 else 1
            known.unseen_count[0] += 1


@loop
def learn(state: Any, known: Any, tables: Any) -> bool:
    """Find what the seat in turn, which has to play, knows; False if no deal fits. `tables` is
    `Solvable.tables`."""
    me = np.int64(state.turn)
    table = tables[state.trump + 1]
    list_unseen(state, known, table.order)
    unseen = np.int64(0)
    for number in range(known.unseen_count[0]):
        unseen |= np.int64(1) << np.int64(known.cards[number])
    plays = np.zeros(SEATS, np.int64)
    for play in range(state.plays):
        plays[player_of(state, play)] += 1
    for seat in range(SEATS):
        known.may[seat] = 0 if seat == me else unseen
        held = size_of(known.known[0, seat]) + size_of(known.known[1, seat])
        known.needs[seat] = 0 if seat == me else len(state.winners) - plays[seat] - held
    known.world[0] = state
    narrow(state, known.world[0], known.may, table.above)
    for number in range(known.unseen_count[0]):
        for seat in range(SEATS):
            known.weights[number, seat] *= known.may[seat] >> np.int64(known.cards[number]) & 1
    return _count_ways(known, me)


@compiled
def _count_ways(known: Any, me: Int) -> bool:
    first, second, third = (me + 1) & 3, (me + 2) & 3, (me + 3) & 3
    needs, weights, ways = known.needs, known.weights, known.ways
    count = known.unseen_count[0]
    if needs[first] + needs[second] + needs[third] != count or min(needs) < 0:
        return False
    ways[count, : needs[first] + 1, : needs[second] + 1] = 0.0
    ways[count, 0, 0] = 1.0
    for number in range(count - 1, -1, -1):
        for need_1 in range(needs[first] + 1):
            for need_2 in range(needs[second] + 1):
                need_3 = count - number - need_1 - need_2
                total = 0.0
                if 0 <= need_3 <= needs[third]:
                    if need_1 > 0:
                        total += weights[number, first] * ways[number + 1, need_1 - 1, need_2]
                    if need_2 > 0:
                        total += weights[number, second] * ways[number + 1, need_1, need_2 - 1]
                    if need_3 > 0:
                        total += weights[number, third] * ways[number + 1, need_1, need_2]
                ways[number, need_1, need_2] = total
    return bool(ways[0, needs[first], needs[second]] > 0)


@compiled
def _deal(known: Any, me: Int) -> None:
    """Deal the unseen cards to `known.hands`, each deal with a probability proportional to its weight."""
    first, second, third = (me + 1) & 3, (me + 2) & 3, (me + 3) & 3
    ways, weights, hands = known.ways, known.weights, known.hands
    hands[:] = known.known
    need_1, need_2 = known.needs[first], known.needs[second]
    for number in range(known.unseen_count[0]):
        left = np.float64(draw(known.rng) >> np.uint64(11)) * 2.0**-53 * ways[number, need_1, need_2]
        seat = third
        if need_1 > 0:
            left -= weights[number, first] * ways[number + 1, need_1 - 1, need_2]
            if left < 0:
                seat = first
        if seat == third and need_2 > 0:
            left -= weights[number, second] * ways[number + 1, need_1, need_2 - 1]
            if left < 0:
                seat = second
        need_1 -= seat == first
        need_2 -= seat == second
        bit = np.int64(1) << np.int64(known.cards[number])
        hands[1, seat] |= hands[0, seat] & bit
        hands[0, seat] |= bit


@loop
def draw_world(state: Any, known: Any) -> bool:
    """Make `known.world` a deal that fits what the seat in turn knows, after `learn`, with random numbers of
    `known.rng`. False if none of `MOST_TRIES` deals fits what was shown; `known.world` is the last one then.
    """
    me = np.int64(state.turn)
    world = known.world[0]
    for _ in range(MOST_TRIES):
        _deal(known, me)
        known.world[0] = state
        for step in range(1, SEATS):
            seat = (me + step) & 3
            game.give(world, seat, known.hands[0, seat], known.hands[1, seat])
        if game.complete(world):
            return True
    return False


@loop
def deal_whole(state: Any, known: Any, order: Any) -> None:
    """Make `known.world` a deal that fits what the seat in turn, which has to bid, knows: nobody has played,
    so the unseen cards are shuffled. The order in which the hands were dealt is random, too."""
    me = np.int64(state.turn)
    list_unseen(state, known, order)
    shuffle(known.rng, known.cards[: known.unseen_count[0]])
    known.world[0] = state
    world = known.world[0]
    dealt = np.int64(0)
    for seat in range(SEATS):
        held = world.dealt_cards[seat]
        if seat != me:
            held[:] = UNKNOWN
            slot = 0
            for index in range(len(order)):
                for copy in range(2):
                    if known.known[copy, seat] >> np.int64(order[index]) & 1:
                        held[slot] = order[index]
                        slot += 1
        once, twice = np.int64(0), np.int64(0)
        for slot in range(len(held)):
            if held[slot] == UNKNOWN:
                held[slot] = known.cards[dealt]
                dealt += 1
            bit = np.int64(1) << np.int64(held[slot])
            twice |= once & bit
            once |= bit
        game.give(world, seat, once, twice)
