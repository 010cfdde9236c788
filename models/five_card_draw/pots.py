"""Who gets the chips of a five-card draw hand: shares, side pots and odd chips.

Numbers in brackets are the rules of docs/rules/five_card_draw.md. All arrays are by seat, shape
(6,); masks have one bit a seat; rank 0 stands for a hand that is not known.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw.ranks import CLASSES

MOST_SEATS: Final = 6
_WORST: Final = CLASSES + 1
"""Worse than every hand."""


@compiled
def bits(mask: Int) -> Int:
    """How many seats a mask has."""
    count: Int = 0
    for seat in range(MOST_SEATS):
        count += mask >> seat & 1
    return count


@compiled
def _in_order(group: Int, left: Any, prefer: Any, order: Any) -> Int:
    """Put the seats of a group into `order`, the one with the fewest chips in first, of equal ones
    the one with the lowest `prefer`; returns how many they are."""
    count = 0
    for seat in range(MOST_SEATS):
        if group >> seat & 1 == 0:
            continue
        place = count
        while place > 0 and (
            left[order[place - 1]] > left[seat]
            or (left[order[place - 1]] == left[seat] and prefer[order[place - 1]] > prefer[seat])
        ):
            order[place] = order[place - 1]
            place -= 1
        order[place] = seat
        count += 1
    return count


@compiled
def pay(group: Int, left: Any, prefer: Any, carried: Int, won: Any) -> None:
    """[R13] Pay hands that tie what their chips entitle them to: each, the one with the fewest chips
    first, matches his chips with as many of every other player's, and the group shares them.

    left
        In: chips in the pots, by who put them in. Out: those nobody of the group could win.
    prefer
        Order among those with equally many chips.
    carried
        [R14] Whether odd chips go on to the next, larger member of the group; otherwise they go one by
        one to those first after the button, which `prefer` must tell then.
    won
        Chips that each seat gets; they are added.
    """
    order = np.zeros(MOST_SEATS, np.int64)
    count = _in_order(group, left, prefer, order)
    odd = np.int64(0)
    for place in range(count):
        level = left[order[place]]
        pool = odd
        for seat in range(MOST_SEATS):
            taken = min(left[seat], level)
            left[seat] -= taken
            pool += taken
        if carried:
            share = pool // (count - place)
            won[order[place]] += share
            odd = pool - share
            continue
        share = pool // (count - place)
        odd = pool - share * (count - place)
        for other in range(place, count):
            won[order[other]] += share
        for turn in range(MOST_SEATS):
            for other in range(place, count):
                if odd > 0 and prefer[order[other]] == turn:
                    won[order[other]] += 1
                    odd -= 1


@compiled
def share_out(live: Int, staked: Any, ranks: Any, prefer: Any, carried: bool, won: Any) -> None:
    """[R13] Share out all that was put in: the best rank first, then the next while chips are left."""
    left = staked.astype(np.int64)
    rest = np.int64(live)
    won[:] = 0
    while rest:
        best: Int = _WORST + 1
        for seat in range(MOST_SEATS):
            if rest >> seat & 1:
                best = min(best, _rank(ranks[seat]))
        group = np.int64(0)
        for seat in range(MOST_SEATS):
            if rest >> seat & 1 and _rank(ranks[seat]) == best:
                group |= np.int64(1) << seat
        pay(group, left, prefer, carried, won)
        rest &= ~group


@compiled
def _rank(rank: Int) -> Int:
    return _WORST if rank == 0 else np.int64(rank)


@compiled
def is_known(live: Int, staked: Any, ranks: Any, prefer: Any) -> bool:
    """Whether the hands that are known settle who gets what: they all are, or those that aren't can
    only get back what nobody matched."""
    best: Int = _WORST
    for seat in range(MOST_SEATS):
        if live >> seat & 1:
            best = min(best, _rank(ranks[seat]))
    if best == _WORST:
        return False
    group = np.int64(0)
    for seat in range(MOST_SEATS):
        if live >> seat & 1 and ranks[seat] == best:
            group |= np.int64(1) << seat
    left = staked.astype(np.int64)
    pay(group, left, prefer, True, np.zeros(MOST_SEATS, np.int64))
    unknown, count = 0, 0
    for seat in range(MOST_SEATS):
        if (live & ~group) >> seat & 1 and left[seat] > 0:
            count += 1
            unknown += ranks[seat] == 0
    return unknown == 0 or count == 1


@compiled
def could_be(live: Int, staked: Any, ranks: Any, limits: Any, prefer: Any, carried: bool, told: Any) -> bool:
    """Whether there are hands for the seats whose rank is 0 with which everyone gets what is told.

    The seats are parted into those that win first, any of them, those that win next, and so on, until
    a way is found that fits. (Without recursion: numba can't load what it has kept of that.)

    limits
        The hand of a seat that mucked is worse than this rank, the best shown when its turn came.
    told
        What the source says each seat gets.
    """
    left = np.zeros((MOST_SEATS + 1, MOST_SEATS), np.int64)  # chips not yet shared out, at each step
    rest = np.zeros(MOST_SEATS + 1, np.int64)  # seats that can still win some
    group = np.zeros(MOST_SEATS + 1, np.int64)  # those of them that win next, as a mask
    floor = np.zeros(MOST_SEATS + 1, np.int64)  # the rank they must be worse than
    left[0] = staked
    rest[0] = _winners_left(live, left[0], told)
    group[0] = rest[0]
    step = 0
    while step >= 0:
        if rest[step] == 0:
            return True
        if group[step] <= 0:
            step -= 1
            if step >= 0:
                group[step] = (group[step] - 1) & rest[step]
            continue
        rank = _possible_rank(group[step], rest[step], ranks, limits, floor[step])
        if rank > 0:
            left[step + 1] = left[step]
            won = np.zeros(MOST_SEATS, np.int64)
            pay(group[step], left[step + 1], told if carried else prefer, carried, won)
            same = True
            for seat in range(MOST_SEATS):
                same &= group[step] >> seat & 1 == 0 or won[seat] == told[seat]
            others = _winners_left(rest[step] & ~group[step], left[step + 1], told)
            if same and others >= 0:
                step += 1
                rest[step] = others
                group[step] = others
                floor[step] = rank
                continue
        group[step] = (group[step] - 1) & rest[step]
    return False


@compiled
def _winners_left(seats: Int, left: Any, told: Any) -> Int:
    """Those of some seats that have chips left to win with; -1 if another is told to win."""
    found = np.int64(0)
    for seat in range(MOST_SEATS):
        if seats >> seat & 1:
            if left[seat] > 0:
                found |= np.int64(1) << seat
            elif told[seat] != 0:
                return -1
    return found


@compiled
def _possible_rank(group: Int, rest: Int, ranks: Any, limits: Any, floor: Int) -> Int:
    """A rank that all of `group` may have, better than all others of `rest` and worse than `floor`; 0 if
    there is none. Of several the best, which leaves most to the others."""
    rank = np.int64(0)
    low = np.int64(floor)
    high = np.int64(_WORST)
    for seat in range(MOST_SEATS):
        known = np.int64(ranks[seat])
        if group >> seat & 1:
            if known == 0:
                low = max(low, np.int64(limits[seat]))
            elif rank != 0 and rank != known:
                return 0
            else:
                rank = known
        elif rest >> seat & 1 and known != 0:
            high = min(high, known)
    if rank == 0:
        rank = low + 1
    return rank if low < rank < high else 0
