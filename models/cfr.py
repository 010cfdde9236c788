"""Equilibria of two-player games by counterfactual regret minimisation, and what a best response gains.

The algorithm is CFR+ (Tammelin, "Solving large imperfect information games using CFR+", 2014; the idea is
Zinkevich et al.'s, "Regret minimization in games with incomplete information", NIPS 2007). It samples
nothing: each pass goes through the whole tree of what both players see, with all private types of a player at
once. Types of the two are independent; what is not so is in the payoffs. A type may change on the way, by a
public event with a matrix of chances; what it was before is forgotten, and a best response is exact.
"""

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled

MOST_CHOICES: Final = 4
DECIDES, CHANGES, ENDS = range(3)  # kinds of nodes: a player decides; its type changes; the hand ends

Floats = NDArray[np.float64]


class Tree(NamedTuple):
    """A game. Every node comes after its parent; the root is node 0."""

    # of each node; who decides, or whose type changes: shape (nodes,)
    kinds: NDArray[np.int8]
    players: NDArray[np.int8]
    children: NDArray[np.int32]  # -1 where there are no more: shape (nodes, `MOST_CHOICES`)
    rows: NDArray[np.int32]  # the number of a node among those that decide, -1 for others: shape (nodes,)
    # which matrix a change or an end has, and by what an end's is multiplied: shape (nodes,)
    matrices: NDArray[np.int16]
    amounts: Floats
    # the matrices: chances, from the type before to the one after; or payoffs of player 0, from its type to
    # that of player 1: shape (matrices, types, types)
    values: Floats
    first: Floats  # the chances of the types at the root: shape (2, types)


@dataclass
class Builder:
    """Makes a `Tree`, node by node."""

    kinds: list[int] = field(default_factory=list)
    players: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    matrices: list[int] = field(default_factory=list)
    amounts: list[float] = field(default_factory=list)

    def add(self, parent: int, kind: int, player: int = 0, matrix: int = 0, amount: float = 0.0) -> int:
        """Add a node below another, or below none, -1; returns its number."""
        number = len(self.kinds)
        self.kinds.append(kind)
        self.players.append(player)
        self.children.append([])
        self.matrices.append(matrix)
        self.amounts.append(amount)
        if parent >= 0:
            self.children[parent].append(number)
        return number

    def rows(self) -> NDArray[np.int32]:
        """See `Tree.rows`."""
        decides = np.array(self.kinds) == DECIDES
        return np.where(decides, np.cumsum(decides) - 1, -1).astype(np.int32)

    def tree(self, values: Floats, first: Floats) -> Tree:
        """The tree, with its matrices and the chances of types."""
        children = [[*each, *[-1] * (MOST_CHOICES - len(each))] for each in self.children]
        return Tree(
            np.array(self.kinds, np.int8),
            np.array(self.players, np.int8),
            np.array(children, np.int32),
            self.rows(),
            np.array(self.matrices, np.int16),
            np.array(self.amounts),
            np.ascontiguousarray(values, np.float64),
            np.ascontiguousarray(first, np.float64),
        )


@compiled
def _mix(regrets: Any, count: Int, mixed: Any) -> None:
    """Regrets into a strategy, each choice in proportion; all alike if there are none: (choices, types)."""
    for kind in range(regrets.shape[1]):
        total = 0.0
        for choice in range(count):
            total += regrets[choice, kind]
        for choice in range(count):
            mixed[choice, kind] = regrets[choice, kind] / total if total > 0 else 1.0 / count


@compiled
def _count(children: Any) -> Int:
    count = np.int64(0)
    while count < len(children) and children[count] >= 0:
        count += 1
    return count


@compiled
def _reach(tree: Any, strategy: Any, player: Int, reach: Any) -> None:
    """How often a player's types come to each node by its own choices and changes: shape (nodes, types)."""
    reach[0] = tree.first[player]
    for node in range(len(tree.kinds)):
        mine = tree.players[node] == player
        for choice in range(_count(tree.children[node])):
            child = tree.children[node, choice]
            reach[child] = reach[node]
            if mine and tree.kinds[node] == DECIDES:
                reach[child] *= strategy[tree.rows[node], choice]
            elif mine:
                reach[child] = 0.0
                for kind in range(reach.shape[1]):
                    reach[child] += tree.values[tree.matrices[node], kind] * reach[node, kind]


