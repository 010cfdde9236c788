"""Pinochle's rules one by one; the numbers are those of docs/rules/pinochle.md.

What may be bid and played in any hand, [R1], [R9] and [R10], is compared with a second opinion in
tests/test_games.py.
"""

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.engine.trick import size_of
from cardlog.models.pinochle import legal
from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.cards import DECK_TEXT, masks_of, meld, spread
from cardlog.models.pinochle.dialects import RULES, hand_score, match_winner
from cardlog.models.pinochle.state import BIDDING, MOST_BID, NAMING, TRICKS, begin, opening
from cardlog.schemas import cards
from tests.support.hands import Hand, dealt, refusal

# Every seat the same: three ranks of each suit, seats 0 and 2 the high ones.
HALVES = ["".join(rank + suit for suit in "DCHS" for rank in ranks) for ranks in ("ATK", "QJ9") * 2]
UNKNOWN = "??" * 12
RUN = "AHTHKHQHJH"

chances = st.integers(0, 2**64).map(random.Random)


def shuffled(rng: random.Random) -> list[str]:
    pack = [DECK_TEXT[index : index + 2] for index in range(0, 48, 2)] * 2
    rng.shuffle(pack)
    return ["".join(pack[12 * seat : 12 * seat + 12]) for seat in range(4)]


def bidding(hands: Any = HALVES, rules: str = "book", dealer: int = 3, **match: Any) -> Hand:
    return dealt("pinochle", hands, opening(rules, dealer, [{}] * 4, match or None))


def bids(hand: Hand, *amounts: int) -> Hand:
    """Bids starting with the seat to act; 0 is a pass."""
    return hand.tries(";".join(f"bid {amount}" if amount else "pass" for amount in amounts))


def named(hands: Any, trump: str, rules: str = "book", **match: Any) -> Hand:
    """A hand whose auction seat 0 has won with 21, with trump named."""
    return bids(bidding(hands, rules, **match), 21, 0, 0, 0).tries(f"0 trump {trump}")


def meld_of(hand: Hand, seat: int) -> tuple[int, str]:
    """Worth and cards of a seat's meld."""
    state = hand.state
    nines = bool(state["double_run_shows_both_nines"])
    points, once, twice = meld(state["firsts"][seat], state["seconds"][seat], state["trump"], nines)
    codes = np.zeros(24, np.uint8)
    return int(points), cards.texts(codes[: spread(once, twice, codes)])


def shows(seat: int, points: int, shown: str) -> str:
    return f"{seat} show {shown or ''} {points}"


def melded(hand: Hand) -> Hand:
    """All seats show their melds."""
    for seat in range(4):
        hand.tries(shows(seat, *meld_of(hand, seat)))
    return hand


def in_play(hands: Any, trump: str, rules: str = "book", **match: Any) -> Hand:
    return melded(named(hands, trump, rules, **match))


def test_openings_are_written_as_they_are_read() -> None:
    text = opening("head2014", 2, [{"kind": "human"}, {}, {}, {}], {"score": [3, -4], "trump": "H"})
    state = begin(json.loads(text))[0]
    assert (state["dealer"], state["declarer"], state["in_match"], state["trump_before"]) == (2, 2, 1, 2)
    assert state["before"].tolist() == [3, -4]
    for match in ({"trump": "N"}, {"trump": 3}, {"hands_played": -1}):
        assert f"match.{next(iter(match))} is" in refusal("pinochle", json.loads(text) | {"match": match})
    for rules, flags in RULES.items():
        begun = begin(json.loads(opening(rules, 2, [{}] * 4)))[0]
        assert vars(flags) == {flag: bool(begun[flag]) for flag in vars(flags)}


# ---------------------------------------------------------------- R1 to R6: the deal and the auction


def test_r1_r2_a_hand_is_twelve_cards_of_the_pack_none_three_times() -> None:
    first, short = f"0 hand {HALVES[0]}", HALVES[0][:-2]
    hand = Hand("pinochle", opening("book", 3, [{}] * 4)).tries(f"{first}: out_of_order; deal/open")
    hand.tries(f"deal/open: out_of_order; 0 hand {short}: incomplete; 0 hand {short}8S: unknown_card")
    hand.tries(f"0 hand ADADAD{HALVES[0][6:]}: duplicate_card; 4 hand {HALVES[0]}: wrong_turn")
    hand.tries(f"-1 hand {HALVES[0]}: wrong_turn; {first}; 0 hand {HALVES[1]}: wrong_turn")
    hand.tries(
        f"2 hand {HALVES[2]}; 1 hand {HALVES[0]}: duplicate_card; 1 hand {HALVES[1]}; 3 hand {HALVES[3]}"
    )
    assert hand.state["phase"] == BIDDING


