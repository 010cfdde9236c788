"""An exact solver for trick-taking games of two teams: what a card leads to if all play perfectly from there,
with all cards seen.

It searches over the rules themselves, state by state with `evolve`: alpha-beta with windows of one, and a
table of positions between tricks. What it looks for is a *total*, an integer that the rest of the hand
decides and in which the score is monotone, such as the points of team 0; a game's own settlement turns totals
into scores. In a position's key gaps between cards are closed, so that a king is the ace of its suit once the
ace is gone. The keys are salted for each deal, so the table is never cleared, and what was solved before
affects only the time that a search takes.
"""

from typing import Any, Final, cast

import numpy as np

from cardlog.models.engine.compiled import Int, compiled, loop
from cardlog.models.engine.rng import begin, below, mixed
from cardlog.models.engine.trick import SEATS, lowest, of_suit, size_of, suit_of
from cardlog.models.solve.solvable import RANDOM_MOVE_IN, Solving
from cardlog.schemas.cards import SUITS as SUIT_NAMES
from cardlog.schemas.events import NO_SEAT

UNKNOWN: Final = -(2**30)  # the total of a search that ran out of nodes
_LIMIT: Final = 2**14  # more than any total grows by
SUITS: Final = len(SUIT_NAMES)
_FACTOR: Final = np.uint64(0xD6E8FEB86659FD93)  # odd, for hashing

# ---------------------------------------------------------------- positions


@compiled
def _key(state: Any, tables: Any, hands: Any, twice: Any, matters: Int, salt: np.uint64) -> np.uint64:
    """The key of a position between tricks: who has the highest card of each suit, the next, and so on."""
    hand_0, hand_1, hand_2, hand_3 = hands[0], hands[1], hands[2], hands[3]
    held = hand_0 | hand_1 | hand_2 | hand_3
    twins = twice[0] | twice[1] | twice[2] | twice[3]
    key = np.uint64(state.turn) + np.uint64(4) * np.uint64(matters) + salt
    ranks = len(tables.order) // SUITS
    for suit in range(SUITS):
        packed = np.int64(0)
        for index in range(suit * ranks, (suit + 1) * ranks):
            card = np.int64(tables.order[index])
            holders = (
                (hand_0 >> card & 1)
                | (hand_1 >> card & 1) << 1
                | (hand_2 >> card & 1) << 2
                | (hand_3 >> card & 1) << 3
            )
            appended = packed << 8 | tables.kind[index] | holders | (twins >> card & 1) << 4
            packed = appended if held >> card & 1 else packed
        key = (key ^ np.uint64(packed)) * _FACTOR
    return mixed(key)


@compiled
def write_moves(state: Any, legal: Int, hands: Any, tables: Any, work: Any, ply: Int) -> Int:
    """Write the different cards among the legal ones to `work.moves[ply]`, the most promising first; returns
    how many. Two cards of a suit are alike if they are worth the same and neither a card of another hand nor
    the one that takes the trick so far ranks between them."""
    moves, scores = work.moves[ply], work.scores
    above, worth = tables.above, tables.worth
    if legal & (legal - 1) == 0:
        moves[0] = lowest(legal)
        return 1
    others = np.int64(0)
    for seat in range(SEATS):
        if seat != state.turn:
            others |= hands[seat]
    best = np.int64(state.best)
    leads = state.trick_cards == 0
    if not leads:
        others |= np.int64(1) << best
    count = 0
    left = legal
    while left:
        card = lowest(left)
        left &= left - 1
        higher = legal & above[card]
        is_alike = False
        while higher and not is_alike:
            other = lowest(higher)
            higher &= higher - 1
            between = (above[card] | np.int64(1) << card) & ~above[other] & others
            is_alike = between == 0 and worth[card] == worth[other]
        if is_alike:
            continue
        wins = not leads and (
            above[best] >> card & 1 == 1 if suit_of(card) == suit_of(best) else suit_of(card) == state.trump
        )
        score = _promise(state, wins, np.int64(tables.strength[card]), np.int64(worth[card]))
        index = count
        while index > 0 and scores[index - 1] < score:
            scores[index] = scores[index - 1]
            moves[index] = moves[index - 1]
            index -= 1
        scores[index] = score
        moves[index] = card
        count += 1
    return count


@compiled
def _promise(state: Any, wins: bool, strength: Int, worth: Int) -> Int:
    """The score of a card by which moves are ordered."""
    if state.trick_cards == 0:
        return strength
    if wins:
        return 1000 - strength if state.trick_cards == SEATS - 1 else 1000 + strength
    with_partner = (state.winner ^ state.turn) & 1 == 0
    return (16 if with_partner else -16) * worth - strength


# ---------------------------------------------------------------- search

game = cast(Solving, None)  # in the loops below: the functions of the game they are compiled for


@loop
def advance(work: Any, state: Any, card: Int, ply: Int) -> None:
    """Make `work.states[ply]` what a state becomes if the seat in turn plays a card."""
    work.states[ply] = state
    event = work.event[0]
    event.cards[0] = card
    event.seat = NO_SEAT
    game.evolve(work.states[ply], event)
    work.nodes[0] += 1


