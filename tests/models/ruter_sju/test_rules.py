"""Ruter Sju's rules: the numbers are those of docs/rules/ruter_sju.md.

What may be done at any moment is compared with a second opinion in tests/test_games.py, which also runs the
scripts in tests/records, by the numbers of rules.
"""

import pytest

from cardlog.models.ruter_sju.state import middle


@pytest.mark.parametrize(("ranks", "number"), [(13, 7), (10, 5), (5, 3), (9, 5), (15, 8), (3, 2), (4, 2)])
def test_r3_the_middle_card(ranks: int, number: int) -> None:
    assert middle(ranks) == number
