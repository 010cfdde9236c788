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
from cardlog.models.kaiser.state import DECK, DECK_TEXT, Settings, opening, settings_of
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT
from tests.support.hands import Hand, dealt, event, refusal, texts

RULES = (Path(__file__).parents[3] / "docs" / "rules" / "kaiser.md").read_text(encoding="utf-8")

# Every seat has every suit. Seat 0 bids first when seat 3 deals.
MIXED = "7C8CACKD5H9HAS8S", "9CTC7D8D8HTH3S9S", "JCQC9DTDJHQHTSJS", "KCJDQDADKHAHQSKS"
# Every seat has one suit, so nobody can follow and a leader without trump takes all.
ONE_SUIT_EACH = "7C8C9CTCJCQCKCAC", "7D8D9DTDJDQDKDAD", "5H8H9HTHJHQHKHAH", "3S8S9STSJSQSKSAS"
NOBODY = (NO_SEAT, 4, 127, -128)


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


def test_r1_pack_of_32_cards_eight_of_each_suit() -> None:
    common = {rank + suit for rank in "89TJQKA" for suit in "CDHS"}
    assert (
        texts(DECK) == common | {"7C", "7D", "5H", "3S"} == {DECK_TEXT[at : at + 2] for at in range(0, 64, 2)}
    )
    for code in (13, 15, 61, 62, 63, 64, 128, 255):
        deal = event("kaiser", f"0 hand {MIXED[0]}")
        deal["cards"][7] = code
        assert Hand("kaiser", detail()).tries("deal/open").do(deal).code == "unknown_card"


def test_r2_eight_cards_to_each_seat_once_in_any_order_after_the_opening() -> None:
    first = f"0 hand {MIXED[0]}"
    hand = Hand("kaiser", detail()).tries(f"{first}: out_of_order; deal/open; {first}; {first}: wrong_turn")
    for nobody in (*NOBODY, 5):
        hand.tries(f"{nobody} hand {MIXED[1]}: wrong_turn")
    hand.tries("0 bid 7: out_of_order; AC: out_of_order")
    assert hand.legal() == set()
    hand.tries(";".join(f"{seat} hand {MIXED[seat]}" for seat in (2, 3, 1)))
    assert [texts(held) for held in hand.state["hands"]] == [texts(cards.mask(held)) for held in MIXED]
    assert [cards.texts(held) for held in hand.state["dealt_cards"]] == list(MIXED)
    hand.tries(f"{first}: out_of_order; deal/open: out_of_order")


PASSES = "3 give KCJD; 0 give 9H8S; 2 give JCTS; 1 give 3S7D"


def test_r3_two_cards_to_the_partner_which_take_the_places_of_those_given() -> None:
    hand = kaiser_hand(PASSES, pass_cards=True)
    swapped = ["7C8CACKD5HJCASTS", "9CTCJD8D8HTHKC9S", "9HQC9DTDJHQH8SJS", "3S7DQDADKHAHQSKS"]
    assert [cards.texts(held) for held in hand.state["dealt_cards"]] == swapped
    assert [texts(held) for held in hand.state["hands"]] == [texts(cards.mask(held)) for held in swapped]
    assert int(hand.state["seen"]) == DECK
    hand.tries("bid 7; pass; pass; pass; trump C; 9H: not_in_hand; JC")  # given away, taken


def test_r3_nobody_has_his_partners_cards_before_all_have_given() -> None:
    hand = kaiser_hand("2 give JCTS; 0 give JC7C: not_in_hand; 0 give 7C8C; 1 give 9CTC", pass_cards=True)
    assert texts(hand.state["hands"][0]) == texts(cards.mask(MIXED[0]))
    hand.tries("3 give KCJD")
    assert texts(hand.state["hands"][0]) == texts(cards.mask("ACKD5H9HAS8SJCTS"))


def test_r3_each_seat_gives_exactly_two_different_cards_of_its_own_once() -> None:
    wrong = (
        "0 give: incomplete; 0 give 7C: incomplete; 0 give 7C8CAC: incomplete; 0 give 7C7C: duplicate_card"
    )
    hand = kaiser_hand(f"{wrong}; 0 give 7C9C: not_in_hand; 0 give ??7C: not_in_hand", pass_cards=True)
    hand.tries("0 give 7C8C; 0 give ACKD: wrong_turn; 0 bid 7: out_of_order; AC: out_of_order")
    for nobody in NOBODY:
        hand.tries(f"{nobody} give ACKD: wrong_turn")
    assert hand.legal() == set()  # a pass that has begun is finished before the bids
    kaiser_hand("0 give 7C8C: out_of_order")  # not agreed on


def test_r3_where_the_pass_is_not_shown_the_hands_are_those_after_it() -> None:
    kaiser_hand("bid 7; 0 give 7C8C: out_of_order; pass; pass; pass; trump C; 7C", pass_cards=True)
    kaiser_hand(f"2 bid 7: wrong_turn; bid 6: bad_bid; {PASSES}", pass_cards=True)  # refused bids end no pass


