"""Pinochle's rules one by one; the numbers are those of docs/rules/pinochle.md.

What may be bid and played in any hand, [R1], [R9] and [R10], is compared with a second opinion in
tests/test_games.py.
"""

import json

import numpy as np
import pytest

from cardlog.models.pinochle.dialects import RULES, match_winner
from cardlog.models.pinochle.state import begin, opening


def test_openings_are_written_as_they_are_read() -> None:
    text = opening("head2014", 2, [{"kind": "human"}, {}, {}, {}], {"score": [3, -4], "trump": "H"})
    state = begin(json.loads(text))[0]
    assert (state["dealer"], state["declarer"], state["in_match"], state["trump_before"]) == (2, 2, 1, 2)
    assert state["before"].tolist() == [3, -4]
    for rules, flags in RULES.items():
        begun = begin(json.loads(opening(rules, 2, [{}] * 4)))[0]
        assert vars(flags) == {flag: bool(begun[flag]) for flag in vars(flags)}


@pytest.mark.parametrize(
    ("after", "bidders", "winner"),
    [([119, 119], 0, -1), ([120, 0], 1, 0), ([130, 140], 0, 0), ([130, 140], 1, 1)],
)
def test_r15_if_both_teams_reach_the_target_the_bidders_win(
    after: list[int], bidders: int, winner: int
) -> None:
    assert match_winner(np.array(after), bidders) == winner