@pytest.mark.parametrize("dealer", range(4))
def test_r3_one_bid_each_from_the_dealers_left(dealer: int) -> None:
    hand = bidding(dealer=dealer)
    for step in range(1, 5):
        hand.tries(f"4 pass: wrong_turn; {(dealer + step) % 4} bid {20 + step}")
    hand.tries(f"{dealer} pass: out_of_order")


def test_r5_low_bids_are_illegal_by_the_book_and_passes_to_the_programs() -> None:
    bidding().tries(
        "bid 20: bad_bid; bid -5: bad_bid; bid 0: bad_bid; bid 25; bid 25: bad_bid; bid 26 H: bad_bid"
    )
    for rules in ("jan2013", "head2014"):
        state = bids(bidding(rules=rules), 25, 25, 24, -3).state
        assert (state["declarer"], state["high_bid"], state["bids"].tolist()) == (0, 25, [25, 25, 24, -3])
    for rules in RULES:
        hand = bidding(rules=rules)
        for amount in (MOST_BID + 1, 2**31 - 1, -(2**31)):
            hand.tries(f"bid {amount}: bad_bid")
        bids(hand, MOST_BID)


def test_r4_a_number_too_low_leaves_the_dealer_stuck_as_a_pass_does() -> None:
    for hand in (bids(bidding(rules="head2014"), 20, 0, 7), bids(bidding(), 0, 0, 0)):
        assert (hand.state["phase"], hand.state["declarer"]) == (NAMING, 3)
    assert bids(bidding(rules="jan2013"), 0, 0, 0).state["phase"] == BIDDING  # he is asked


def test_r6_only_the_declarer_names_trump_and_only_a_suit() -> None:
    hand = bids(bidding(), 0, 21, 0, 0).tries("0 trump H: bad_bid; 1 trump N: bad_bid; 1 trump: bad_bid")
    hand.tries("3 throw_in: bad_bid; 1 QD: bad_bid; 1 trump H; 1 trump S: bad_bid")
    assert hand.state["trump"] == 2


@pytest.mark.parametrize("rules", ["book", "head2014"])
def test_r6_a_hand_thrown_in_costs_the_bid(rules: str) -> None:
    hand = bids(bidding(rules=rules, score=[10, 20]), 0, 27, 0, 0).tries("1 throw_in")
    assert (hand.state["done"], hand.state["tricks"], hand.state["score"].tolist()) == (1, 0, [0, -27])
    hand.tries("1 match -7; 1 match 20: score_mismatch")


@pytest.mark.parametrize(("before", "trump"), [("S", 3), (None, -1)])
def test_r6_in_2013_a_hand_thrown_in_is_played_on_with_the_trump_before(before: Any, trump: int) -> None:
    hand = melded(bids(bidding(rules="jan2013", trump=before), 0, 27, 0, 0).tries("1 throw_in"))
    assert (hand.state["trump"], hand.state["thrown_in"], hand.state["turn"]) == (trump, 1, 1)


def test_legal_actions_and_their_text_by_phase() -> None:
    hand = bidding()
    assert hand.legal() == {"pass", "21", "or", "more"}
    bids(hand, MOST_BID)
    assert legal.legal_actions(hand.state) == 1  # nobody can bid more than that
    assert hand.tries("pass; pass; pass").legal() == {"trump", *"CDHS", "throw_in"}
    assert hand.tries("0 trump H").legal() == set()
    assert legal.legal_text(melded(hand).state).startswith("seat 0: AD, TD, KD")
    assert "a lower number" in legal.legal_text(bidding(rules="jan2013").state)
    bidding().tries(
        "0 AD: out_of_order; 0 show 0: out_of_order; 0 trick: out_of_order; 0 match 0: out_of_order"
    )


# ---------------------------------------------------------------- R7 and R8: melds


@pytest.mark.parametrize(
    ("held", "points"), [("", 150), ("9H", 151), ("9H9H", 152), ("9HKS", 151), ("KSQS", 152), ("9D9C", 150)]
)
def test_r8_a_double_run_is_shown_with_nines_that_may_not_be_held(held: str, points: int) -> None:
    codes, found = np.array(cards.codes(RUN * 2 + held), np.uint8), []
    for nines in (False, True):
        worth, once, twice = meld(*masks_of(codes, len(codes)), cards.SUITS.index("H"), nines)
        shown = np.zeros(24, np.uint8)
        found.append(cards.texts(shown[: spread(once, twice, shown)]))
        assert worth == points
    assert (found[0].count("9H"), found[1].count("9H")) == (held.count("9H"), 2)
    assert found[1].replace("9H", "") == found[0].replace("9H", "")