# ---------------------------------------------------------------- R4 to R9: the auction


@pytest.mark.parametrize("dealer", range(4))
def test_r4_one_bid_each_from_the_dealers_left(dealer: int) -> None:
    order = [(dealer + step) % 4 for step in (1, 2, 3, 4)]
    hand = kaiser_hand(dealer=dealer)
    for seat, bid in zip(order, ["pass", "bid 7", "bid 8", "pass"], strict=True):
        hand.tries(f"4 {bid}: wrong_turn; {NO_SEAT} {bid}: wrong_turn; {seat} {bid}")
    assert (hand.state["declarer"], hand.state["turn"]) == (order[2], order[2])
    hand.tries("; ".join(f"{seat} bid 12N: out_of_order" for seat in range(4)))  # one round only


@pytest.mark.parametrize("least", [5, 6, 7, 8])
def test_r5_bids_from_the_minimum_to_twelve(least: int) -> None:
    hand = kaiser_hand(min_bid=least)
    assert hand.legal() == {"pass", *(f"{number}{kind}" for number in range(least, 13) for kind in ("", "N"))}
    for number in (least - 1, 13, -8, 0, 32, 71, 2**31 - 1):
        hand.tries(f"bid {number}: bad_bid; bid {number}N: bad_bid")
    hand.tries("0 bid/bid: bad_bid")


def test_r6_r7_r8_a_bid_beats_the_last_but_the_dealer_may_equal_it_and_must_bid_if_all_have_passed() -> None:
    """[R6] No trump beats the same number. [R7] [R8]"""
    hand = kaiser_hand("bid 8; bid 8: bad_bid; bid 7N: bad_bid; bid 8N; bid 9: ok; 3 bid 8N: bad_bid; bid 9")
    assert hand.state["declarer"] == 3
    kaiser_hand("pass; bid 8N; bid 8N: bad_bid; pass; bid 8: bad_bid; bid 8N")
    hand = kaiser_hand("pass; pass; pass; pass: bad_bid")
    assert "pass" not in hand.legal()
    hand.tries("bid 7")


def test_r9_the_highest_bidder_names_one_of_four_suits_unless_there_is_no_trump() -> None:
    hand = kaiser_hand("bid 7 H: bad_bid; bid 7; pass; bid 8; pass")
    assert hand.legal() == {"trump", *"CDHS"}
    for seat in (0, 1, 3, *NOBODY):
        hand.tries(f"{seat} trump C: bad_bid")
    hand.tries("trump N: bad_bid; trump: bad_bid; AC: bad_bid; trump S; trump H: bad_bid")
    assert (hand.state["trump"], hand.state["turn"]) == (cards.SUITS.index("S"), 2)
    hand = kaiser_hand("bid 7; pass; bid 8N; pass; 2 trump C: bad_bid")
    assert hand.state["trump"] == cards.NO_TRUMP


# ---------------------------------------------------------------- R10: tricks


def test_r10_suit_is_followed_by_one_card_of_the_seat_in_turn() -> None:
    hand = in_play("bid 7; pass; pass; pass; trump H; 1 9C: wrong_turn; 4 AC: wrong_turn; card: incomplete")
    hand.tries("AC7C: incomplete; 2C: unknown_card; ??: unknown_card; 9C: not_in_hand; 0 AC")
    hand.tries("3S: must_follow; TH: must_follow; JC: not_in_hand; AC: duplicate_card; 9C")  # no trump either
    hand.plays("JCKC").play_on()
    assert (hand.state["tricks"], hand.state["plays"], hand.state["hands"].any()) == (8, 32, False)
    hand.tries("AC: out_of_order; 0 bid 7: out_of_order")
    Hand("kaiser", detail()).tries("deal/open; AC: out_of_order")
    kaiser_hand("AC: out_of_order")


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


def test_scores_of_tricks_and_of_the_hand_agree_or_are_mismatches() -> None:
    hand = in_play().tries("0 trick 1: out_of_order").plays("5H8HJH").tries("3 trick 6: out_of_order; KH")
    hand.tries("3 trick 6; 3 trick")  # the source need not say the points
    for wrong in ("0 trick 6", "3 trick 5", f"{NO_SEAT} trick 6", "1 trick 6"):
        hand.tries(f"{wrong}: score_mismatch")
    hand.tries("KC; 3 trick 6: out_of_order")  # the next has begun
    hand = in_play("bid 11N; pass; pass; pass", ONE_SUIT_EACH).plays("7C7D5H3S")
    hand.tries("0 result -22: out_of_order").play_on().tries("0 result -22; 1 result 0; 0 result; 0 trick 1")
    for wrong in ("0 result 22", "0 result -11", "0 result 10", "1 result 1"):
        hand.tries(f"{wrong}: score_mismatch")
    for nobody in (*NOBODY, 2):
        hand.tries(f"{nobody} result 0: out_of_order")
    hand.tries("0 match 0: out_of_order")  # means nothing without the score before


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
