"""Five-card draw of two players, abstracted until it is small enough to be solved.

`python -m cardlog.models.five_card_draw.heads_up` solves it and writes ``cfr.npz``; `cfr` plays by that.

* Chips: both players have the same number, one of `DEPTHS` antes.
* Bets: the first bet of a round is half the pot or the pot, raises are by the pot (after a call), and all in
  is always possible. There are at most `MOST_RAISES` before that; none takes more than `MOST_OF_STACK`.
* Hands before the draw: how many cards it is best to exchange, and how likely that wins, in `PARTS` parts.
  After it: one of `TYPES` ranges of ranks.
* The draw: none to three cards, the best discard of that size. Both see how many.
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

from cardlog.models.engine.compiled import compiled
from cardlog.models.five_card_draw.decisions import (
    ALL_IN_RAISE,
    BIG_RAISE,
    MIDDLE_RAISE,
)
from cardlog.models.five_card_draw.expert import ANYBODY
from cardlog.models.five_card_draw.odds import DRAWS, count_draws, list_unseen
from cardlog.models.five_card_draw.state import MOST_SWAPPED
from cardlog.models.poker.actions import CALL_ACTION, CHECK_ACTION, FOLD_ACTION
from cardlog.models.poker.ranks import CLASSES, HAND_CARDS, PACK
from cardlog.models.solve.cfr import CHANGES, DECIDES, ENDS, Builder, Tree, best_responses, solve

DEPTHS: Final = (2, 3, 5, 10, 20, 50, 100, 200)  # how many antes each player has
MOST_RAISES: Final = 3
MOST_OF_STACK: Final = 2 / 3
COUNTS: Final = MOST_SWAPPED + 1
PARTS: Final = (4, 10, 4, 18)  # of hands that best exchange 0, 1, 2 and 3 cards, from the worst
TYPES: Final = sum(PARTS)
STEPS: Final = 255  # probabilities are stored as multiples of 1/255
WEIGHTS: Final = Path(__file__).parent / "cfr.npz"

_FOLD, _SHOWDOWN, _DRAWN = range(3)
"""Matrices of the tree. The last is for no card drawn; those for one card and more follow it."""
_WITHOUT_RAISE: Final = ((CHECK_ACTION,), (FOLD_ACTION, CALL_ACTION))
"""The actions besides raises: without a bet to call, and with one."""

_ITERATIONS: Final = 3_000
_SAMPLE: Final = 30_000
_SEED: Final = 1
_EQUAL_TYPES: Final = 20  # types after the draw that are equally likely: the worst ones
_EQUAL_SHARE: Final = 0.8  # of all hands

Floats = NDArray[np.float64]

# ---------------------------------------------------------------- hands


def _range_of_rank() -> NDArray[np.int64]:
    """The type of each rank after the draw, from the worst. The worst four fifths of hands are in equal
    parts, the best in ever smaller ones, down to one in a thousand."""
    top = (1 - _EQUAL_SHARE) * np.geomspace(1, 0.005, TYPES - _EQUAL_TYPES)
    edges = np.concatenate([np.linspace(0, _EQUAL_SHARE, _EQUAL_TYPES + 1)[1:], 1 - top[1:]])
    return np.asarray(np.searchsorted(edges, ANYBODY, "right"), np.int64)


TYPE_OF_RANK: Final = _range_of_rank()  # the type of each rank after the draw: shape (7463,)


@compiled
def draws_of(hand: Any, wins: Any, discards: Any, made: Any) -> None:
    """Find the best discard of each number of cards: writes how likely it is to win and the cards discarded,
    one bit each, shapes (4,), and how likely it makes each type of hand, (4, types). `hand` has card codes,
    (5,)."""
    unseen = np.zeros(64, np.int64)
    size = list_unseen(hand, np.int64(0), unseen)
    counts = np.zeros(CLASSES + 1, np.int64)
    wins[:] = -1.0
    for discard in range(DRAWS):
        number = 0
        for index in range(HAND_CARDS):
            number += discard >> index & 1
        if number >= COUNTS:
            continue
        counts[:] = 0
        count_draws(hand, discard, unseen, size, counts)
        total = counts.sum()
        win = (counts * ANYBODY).sum() / total
        if win > wins[number]:
            wins[number] = win
            discards[number] = discard
            made[number] = 0.0
            for rank in range(1, CLASSES + 1):
                made[number, TYPE_OF_RANK[rank]] += counts[rank] / total


def type_of(wins: Floats, edges: Floats) -> int:
    """The type of a hand before the draw; `edges` are the least chances of each type: shape (types,)."""
    best = int(wins.argmax())
    low = sum(PARTS[:best])
    inside = edges[low + 1 : low + PARTS[best]]
    return low + int(np.searchsorted(inside, wins[best], "right"))


class Hands(NamedTuple):
    """Hands before the draw."""

    edges: Floats  # see `type_of`
    shares: Floats  # the share of hands of each type: shape (types,)
    # how likely each type after the draw is, by number of cards and type before: shape (4, types, types)
    made: Floats


def sample_hands() -> Hands:
    """The types of hands, from a sample whose draws are counted exactly."""
    rng = np.random.default_rng(_SEED)
    wins, discards = np.zeros((_SAMPLE, COUNTS)), np.zeros(COUNTS, np.int64)
    made = np.zeros((_SAMPLE, COUNTS, TYPES))
    for number in range(_SAMPLE):
        draws_of(rng.choice(PACK, HAND_CARDS, replace=False), wins[number], discards, made[number])
    best, chance = wins.argmax(axis=1), wins.max(axis=1)
    edges = np.concatenate(
        [np.quantile(chance[best == count], np.arange(parts) / parts) for count, parts in enumerate(PARTS)]
    )
    types = np.array([type_of(row, edges) for row in wins])
    shares = np.bincount(types, minlength=TYPES)
    mean = np.array([made[types == number].mean(axis=0) for number in range(TYPES)]).transpose(1, 0, 2)
    return Hands(edges, shares / _SAMPLE, np.ascontiguousarray(mean))


# ---------------------------------------------------------------- bets


class BetNode(NamedTuple):
    """A node at which a player bets."""

    node: int
    player: int
    # what the player has put in, and what the other has, in antes
    mine: float
    level: float
    actions: tuple[int, ...]  # the legal ones, one for each child of the node


class Ending(NamedTuple):
    """How a round can end without a fold."""

    node: int  # where it ends, which after the first round is where the first player draws
    level: float  # what each has put in, in antes
    raiser: int  # the player who raised last, -1 for nobody


@dataclass
class Game:
    """The game with some number of antes."""

    depth: int
    build: Builder = field(default_factory=Builder)
    endings: list[Ending] = field(default_factory=list)  # of the first round
    # where the second player draws, by the ending and by how many cards the first has drawn
    draws: dict[tuple[int, int], int] = field(default_factory=dict)
    # those of the first round under (), those of the second under the ending and the numbers of cards drawn
    bet_nodes: dict[tuple[int, ...], list[BetNode]] = field(default_factory=dict)

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
        """Add the node to which exchanging some cards leads."""
        return self.build.add(node, CHANGES, player, _DRAWN + count)

    def _round(self, parent: int, begin: float, key: tuple[int, ...]) -> list[Ending]:
        """Add a round of betting; returns how it can end."""
        bet_nodes: list[BetNode] = []
        endings: list[Ending] = []

        def act(parent: int, player: int, mine: float, level: float, raises: int) -> None:
            node = self.build.add(parent, DECIDES, player)
            raises_to = self._raises_to(level, raises)
            if level > mine:
                self.build.add(node, ENDS, matrix=_FOLD, amount=mine * (2 * player - 1))
            actions = (*_WITHOUT_RAISE[level > mine], *raises_to)
            bet_nodes.append(BetNode(node, player, mine, level, actions))
            if level == mine and player == 0:
                act(node, 1, level, level, 0)
            else:
                kind = ENDS if key else DECIDES
                end = self.build.add(node, kind, matrix=_SHOWDOWN, amount=level)
                endings.append(Ending(end, level, 1 - player if level > mine else -1))
            for staked in raises_to.values():
                act(node, 1 - player, level, staked, raises + 1)

        act(parent, 0, begin, begin, 0)
        self.bet_nodes[key] = bet_nodes
        return endings

    def _raises_to(self, level: float, raises: int) -> dict[int, float]:
        """The raises that are possible, and what each has then put in."""
        if level >= self.depth:
            return {}
        amounts = {BIG_RAISE: 3 * level} if raises else {MIDDLE_RAISE: 2 * level, BIG_RAISE: 3 * level}
        limit = MOST_OF_STACK * self.depth if raises < MOST_RAISES else 0
        fitting = {action: amount for action, amount in amounts.items() if amount <= limit}
        return fitting | {ALL_IN_RAISE: self.depth}

    def tree(self, hands: Hands) -> Tree:
        """The game as a tree, with its hands."""
        types = np.arange(TYPES)
        fold, showdown = np.ones((TYPES, TYPES)), np.sign(types[:, None] - types)
        matrices = np.concatenate([[fold, showdown], hands.made])
        return self.build.tree(matrices, np.stack([hands.shares] * 2))


@cache
def game(depth: int) -> Game:
    """The game with some number of antes."""
    return Game(depth)


# ---------------------------------------------------------------- the strategy


def packed(strategy: Floats) -> NDArray[np.uint8]:
    """A strategy in steps, without the first choice, which is what the others leave; the likeliest choice
    makes up for rounding: shape (rows, `MOST_CHOICES` - 1, types)."""
    steps = np.rint(strategy * STEPS)
    likely = strategy.argmax(axis=1)[:, None]
    rest = STEPS - steps.sum(axis=1, keepdims=True)
    np.put_along_axis(steps, likely, np.take_along_axis(steps, likely, 1) + rest, 1)
    return steps[:, 1:].astype(np.uint8)


def unpacked(steps: NDArray[np.uint8]) -> Floats:
    """The reverse of `packed`: shape (rows, `MOST_CHOICES`, types)."""
    first = STEPS - steps.sum(axis=1, keepdims=True, dtype=np.int64)
    return np.concatenate([first, steps], axis=1) / STEPS


def main() -> None:
    """Solve the game for each number of antes, and print what share of the antes a best response gains."""
    hands = sample_hands()
    print(f"hands: {process_time():.0f} s", file=sys.stderr)
    weights: dict[str, Any] = {"edges": hands.edges}
    for depth in DEPTHS:
        tree = game(depth).tree(hands)
        strategy = packed(solve(tree, _ITERATIONS))
        weights[str(depth)] = strategy
        gain = sum(best_responses(tree, unpacked(strategy))) / 2
        print(f"{depth} antes: {len(strategy):,} places, best response gains {gain / 2:.2%} of the pot")
        print(f"{process_time():.0f} s", file=sys.stderr)
    np.savez_compressed(WEIGHTS, **weights)


if __name__ == "__main__":
    main()
