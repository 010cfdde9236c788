"""Kaiser's rules R1 to R9: the pack, the deal, the pass and the auction."""

import pytest

from cardlog.models.kaiser.state import BIDDING, DEALING, DECK, DECK_TEXT, NAMING, PASSING, PLAYING
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason
from tests.support.kaiser_hands import MIXED, Event, Hand, auction, bits, event, record


def give(seat: int, text: str) -> Event:
    return event("deal", "pass", seat, text)


def test_r1_pack_of_32_cards_eight_of_each_suit() -> None:
    pack = {DECK_TEXT[i : i + 2] for i in range(0, 64, 2)}
    assert len(pack) == 32
    common = {rank + suit for rank in "89TJQKA" for suit in "CDHS"}
    assert pack == common | {"7C", "7D", "5H", "3S"}
    assert cards.mask(DECK_TEXT) == DECK


@pytest.mark.parametrize("code", [13, 15, 29, 45, 61, 62, 63, 64, 128, 254, 255])
def test_r1_code_that_is_no_card_is_unknown(code: int) -> None:
    hand = Hand(deal=None).all(Event(Action.DEAL_OPEN))
    deal = record(event("deal", "hand", 0, MIXED[0]))
    deal.cards[7] = code
    assert hand.do(deal) == Reason.UNKNOWN_CARD


def test_r2_eight_cards_to_each_seat_in_any_order_of_seats() -> None:
    hand = Hand(deal=None).all(Event(Action.DEAL_OPEN))
    for seat in (2, 0, 3, 1):
        assert hand.state.phase == DEALING
        hand.all(event("deal", "hand", seat, MIXED[seat]))
    assert hand.state.phase == BIDDING
    assert [int(held) for held in hand.state.hands] == [cards.mask(text) for text in MIXED]
    assert [cards.texts(dealt) for dealt in hand.state.dealt_cards] == list(MIXED)


@pytest.mark.parametrize("seat", [0, 4, 5, 127, -1, -128])
def test_r2_each_seat_is_dealt_to_once(seat: int) -> None:
    hand = Hand(deal=None).all(Event(Action.DEAL_OPEN), event("deal", "hand", 0, MIXED[0]))
    assert hand.do(event("deal", "hand", seat, MIXED[1])) == Reason.WRONG_TURN


def test_r2_deal_comes_after_the_opening_and_before_the_bids() -> None:
    deal = event("deal", "hand", 0, MIXED[0])
    assert Hand(deal=None).do(deal) == Reason.OUT_OF_ORDER
    assert Hand().do(deal) == Reason.OUT_OF_ORDER
    assert Hand().do(Event(Action.DEAL_OPEN)) == Reason.OUT_OF_ORDER
    half_dealt = Hand(deal=None).all(Event(Action.DEAL_OPEN), deal)
    assert half_dealt.bid("7") == Reason.OUT_OF_ORDER
    assert half_dealt.play("7C") == Reason.OUT_OF_ORDER
    assert half_dealt.legal() == set()


PASSES = (give(3, "KCJD"), give(0, "9H8S"), give(2, "JCTS"), give(1, "3S7D"))


def test_r3_two_cards_to_the_partner() -> None:
    hand = Hand(pass_cards=True)
    assert hand.state.phase == PASSING
    hand.all(*PASSES)
    assert hand.state.phase == BIDDING
    held = [cards.texts(bits(mask)) for mask in hand.state.hands]
    assert held == ["7C8CJCACKD5HTSAS", "9CTCKC8DJD8HTH9S", "QC9DTD9HJHQH8SJS", "7DQDADKHAH3SQSKS"]
    # The cards received are in the places of those given: the first for the first, the second for the second.
    assert [cards.texts(dealt) for dealt in hand.state.dealt_cards] == [
        "7C8CACKD5HJCASTS",
        "9CTCJD8D8HTHKC9S",
        "9HQC9DTDJHQH8SJS",
        "3S7DQDADKHAHQSKS",
    ]
    assert int(hand.state.seen) == DECK
    hand.bids("7", "pass", "pass", "pass").trump("C")
    assert hand.play("9H") == Reason.NOT_IN_HAND  # given away
    assert hand.play("JC") == Reason.OK  # taken


