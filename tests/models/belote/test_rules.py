"""Belote's rules one by one; the numbers are those of docs/rules/belote.md."""

import json
import re
from typing import Any

import numpy as np
import pytest

from cardlog.models.belote import rules as belote
from cardlog.models.belote import state as belote_state
from cardlog.models.belote.declarations import counting_team
from cardlog.models.belote.legal import legal_bids, may_claim
from cardlog.models.belote.score import declaration_value, weight
from cardlog.models.belote.state import RULES
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason
from tests.support.belote_logs import FIXTURES, MIXED, SORTED, began, dealt, event, legal, named, play

REPO = FIXTURES.parents[2]
PAGE = (REPO / "docs" / "rules" / "belote.md").read_text(encoding="utf-8")
PROGRAMS = [name for name in RULES if name != "book"]


def reason(state: Any, *arguments: Any, **fields: Any) -> str:
    """The code of an event's reason; one that is refused must leave the state as it was."""
    before = state.copy()
    verdict = Reason(belote.evolve(state, event(*arguments, **fields)))
    assert all((before[name] == state[name]).all() for name in state.dtype.names) or not verdict
    return verdict.code


# ---------------------------------------------------------------- documents


def test_flags_on_the_page_and_in_the_seed_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| R\d+: .* \| (yes|no) \| (yes|no) \|$", PAGE, re.MULTILINE)
    documented = {name: (book == "yes", program == "yes") for name, book, program in rows}
    assert documented == {
        name: (value, getattr(RULES["cesmak"], name)) for name, value in vars(RULES["book"]).items()
    }
    assert len({RULES[name] for name in PROGRAMS}) == 1
    seed = (REPO / "dbt_project" / "seeds" / "belote_dialects.csv").read_text().split()
    header, *lines = (line.split(",") for line in seed)
    table = {
        line[0]: dict(zip(header[1:], (word == "true" for word in line[1:]), strict=True)) for line in lines
    }
    assert table == {name: vars(rules) for name, rules in RULES.items()}


# ---------------------------------------------------------------- openings


@pytest.mark.parametrize(
    "change",
    [
        {"settings": None},
        {"settings": {}},
        {"settings": {"dialect": "skat"}},
        {"settings": {"dialect": "book", "trump": 1}},
        {"settings": {"dialect": "book", "dealt_order": [True]}},
        {"dealer": 4},
        {"dealer": True},
        {"dealer": None},
        {"players": [{}] * 3},
        {"players": [{"kind": "x"}] * 4},
        {"match": {}},
        {"match": {"score": [1]}},
        {"match": {"score": [0, -1]}},
        {"match": {"score": [0, 99_999]}},
    ],
)
def test_openings_that_make_no_sense(change: dict[str, Any]) -> None:
    detail = json.loads(belote.opening("book", 0, score=[0, 0]))
    belote.begin(detail)
    with pytest.raises(ValueError, match=r"\w \w"):
        belote.begin(detail | change)


