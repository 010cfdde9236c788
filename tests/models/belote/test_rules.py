"""Belote's rules one by one; the numbers are those of docs/rules/belote.md.

What may be bid and played, [R1] to [R6], is compared with a second opinion in tests/test_games.py, what is
scored in test_properties.py and test_logs.py.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog.models.belote import rules as belote
from cardlog.models.belote.declarations import counting_team
from cardlog.models.belote.score import declaration_value, weight
from cardlog.models.belote.state import RULES, begin, opening
from cardlog.schemas import cards
from tests.support.hands import Hand, dealt, refusal

REPO = Path(__file__).parents[3]
PAGE = (REPO / "docs" / "rules" / "belote.md").read_text(encoding="utf-8")
PROGRAMS = [name for name in RULES if name != "book"]

SORTED = "7C8C9CTCJCQCKCAC", "7D8D9DTDJDQDKDAD", "7H8H9HTHJHQHKHAH", "7S8S9STSJSQSKSAS"
"""Each seat has a suit."""
RUNS = "9CTCJCQC7D8H9S7S", "9DTDJDQD7C8S9H7H", "QHKHAHTSJSKC8C8D", "JHTHQSKSASACKDAD"
"""Seats 0 and 1 have runs of four, to the queen; seat 2 Q K A of hearts, seat 3 Q K A of spades."""


def named(hands: Any, trump: str, dialect: str = "book", bidder: int = 0) -> Hand:
    """The hand when trump is named, by seat `bidder`; seat 0 leads."""
    return dealt("belote", hands, opening(dialect, 3)).tries("pass;" * bidder + f"trump {trump}")


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
    for change in ({"settings": plain["settings"] | {"dealt_order": [True]}}, {"match": {"score": [0, -1]}}):
        assert " " in refusal("belote", plain | change)


# ---------------------------------------------------------------- R7 and R8: declarations


@pytest.mark.parametrize(("dialect", "side"), [("book", 0), *((name, 1) for name in PROGRAMS)])
def test_r8_ties_go_to_the_first_to_speak_or_to_the_dealers_side(dialect: str, side: int) -> None:
    assert counting_team(named(RUNS, "H", dialect).state) == side
    assert counting_team(named(RUNS, "D", dialect).state) == 1  # by the book the run of trump


def test_r7_runs_of_the_book_may_end_in_the_ace_and_eight_of_a_suit_are_a_match() -> None:
    named(RUNS, "H").tries("2 show QHKHAH")
    named(RUNS, "H", "cesmak").tries("2 show QHKHAH: score_mismatch")
    values = [int(named(SORTED, "C", dialect).state["found_value"][0][0]) for dialect in ("book", "readme")]
    assert values == [1001, 100]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("JCJDJHJS", "9C9D9H9S"),
        ("9C9D9H9S", "ACADAHAS"),
        ("ACADAHAS", "TCTDTHTS"),
        ("QCQDQHQS", "7C8C9CTCJC"),
        ("7C8C9CTCJCQC", "TDJDQDKDAD"),
        ("TDJDQDKDAD", "9CTCJCQCKC"),
        ("9SJSTSQSKS", "9CTCJCQCKC"),
        ("7C8C9CTC", "JCQCKC"),
        ("QHKHAH", "JCQCKC"),
    ],
)
def test_r8_which_declaration_is_better(first: str, second: str) -> None:
    """Spades are trump."""
    masks = [np.int64(cards.mask(shown)) for shown in (first, second)]
    trump = np.int64(cards.SUITS.index("S"))
    better, worse = (weight(mask, declaration_value(mask, True, True), trump, 0) for mask in masks)
    assert better > worse


# ---------------------------------------------------------------- R10 to R16: points


@pytest.mark.parametrize(
    ("after", "winner"),
    [((1000, 900), -1), ((1001, 0), 0), ((1001, 1002), 1), ((1100, 1100), -1), ((0, 1500), 1)],
)
def test_r16_who_has_won_the_match(after: tuple[int, int], winner: int) -> None:
    assert belote.match_winner(np.array(after)) == winner