def test_r3_nobody_has_his_partners_cards_before_all_have_given() -> None:
    hand = Hand(pass_cards=True).all(give(2, "JCTS"))
    assert hand.do(give(0, "JC7C")) == Reason.NOT_IN_HAND
    hand.all(give(0, "7C8C"), give(1, "9CTC"))
    assert int(hand.state.hands[0]) == cards.mask(MIXED[0])
    hand.all(give(3, "KCJD"))
    assert int(hand.state.hands[0]) == cards.mask("ACKD5H9HAS8SJCTS")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.INCOMPLETE),
        ("7C", Reason.INCOMPLETE),
        ("7C8CAC", Reason.INCOMPLETE),
        ("7C7C", Reason.DUPLICATE_CARD),
        ("7C9C", Reason.NOT_IN_HAND),
        ("??7C", Reason.NOT_IN_HAND),
        ("7H7C", Reason.NOT_IN_HAND),
    ],
)
def test_r3_exactly_two_different_cards_of_the_own_hand(text: str, reason: Reason) -> None:
    assert Hand(pass_cards=True).do(give(0, text)) == reason


def test_r3_each_seat_gives_once() -> None:
    hand = Hand(pass_cards=True).all(give(0, "7C8C"))
    assert hand.do(give(0, "ACKD")) == Reason.WRONG_TURN
    for nobody in (NO_SEAT, 4, 127, -128):
        assert hand.do(give(nobody, "ACKD")) == Reason.WRONG_TURN


def test_r3_no_pass_unless_agreed() -> None:
    assert Hand(pass_cards=False).do(give(0, "7C8C")) == Reason.OUT_OF_ORDER


def test_r3_a_pass_that_has_begun_is_finished_before_the_bids() -> None:
    hand = Hand(pass_cards=True).all(give(0, "7C8C"))
    assert hand.legal() == set()
    assert hand.bid("7") == Reason.OUT_OF_ORDER
    assert hand.play("AC") == Reason.OUT_OF_ORDER


def test_r3_where_the_pass_is_not_shown_the_hands_are_those_after_it() -> None:
    hand = Hand(pass_cards=True)
    assert "7" in hand.legal()
    assert hand.bid("7") == Reason.OK
    assert hand.do(give(0, "7C8C")) == Reason.OUT_OF_ORDER  # too late
    hand.bids("pass", "pass", "pass")
    assert hand.trump("C") == Reason.OK
    assert hand.play("7C") == Reason.OK


def test_r3_a_refused_bid_does_not_end_the_pass() -> None:
    hand = Hand(pass_cards=True)
    assert hand.bid("7", seat=2) == Reason.WRONG_TURN
    assert hand.bid("6") == Reason.BAD_BID
    hand.all(*PASSES)


# ---------------------------------------------------------------- R4-R9: the auction


@pytest.mark.parametrize("dealer", range(4))
def test_r4_one_bid_each_from_the_dealers_left(dealer: int) -> None:
    hand = Hand(dealer=dealer)
    order = [(dealer + step) % 4 for step in (1, 2, 3, 4)]
    for seat, text in zip(order, ["pass", "7", "8", "pass"], strict=True):
        assert hand.state.turn == seat
        for other in set(range(4)) - {seat} | {NO_SEAT, 4}:
            assert hand.bid(text, other) == Reason.WRONG_TURN
        assert hand.bid(text, seat) == Reason.OK
    assert hand.state.declarer == order[2]
    assert hand.state.turn == order[2]
    assert hand.state.bid_count == 4
    for seat in range(4):
        assert hand.bid("12N", seat) == Reason.OUT_OF_ORDER  # one round only


