"""Ruter Sju's rules, one by one: the numbers are those of docs/rules/ruter_sju.md.

What may be done at any moment is compared with a second opinion in tests/test_games.py.
"""

import json
from typing import Any

import pytest

from cardlog.models.ruter_sju.state import Settings, middle, opening
from tests.support.hands import Hand, refusal


def detail(kinds: str = "ccc", suits: int = 2, ranks: int = 5, dialect: str = "book") -> dict[str, Any]:
    """Of a hand of a computer (c) or a human (h) at each seat."""
    players = [{"kind": {"c": "computer", "h": "human"}[kind]} for kind in kinds]
    found: dict[str, Any] = json.loads(opening(Settings(dialect, suits, ranks), players))
    return found


def opened(script: str, **options: Any) -> Hand:
    return Hand("ruter_sju", detail(**options)).tries(f"deal/open; {script}")


# ---------------------------------------------------------------- R1 to R5


def test_r1_r2_the_number_of_players_and_the_shape_of_the_deck() -> None:
    for kinds in ("cc", "ccccccc"):
        assert "3 to 6 players" in refusal("ruter_sju", detail(kinds, 4, 13))
    for suits, ranks in ((0, 13), (7, 13), (4, 2), (4, 16)):
        assert "it must be from" in refusal("ruter_sju", detail("ccc", suits, ranks))
    assert "fewer cards" in refusal("ruter_sju", detail("ccccc", 1, 4))
    clever = detail() | {"players": [{}, {}, {"bot": "clever"}]}
    assert "the bot at seat 2 is 'clever'; it must be one of" in refusal("ruter_sju", clever)
    for card in ("6D", "AH", "A4"):
        opened(f"0 hand AD2D5S{card}: unknown_card")


@pytest.mark.parametrize(("ranks", "number"), [(13, 7), (10, 5), (5, 3), (9, 5), (15, 8), (3, 2), (4, 2)])
def test_r3_the_middle_card(ranks: int, number: int) -> None:
    assert middle(ranks) == number
