"""Equilibria of two-player games by counterfactual regret minimisation, and what a best response gains.

The algorithm is CFR+ (Tammelin, "Solving large imperfect information games using CFR+", 2014; the idea is
Zinkevich et al.'s, "Regret minimization in games with incomplete information", NIPS 2007). It samples
nothing: each pass goes through the whole tree of what both players see, with all private types of a player at
once. The types of the two are independent; any dependence is in the payoffs. A type may change on the way, by
a public event with a transition matrix; the former type is forgotten. Best responses are exact.
"""

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled

MOST_CHOICES: Final = 4
DECIDES, CHANGES, ENDS = range(3)  # kinds of nodes: a player decides; its type changes; the hand ends

Floats = NDArray[np.float64]


class Tree(NamedTuple):
    """A game. Every node comes after its parent; the root is node 0."""

    # the kind of each node, and the player who decides or whose type changes: shape (nodes,)
    kinds: NDArray[np.int8]
    players: NDArray[np.int8]
    children: NDArray[np.int32]  # -1 where there are no more: shape (nodes, `MOST_CHOICES`)
    rows: NDArray[np.int32]  # the number of a node among those that decide, -1 for others: shape (nodes,)
    # the matrix of each change or end, and the factor of an end's payoffs: shape (nodes,)
    matrices: NDArray[np.int16]
    amounts: Floats
    # the matrices: probabilities, by the types before and after; or payoffs of player 0, by its type and that
    # of player 1: shape (matrices, types, types)
    values: Floats
    first: Floats  # the probabilities of the types at the root: shape (2, types)


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
        """The tree, with its matrices and the probabilities of the types at the root."""
        children = [[*nodes, *[-1] * (MOST_CHOICES - len(nodes))] for nodes in self.children]
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
def _match(regrets: Any, count: Int, strategy: Any) -> None:
    """Regret matching: each choice in proportion to its regret, or all equally if there are no regrets: shape
    (choices, types)."""
    for type_ in range(regrets.shape[1]):
        total = 0.0
        for choice in range(count):
            total += regrets[choice, type_]
        for choice in range(count):
            strategy[choice, type_] = regrets[choice, type_] / total if total > 0 else 1.0 / count


@compiled
def _child_count(children: Any) -> Int:
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
        for choice in range(_child_count(tree.children[node])):
            child = tree.children[node, choice]
            reach[child] = reach[node]
            if mine and tree.kinds[node] == DECIDES:
                reach[child] *= strategy[tree.rows[node], choice]
            elif mine:
                reach[child] = 0.0
                for type_ in range(reach.shape[1]):
                    reach[child] += tree.values[tree.matrices[node], type_] * reach[node, type_]


@compiled
def _payoff(tree: Any, node: Int, player: Int, reach: Any, value: Any) -> None:
    """What each type of a player gets at an end, weighted by how often the opponent's types reach it."""
    value[:] = 0.0
    payoffs = tree.values[tree.matrices[node]]
    amount = tree.amounts[node]
    for theirs in range(len(reach)):
        if player == 0:
            for own in range(len(reach)):
                value[own] += payoffs[own, theirs] * (amount * reach[theirs])
        else:
            for own in range(len(reach)):
                value[own] -= payoffs[theirs, own] * (amount * reach[theirs])


@compiled
def _values(tree: Any, strategy: Any, player: Int, reach: Any, values: Any, best: bool) -> None:
    """What each type of a player gets from each node on: shape (nodes, types). `strategy` is the player's,
    ignored if it plays its `best`; `reach` is the opponent's."""
    for node in range(len(tree.kinds) - 1, -1, -1):
        value = values[node]
        if tree.kinds[node] == ENDS:
            _payoff(tree, node, player, reach[node], value)
            continue
        mine = tree.players[node] == player
        value[:] = 0.0
        for choice in range(_child_count(tree.children[node])):
            child_value = values[tree.children[node, choice]]
            if not mine:
                value += child_value
            elif tree.kinds[node] == CHANGES:
                probabilities = tree.values[tree.matrices[node]]
                for type_ in range(len(value)):
                    value[type_] = (probabilities[type_] * child_value).sum()
            elif not best:
                value += strategy[tree.rows[node], choice] * child_value
            elif choice == 0:
                value[:] = child_value
            else:
                value[:] = np.maximum(value, child_value)


@compiled
def _learn(tree: Any, player: Int, values: Any, regrets: Any, strategy: Any) -> None:
    """Add what a player would have gained by each choice to its regrets, kept at 0 or more, and update its
    strategy."""
    for node in range(len(tree.kinds)):
        if tree.kinds[node] == DECIDES and tree.players[node] == player:
            row = tree.rows[node]
            count = _child_count(tree.children[node])
            for choice in range(count):
                gains = values[tree.children[node, choice]] - values[node]
                regrets[row, choice] = np.maximum(regrets[row, choice] + gains, 0.0)
            _match(regrets[row], count, strategy[row])


@compiled
def _add_up(tree: Any, player: Int, weight: float, work: Any, totals: Any) -> None:
    """Add a player's strategy to its sum, weighted by its reach: how often the player comes there."""
    strategy, reach = work
    for node in range(len(tree.kinds)):
        if tree.kinds[node] == DECIDES and tree.players[node] == player:
            for choice in range(_child_count(tree.children[node])):
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
            _add_up(tree, player, number + 1.0, (strategy, reach), totals)


@compiled
def _normalise(tree: Any, totals: Any) -> None:
    for node in range(len(tree.kinds)):
        if tree.kinds[node] == DECIDES:
            row = tree.rows[node]
            _match(totals[row], _child_count(tree.children[node]), totals[row])


def solve(tree: Tree, iterations: int) -> Floats:
    """The average strategy after some iterations: the probability of each choice for each type, by
    `Tree.rows`, shape (rows, `MOST_CHOICES`, types); 0 for choices that do not exist."""
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
    """What players 0 and 1 get with a best response to a strategy. In an equilibrium the sum is 0."""
    return _expected(tree, strategy, 0, best=True), _expected(tree, strategy, 1, best=True)


def _expected(tree: Tree, strategy: Floats, player: int, *, best: bool) -> float:
    reach = np.zeros((len(tree.kinds), tree.first.shape[1]))
    values = np.zeros_like(reach)
    _reach(tree, strategy, 1 - player, reach)
    _values(tree, strategy, player, reach, values, best)
    return float(values[0] @ tree.first[player])
