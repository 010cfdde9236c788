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

from cardlog.models.belote import legal
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
MIXED = "ACKD9HTS7C8DJHQS", "TCQDAH9SJC7DKH8S", "KCJDTHAS8C9DQH7S", "QCADJS9C7HTD8HKS"
RUNS = "9CTCJCQC7D8H9S7S", "9DTDJDQD7C8S9H7H", "QHKHAHTSJSKC8C8D", "JHTHQSKSASACKDAD"
"""Seats 0 and 1 have runs of four, to the queen; seat 2 Q K A of hearts, seat 3 Q K A of spades."""
BELA = "KSQS9H7C8DTDJHAC", "TCQDAH9SJC7DKH8S", "KCJDTHAS8C9DQH7S", "QCADJS9C7HTSKD8H"
HIDDEN = "ACKD????????????", "TCQD????????????", "KCJD????????????", "QCAD????????????"


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


# ---------------------------------------------------------------- R1 to R5: the deal, the bidding and play


def test_r1_r3_eight_cards_of_the_pack_to_each_seat_once() -> None:
    hand = Hand("belote", opening("book", 3)).tries("deal/open; 0 hand 2C8C9CTCJCQCKCAC: unknown_card")
    hand.tries("0 hand 7C7C9CTCJCQCKCAC: duplicate_card; 0 hand 7C8C9CTCJCQCKC: incomplete")
    hand.tries(f"0 hand {SORTED[0]}; 0 hand {SORTED[1]}: wrong_turn; 1 hand 7C8D9DTDJDQDKDAD: duplicate_card")
    hand.tries("0 pass: out_of_order")


def test_r4_the_dealer_cannot_pass_and_the_first_to_name_trump_bids() -> None:
    hand = dealt("belote", MIXED, opening("book", 1)).tries(
        "0 pass: wrong_turn; 2 KC: bad_bid; trump N: bad_bid"
    )
    hand.tries("pass; pass; pass; 1 pass: bad_bid")
    assert legal.legal_text(hand.state) == "seat 1: C D H S"
    state = hand.tries("1 trump H; 2 pass: out_of_order").state
    assert (state["declarer"], state["trump"], state["turn"]) == (1, cards.SUITS.index("H"), 2)


def test_r5_the_seat_after_the_dealer_leads_and_a_card_that_is_not_legal_says_why() -> None:
    hand = named(SORTED, "H", bidder=2).tries(
        "1 7D: wrong_turn; 7D: not_in_hand; 7C; 7C: duplicate_card; 7D; 7H; 7S"
    )
    assert (hand.state["winners"][0], hand.state["turn"]) == (2, 2)
    named(MIXED, "S").tries("KD; TC: must_follow; 2C: unknown_card; TCQD: incomplete")


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


def test_r8_programs_show_all_that_counts_and_nothing_else_before_the_first_card() -> None:
    named(RUNS, "H", "cesmak").tries("7D: score_mismatch; 0 show 9CTCJCQC; 7D: score_mismatch")
    named(RUNS, "H", "cesmak").tries("1 show 9DTDJDQD; 7D")
    named(RUNS, "H").tries("7D; 2 show QHKHAH: out_of_order")  # by the book one may keep silent
    hands = "9DTDJDKHQH7S8S9S", "7D8DQD7C8C9CTCJC", "KDADQCKCACTSJSQS", "KSAS7H8H9HTHJHAH"
    named(hands, "H", "cesmak").tries("0 bela: score_mismatch")


def test_r7_what_is_shown_must_be_held_and_whole() -> None:
    hand = named(RUNS, "H").tries("0 show 9CTCJC: score_mismatch")  # part of a longer run
    hand.tries(
        "0 show 9CTC: score_mismatch; 0 show 7D8H9S: score_mismatch; 0 show 9CTCJCQC 20: score_mismatch"
    )
    hand.tries("0 show 9DTDJDQD: not_in_hand; 0 show 9C9CTCJC: duplicate_card; 4 show 9CTCJCQC: wrong_turn")
    hand.tries("0 show 9CTCJCQC; 0 show 9CTCJCQC: duplicate_card")
    hand.tries("1 show 9DTDJDQD: score_mismatch")  # the other side


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


# ---------------------------------------------------------------- R9: bela


