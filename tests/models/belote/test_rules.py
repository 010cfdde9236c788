"""Belote's rules one by one; the numbers are those of docs/rules/belote.md.

What may be bid and played, [R1] to [R6], is compared with a second opinion in tests/test_games.py, what is
declared and scored in test_properties.py and test_logs.py.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from cardlog.models.belote import rules as belote
from cardlog.models.belote.state import RULES, begin, opening

REPO = Path(__file__).parents[3]
PAGE = (REPO / "docs" / "rules" / "belote.md").read_text(encoding="utf-8")


def test_flags_on_the_page_and_in_the_seed_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| R\d+: .* \| (yes|no) \| (yes|no) \|$", PAGE, re.MULTILINE)
    documented = {name: (book == "yes", program == "yes") for name, book, program in rows}
    program, book = vars(RULES["cesmak"]), vars(RULES["book"])
    assert documented == {name: (value, program[name]) for name, value in book.items()}
    seed = (REPO / "dbt_project" / "seeds" / "belote_dialects.csv").read_text().split()
    header, *lines = (line.split(",") for line in seed)
    table = {
        line[0]: dict(zip(header[1:], (word == "true" for word in line[1:]), strict=True)) for line in lines
    }
    assert table == {name: vars(rules) for name, rules in RULES.items()}


def test_openings_name_what_was_shown_and_the_score_before() -> None:
    shown = json.loads(opening("book", 2, dealt_order=[True, False, True, True]))
    assert begin(shown)[0]["ordered"] == 0b1101
    plain = json.loads(opening("book", 2, dealt_order=[True] * 4, score=[0, 0]))
    assert "dealt_order" not in plain["settings"]


@pytest.mark.parametrize(
    ("after", "winner"),
    [((1000, 900), -1), ((1001, 0), 0), ((1001, 1002), 1), ((1100, 1100), -1), ((0, 1500), 1)],
)
def test_r16_who_has_won_the_match(after: tuple[int, int], winner: int) -> None:
    assert belote.match_winner(np.array(after)) == winner
