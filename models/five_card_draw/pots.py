"""Who gets the chips of a hand of five-card draw: shares, side pots and odd chips. [R3] is rule 3 of
docs/rules/five_card_draw.md. Arrays are by seat, shape (6,); masks have one bit per seat; rank 0 is an
unknown hand."""

from typing import Any, Final, NamedTuple

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.poker.ranks import CLASSES

MOST_SEATS: Final = 6
_WORST: Final = CLASSES + 1  # worse than every hand


class Hands(NamedTuple):
    """What is known of each seat's hand."""

    ranks: Any  # 0 if it is unknown
    limits: Any  # the hand of a seat that mucked is worse than this rank, the best shown before its turn


@compiled
def _in_order(group: Int, left: Any, prefer: Any, order: Any) -> Int:
    """Write the seats of a group to `order`, fewest chips left first, ties by lowest `prefer`; returns how
    many there are."""
    count = 0
    for seat in range(MOST_SEATS):
        if group >> seat & 1 == 0:
            continue
        index = count
        while index > 0 and (
            left[order[index - 1]] > left[seat]
            or (left[order[index - 1]] == left[seat] and prefer[order[index - 1]] > prefer[seat])
        ):
            order[index] = order[index - 1]
            index -= 1
        order[index] = seat
        count += 1
    return count


@compiled
def pay(group: Int, left: Any, prefer: Any, carried: Int, won: Any) -> None:
    """[R13] Pay tied hands what their chips entitle them to: each, the one with the fewest chips first,
    matches its chips with as many of every other player's, and the group shares them. Adds to `won`.

    left
        In: chips in the pots, by who put them in. Out: those that nobody in the group could win.
    prefer
        The order of members with equally many chips.
    carried
        [R14] Whether odd chips carry over to the member with the next larger stake; otherwise they go one by
        one to the first after the button, and `prefer` must be that order.
    """
    order = np.zeros(MOST_SEATS, np.int64)
    count = _in_order(group, left, prefer, order)
    odd = np.int64(0)
    for index in range(count):
        level = left[order[index]]
        pool = odd
        for seat in range(MOST_SEATS):
            taken = min(left[seat], level)
            left[seat] -= taken
            pool += taken
        share = pool // (count - index)
        if carried:
            won[order[index]] += share
            odd = pool - share
            continue
        odd = pool - share * (count - index)
        for other in range(index, count):
            won[order[other]] += share
        for turn in range(MOST_SEATS):
            for other in range(index, count):
                if odd > 0 and prefer[order[other]] == turn:
                    won[order[other]] += 1
                    odd -= 1


@compiled
def _best_of(seats: Int, ranks: Any) -> tuple[Int, Int]:
    """The seats with the best rank among some, and that rank."""
    best: Int = _WORST + 1
    group = np.int64(0)
    for seat in range(MOST_SEATS):
        if seats >> seat & 1:
            rank = _rank(ranks[seat])
            if rank < best:
                best, group = rank, np.int64(0)
            if rank == best:
                group |= np.int64(1) << seat
    return group, best


@compiled
def share_out(live: Int, staked: Any, ranks: Any, prefer: Any, carried: bool) -> Any:
    """[R13] What each seat wins: the chips go to the best rank, then to the next while any are left."""
    left = staked.astype(np.int64)
    rest = np.int64(live)
    won = np.zeros(MOST_SEATS, np.int64)
    while rest:
        group, _ = _best_of(rest, ranks)
        pay(group, left, prefer, carried, won)
        rest &= ~group
    return won


@compiled
def _rank(rank: Int) -> Int:
    return _WORST if rank == 0 else np.int64(rank)


@compiled
def is_known(live: Int, staked: Any, ranks: Any, prefer: Any) -> bool:
    """Whether the known hands settle who wins what: all that can still win chips are known, or an unknown one
    can only get back what nobody matched."""
    group, best = _best_of(live, ranks)
    if best >= _WORST:
        return False
    left = staked.astype(np.int64)
    pay(group, left, prefer, True, np.zeros(MOST_SEATS, np.int64))
    unknown, count = 0, 0
    for seat in range(MOST_SEATS):
        if (live & ~group) >> seat & 1 and left[seat] > 0:
            count += 1
            unknown += ranks[seat] == 0
    return unknown == 0 or count == 1


@compiled
def could_be(live: Int, staked: Any, hands: Hands, prefer: Any, carried: bool, reported: Any) -> bool:
    """Whether there are hands for the seats with rank 0 by which everyone wins what the source reported. The
    seats are split into a group that wins first, one that wins next, and so on, in every way until one fits.
    (There is no recursion, since numba can't load it from its cache.)"""
    chips = np.zeros((MOST_SEATS + 1) * MOST_SEATS, np.int64)  # not yet shared out: six for each step
    rest = np.zeros(MOST_SEATS + 1, np.int64)  # seats that can still win chips, as a mask
    group = np.zeros(MOST_SEATS + 1, np.int64)  # those of them that win next, as a mask
    floor = np.zeros(MOST_SEATS + 1, np.int64)  # the rank they must be worse than
    chips[:MOST_SEATS] = staked
    rest[0] = _winners_left(live, chips[:MOST_SEATS], reported)
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
        rank = _possible_rank(group[step], rest[step], hands, floor[step])
        if rank > 0:
            begin = step * MOST_SEATS
            left = chips[begin + MOST_SEATS : begin + 2 * MOST_SEATS]
            left[:] = chips[begin : begin + MOST_SEATS]
            won = np.zeros(MOST_SEATS, np.int64)
            pay(group[step], left, reported if carried else prefer, carried, won)
            agrees = True
            for seat in range(MOST_SEATS):
                agrees &= group[step] >> seat & 1 == 0 or won[seat] == reported[seat]
            others = _winners_left(rest[step] & ~group[step], left, reported)
            if agrees and others >= 0:
                step += 1
                rest[step] = others
                group[step] = others
                floor[step] = rank
                continue
        group[step] = (group[step] - 1) & rest[step]
    return False


@compiled
def _winners_left(seats: Int, left: Any, reported: Any) -> Int:
    """The seats that have chips left to win with; -1 if another one is reported to win."""
    winners = np.int64(0)
    for seat in range(MOST_SEATS):
        if seats >> seat & 1:
            if left[seat] > 0:
                winners |= np.int64(1) << seat
            elif reported[seat] != 0:
                return -1
    return winners


@compiled
def _possible_rank(group: Int, rest: Int, hands: Hands, floor: Int) -> Int:
    """The best rank that all in `group` may have: better than all others in `rest`, and worse than `floor`; 0
    if there is none."""
    rank = np.int64(0)
    low = np.int64(floor)
    high = np.int64(_WORST)
    for seat in range(MOST_SEATS):
        known = np.int64(hands.ranks[seat])
        if group >> seat & 1:
            if known == 0:
                low = max(low, np.int64(hands.limits[seat]))
            elif rank != 0 and rank != known:
                return 0
            else:
                rank = known
        elif rest >> seat & 1 and known != 0:
            high = min(high, known)
    if rank == 0:
        rank = low + 1
    return rank if low < rank < high else 0
