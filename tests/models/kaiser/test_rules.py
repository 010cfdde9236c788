"""Kaiser's rules one by one; the numbers are those of docs/rules/kaiser.md.

What may be bid and played in any hand is compared with a second opinion in tests/test_games.py. Tricks and
scores, [R11] to [R14], are compared with what the original code computes from all logs: those of hands in
tests/pipelines/readers, those of matches in test_logs.py.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from cardlog.models.kaiser import legal
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser import state as kaiser_state
from cardlog.models.kaiser.state import DECK, Settings, opening, settings_of
from cardlog.schemas import cards
from tests.support.hands import Hand, dealt, refusal, texts

RULES = (Path(__file__).parents[3] / "docs" / "rules" / "kaiser.md").read_text(encoding="utf-8")

# Every seat has every suit. Seat 0 bids first when seat 3 deals.
MIXED = "7C8CACKD5H9HAS8S", "9CTC7D8D8HTH3S9S", "JCQC9DTDJHQHTSJS", "KCJDQDADKHAHQSKS"
# Every seat has one suit, so nobody can follow and a leader without trump takes all.
ONE_SUIT_EACH = "7C8C9CTCJCQCKCAC", "7D8D9DTDJDQDKDAD", "5H8H9HTHJHQHKHAH", "3S8S9STSJSQSKSAS"


def detail(dealer: int = 3, match: dict[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
    names = vars(Settings())
    opened = {"dealer": dealer, "players": [{}] * 4, "settings": {**names, **settings}}
    return opened if match is None else opened | {"match": match}


def kaiser_hand(script: str = "", deal: Any = MIXED, **opening: Any) -> Hand:
    return dealt("kaiser", deal, detail(**opening)).tries(script)


def in_play(script: str = "bid 7; pass; pass; pass; trump H", deal: Any = MIXED, **opening: Any) -> Hand:
    return kaiser_hand(script, deal, **opening)


def test_the_table_of_constants_in_the_rules_is_that_of_the_code() -> None:
    table = dict(re.findall(r"^\| `([A-Z_]+)` \| (-?[\d,]+) \|", RULES, re.M))
    assert len(table) >= 10
    for name, value in table.items():
        constant = getattr(kaiser, name, None) or getattr(kaiser_state, name)
        assert constant == int(value.replace(",", "")), name


# ---------------------------------------------------------------- R1 to R3: the pack, the deal and the pass


PASSES = "3 give KCJD; 0 give 9H8S; 2 give JCTS; 1 give 3S7D"


def test_r3_two_cards_to_the_partner_which_take_the_places_of_those_given() -> None:
    hand = kaiser_hand(PASSES, pass_cards=True)
    swapped = ["7C8CACKD5HJCASTS", "9CTCJD8D8HTHKC9S", "9HQC9DTDJHQH8SJS", "3S7DQDADKHAHQSKS"]
    assert [cards.texts(held) for held in hand.state["dealt_cards"]] == swapped
    assert [texts(held) for held in hand.state["hands"]] == [texts(cards.mask(held)) for held in swapped]
    assert int(hand.state["seen"]) == DECK
    hand.tries("bid 7; pass; pass; pass; trump C; 9H: not_in_hand; JC")  # given away, taken


def test_r3_where_the_pass_is_not_shown_the_hands_are_those_after_it() -> None:
    kaiser_hand("bid 7; 0 give 7C8C: out_of_order; pass; pass; pass; trump C; 7C", pass_cards=True)
    kaiser_hand(f"2 bid 7: wrong_turn; bid 6: bad_bid; {PASSES}", pass_cards=True)  # refused bids end no pass


# ---------------------------------------------------------------- R15 to R17: matches; see also the ledger


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


# ---------------------------------------------------------------- what the source reports


@pytest.mark.parametrize("capped", [True, False])
@pytest.mark.parametrize(
    ("before", "after"), [([0, 0], [-8, 10]), ([10, 44], [2, 54]), ([10, 45], [2, 45]), ([51, 60], [43, 60])]
)
def test_r14_scores_of_the_match_and_perhaps_of_the_hand_are_capped(
    before: list[int], after: list[int], capped: bool
) -> None:
    """Seat 0 bids 8 and takes nothing, so team 1 has ten points, which it may or may not score."""
    match = {"score": before, "no_trump": False}
    hand = in_play("bid 8; pass; pass; pass; trump S", ONE_SUIT_EACH, match=match, hand_scores_capped=capped)
    hand.tries(f"0 match {after[0]}: out_of_order").play_on()
    for team, score in enumerate([-8, after[1] - before[1] if capped else 10]):
        hand.tries(f"{team} match {after[team]}; {team} match {after[team] + 1}: score_mismatch")
        hand.tries(f"{team} result {score}; {team} result {score + 1}: score_mismatch")


# ---------------------------------------------------------------- openings and texts


def test_openings_are_canonical_json_that_begins_a_hand() -> None:
    settings = Settings(min_bid=6, pass_cards=True, no_trump_bid_out=62, game_over_at_minus_52=False)
    assert opening(settings, 2, [True, False, None, True]) == (
        '{"dealer":2,"players":[{"kind":"computer"},{"kind":"human"},{},{"kind":"computer"}],'
        '"settings":{"game_over_at_minus_52":false,"min_bid":6,"no_trump_bid_out":62,"pass_cards":true}}'
    )
    assert settings_of(detail(2, **vars(settings))) == settings
    state = kaiser_state.begin(detail(2, {"score": [3, -4], "no_trump": True}, **vars(settings)))[0]
    assert (state.min_bid, state.pass_cards, state.no_trump_out, state.no_trump_before) == (6, 1, 62, 1)
    assert (list(state.before), state.in_match) == ([3, -4], 1)
    for setting, message in (
        ({"min_bid": 13}, "from 1 to 12"),
        ({"min_bid": 0}, "from 1 to 12"),
        ({"no_trump_bid_out": 57}, "it must be 52 or 62"),
        ({"hand_scores_capped": True}, "hand_scores_capped needs the match score before the hand"),
        ({"hand_scores_capped": 1}, "hand_scores_capped is 1; it must be true or false"),
    ):
        assert message in refusal("kaiser", detail(**setting))
    assert "match must hold no_trump" in refusal("kaiser", detail(match={"score": [0, 0], "no_trump": "f"}))


def test_legal_text_says_what_the_seat_in_turn_may_do() -> None:
    hand = kaiser_hand(min_bid=11)
    assert legal.legal_text(hand.state) == "seat 0: pass 11 11N 12 12N"
    hand.tries("pass; bid 12; pass; pass")
    assert legal.legal_text(hand.state) == "seat 1: trump C trump D trump H trump S"
    assert legal.legal_text(hand.tries("trump S; 3S").state) == "seat 2: TS JS"
    assert legal.legal_text(hand.play_on().state) == ""
