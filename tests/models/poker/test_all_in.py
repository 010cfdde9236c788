"""What all-ins can expect, against `cardlog odds`, which counts boards one by one, and plain Python."""

import random
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from cardlog.models.poker.all_in import Pot, expected_chips
from cardlog.models.poker.odds import odds
from cardlog.models.poker.ranges import card_codes
from cardlog.models.poker.ranks import PACK, rank_of
from cardlog.schemas import cards
from tests.support.soak import long


def words(found: NDArray[np.int64]) -> str:
    return "".join(map(cards.text, found.tolist()))


def dealt(seed: int, players: int, board: int, dead: int) -> tuple[NDArray[np.int64], ...]:
    """Hands, a board and dead cards at random."""
    deck = np.array(random.Random(seed).sample(PACK.tolist(), 2 * players + board + dead), np.int64)
    hands, rest = deck[: 2 * players].reshape(players, 2), deck[2 * players :]
    return hands, rest[:board], rest[board:]


@pytest.mark.parametrize(
    ("players", "board", "dead"),
    [(2, 3, 0), (3, 3, 2), (5, 3, 4), (2, 4, 8), (9, 4, 0), *long((2, 0, 4), (3, 0, 0))],
)
def test_a_single_pot_is_shared_by_equity(players: int, board: int, dead: int) -> None:
    for seed in range(2 if board == 0 else 40):
        hands, on_board, gone = dealt(seed, players, board, dead)
        found = odds(*map(words, hands), board=words(on_board), dead=words(gone))
        assert found.exact
        expected = [100 * player.equity for player in found.players]
        pot = Pot(100, list(range(players)))
        np.testing.assert_allclose(expected_chips(hands, on_board, gone, [pot]), expected, atol=1e-9)


def by_one(hands: NDArray[np.int64], board: NDArray[np.int64], pots: list[Pot]) -> list[float]:
    """The same, board by board and pot by pot."""
    left = sorted({*PACK.tolist()} - {*hands.ravel().tolist(), *board.tolist()})
    won, boards = [0.0] * len(hands), [*combinations(left, 5 - len(board))]
    for rest in boards:
        ranks = [int(rank_of(np.array([*board, *rest, *hand]), 7)) for hand in hands]
        for chips, group in pots:
            best = [hand for hand in group if ranks[hand] == min(ranks[one] for one in group)]
            for hand in best:
                won[hand] += chips / len(best) / len(boards)
    return won


@pytest.mark.parametrize("board", [3, 4])
def test_side_pots_are_shared_by_those_who_can_win_them(board: int) -> None:
    pots = [Pot(90, [0, 1, 2]), Pot(40, [1, 2]), Pot(7, [2])]
    for seed in range(3):
        hands, on_board, _ = dealt(seed, 3, board, 0)
        found = expected_chips(hands, on_board, np.zeros(0, np.int64), pots)
        np.testing.assert_allclose(found, by_one(hands, on_board, pots), atol=1e-9)


def test_flushes_that_lie_on_the_board_or_are_made_count() -> None:
    """A made flush, one that the board makes for all, and a straight flush that a card makes."""
    for hands, board in (("AHKH2C2D", "3H7H9H"), ("2C3D4C5D", "AHKHQHJH"), ("9H8HACAD", "7H6HAS")):
        both, shared = np.reshape(card_codes(hands), (2, 2)), np.array(card_codes(board))
        pots = [Pot(1, [0, 1])]
        found = expected_chips(both, shared, np.zeros(0, np.int64), pots)
        np.testing.assert_allclose(found, by_one(both, shared, pots), atol=1e-12)