@pytest.mark.parametrize("least", [5, 6, 7, 8])
def test_r5_bids_from_the_minimum_to_twelve(least: int) -> None:
    hand = Hand(min_bid=least)
    numbers = range(least, 13)
    assert hand.legal() == {"pass", *map(str, numbers), *(f"{number}N" for number in numbers)}
    assert hand.bid(str(least - 1)) == Reason.BAD_BID
    assert hand.bid(f"{least - 1}N") == Reason.BAD_BID
    assert hand.bid("13") == Reason.BAD_BID
    assert Hand(min_bid=least).bid(str(least)) == Reason.OK
    assert Hand(min_bid=least).bid("12N") == Reason.OK


@pytest.mark.parametrize("amount", [NO_AMOUNT, -8, -1, 0, 1, 6, 13, 32, 33, 71, 2**31 - 1])
def test_r5_a_number_that_is_no_bid(amount: int) -> None:
    assert Hand().do(event("bid", "bid", 0, amount=amount)) == Reason.BAD_BID


LADDER = [f"{number}{no_trump}" for number in range(7, 13) for no_trump in ("", "N")]


@pytest.mark.parametrize("first", LADDER)
def test_r6_each_bid_beats_the_last_and_no_trump_beats_the_same_number(first: str) -> None:
    higher = LADDER[LADDER.index(first) + 1 :]
    assert Hand().bids(first).legal() == {"pass", *higher}
    for second in LADDER:
        assert Hand().bids(first).bid(second) == (Reason.OK if second in higher else Reason.BAD_BID)


@pytest.mark.parametrize("highest", LADDER)
def test_r7_the_dealer_may_equal_the_highest_bid(highest: str) -> None:
    hand = Hand().bids("pass", highest, "pass")
    assert hand.legal() == {"pass", *LADDER[LADDER.index(highest) :]}
    assert hand.bid(highest) == Reason.OK
    assert hand.state.declarer == 3


@pytest.mark.parametrize(("dealer", "least"), [(0, 5), (1, 6), (2, 7), (3, 8)])
def test_r8_the_dealer_must_bid_when_all_have_passed(dealer: int, least: int) -> None:
    hand = Hand(dealer=dealer, min_bid=least).bids("pass", "pass", "pass")
    assert hand.state.turn == dealer
    assert "pass" not in hand.legal()
    assert {str(least), f"{least}N", "12N"} <= hand.legal()
    assert hand.bid("pass") == Reason.BAD_BID
    assert hand.bid(f"{least}N") == Reason.OK
    assert hand.state.declarer == dealer


@pytest.mark.parametrize("suit", "CDHS")
def test_r9_the_highest_bidder_names_trump(suit: str) -> None:
    hand = auction("7", "pass", "8", "pass")
    assert hand.state.phase == NAMING
    assert hand.legal() == set("CDHS")
    assert hand.trump(suit) == Reason.OK
    assert hand.state.trump == "CDHS".index(suit)
    assert hand.state.turn == 2


def test_r9_nobody_else_does() -> None:
    hand = auction("7", "pass", "8", "pass")
    for seat in (0, 1, 3, NO_SEAT, 4):
        assert hand.trump("C", seat) == Reason.BAD_BID


def test_r9_no_trump_has_no_trump_to_name() -> None:
    hand = auction("7", "pass", "8N", "pass")
    assert hand.state.phase == PLAYING
    assert hand.state.trump == cards.NO_TRUMP
    assert hand.trump("C") == Reason.BAD_BID


@pytest.mark.parametrize("number", [-128, -1, 4, 5, 127])
def test_r9_only_the_four_suits_are_trump(number: int) -> None:
    hand = auction("7", "pass", "pass", "pass")
    assert hand.do(Event(Action.BID_TRUMP, 0, suit=number)) == Reason.BAD_BID


@pytest.mark.parametrize("suit", "CDHS")
def test_r9_a_bid_names_no_suit(suit: str) -> None:
    assert Hand().do(event("bid", "bid", 0, amount=7, suit=suit)) == Reason.BAD_BID
