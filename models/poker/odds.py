"""Equity in hold'em: how often hands or ranges win if the rest of the board is dealt and all hands are shown.

A deal is a hand of each range, no card twice, and a board. All deals are counted if that takes less than
about a second; else some are drawn at random."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import comb, prod, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine import rng as random
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.poker.cards import BOARD_CARDS
from cardlog.models.poker.ranges import Combos, card_codes, combos_of
from cardlog.models.poker.ranks import (
    CLASSES,
    IN_SUIT,
    KEYS,
    NO_CARDS,
    PACK,
    mask_of,
    next_choice,
    rank_of_key,
)
from cardlog.schemas import cards
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.limits import MOST_HANDS

MOST_PLAYERS: Final = 10
SAMPLES: Final = 1_000_000
"""How many deals are drawn, unless a number is given."""
_TRIES: Final = 100  # for each of them: hands that share a card are drawn again
_MOST_STEPS: Final = 250_000_000  # at most so much work is done to count; a step is a hand ranked
_SUITS: Final = len(cards.SUITS)


@dataclass(frozen=True)
class PlayerOdds:
    """What a player can expect: all between 0 and 1."""

    hand: str  # the hand or range
    equity: float  # the mean share of the pot
    win: float  # how often the player wins alone
    tie: float  # how often the player wins together with others
    error: float  # the standard error of the equity; 0 if it is exact


@dataclass(frozen=True)
class Odds:
    """The odds of some players.

    deals
        How many deals were counted, if `exact`, or drawn: hands of all players and the board.
    """

    players: tuple[PlayerOdds, ...]
    board: str
    dead: str
    exact: bool
    deals: int


# ---------------------------------------------------------------- deals


class Deals(NamedTuple):
    """The deals of some ranges, the largest of them last."""

    first: NDArray[np.int64]  # player n has the hands from first[n] to first[n + 1]
    masks: NDArray[np.int64]  # of each hand
    keys: NDArray[np.int64]  # the sum of its keys
    full: int  # how many hands a range has that leaves out none
    board: NDArray[np.int64]  # the cards on the table
    pack: NDArray[np.int64]  # those that may be dealt
    swaps: NDArray[np.int64]  # the exchanges of suits that change none of all this: shape (swaps, 4)

    @classmethod
    def of(cls, ranges: list[Combos], board: list[int], dead: list[int]) -> "Deals":
        """From the hands of each range that can be dealt, and card codes."""
        masks = [(np.int64(1) << combos).sum(axis=1) for combos in ranges]
        known = [sum(1 << card for card in codes) for codes in (board, dead)]
        gone = np.bitwise_or.reduce([*known, *map(np.bitwise_and.reduce, masks)])  # also what all hands have
        fixed = [*masks, *np.reshape(known, (2, 1))]
        return cls(
            np.cumsum([0, *map(len, ranges)]),
            np.concatenate(masks),
            KEYS[np.concatenate(ranges)].sum(axis=1),
            comb(len(PACK) - len(board) - len(dead), 2),
            np.array(board, np.int64),
            PACK[gone >> PACK & 1 == 0],
            np.array([swap for swap in permutations(range(_SUITS)) if all(_is_same(m, swap) for m in fixed)]),
        )

    def steps(self) -> float:
        """How much work it is to count all of them, in hands ranked, as measured."""
        *others, last = np.diff(self.first).tolist()
        boards = comb(len(self.pack), BOARD_CARDS - len(self.board)) / len(self.swaps)
        return float(boards * (40 + sum(others) + last + prod(others) * (2 + last / 16)))


def _is_same(masks: NDArray[np.int64], swap: Sequence[int]) -> bool:
    """Whether some sets of cards are the same when each suit is exchanged for another."""
    suits = [
        (masks >> cards.SUIT_STRIDE * suit & IN_SUIT) << cards.SUIT_STRIDE * swap[suit]
        for suit in range(_SUITS)
    ]
    return set(np.sum(suits, axis=0).tolist()) == set(masks.tolist())


# ---------------------------------------------------------------- one board


@compiled
def _tally(sizes: Any, masks: Any, ranks: Any, weight: Int, shares: Any) -> None:
    """Count who wins on a board, for all choices of one hand a player in which no card is twice: adds
    `weight` for each to ``shares[player, winners]``. Player n has the first ``sizes[n]`` hands of
    ``masks[n]`` and ``ranks[n]``. Those of the last player are compared at once, so these should be the most.
    """
    players = len(sizes)
    last = players - 1
    at = np.zeros(players, np.int64)  # the next hand of each player
    used = np.zeros(players, np.int64)  # the cards of those before
    best = np.full(players, CLASSES + 1)  # their best rank
    chosen = np.zeros(players, np.int64)  # each one's rank
    player = 0
    while player >= 0:
        if player < last:
            hand = at[player]
            at[player] += 1
            if hand == sizes[player]:
                at[player] = 0
                player -= 1
            elif masks[player, hand] & used[player] == 0:
                chosen[player] = ranks[player, hand]
                used[player + 1] = used[player] | masks[player, hand]
                best[player + 1] = min(best[player], chosen[player])
                player += 1
            continue
        taken, target = used[last], best[last]
        better = even = worse = np.int64(0)
        for hand in range(sizes[last]):
            fits = masks[last, hand] & taken == 0
            better += fits & (ranks[last, hand] < target)
            even += fits & (ranks[last, hand] == target)
            worse += fits & (ranks[last, hand] > target)
        winners = 0
        for other in range(last):
            winners += chosen[other] == target
        for other in range(last):
            if chosen[other] == target:
                shares[other, winners] += worse * weight
                shares[other, winners + 1] += even * weight
        shares[last, 1] += better * weight
        shares[last, winners + 1] += even * weight
        player -= 1


# ---------------------------------------------------------------- all boards


@compiled
def _orbit(mask: Int, swaps: Any) -> Int:
    """How many sets of cards the exchanges of suits make of a set; 0 if one of them is less than the set, so
    that one of them all stands for the others."""
    same = 0
    for index in range(len(swaps)):
        swapped = np.int64(0)
        for suit in range(_SUITS):
            held = mask >> cards.SUIT_STRIDE * suit & IN_SUIT
            swapped |= held << cards.SUIT_STRIDE * np.int64(swaps[index, suit])
        if swapped < mask:
            return np.int64(0)
        same += swapped == mask
    return np.int64(len(swaps) // same)


@compiled
def _count(deals: Any, shares: Any) -> None:
    """Count all `Deals`: adds 1 for each to ``shares[player, winners]``."""
    first, masks, keys, board, pack = deals.first, deals.masks, deals.keys, deals.board, deals.pack
    players = len(first) - 1
    most = (first[1:] - first[:-1]).max()
    fitting = np.zeros((players, most), np.int64)
    ranks = np.zeros((players, most), np.int64)
    sizes = np.zeros(players, np.int64)
    missing = BOARD_CARDS - len(board)
    indices = np.arange(missing)
    while True:
        dealt, key = np.int64(0), np.int64(NO_CARDS)
        for card in board:
            key += KEYS[card]
        for index in indices:
            dealt |= np.int64(1) << pack[index]
            key += KEYS[pack[index]]
        weight = _orbit(dealt, deals.swaps)
        if weight > 0:
            on_board = dealt | mask_of(board)
            for player in range(players):
                size = 0
                for hand in range(first[player], first[player + 1]):
                    if masks[hand] & on_board == 0:
                        fitting[player, size] = masks[hand]
                        ranks[player, size] = rank_of_key(key + keys[hand], on_board | masks[hand])
                        size += 1
                sizes[player] = size
            _tally(sizes, fitting, ranks, weight, shares)
        if not next_choice(indices, len(pack)):
            return


# ---------------------------------------------------------------- random deals


@compiled
def _draw(deals: Any, seed: Int, wanted: Int, shares: Any) -> None:
    """Draw `Deals`, all with the same chance: adds 1 for each to ``shares[player, winners]``. They are fewer
    than wanted if the ranges share cards too often."""
    first, masks, keys, board, pack = deals.first, deals.masks, deals.keys, deals.board, deals.pack
    players = len(first) - 1
    stream = np.zeros(1, np.uint64)
    random.begin(stream, np.uint64(seed), 0)
    on_board = mask_of(board)
    hands = np.zeros(players, np.int64)
    ranks = np.zeros(players, np.int64)
    drawn = 0
    for _ in range(wanted * _TRIES):
        used = on_board
        player = 0
        while player < players:
            size = first[player + 1] - first[player]
            hand = first[player] + random.below(stream, size)
            if masks[hand] & used:
                if size == deals.full:
                    continue  # as many hands are left whatever the others have
                break
            used |= masks[hand]
            hands[player] = hand
            player += 1
        if player < players:
            continue
        dealt, key = on_board, np.int64(NO_CARDS)
        for card in board:
            key += KEYS[card]
        missing = BOARD_CARDS - len(board)
        while missing > 0:
            card = pack[random.below(stream, len(pack))]
            if used >> card & 1 == 0:
                used |= np.int64(1) << card
                dealt |= np.int64(1) << card
                key += KEYS[card]
                missing -= 1
        for player in range(players):
            hand = hands[player]
            ranks[player] = rank_of_key(key + keys[hand], dealt | masks[hand])
        best = ranks.min()
        winners = (ranks == best).sum()
        for player in range(players):
            if ranks[player] == best:
                shares[player, winners] += 1
        drawn += 1
        if drawn == wanted:
            return


# ---------------------------------------------------------------- odds


def odds(*hands: str, board: str = "", dead: str = "", samples: int | None = None, seed: int = 0) -> Odds:
    """The equity of two to ten hands or ranges, such as ``AhKh`` and ``QQ+, AKs``, in hold'em.

    board
        Up to five cards that lie on the table, ``2c7hTd``.
    dead
        Cards that can't be dealt any more.
    samples
        Draw so many deals at random (default: count all, if that is quick, else `SAMPLES`).
    seed
        The same seed draws the same deals.

    Raises CardlogError if a text is no range or no cards, or the hands can't be dealt.
    """
    if not 2 <= len(hands) <= MOST_PLAYERS:
        raise CardlogError(f"odds are those of 2 to {MOST_PLAYERS} hands or ranges, not of {len(hands)}")
    if samples is not None and not 1 <= samples <= MOST_HANDS:
        raise CardlogError(f"{samples} deals can't be drawn; it must be from 1 to {MOST_HANDS:,}")
    on_board, gone = card_codes(board), card_codes(dead)
    if len(on_board) > BOARD_CARDS:
        raise CardlogError(f"a board has at most {BOARD_CARDS} cards; {board!r} has {len(on_board)}")
    if both := set(on_board) & set(gone):
        raise CardlogError(f"{cards.texts(sorted(both))} can't be both on the board and dead")
    ranges = [_possible(text, [*on_board, *gone]) for text in hands]
    order = sorted(range(len(ranges)), key=lambda number: len(ranges[number]))
    deals = Deals.of([ranges[number] for number in order], on_board, gone)
    exact = samples is None and deals.steps() <= _MOST_STEPS
    by_winners = np.zeros((len(hands), len(hands) + 1), np.int64)
    if exact:
        _count(deals, by_winners)
    else:
        _draw(deals, seed, samples or SAMPLES, by_winners)
    shares = by_winners[np.argsort(order), 1:]
    total = int((shares.sum(axis=0) // np.arange(1, len(hands) + 1)).sum())
    if total == 0:
        raise CardlogError(f"{' and '.join(hands)} can't all be dealt: they need the same cards")
    players = [
        _player(hand, row / total, None if exact else total) for hand, row in zip(hands, shares, strict=True)
    ]
    return Odds(tuple(players), _text(on_board), _text(gone), exact, total)


def _player(hand: str, shares: NDArray[np.float64], samples: int | None) -> PlayerOdds:
    """From how often the player is one of 1, 2 … winners."""
    parts = 1 / np.arange(1, len(shares) + 1)
    equity = float(shares @ parts)
    variance = float(shares @ parts**2) - equity**2
    error = sqrt(max(variance, 0) / samples) if samples else 0.0
    return PlayerOdds(hand, equity, float(shares[0]), float(shares[1:].sum()), error)


def _possible(text: str, known: list[int]) -> Combos:
    """The hands of a range without cards that lie elsewhere."""
    combos = combos_of(text)
    possible = combos[~np.isin(combos, known).any(axis=1)]
    if len(possible) == 0:
        raise CardlogError(f"{text} can't be dealt: {cards.texts(known)} are on the board or dead")
    return possible


def _text(codes: list[int]) -> str:
    """Cards as poker players write them: ``AhTc``."""
    return "".join(cards.text(code)[0] + cards.text(code)[1].lower() for code in codes)