def test_r7_all_four_show_their_meld_before_the_first_card() -> None:
    hand = named(HALVES, "H")
    for seat in range(4):
        points, shown = meld_of(hand, seat)
        hand.tries(f"0 AD: out_of_order; {shows(seat, points + 1, shown)}: score_mismatch")
        hand.tries(f"{shows(seat, points, shown[:-2])}: score_mismatch")
        hand.tries(f"{shows(seat, points, '9S' + shown)}: score_mismatch; {seat} show 8S 0: unknown_card")
        hand.tries(f"{seat} show ?? 0: unknown_card; {seat} show 9S9S9S 0: duplicate_card")
        hand.tries(shows(seat, points, shown))
        hand.tries(f"{shows(seat, points, shown)}: {'wrong_turn' if seat < 3 else 'out_of_order'}")
    assert hand.state["turn"] == 0


def half_known(dealt_to_1: str = UNKNOWN) -> Hand:
    """Seat 0 has a known hand, seat 1 perhaps in part, the others an unknown one; hearts are trump."""
    return named([HALVES[0], dealt_to_1, UNKNOWN, UNKNOWN], "H", "jan2013")


def test_r7_what_an_unknown_hand_shows_is_known_from_then_on_and_what_is_known_must_be_shown() -> None:
    hand = half_known().tries("1 show KHQH 4; 2 show 9H9H 3: score_mismatch")
    state = hand.tries("2 show KHQH 4: duplicate_card; 2 show 9H9H 2").state  # of the kings
    assert state["unknown"].tolist() == [0, 10, 10, 12]
    assert size_of(state["firsts"][2]) == size_of(state["seconds"][2]) == 1
    hand = half_known("QHJHKHQDQS" + "??" * 7).tries("1 show 0: score_mismatch; 1 show KHQH9H 5")
    assert hand.state["unknown"][1] == 6
    hand = half_known("QDQDJDJDQCQCJCJCQSJSJH??")  # nobody shows more than he holds
    hand.tries("1 show JDJCJHJSQS9H9H 10: score_mismatch; 1 show JDQSJCJHJS9H 9")


@pytest.mark.parametrize(("points", "nines"), [(150, 0), (151, 1), (152, 2)])
def test_r8_nines_shown_with_a_double_run_are_held_if_they_count(points: int, nines: int) -> None:
    hand = named([UNKNOWN] * 4, "H", "head2014").tries(shows(1, points, f"{RUN}{RUN}9H9H"))
    nine = cards.code("9H")
    held = (hand.state["firsts"][1] >> nine & 1) + (hand.state["seconds"][1] >> nine & 1)
    assert (held, hand.state["unknown"][1]) == (nines, 2 - nines)
    hand.tries(f"2 show 9H9H 2: {'duplicate_card' if nines else 'ok'}")


def test_r8_by_the_book_a_double_run_is_shown_as_it_is() -> None:
    hand = named([f"{RUN}{RUN}9SJS", UNKNOWN, UNKNOWN, UNKNOWN], "H")
    hand.tries(f"0 show {RUN}{RUN}9H9H 150: score_mismatch; 0 show {RUN}{RUN} 150")


# ---------------------------------------------------------------- R9 to R15: play and scores


def test_r10_why_a_card_can_t_be_played() -> None:
    hand = in_play(HALVES, "S").tries(
        "card: incomplete; ADAC: incomplete; 8D: unknown_card; ??: unknown_card"
    )
    hand.tries("QD: not_in_hand").plays("ADQDTDJD").tries("JD: not_in_hand")  # the next seat has the other
    in_play(HALVES, "S").plays("ADQDADQDTDJDTDJD").tries("AD: duplicate_card")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(chances, st.sampled_from(sorted(RULES)))
def test_every_hand_is_worth_25_and_its_reported_scores_are_checked(rng: random.Random, rules: str) -> None:
    """[R11] Twenty-four counters and the last trick. [R14] What is scored, the second opinion says, too."""
    hand = bidding(shuffled(rng), rules, rng.randrange(4), score=[rng.randrange(-200, 119), 7])
    while hand.state["phase"] == BIDDING:
        bids(hand, rng.choice((0, 0, int(hand.state["high_bid"]) + 1)))
    declarer = int(hand.state["declarer"])
    state = melded(hand.tries(f"{declarer} trump {rng.choice(cards.SUITS)}")).play_on(rng).state
    assert state["points"].sum() == state["values"].sum() == pinochle.HAND_POINTS
    assert (state["took"].sum(), state["firsts"].any(), state["seconds"].any()) == (TRICKS, False, False)
    for team in range(2):
        score, after = int(state["score"][team]), int(state["after"][team])
        hand.tries(f"{team} result {score}; {team} result {score + 1}: score_mismatch")
        hand.tries(f"{team} match {after}; {team} match {after + 1}: score_mismatch")
        assert after == state["before"][team] + score


