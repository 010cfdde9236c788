"""What all-ins can expect, against `cardlog odds`, which counts boards one by one."""

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from cardlog.models.poker.all_in import Pot, expected_chips
from cardlog.models.poker.odds import odds
from cardlog.models.poker.ranges import card_codes
from cardlog.models.poker.ranks import PACK
from cardlog.schemas import cards
from tests.support.soak import long

Codes = NDArray[np.int64]
SIDE_POTS = [Pot(90, [0, 1, 2]), Pot(40, [1, 2]), Pot(7, [2])]


def words(found: Codes) -> str:
    return cards.texts(found.ravel().tolist())


def dealt(seed: int, players: int, board: int, dead: int) -> tuple[Codes, Codes, Codes]:
    """Hands, a board and dead cards at random."""
    deck = np.array(random.Random(seed).sample(PACK.tolist(), 2 * players + board + dead), np.int64)
    hands, rest = deck[: 2 * players].reshape(players, 2), deck[2 * players :]
    return hands, rest[:board], rest[board:]


def check(hands: Codes, board: Codes, dead: Codes, pots: list[Pot]) -> None:
    """Compare with the equities of those who can win each pot; the cards of the others are dead."""
    won = np.zeros(len(hands))
    for chips, group in pots:
        gone = words(np.delete(hands, group, axis=0)) + words(dead)
        found = odds(*map(words, hands[group]), board=words(board), dead=gone) if len(group) > 1 else None
        assert found is None or found.exact
        won[group] += chips * np.array([player.equity for player in found.players] if found else [1])
    np.testing.assert_allclose(expected_chips(hands, board, dead, pots), won, atol=1e-9)


@pytest.mark.parametrize(
    ("players", "board", "dead"),
    [(2, 3, 0), (3, 3, 2), (5, 3, 4), (2, 4, 8), (9, 4, 0), *long((2, 0, 4), (3, 0, 0))],
)
def test_pots_are_shared_by_the_equity_of_those_who_can_win_them(players: int, board: int, dead: int) -> None:
    for seed in range(2 if board == 0 else 40):
        pots = SIDE_POTS if players == 3 else [Pot(100, list(range(players)))]
        check(*dealt(seed, players, board, dead), pots)


def test_flushes_that_lie_on_the_board_or_are_made_count() -> None:
    """A made flush, one that the board makes for all, and a straight flush that a card makes."""
    for hands, board in (("AHKH2C2D", "3H7H9H"), ("2C3D4C5D", "AHKHQHJH"), ("9H8HACAD", "7H6HAS")):
        both, shared = np.reshape(card_codes(hands), (2, 2)), np.array(card_codes(board))
        check(both, shared, np.zeros(0, np.int64), [Pot(1, [0, 1])])
