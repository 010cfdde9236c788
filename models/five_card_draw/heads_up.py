"""Five-card draw of two players, made small enough to be solved: what is kept of hands, bets and chips.

`python -m cardlog.models.five_card_draw.heads_up` solves it and writes ``cfr.npz``; `cfr` plays by that.

* Chips: both have as many, one of `DEPTHS` antes.
* Bets: the first of a round is by half the pot or the pot, raises are by the pot (after a call), and all the
  chips are always possible. There are at most `MOST_RAISES` before that; none takes more than
  `MOST_OF_STACK`.
* Hands before the draw: how many cards are best exchanged, and how likely that wins, in `PARTS` parts. After
  it: one of `TYPES` ranges of ranks.
* The draw: none to three cards, those that are best for so many. Both see how many.
* The two hands are independent of each other, though they come from one pack.

The first player is the first after the button.
"""

import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.cfr import CHANGES, DECIDES, ENDS, Builder, Tree, best_responses, solve
from cardlog.models.compiled import compiled
from cardlog.models.five_card_draw.decisions import (
    ALL_IN_RAISE,
    BIG_RAISE,
    CALL_ACTION,
    CHECK_ACTION,
    FOLD_ACTION,
    MIDDLE_RAISE,
)
from cardlog.models.five_card_draw.expert import ANYBODY
from cardlog.models.five_card_draw.odds import DRAWS, PACK, count_draws, list_unseen
from cardlog.models.five_card_draw.ranks import CLASSES, HAND_CARDS
from cardlog.models.five_card_draw.state import MOST_SWAPPED

DEPTHS: Final = (2, 3, 5, 10, 20, 50, 100, 200)  # how many antes both have
MOST_RAISES: Final = 3
MOST_OF_STACK: Final = 2 / 3
COUNTS: Final = MOST_SWAPPED + 1
PARTS: Final = (4, 10, 4, 18)  # of hands that best exchange 0, 1, 2 and 3 cards, from the worst
TYPES: Final = sum(PARTS)
STEPS: Final = 255  # chances are kept in so many steps
WEIGHTS: Final = Path(__file__).parent / "cfr.npz"

_FOLD, _SHOWDOWN, _DRAWN = range(3)
"""Matrices of the tree; the last is that of no card drawn, and more follow."""
_WITHOUT_RAISE: Final = ((CHECK_ACTION,), (FOLD_ACTION, CALL_ACTION))
"""What one may do who does not face a bet, and who does."""

_ITERATIONS: Final = 3_000
_SAMPLE: Final = 30_000
_SEED: Final = 1
_EVEN: Final = 20
_BELOW: Final = 0.8

Floats = NDArray[np.float64]

# ---------------------------------------------------------------- hands


def _range_of_rank() -> NDArray[np.int64]:
    """The type of each rank after the draw, from the worst. The worse four fifths of hands are in equal
    parts, the best in ever smaller ones, down to one in a thousand."""
    top = (1 - _BELOW) * np.geomspace(1, 0.005, TYPES - _EVEN)
    edges = np.concatenate([np.linspace(0, _BELOW, _EVEN + 1)[1:], 1 - top[1:]])
    return np.asarray(np.searchsorted(edges, ANYBODY, "right"), np.int64)


TYPE_OF_RANK: Final = _range_of_rank()  # the type of each rank after the draw: shape (7463,)


@compiled
def draws_of(hand: Any, wins: Any, sets: Any, made: Any) -> None:
    """The best discard of each number of cards: writes how likely it is to win and the cards discarded, one
    bit each, shapes (4,), and how likely it makes each type of hands, (4, types). `hand` has card codes,
    (5,)."""
    left = np.zeros(64, np.int64)
    size = list_unseen(hand, np.int64(0), left)
    counts = np.zeros(CLASSES + 1, np.int64)
    wins[:] = -1.0
    for gone in range(DRAWS):
        number = 0
        for index in range(HAND_CARDS):
            number += gone >> index & 1
        if number >= COUNTS:
            continue
        counts[:] = 0
        count_draws(hand, gone, left, size, counts)
        total = counts.sum()
        win = (counts * ANYBODY).sum() / total
        if win > wins[number]:
            wins[number] = win
            sets[number] = gone
            made[number] = 0.0
            for rank in range(1, CLASSES + 1):
                made[number, TYPE_OF_RANK[rank]] += counts[rank] / total


def type_of(wins: Floats, edges: Floats) -> int:
    """The type of a hand before the draw; `edges` are the least chance of each type: shape (types,)."""
    best = int(wins.argmax())
    low = sum(PARTS[:best])
    inside = edges[low + 1 : low + PARTS[best]]
    return low + int(np.searchsorted(inside, wins[best], "right"))


class Hands(NamedTuple):
    """Hands before the draw."""

    edges: Floats  # see `type_of`
    shares: Floats  # how many hands are of each type: shape (types,)
    # how likely each type after the draw is, by number of cards and type before: shape (4, types, types)
    made: Floats


def hands() -> Hands:
    """The types of hands, from a sample of which each is counted exactly."""
    rng = np.random.default_rng(_SEED)
    wins, sets = np.zeros((_SAMPLE, COUNTS)), np.zeros(COUNTS, np.int64)
    made = np.zeros((_SAMPLE, COUNTS, TYPES))
    for number in range(_SAMPLE):
        draws_of(rng.choice(PACK, HAND_CARDS, replace=False), wins[number], sets, made[number])
    best, chance = wins.argmax(axis=1), wins.max(axis=1)
    edges = np.concatenate(
        [np.quantile(chance[best == count], np.arange(parts) / parts) for count, parts in enumerate(PARTS)]
    )
    types = np.array([type_of(row, edges) for row in wins])
    shares = np.bincount(types, minlength=TYPES)
    mean = np.array([made[types == each].mean(axis=0) for each in range(TYPES)]).transpose(1, 0, 2)
    return Hands(edges, shares / _SAMPLE, np.ascontiguousarray(mean))


