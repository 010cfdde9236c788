"""Kaiser: its rules are documented, cited and tested; its openings; its texts for people."""

import re
from pathlib import Path

import pytest

from cardlog.models.kaiser import legal
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser import state as kaiser_state
from cardlog.models.kaiser.legal import bid_text
from cardlog.models.kaiser.state import NO_BID, OPENING, Settings, settings_of
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason
from tests.support.kaiser_hands import FIXTURES, Event, Hand, auction, bid, event, opening

REPO = FIXTURES.parents[2]
RULES = (REPO / "docs" / "rules" / "kaiser.md").read_text(encoding="utf-8")


def test_rules_are_numbered_without_gaps_and_each_is_cited_and_tested() -> None:
    written = [int(number) for number in re.findall(r"^\*\*R(\d+)\*\*", RULES, re.M)]
    code = "\n".join(Path(module.__file__).read_text() for module in (kaiser_state, legal, kaiser))
    cited = {int(number) for number in re.findall(r"\[R(\d+)\]", code)}
    tests = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    tested = {int(number) for number in re.findall(r"^def test_r(\d+)_", tests, re.M)}
    assert written == list(range(1, 18))
    assert set(written) == cited == tested


def test_the_table_of_constants_in_the_rules_is_that_of_the_code() -> None:
    table = dict(re.findall(r"^\| `([A-Z_]+)` \| (-?[\d,]+) \|", RULES, re.M))
    assert len(table) >= 10
    for name, value in table.items():
        constant = getattr(kaiser, name, None) or getattr(kaiser_state, name)
        assert constant == int(value.replace(",", "")), name


OTHERS = [
    ("deal", "draw"), ("bid", "throw_in"), ("bid", "ante"), ("bid", "check"), ("bid", "call"),
    ("bid", "raise"), ("bid", "fold"), ("meld", "declare"), ("meld", "bela"), ("play", "block"),
    ("play", "blocked"), ("play", "discard"), ("score", "place"), ("score", "show"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), OTHERS)
def test_actions_of_other_games_are_out_of_order(kind: str, name: str) -> None:
    for hand in (Hand(deal=None), Hand(), auction("7", "pass", "pass", "pass", trump="H")):
        assert hand.do(event(kind, name, 0, "AC", amount=7)) == Reason.OUT_OF_ORDER


def test_opening_is_canonical_json_that_begins_a_hand() -> None:
    settings = Settings(min_bid=6, pass_cards=True, no_trump_bid_out=62, game_over_at_minus_52=False)
    text = kaiser.opening(settings, 2, [True, False, None, True])
    assert text == (
        '{"dealer":2,"players":[{"kind":"computer"},{"kind":"human"},{},{"kind":"computer"}],'
        '"settings":{"game_over_at_minus_52":false,"min_bid":6,"no_trump_bid_out":62,"pass_cards":true}}'
    )
    detail = opening(2, min_bid=6, pass_cards=True, no_trump_bid_out=62, game_over_at_minus_52=False)
    assert settings_of(detail) == settings
    state = kaiser.begin(detail)[0]
    assert (state.phase, state.dealer, state.min_bid, state.pass_cards) == (OPENING, 2, 6, 1)
    assert (state.no_trump_out, state.in_match, state.declarer) == (62, 0, NO_SEAT)
    assert list(state.bids) == [NO_BID] * 4


GOOD_MATCH = {"score": [3, -4], "no_trump": True}


def test_opening_may_have_the_match_score() -> None:
    state = kaiser.begin(opening(match=GOOD_MATCH))[0]
    assert (list(state.before), state.no_trump_before, state.in_match) == ([3, -4], 1, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dealer": 4}, "dealer is 4"),
        ({"dealer": -1}, "dealer is -1"),
        ({"dealer": None}, "dealer is None"),
        ({"dealer": True}, "dealer is True"),
        ({"dealer": "0"}, "dealer is '0'"),
        ({"players": [{}] * 3}, "4 players"),
        ({"players": None}, "4 players"),
        ({"settings": None}, "no settings"),
        (
            {"settings": {}},
            "setting min_bid is missing from the opening, event 0; it must be a whole number from 1 to 12",
        ),
        ({"match": {}}, "match must hold"),
        ({"match": 5}, "match must hold"),
        ({"match": [1, 2]}, "match must hold"),
        ({"match": GOOD_MATCH | {"score": [1]}}, "match must hold"),
        ({"match": GOOD_MATCH | {"score": [1, 2, 3]}}, "match must hold"),
        ({"match": GOOD_MATCH | {"score": 5}}, "match must hold"),
        ({"match": GOOD_MATCH | {"score": ["1", "2"]}}, "match must hold"),
        ({"match": GOOD_MATCH | {"score": [1.5, 2]}}, "match must hold"),
        ({"match": GOOD_MATCH | {"score": [True, 2]}}, "match must hold"),
        ({"match": GOOD_MATCH | {"score": [1, 2**40]}}, "match must hold"),
        ({"match": GOOD_MATCH | {"score": [-(2**15), 0]}}, "match must hold"),
        ({"match": GOOD_MATCH | {"no_trump": "f"}}, "match must hold"),
    ],
)
def test_opening_that_makes_no_sense(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        kaiser.begin(opening() | change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_bid": "7"}, "setting min_bid is '7'; it must be a whole number"),
        ({"min_bid": True}, "setting min_bid is True"),
        ({"min_bid": 0}, "from 1 to 12"),
        ({"min_bid": 13}, "from 1 to 12"),
        ({"pass_cards": 1}, "setting pass_cards is 1; it must be true or false"),
        ({"no_trump_bid_out": 57}, "it must be 52 or 62"),
        ({"game_over_at_minus_52": None}, "setting game_over_at_minus_52 is null; it must be true or false"),
        ({"steal_5": True}, "unknown setting steal_5"),
    ],
)
def test_settings_that_make_no_sense(change: dict[str, object], message: str) -> None:
    detail = opening()
    detail["settings"] |= change
    with pytest.raises(ValueError, match=re.escape(message)):
        kaiser.begin(detail)


def test_legal_text_says_what_the_seat_in_turn_may_do() -> None:
    assert kaiser.legal_text(Hand(deal=None).state) == ""
    hand = Hand(min_bid=11)
    assert kaiser.legal_text(hand.state) == "seat 0: pass 11 11N 12 12N"
    hand.bids("pass", "12", "pass", "pass")
    assert kaiser.legal_text(hand.state) == "seat 1: trump C trump D trump H trump S"
    assert hand.trump("S") == Reason.OK
    hand.plays("3S")
    assert kaiser.legal_text(hand.state) == "seat 2: TS JS"
    assert kaiser.legal_text(hand.play_on().state) == ""


def test_bids_are_written_as_in_the_original_data_set() -> None:
    written = [bid_text(number) for number in (0, 10, 15, 24, 25)]
    assert written == ["pass", "5", "7N", "12", "12N"]
    assert bid(2, "8N") == Event(Action.BID_BID, 2, suit=cards.NO_TRUMP, amount=8)