@loop
def sure_winners(state: Any, hands: Any, twice: Any, tables: Any) -> tuple[Int, Int]:
    """How many tricks the seat that leads takes with its sure winners, and what these cards are worth. Nobody
    else has a higher card of their suit, and those who have a trump must follow suit."""
    mine = np.int64(hands[state.turn])
    has_trump = 0 <= state.trump < SUITS
    count, worth = np.int64(0), np.int64(0)
    for suit in range(SUITS):
        own = of_suit(mine, suit)
        theirs = np.int64(0)
        room: Int = np.int64(len(tables.order))
        for step in range(1, SEATS):
            seat = (state.turn + step) & 3
            in_suit = of_suit(hands[seat], suit)
            theirs |= in_suit
            if has_trump and suit != state.trump and of_suit(hands[seat], state.trump):
                follows = size_of(in_suit) + size_of(of_suit(twice[seat], suit))
                room = min(room, follows if game.must_follow(state, suit) else 0)
        while own and room > 0:
            card = lowest(own)
            own &= own - 1
            if tables.above[card] & theirs == 0:
                copies = min(room, 1 + (np.int64(twice[state.turn]) >> card & 1))
                room -= copies
                count += copies
                worth += copies * tables.worth[card]
    return count, worth


@loop
def enter(work: Any, ply: Int, target: Int, salt: np.uint64) -> Int:
    """What is known about the total from `work.states[ply]` without a search, a bound as `search` returns;
    `UNKNOWN` if that does not decide, with the moves of the state listed for the search."""
    state = work.states[ply]
    if state.done:
        return np.int64(game.total(state))
    hands, twice = work.hands
    for seat in range(SEATS):
        hands[seat] = game.held(state, seat)
        twice[seat] = game.held_twice(state, seat)
    tables = work.tables[state.trump + 1]
    if state.trick_cards == 0:
        tricks, worth = sure_winners(state, hands, twice, tables)
        low, high = game.bounds(state, tricks, worth)
        if low >= target:
            return np.int64(low)
        if high < target:
            return np.int64(high)
        key = _key(state, tables, hands, twice, game.matters(state), salt)
        work.keys[ply] = key
        entry = work.table[key & work.mask]
        if entry.key == key:
            so_far = game.total(state)
            if so_far + entry.low >= target:
                return np.int64(so_far + entry.low)
            if so_far + entry.high < target:
                return np.int64(so_far + entry.high)
    work.counts[ply] = write_moves(state, game.legal_cards(state), hands, tables, work, ply)
    work.tried[ply] = 0
    work.best[ply] = -UNKNOWN if state.turn & 1 else UNKNOWN
    return UNKNOWN


@loop
def search(work: Any, start: Int, target: Int, salt: np.uint64) -> Int:
    """Whether team 0 can make the total reach a target from `work.states[start]`. Returns a bound: a
    lower one if it is the target or more, otherwise an upper one; `UNKNOWN` if that takes too many nodes."""
    ply = start
    enters = True
    value: Int = UNKNOWN
    while True:
        state = work.states[ply]
        if enters:
            value = enter(work, ply, target, salt)
            if value == UNKNOWN and work.nodes[0] >= work.nodes[1]:
                return UNKNOWN
        else:
            if state.turn & 1:
                work.best[ply] = min(work.best[ply], value)
            else:
                work.best[ply] = max(work.best[ply], value)
            best = work.best[ply]
            is_cut = best < target if state.turn & 1 else best >= target
            value = best if is_cut or work.tried[ply] == work.counts[ply] else UNKNOWN
            if value != UNKNOWN and state.trick_cards == 0:
                _remember(work, ply, value - game.total(state), bool(value >= target))
        if value != UNKNOWN:
            if ply == start:
                return value
            ply -= 1
            enters = False
            continue
        advance(work, state, work.moves[ply, work.tried[ply]], ply + 1)
        work.tried[ply] += 1
        ply += 1
        enters = True


@compiled
def _remember(work: Any, ply: Int, growth: Int, is_least: bool) -> None:
    """Note in the table what the total can grow by at least, or at most."""
    key = work.keys[ply]
    entry = work.table[key & work.mask]
    if entry.key != key:
        entry.key = key
        entry.low = -_LIMIT
        entry.high = _LIMIT
    if is_least:
        entry.low = growth
    else:
        entry.high = growth


@loop
def solve(work: Any, start: Int, last: Any, guess: Int, salt: np.uint64) -> Int:
    """The total from `work.states[start]` if all play perfectly, or one that scores the same; `UNKNOWN` if
    finding it takes too many nodes. `last` is a state of the hand that has its melds."""
    state = work.states[start]
    if state.done:
        return np.int64(game.total(state))
    low, high = game.bounds(state, 0, 0)
    step = 1
    target: Int = min(max(guess, low + 1), high)
    while low < high and scored(work, last, low) != scored(work, last, high):
        value: Int = search(work, start, target, salt)
        if value == UNKNOWN:
            return value
        if value >= target:
            low = value
            target = low + step
        else:
            high = value
            target = high - step + 1
        step *= 2
        if target <= low or target > high or step > 4:
            target = (low + high + 1) >> 1
    return low


@loop
def scored(work: Any, last: Any, total: Int) -> Int:
    """What a total scores for team 0 less team 1, with the melds of a state of the hand."""
    work.scratch[0] = last
    scratch = work.scratch[0]
    game.finish(scratch, total)
    return np.int64(scratch.score[0]) - np.int64(scratch.score[1])


@loop
def play_out(work: Any, start: Int, last: Any, salt: np.uint64, number: Int) -> Int:
    """The score of a playout from `work.states[start]`, in which the seats play what looks good, and now and
    then a random card."""
    begin(work.rng, salt, number)
    hands = np.empty(SEATS, np.int64)
    ply = start
    while work.states[ply].done == 0:
        state = work.states[ply]
        for seat in range(SEATS):
            hands[seat] = game.held(state, seat)
        tables = work.tables[state.trump + 1]
        count = write_moves(state, game.legal_cards(state), hands, tables, work, ply)
        choice = below(work.rng, count) if below(work.rng, RANDOM_MOVE_IN) == 0 else 0
        advance(work, state, work.moves[ply, choice], ply + 1)
        ply += 1
    return np.int64(scored(work, last, game.total(work.states[ply])))