def test_openings_are_canonical() -> None:
    text = belote.opening(
        "book", 2, players=[{"name": "Ž"}, {}, {}, {}], dealt_order=[True, False, True, True]
    )
    detail = json.loads(text)
    assert text == json.dumps(detail, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    assert belote.begin(detail)[0]["ordered"] == 0b1101
    assert "dealt_order" not in json.loads(belote.opening("book", 2, dealt_order=[True] * 4))["settings"]


# ---------------------------------------------------------------- R1 to R4: the deal and the bidding


def test_r1_the_pack_has_thirty_two_cards() -> None:
    assert len(belote_state.DECK_TEXT) == 64
    assert int(belote_state.DECK).bit_count() == 32
    state = began()
    assert reason(state, "deal", "hand", 0, "2C8C9CTCJCQCKCAC") == "unknown_card"
    assert reason(state, "deal", "hand", 0, "7C7C9CTCJCQCKCAC") == "duplicate_card"
    assert reason(state, "deal", "hand", 0, "7C8C9CTCJCQCKC") == "incomplete"
    assert reason(state, "deal", "hand", 0, SORTED[0]) == "ok"
    assert reason(state, "deal", "hand", 0, SORTED[1]) == "wrong_turn"
    assert reason(state, "deal", "hand", 1, "7C8D9DTDJDQDKDAD") == "duplicate_card"
    assert reason(state, "bid", "pass", 0) == "out_of_order"


def test_r4_the_dealer_cannot_pass_and_the_first_to_name_trump_bids() -> None:
    state = dealt(MIXED, dealer=1)
    assert reason(state, "bid", "pass", 0) == "wrong_turn"
    assert reason(state, "play", "card", 2, "KC") == "bad_bid"
    assert reason(state, "bid", "trump", 2, suit="N") == "bad_bid"
    for seat in (2, 3, 0):
        assert legal_bids(state) & 1
        assert reason(state, "bid", "pass", seat) == "ok"
    assert reason(state, "bid", "pass", 1) == "bad_bid"
    assert belote.legal_text(state) == "seat 1: C D H S"
    assert reason(state, "bid", "trump", 1, suit="H") == "ok"
    assert (state["declarer"], state["trump"], state["turn"]) == (1, cards.SUITS.index("H"), 2)
    assert reason(state, "bid", "pass", 2) == "out_of_order"


# ---------------------------------------------------------------- R5 and R6: play


def test_r5_the_seat_after_the_dealer_leads_whoever_bid() -> None:
    state = named(SORTED, "H", bidder=2)
    assert state["turn"] == 0
    assert reason(state, "play", "card", 1, "7D") == "wrong_turn"
    assert reason(state, "play", "card", 0, "7D") == "not_in_hand"
    assert reason(state, "play", "card", 0, "7C") == "ok"
    assert reason(state, "play", "card", 1, "7C") == "duplicate_card"
    play(state, "7D", "7H", "7S")
    assert (state["winners"][0], state["turn"]) == (2, 2)


def test_r5_a_card_that_is_not_legal_says_why() -> None:
    state = named(MIXED, "S", "cesmak")
    play(state, "KD")
    state["karo_led_frees_everyone"] = 0
    assert reason(state, "play", "card", 1, "TC") == "must_follow"
    assert reason(state, "play", "card", 1, "2C") == "unknown_card"
    assert reason(state, "play", "card", 1, "TCQD") == "incomplete"


# ---------------------------------------------------------------- R7 and R8: declarations

RUNS = [
    "9CTCJCQC7D8H9S7S",
    "9DTDJDQD7C8S9H7H",
    "QHKHAHTSJSKC8C8D",
    "JHTHQSKSASACKDAD",
]
"""Seats 0 and 1 have runs of four, to the queen; seat 2 Q K A of hearts, seat 3 Q K A of spades."""


def shows(state: Any, seat: int, shown: str) -> str:
    return reason(state, "meld", "declare", seat, shown)


@pytest.mark.parametrize(("dialect", "side"), [("book", 0), *((name, 1) for name in PROGRAMS)])
def test_r8_ties_go_to_the_first_to_speak_or_to_the_dealers_side(dialect: str, side: int) -> None:
    state = named(RUNS, "H", dialect)
    assert counting_team(state) == side
    state = named(RUNS, "D", dialect)
    assert counting_team(state) == 1  # by the book the run of trump


def test_r7_runs_may_end_in_the_ace_by_the_book_alone() -> None:
    state = named(RUNS, "H")
    assert shows(state, 2, "QHKHAH") == "ok"
    state = named(RUNS, "H", "cesmak")
    assert shows(state, 2, "QHKHAH") == "score_mismatch"


def test_r7_eight_of_a_suit() -> None:
    for dialect, value in (("book", 1001), ("readme", 100)):
        state = named(SORTED, "C", dialect)
        assert state["found_value"][0][0] == value


def test_r8_programs_show_all_that_counts_and_nothing_else() -> None:
    first = ("play", "card", 0, "7D")
    state = named(RUNS, "H", "cesmak")
    assert reason(state, *first) == "score_mismatch"
    assert shows(state, 0, "9CTCJCQC") == "ok"
    assert reason(state, *first) == "score_mismatch"
    state = named(RUNS, "H", "cesmak")
    assert shows(state, 1, "9DTDJDQD") == "ok"
    assert reason(state, *first) == "ok"
    state = named(RUNS, "H")
    assert reason(state, *first) == "ok"  # by the book one may keep silent


def test_r8_what_counts_is_shown_before_bela_is_claimed() -> None:
    hands = ["9DTDJDKHQH7S8S9S", "7D8DQD7C8C9CTCJC", "KDADQCKCACTSJSQS", "KSAS7H8H9HTHJHAH"]
    state = named(hands, "H", "cesmak")
    assert reason(state, "meld", "bela", 0) == "score_mismatch"


def test_r7_what_is_shown_must_be_held_and_whole() -> None:
    state = named(RUNS, "H")
    assert shows(state, 0, "9CTCJC") == "score_mismatch"  # part of a longer run
    assert shows(state, 0, "9CTC") == "score_mismatch"
    assert shows(state, 0, "7D8H9S") == "score_mismatch"
    assert shows(state, 0, "9DTDJDQD") == "not_in_hand"
    assert shows(state, 0, "9C9CTCJC") == "duplicate_card"
    assert shows(state, 4, "9CTCJCQC") == "wrong_turn"
    assert reason(state, "meld", "declare", 0, "9CTCJCQC", amount=20) == "score_mismatch"
    assert shows(state, 0, "9CTCJCQC") == "ok"
    assert shows(state, 0, "9CTCJCQC") == "duplicate_card"
    assert shows(state, 1, "9DTDJDQD") == "score_mismatch"  # the other side's
    play(state, "7D")
    assert shows(state, 2, "QHKHAH") == "out_of_order"


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
    weights = []
    for shown in (first, second):
        mask = np.int64(cards.mask(shown))
        value = declaration_value(mask, True, True)
        weights.append(weight(mask, value, np.int64(cards.SUITS.index("S")), 0))
    assert weights[0] > weights[1]


# ---------------------------------------------------------------- R9: bela

BELA = [
    "KSQS9H7C8DTDJHAC",
    "TCQDAH9SJC7DKH8S",
    "KCJDTHAS8C9DQH7S",
    "QCADJS9C7HTSKD8H",
]


def test_r9_bela_is_claimed_with_the_first_of_the_two() -> None:
    state = named(BELA, "S")
    assert may_claim(state)
    assert reason(state, "meld", "bela", 1) == "wrong_turn"
    assert reason(state, "meld", "bela", 0, amount=10) == "score_mismatch"
    assert reason(state, "meld", "bela", 0) == "ok"
    assert legal(state) == {"KS", "QS"}
    assert reason(state, "meld", "bela", 0) == "out_of_order"
    assert reason(state, "play", "card", 0, "9H") == "out_of_order"
    play(state, "QS")
    assert (state["bela"], state["bela_seat"], state["bela_play"]) == (0, 0, 0)
    assert state["bela_points"].tolist() == [20, 0]
    assert reason(state, "meld", "bela", 1) == "not_in_hand"


def test_r9_bela_that_is_not_claimed_counts_nothing() -> None:
    state = named(BELA, "S")
    play(state, "KS")
    assert (state["bela"], state["bela_seat"]) == (-1, 0)
    assert not state["bela_points"].any()
    state = named(BELA, "H")
    assert not may_claim(state)


# ---------------------------------------------------------------- R10 to R16: points


def played_out(trump: str) -> Any:
    """Every seat plays a suit of its own from the lowest card; seat 0 leads, and takes all with trump."""
    state = named(SORTED, trump, bidder=2)
    for index in range(0, 16, 2):
        play(state, *(held[index : index + 2] for held in SORTED))
    return state


def test_r14_and_r13_the_bidders_need_more_than_half() -> None:
    state = named(SORTED, "H", bidder=2)
    for points, score, failed in ((82, [82, 80], 0), (81, [0, 162], 1)):
        trial = state.copy()
        trial["points"] = points, 162 - points
        trial["tricks_won"] = 4, 4
        trial["tricks"], trial["plays"] = 8, 32
        belote.settle_hand(trial)
        assert (trial["score"].tolist(), trial["failed"], trial["needed"]) == (score, failed, 82)
    state["declared"], state["bela_points"] = (50, 0), (0, 20)
    state["points"], state["tricks_won"] = (60, 102), (4, 4)
    belote.settle_hand(state)
    assert (state["hand_value"], state["needed"], state["score"].tolist()) == (232, 117, [0, 232])


@pytest.mark.parametrize(
    ("after", "winner"),
    [((1000, 900), -1), ((1001, 0), 0), ((1001, 1002), 1), ((1100, 1100), -1), ((0, 1500), 1)],
)
def test_r16_who_has_won_the_match(after: tuple[int, int], winner: int) -> None:
    assert belote.match_winner(np.array(after)) == winner


def test_what_the_source_reports_is_checked() -> None:
    state = played_out("C")
    assert reason(state, "score", "trick", 0, amount=1) == "score_mismatch"
    assert reason(state, "score", "trick", 1) == "score_mismatch"
    assert reason(state, "score", "points", 0, amount=162) == "ok"
    assert reason(state, "score", "points", 1, amount=1) == "score_mismatch"
    assert reason(state, "score", "hand", 0, amount=162) == "score_mismatch"
    assert reason(state, "score", "match", 0, amount=7) == "ok"  # the score before is not known
    assert reason(state, "score", "match", 2, amount=7) == "out_of_order"
    state["in_match"], state["before"] = 1, (100, 50)
    assert reason(state, "score", "match", 0, amount=352) == "ok"
    assert reason(state, "score", "match", 1, amount=51) == "score_mismatch"
    assert reason(named(MIXED, "S"), "score", "hand", 0, amount=0) == "out_of_order"
    assert reason(named(MIXED, "S"), "score", "trick", 0, amount=0) == "out_of_order"
    assert reason(state, "play", "card", 0, "7C") == "out_of_order"
    assert reason(state, "bid", "throw_in", 0) == "out_of_order"


# ---------------------------------------------------------------- hands with unknown cards

HIDDEN = ["ACKD??????????" + "??", "TCQD????????????", "KCJD????????????", "QCAD????????????"]


def test_hidden_cards_are_legal_as_far_as_the_known_ones_allow() -> None:
    state = named(HIDDEN, "S", "cesmak")
    assert "7S" in legal(state)
    assert "TC" not in legal(state)
    play(state, "9H")
    assert "7H" in legal(state)
    assert "TC" in legal(state)  # it may hold no heart and no spade
    play(state, "TC")
    assert state["hidden"].tolist() == [5, 6, 6, 6]
    play(state, "7H", "8H")
    play(state, "AC")
    assert legal(state) == {
        "8C",
        "7C",
        "9C",
        "JC",
        *(r + "S" for r in "789TJQKA"),
        *(r + "H" for r in "TJQKA"),
        "QD",
        "7D",
        "8D",
        "9D",
        "TD",
    }
    play(state, "7S")
    assert reason(state, "play", "card", 2, "JD") == "must_follow"
    assert reason(state, "play", "card", 2, "7C") == "ok"
    assert reason(state, "play", "card", 3, "KC") == "not_in_hand"


def test_hidden_cards_may_be_shown_and_claimed() -> None:
    state = named(HIDDEN, "S", "cesmak")
    assert shows(state, 0, "7H8H9H") == "ok"
    assert shows(state, 1, "JHQHKH") == "score_mismatch"  # one side alone
    assert shows(state, 2, "7H8H9H") == "not_in_hand"
    assert reason(state, "meld", "bela", 0) == "ok"
    assert state["hidden"].tolist() == [1, 6, 6, 6]
    play(state, "QS")
    assert state["hidden"].tolist() == [1, 6, 6, 6]


def test_r9_bela_is_not_claimed_by_a_hand_with_room_for_one_of_the_two() -> None:
    state = named(["ACKD7H8H9H7C8C??", *HIDDEN[1:]], "S", "cesmak")
    assert state["hidden"][0] == 1
    assert reason(state, "meld", "bela", 0) == "not_in_hand"