# ---------------------------------------------------------------- bets


class Place(NamedTuple):
    """Where a player bets."""

    node: int
    player: int
    # what it has put in, and what the other has, in antes
    mine: float
    level: float
    actions: tuple[int, ...]  # what it may do, one for each child of the node


class Ending(NamedTuple):
    """How a round can end without a fold."""

    node: int  # where it ends, which after the first round is where the first player draws
    level: float  # what each has put in, in antes
    raiser: int  # who raised last, -1 for nobody


@dataclass
class Game:
    """The game with some number of antes."""

    depth: int
    build: Builder = field(default_factory=Builder)
    endings: list[Ending] = field(default_factory=list)  # of the first round
    # where the second player draws, by the ending and by how many cards the first has drawn
    draws: dict[tuple[int, int], int] = field(default_factory=dict)
    # those of the first round, under (), and of the second, under the ending and the numbers of cards
    places: dict[tuple[int, ...], list[Place]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.endings = self._round(-1, 1.0, ())
        for number, ending in enumerate(self.endings):
            for first in range(COUNTS):
                node = self.build.add(self._changed(ending.node, 0, first), DECIDES, 1)
                self.draws[number, first] = node
                for second in range(COUNTS):
                    changed = self._changed(node, 1, second)
                    if ending.level < self.depth:
                        self._round(changed, ending.level, (number, first, second))
                    else:
                        self.build.add(changed, ENDS, matrix=_SHOWDOWN, amount=ending.level)

    def _changed(self, node: int, player: int, count: int) -> int:
        """The node to which the exchange of some cards leads."""
        return self.build.add(node, CHANGES, player, _DRAWN + count)

    def _round(self, parent: int, begin: float, key: tuple[int, ...]) -> list[Ending]:
        """Add a round of betting; how it can end."""
        places: list[Place] = []
        endings: list[Ending] = []

        def act(parent: int, player: int, mine: float, level: float, raises: int) -> None:
            node = self.build.add(parent, DECIDES, player)
            to = self._raises(level, raises)
            if level > mine:
                self.build.add(node, ENDS, matrix=_FOLD, amount=mine * (2 * player - 1))
            places.append(Place(node, player, mine, level, (*_WITHOUT_RAISE[level > mine], *to)))
            if level == mine and player == 0:
                act(node, 1, level, level, 0)
            else:
                kind = ENDS if key else DECIDES
                end = self.build.add(node, kind, matrix=_SHOWDOWN, amount=level)
                endings.append(Ending(end, level, 1 - player if level > mine else -1))
            for staked in to.values():
                act(node, 1 - player, level, staked, raises + 1)

        act(parent, 0, begin, begin, 0)
        self.places[key] = places
        return endings

    def _raises(self, level: float, raises: int) -> dict[int, float]:
        """The raises there are, and what has then been put in."""
        if level >= self.depth:
            return {}
        to = {BIG_RAISE: 3 * level} if raises else {MIDDLE_RAISE: 2 * level, BIG_RAISE: 3 * level}
        fits = raises < MOST_RAISES
        found = {action: put for action, put in to.items() if fits and put <= MOST_OF_STACK * self.depth}
        return found | {ALL_IN_RAISE: self.depth}

    def tree(self, of: Hands) -> Tree:
        """The game as a tree, with its hands."""
        types = np.arange(TYPES)
        fold, showdown = np.ones((TYPES, TYPES)), np.sign(types[:, None] - types)
        return self.build.tree(np.concatenate([[fold, showdown], of.made]), np.stack([of.shares] * 2))


@cache
def game(depth: int) -> Game:
    """The game with some number of antes."""
    return Game(depth)


# ---------------------------------------------------------------- the strategy


def packed(strategy: Floats) -> NDArray[np.uint8]:
    """A strategy in steps, without the first choice, which is the rest; rounding is at the cost of the
    likeliest choice: shape (rows, `MOST_CHOICES` - 1, types)."""
    steps = np.rint(strategy * STEPS)
    likely = strategy.argmax(axis=1)[:, None]
    rest = STEPS - steps.sum(axis=1, keepdims=True)
    np.put_along_axis(steps, likely, np.take_along_axis(steps, likely, 1) + rest, 1)
    return steps[:, 1:].astype(np.uint8)


def unpacked(steps: NDArray[np.uint8]) -> Floats:
    """The chances that `packed` has kept: shape (rows, `MOST_CHOICES`, types)."""
    first = STEPS - steps.sum(axis=1, keepdims=True, dtype=np.int64)
    return np.concatenate([first, steps], axis=1) / STEPS


def main() -> None:
    """Solve the game for each number of antes, and say what a best response gains of the antes."""
    of = hands()
    print(f"hands: {process_time():.0f} s", file=sys.stderr)
    kept: dict[str, Any] = {"edges": of.edges}
    for depth in DEPTHS:
        tree = game(depth).tree(of)
        kept[str(depth)] = packed(solve(tree, _ITERATIONS))
        gain = sum(best_responses(tree, unpacked(kept[str(depth)]))) / 2
        print(
            f"{depth} antes: {len(kept[str(depth)]):,} places, best response gains {gain / 2:.2%} of the pot"
        )
        print(f"{process_time():.0f} s", file=sys.stderr)
    np.savez_compressed(WEIGHTS, **kept)


if __name__ == "__main__":
    main()