@pytest.mark.parametrize(
    ("total", "bid", "bidders", "score"), [(25, 25, True, 25), (24, 25, True, -25), (24, 25, False, 24)]
)
def test_r14_the_bid_is_reached_or_lost(total: int, bid: int, bidders: bool, score: int) -> None:
    assert hand_score(total, bid, bidders) == score


# Seats 0 and 2 take every trick: they have all aces, tens and kings. Each has four kings and four aces
# to show, the others a pinochle, four queens, four jacks and a nine.
@pytest.mark.parametrize(
    ("rules", "bidder", "others"),
    [
        ("book", 0, 0),
        ("head2014", 0, 0),
        ("jan2013", 0, 30),
        ("book", 1, -21),
        ("head2014", 1, 30),
        ("jan2013", 1, 30),
    ],
)
def test_r13_meld_without_a_trick(rules: str, bidder: int, others: int) -> None:
    hand = bids(bidding(rules=rules), *(21 if seat == bidder else 0 for seat in range(4)))
    state = melded(hand.tries(f"{bidder} trump S")).play_on().state
    assert state["meld_points"].tolist() == [18, 15, 18, 15]
    assert (state["took"].tolist(), state["score"].tolist()) == ([12, 0], [25 + 36, others])


@pytest.mark.parametrize(
    ("after", "bidders", "winner"),
    [([119, 119], 0, -1), ([120, 0], 1, 0), ([130, 140], 0, 0), ([130, 140], 1, 1)],
)
def test_r15_if_both_teams_reach_the_target_the_bidders_win(
    after: list[int], bidders: int, winner: int
) -> None:
    assert match_winner(np.array(after), bidders) == winner


def test_what_is_reported_of_a_trick_and_of_the_match_is_checked() -> None:
    hand = (
        in_play(HALVES, "S").tries("0 trick: out_of_order").plays("ADQDTD").tries("0 trick: out_of_order; QD")
    )
    hand.tries(
        "0 trick; 0 trick 2; 0 trick AD; 0 trick AD 2; 2 trick: score_mismatch; 0 trick 3: score_mismatch"
    )
    hand.tries("0 trick TD: score_mismatch; 0 trick ADTD: score_mismatch").play_on()
    hand.tries("0 place 1: out_of_order; 0 match 500; 1 match -3")  # none before: taken as reported
    hand.tries("0 match 501: score_mismatch; 2 match 501: out_of_order; 0 place 1; 3 place 2")
    hand.tries("1 place 1: score_mismatch")
    goes_on = in_play(HALVES, "S", score=[0, 0]).play_on()
    goes_on.tries("; ".join(f"{seat} place {place}: score_mismatch" for seat in range(4) for place in (1, 2)))


# ---------------------------------------------------------------- hands with unknown cards


@settings(max_examples=40, deadline=None, derandomize=True)
@given(chances, st.floats(0, 1))
def test_a_legal_hand_stays_legal_when_cards_are_hidden(rng: random.Random, share: float) -> None:
    """And each card that is legal from the whole hand may be legal as far as the known cards tell."""
    deal = shuffled(rng)
    hidden = [
        "".join("??" if rng.random() < share else held[index : index + 2] for index in range(0, 24, 2))
        for held in deal
    ]
    known, partial = (named(hands, "H", "head2014") for hands in (deal, hidden))
    for seat in range(4):
        shown = shows(seat, *meld_of(known, seat))
        for hand in (known, partial):
            hand.tries(shown)
    while not known.state["done"]:
        assert known.legal() <= partial.legal()
        card = rng.choice(sorted(known.legal()))
        known.tries(card)
        partial.tries(card)
    assert partial.state["score"].tolist() == known.state["score"].tolist()
    assert (partial.state["done"], partial.state["unknown"].any()) == (1, False)


def test_known_cards_of_a_hand_forbid_others() -> None:
    hand = melded(named([HALVES[0], "QDQC" + "??" * 10, UNKNOWN, UNKNOWN], "S"))
    hand.tries("AD; 9C: must_follow; AS: must_follow")  # it has the QD
    assert hand.legal() == {"AD", "TD", "KD", "QD", "JD", "9D"}
    state = hand.tries("9D").state
    assert (state["unknown"][1], state["seen_seconds"] >> cards.code("9D") & 1) == (9, 0)
    hand.tries("9C")  # seat 2 may have no diamond
