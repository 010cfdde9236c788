"""Kaiser's rules one by one; the numbers are those of docs/rules/kaiser.md.

What may be bid and played in any hand is compared with a second opinion in tests/test_games.py. Tricks and
scores, [R11] to [R14], are compared with what the original code computes from all logs: those of hands in
tests/pipelines/readers, those of matches in test_logs.py.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser import state as kaiser_state
from cardlog.models.kaiser.state import DECK, Settings
from cardlog.schemas import cards
from tests.support.hands import dealt

RULES = (Path(__file__).parents[3] / "docs" / "rules" / "kaiser.md").read_text(encoding="utf-8")

# Every seat has every suit. Seat 0 bids first when seat 3 deals.
MIXED = "7C8CACKD5H9HAS8S", "9CTC7D8D8HTH3S9S", "JCQC9DTDJHQHTSJS", "KCJDQDADKHAHQSKS"


def detail(dealer: int = 3, match: dict[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
    names = vars(Settings())
    opened = {"dealer": dealer, "players": [{}] * 4, "settings": {**names, **settings}}
    return opened if match is None else opened | {"match": match}


def test_the_table_of_constants_in_the_rules_is_that_of_the_code() -> None:
    table = dict(re.findall(r"^\| `([A-Z_]+)` \| (-?[\d,]+) \|", RULES, re.M))
    assert len(table) >= 10
    for name, value in table.items():
        constant = getattr(kaiser, name, None) or getattr(kaiser_state, name)
        assert constant == int(value.replace(",", "")), name


def test_r3_two_cards_to_the_partner_which_take_the_places_of_those_given() -> None:
    hand = dealt("kaiser", MIXED, detail(pass_cards=True))
    hand.tries("3 give KCJD; 0 give 9H8S; 2 give JCTS; 1 give 3S7D")
    swapped = ["7C8CACKD5HJCASTS", "9CTCJD8D8HTHKC9S", "9HQC9DTDJHQH8SJS", "3S7DQDADKHAHQSKS"]
    assert [cards.texts(held) for held in hand.state["dealt_cards"]] == swapped
    assert hand.state["hands"].tolist() == [cards.mask(held) for held in swapped]
    assert int(hand.state["seen"]) == DECK
    hand.tries("bid 7; pass; pass; pass; trump C; 9H: not_in_hand; JC")  # given away, taken


@pytest.mark.parametrize(
    ("after", "declarer_team", "target", "minus_52", "kaiser_bid", "winner"),
    [
        ((51, 0), 0, 52, True, 0, -1),
        ((0, 52), 0, 52, True, 0, 1),  # defenders win too, if they get there
        ((52, 55), 0, 52, True, 0, 0),  # bidders are looked at first
        ((55, 52), 1, 52, True, 0, 1),
        ((61, 0), 0, 62, True, 0, -1),
        ((62, 0), 1, 62, True, 0, 0),
        ((-51, 0), 0, 52, True, 0, -1),
        ((-52, 0), 0, 52, True, 0, 1),
        ((-52, 0), 1, 52, False, 0, -1),  # not agreed on
        ((52, -60), 1, 52, True, 0, 0),
        ((-52, -52), 0, 52, True, 0, 1),  # the bidders have lost
        ((-52, -52), 1, 52, True, 0, 0),
        ((0, 52), 0, 52, True, 1, 0),  # a kaiser ends the match, whatever the score
        ((52, 0), 0, 52, True, -1, 1),
    ],
)
def test_r15_r16_r17_who_has_won_the_match(
    after: tuple[int, int], declarer_team: int, target: int, minus_52: bool, kaiser_bid: int, winner: int
) -> None:
    assert kaiser.match_winner(after, declarer_team, target, minus_52, kaiser_bid) == winner


def test_r15_the_target_is_52_or_as_agreed_once_there_was_a_contract_without_trump() -> None:
    targets = [kaiser.match_target(*pair) for pair in ((62, False), (62, True), (52, True))]
    assert targets == [52, 62, 52]


def test_openings_begin_a_hand() -> None:
    settings = Settings(min_bid=6, pass_cards=True, no_trump_bid_out=62, game_over_at_minus_52=False)
    state = kaiser_state.begin(detail(2, {"score": [3, -4], "no_trump": True}, **vars(settings)))[0]
    assert (state.min_bid, state.pass_cards, state.no_trump_out, state.no_trump_before) == (6, 1, 62, 1)
    assert (list(state.before), state.in_match) == ([3, -4], 1)