@compiled
def _payoff(tree: Any, node: Int, player: Int, reach: Any, value: Any) -> None:
    """What each type of a player gets at an end, weighed by how often the other comes there."""
    value[:] = 0.0
    payoffs = tree.values[tree.matrices[node]]
    amount = tree.amounts[node]
    for kind in range(len(reach)):
        if player == 0:
            for other in range(len(reach)):
                value[other] += payoffs[other, kind] * (amount * reach[kind])
        else:
            for other in range(len(reach)):
                value[other] -= payoffs[kind, other] * (amount * reach[kind])


@compiled
def _values(tree: Any, strategy: Any, player: Int, reach: Any, values: Any, best: bool) -> None:
    """What each type of a player gets from each node on: shape (nodes, types). `strategy` is the player's,
    not asked if it does its best; `reach` the other's."""
    for node in range(len(tree.kinds) - 1, -1, -1):
        value = values[node]
        if tree.kinds[node] == ENDS:
            _payoff(tree, node, player, reach[node], value)
            continue
        mine = tree.players[node] == player
        value[:] = 0.0
        for choice in range(_count(tree.children[node])):
            below = values[tree.children[node, choice]]
            if not mine:
                value += below
            elif tree.kinds[node] == CHANGES:
                chances = tree.values[tree.matrices[node]]
                for kind in range(len(value)):
                    value[kind] = (chances[kind] * below).sum()
            elif not best:
                value += strategy[tree.rows[node], choice] * below
            elif choice == 0:
                value[:] = below
            else:
                value[:] = np.maximum(value, below)


@compiled
def _learn(tree: Any, player: Int, values: Any, regrets: Any, strategy: Any) -> None:
    """Add what a player would have gained by each choice, never below 0, and mix anew."""
    for node in range(len(tree.kinds)):
        if tree.kinds[node] == DECIDES and tree.players[node] == player:
            row = tree.rows[node]
            count = _count(tree.children[node])
            for choice in range(count):
                gains = values[tree.children[node, choice]] - values[node]
                regrets[row, choice] = np.maximum(regrets[row, choice] + gains, 0.0)
            _mix(regrets[row], count, strategy[row])


@compiled
def _note(tree: Any, player: Int, weight: float, work: Any, totals: Any) -> None:
    """Add a player's strategy to its sum, weighed by how often it comes there, its reach."""
    strategy, reach = work
    for node in range(len(tree.kinds)):
        if tree.kinds[node] == DECIDES and tree.players[node] == player:
            for choice in range(_count(tree.children[node])):
                totals[tree.rows[node], choice] += weight * reach[node] * strategy[tree.rows[node], choice]


@compiled
def _solve(tree: Any, iterations: Int, strategy: Any, totals: Any) -> None:
    regrets = np.zeros_like(strategy)
    reach = np.zeros((len(tree.kinds), tree.first.shape[1]))
    values = np.zeros_like(reach)
    for number in range(iterations):
        for player in range(2):
            _reach(tree, strategy, 1 - player, reach)
            _values(tree, strategy, player, reach, values, False)
            _learn(tree, player, values, regrets, strategy)
            _reach(tree, strategy, player, reach)
            _note(tree, player, number + 1.0, (strategy, reach), totals)


@compiled
def _normalise(tree: Any, totals: Any) -> None:
    for node in range(len(tree.kinds)):
        if tree.kinds[node] == DECIDES:
            row = tree.rows[node]
            _mix(totals[row], _count(tree.children[node]), totals[row])


def solve(tree: Tree, iterations: int) -> Floats:
    """The average strategy after some iterations: the chance of each choice of each type, by `Tree.rows`,
    shape (rows, `MOST_CHOICES`, types); 0 for choices that there are not."""
    rows = int(tree.rows.max()) + 1
    strategy = np.zeros((rows, MOST_CHOICES, tree.first.shape[1]))
    totals = np.zeros_like(strategy)
    _normalise(tree, strategy)
    _solve(tree, iterations, strategy, totals)
    _normalise(tree, totals)
    return totals


def value(tree: Tree, strategy: Floats) -> float:
    """What player 0 gets if both play by a strategy."""
    return _expected(tree, strategy, 0, best=False)


def best_responses(tree: Tree, strategy: Floats) -> tuple[float, float]:
    """What players 0 and 1 get who answer a strategy as well as one can. In an equilibrium the sum is 0."""
    return _expected(tree, strategy, 0, best=True), _expected(tree, strategy, 1, best=True)


def _expected(tree: Tree, strategy: Floats, player: int, *, best: bool) -> float:
    reach = np.zeros((len(tree.kinds), tree.first.shape[1]))
    values = np.zeros_like(reach)
    _reach(tree, strategy, 1 - player, reach)
    _values(tree, strategy, player, reach, values, best)
    return float(values[0] @ tree.first[player])