def test_r9_bela_is_claimed_with_the_first_of_the_two() -> None:
    hand = named(BELA, "S").tries("1 bela: wrong_turn; 0 bela 10: score_mismatch; 0 bela")
    assert hand.legal() == {"KS", "QS"}
    state = hand.tries("0 bela: out_of_order; 0 9H: out_of_order; QS; 1 bela: not_in_hand").state
    assert (state["bela"], state["bela_seat"], state["bela_play"]) == (0, 0, 0)
    assert state["bela_points"].tolist() == [20, 0]


def test_r9_bela_that_is_not_claimed_counts_nothing() -> None:
    state = named(BELA, "S").tries("KS").state
    assert (state["bela"], state["bela_seat"], state["bela_points"].any()) == (-1, 0, False)
    assert not legal.may_claim(named(BELA, "H").state)


# ---------------------------------------------------------------- R10 to R16: points


def test_r14_and_r13_the_bidders_need_more_than_half() -> None:
    state = named(SORTED, "H", bidder=2).state
    for points, extra, score, needed in (
        ((82, 80), 0, [82, 80], 82),
        ((81, 81), 0, [0, 162], 82),
        ((60, 102), 70, [0, 232], 117),  # declarations of 50, bela of 20
    ):
        trial = state.copy()
        trial["points"], trial["tricks_won"] = points, (4, 4)
        trial["declared"], trial["bela_points"] = (min(extra, 50), 0), (0, max(extra - 50, 0))
        belote.settle_hand(trial)
        assert (trial["score"].tolist(), trial["needed"], trial["failed"]) == (score, needed, score[0] == 0)


@pytest.mark.parametrize(
    ("after", "winner"),
    [((1000, 900), -1), ((1001, 0), 0), ((1001, 1002), 1), ((1100, 1100), -1), ((0, 1500), 1)],
)
def test_r16_who_has_won_the_match(after: tuple[int, int], winner: int) -> None:
    assert belote.match_winner(np.array(after)) == winner


def test_what_the_source_reports_is_checked() -> None:
    """[R12] [R15] Seat 0 takes all with trump: 162 points, and 90 for all tricks."""
    named(MIXED, "S").tries("0 result 0: out_of_order; 0 trick 0: out_of_order")
    hand = named(SORTED, "C", bidder=2)
    for index in range(0, 16, 2):
        hand.plays("".join(held[index : index + 2] for held in SORTED))
    hand.tries("0 trick 1: score_mismatch; 1 trick: score_mismatch; 0 points 162; 1 points 1: score_mismatch")
    hand.tries("0 result 162: score_mismatch; 0 result 252")
    hand.tries("0 match 7; 2 match 7: out_of_order")  # the score before is not known
    hand.state["in_match"], hand.state["before"] = 1, (100, 50)
    hand.tries("0 match 352; 1 match 51: score_mismatch; 7C: out_of_order; bid/throw_in: out_of_order")


# ---------------------------------------------------------------- hands with unknown cards


def test_hidden_cards_are_legal_as_far_as_the_known_ones_allow() -> None:
    hand = named(HIDDEN, "S", "cesmak")
    assert {"7S", "TC"} & hand.legal() == {"7S"}
    assert {"7H", "TC"} <= hand.tries("9H").legal()  # it may hold no heart and no spade
    assert hand.tries("TC").state["hidden"].tolist() == [5, 6, 6, 6]
    hand.tries("7H; 8H; AC")
    others = {rank + suit for suit, ranks in (("S", "789TJQKA"), ("H", "TJQKA")) for rank in ranks}
    assert hand.legal() == {"8C", "7C", "9C", "JC", "QD", "7D", "8D", "9D", "TD"} | others
    hand.tries("7S; JD: must_follow; 7C; KC: not_in_hand")


def test_hidden_cards_may_be_shown_and_claimed() -> None:
    hand = named(HIDDEN, "S", "cesmak").tries("0 show 7H8H9H")
    hand.tries("1 show JHQHKH: score_mismatch")  # one side alone
    hand.tries("2 show 7H8H9H: not_in_hand; 0 bela")
    assert hand.state["hidden"].tolist() == [1, 6, 6, 6] == hand.tries("QS").state["hidden"].tolist()
    full = named(["ACKD7H8H9H7C8C??", *HIDDEN[1:]], "S", "cesmak")
    full.tries("0 bela: not_in_hand")  # [R9] there is room for one of the two
