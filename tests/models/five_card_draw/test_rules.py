"""Five-card draw's rules R2 to R14, one by one, and what the original program does differently.

Which openings, bets and acts of other seats are refused in any hand is in tests/test_games.py.
"""

import json
from typing import Any

import pytest

from cardlog.models.five_card_draw.legal import legal_text
from cardlog.models.five_card_draw.state import DRAWING, SECOND_BETS, opening
from cardlog.models.poker import table
from cardlog.models.poker.betting import owed
from cardlog.models.poker.table import POSTING, SHOWING
from tests.support.hands import Hand, refusal

HIDDEN = "??" * 5
# Hands without a card in common, best first.
FOURS = "9S9H9D9C2S"
FLUSH = "AHTH8H4H2H"
PAIR = "KSKD7C5C3S"
ALSO_PAIR = "KHKC7D5D3H"
ACE_HIGH = "ASQCJD8S4C"
QUEEN_HIGH = "QDJC8C6D2C"


def opened(*chips: int, ante: int = 5, dealer: int = 0, dialect: str = "book") -> Hand:
    """A hand before its antes; a seat without chips is empty."""
    players: list[dict[str, Any] | None] = [{} if count else None for count in chips]
    text = opening(dialect, ante, dealer, players, [*chips])
    return Hand("five_card_draw", text).tries("deal/open")


def act(hand: Hand, script: str) -> Hand:
    """What the seats in turn do; a call without a number is of what it costs, or all chips."""
    for word in script.split("; "):
        seat, state = int(hand.state["turn"]), hand.state
        hand.tries(f"call {min(int(owed(state)), int(state['stack'][seat]))}" if word == "call" else word)
    return hand


def dealt(*chips: int, hands: tuple[str, ...] = (), ante: int = 5, **how: Any) -> Hand:
    """A hand when its antes are paid and its cards dealt, hidden ones where none are given."""
    hand = opened(*chips, ante=ante, **how)
    while hand.state["phase"] == POSTING:
        hand.tries(f"ante {min(ante, int(hand.state['stack'][hand.state['turn']]))}")
    seats = [seat for seat, count in enumerate(chips) if count]
    held = zip(seats, hands or [HIDDEN] * len(seats), strict=True)
    return hand.tries("; ".join(f"{seat} hand {shown}" for seat, shown in held))


def stand_pat(hand: Hand) -> Hand:
    """Nobody exchanges a card."""
    while hand.state["phase"] == DRAWING:
        hand.tries("discard")
    return hand


def shown_down(*chips: int, bets: str, hands: tuple[str, ...] = (), dialect: str = "book") -> Hand:
    """A hand in which all bets are made in the first round, and nobody exchanges a card."""
    hand = stand_pat(act(dealt(*chips, hands=hands, dialect=dialect), bets))
    while hand.state["phase"] == SECOND_BETS:
        hand.tries("check")
    return hand


def won(hand: Hand) -> list[int]:
    return [int(chips) for chips in hand.state["won"]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": {"ante": -1, "dialect": "book"}}, "ante is -1"),
        ({"dealer": 2}, "dealer is 2"),  # an empty seat
        ({"players": [{}]}, "2 to 6 players"),
        ({"players": [{}, None, None]}, "at least 2 seats"),
        ({"match": {"score": [100, 100]}}, "chips of each seat"),
        ({"match": {"score": [100, 0, 0]}}, "if a player holds it"),
        ({"match": {"score": [100, 100, 5]}}, "if a player holds it"),
        ({"match": {"score": [100, 2**30, 0]}}, "at most"),
    ],
)
def test_openings_that_make_no_sense(change: dict[str, Any], message: str) -> None:
    sound = json.loads(opening("book", 5, 0, [{}, {}, None], [100, 100, 0]))
    assert refusal("five_card_draw", sound) == ""
    assert message in refusal("five_card_draw", sound | change)


# ---------------------------------------------------------------- R5 to R8: betting


def test_r7_a_round_is_left_out_if_fewer_than_two_can_bet() -> None:
    hand = stand_pat(act(dealt(100, 50, 50), "raise 45; call; call"))
    assert hand.state["phase"] == SHOWING
    assert dealt(5, 5, 100).state["phase"] == DRAWING


# ---------------------------------------------------------------- R9: the draw


def drawing(*hands: str) -> Hand:
    return dealt(100, 100, hands=hands).tries("check; check")


# ---------------------------------------------------------------- R10 and R11: the showdown


def test_r10_the_only_one_left_wins_all() -> None:
    hand = act(dealt(100, 100, 100), "raise 10; fold; fold")
    assert won(hand) == [0, 25, 0, 0, 0, 0]
    hand.tries(f"1 shows {PAIR}: out_of_order; 1 result 24: score_mismatch; 1 result 25")
    hand.tries("1 result 25: out_of_order; 1 match 119: score_mismatch; 1 match 110")


def test_r10_by_the_book_the_last_one_is_not_asked() -> None:
    """All others fold before his turn, which can happen if one of them is asked though he is all in."""
    hand = dealt(100, 3, dialect="original")
    hand.state["last_one_acts"] = 0
    assert won(hand.tries("fold")) == [8, 0, 0, 0, 0, 0]


def test_r11_hands_are_shown_if_they_are_as_good_as_the_best() -> None:
    hand = shown_down(100, 100, 100, bets="check; check; check")
    hand.tries(f"0 shows {PAIR}: wrong_turn; 1 shows {HIDDEN}: score_mismatch")  # the first always shows
    hand.tries(f"1 shows {PAIR}; 2 shows {ACE_HIGH}: score_mismatch; 2 shows KSKH7C5C3D: duplicate_card")
    hand.tries(f"2 shows {ALSO_PAIR[:8]}: incomplete; 2 shows {ALSO_PAIR}")  # as good
    assert not hand.state["done"]
    assert hand.tries(f"0 shows {HIDDEN}").state["done"]
    assert won(hand) == [0, 8, 7, 0, 0, 0]


def test_r11_a_hand_that_is_known_is_shown_as_it_is_and_not_mucked_if_it_is_good() -> None:
    hand = shown_down(100, 100, 100, bets="check; check; check", hands=(ACE_HIGH, PAIR, QUEEN_HIGH))
    assert hand.state["done"]
    hand.tries(f"1 shows {FLUSH}: not_in_hand; 1 shows {PAIR}; 2 shows {HIDDEN}")
    hand.tries(f"0 shows {ACE_HIGH}: score_mismatch; 0 shows {HIDDEN}; 1 shows {PAIR}: out_of_order")
    good = shown_down(100, 100, bets="check; check", hands=(FOURS, PAIR))
    good.tries(f"1 shows {PAIR}; 0 shows {HIDDEN}: score_mismatch")


def test_a_hidden_hand_that_stood_pat_and_is_shown_was_dealt_so() -> None:
    state = shown_down(100, 100, bets="check; check").tries(f"1 shows {PAIR}").state
    assert state["dealt_rank"][1] == state["rank"][1] > state["dealt_rank"][0] == 0


# ---------------------------------------------------------------- R13 and R14: pots


@pytest.mark.parametrize("dialect", ["book", "original"])
@pytest.mark.parametrize(
    ("hands", "chips"),
    [
        # Chips put in by seats 0 to 3: 50, 20, 30, 50.
        ((FOURS, PAIR, ACE_HIGH, QUEEN_HIGH), [150, 0, 0, 0]),
        ((PAIR, FOURS, ACE_HIGH, QUEEN_HIGH), [70, 80, 0, 0]),
        ((QUEEN_HIGH, FOURS, PAIR, ACE_HIGH), [0, 80, 30, 40]),
        ((PAIR, FOURS, FLUSH, ALSO_PAIR), [20, 80, 30, 20]),
        ((QUEEN_HIGH, PAIR, ALSO_PAIR, ACE_HIGH), [0, 40, 70, 40]),
        ((ALSO_PAIR, PAIR, QUEEN_HIGH, FOURS), [0, 0, 0, 150]),
    ],
)
def test_r13_side_pots(hands: tuple[str, ...], chips: list[int], dialect: str) -> None:
    bets = "raise 15; raise 25; raise 45; call" if dialect == "book" else "raise 45; call; call; call"
    hand = shown_down(50, 20, 30, 50, bets=bets, hands=hands, dialect=dialect)
    assert hand.state["staked"].tolist()[:4] == [50, 20, 30, 50]
    assert won(hand)[:4] == chips


def test_r13_no_win_of_nothing_is_reported_for_a_folded_player() -> None:
    hand = stand_pat(act(dealt(100, 100, 100, dialect="original"), "raise 5; fold; call"))
    hand.tries(f"check; check; 2 shows {FOURS}; 0 shows {HIDDEN}; 1 result 0: score_mismatch")
    hand.tries("2 result 25; 0 result 0")


@pytest.mark.parametrize(("dialect", "reason"), [("original", "ok"), ("book", "score_mismatch")])
def test_r3_with_an_ante_of_nothing_there_may_be_nothing_to_win(dialect: str, reason: str) -> None:
    """Only the original reports that."""
    hand = stand_pat(dealt(100, 100, ante=0, dialect=dialect, hands=(FOURS, PAIR)).tries("check; check"))
    hand.tries(f"check; check; 1 shows {PAIR}; 0 shows {FOURS}; 0 result 0: {reason}")
    assert hand.do("0 result 1")
    assert won(hand) == [0] * 6


@pytest.mark.parametrize(("dialect", "chips"), [("book", [0, 8, 7]), ("original", [0, 7, 8])])
def test_r14_odd_chips(dialect: str, chips: list[int]) -> None:
    """In the original, what the source reports of them is accepted."""
    hands, bets = (QUEEN_HIGH, PAIR, ALSO_PAIR), "check; check; check"
    hand = shown_down(100, 100, 100, bets=bets, hands=hands, dialect=dialect)
    assert won(hand)[:3] == chips
    if dialect == "book":
        hand.tries("1 result 7: score_mismatch")
    else:
        hand.tries("1 result 8; 2 result 8: score_mismatch; 2 result 7; 1 match 103; 2 match 102")


# ---------------------------------------------------------------- side pots between hidden hands


def mucked() -> Hand:
    """Seat 1 is all in with the best hand; 0, 2 and 3 muck, and there is a side pot between them."""
    hand = stand_pat(act(dealt(50, 20, 50, 50), "raise 15; raise 45; call; call"))
    hand.tries(f"1 shows {PAIR}; 2 shows {HIDDEN}; 3 shows {HIDDEN}; 0 shows {HIDDEN}")
    assert not hand.state["done"]
    return hand


@pytest.mark.parametrize("winners", [{2: 90}, {0: 90}, {0: 45, 3: 45}, {0: 30, 2: 30, 3: 30}])
def test_a_side_pot_between_hidden_hands_is_paid_as_reported(winners: dict[int, int]) -> None:
    hand = mucked().tries("1 result 80")
    for seat, chips in winners.items():
        assert not hand.state["done"]
        hand.tries(f"{seat} result {chips}")
    assert hand.state["done"]
    assert won(hand) == [winners.get(0, 0), 80, winners.get(2, 0), winners.get(3, 0), 0, 0]


@pytest.mark.parametrize(
    "reported",
    [{1: 79, 2: 91}, {1: 81, 2: 89}, {1: 80, 2: 60, 3: 30}, {2: 170}, {1: 170}, {1: 80, 0: 44, 2: 46}],
)
def test_a_report_that_no_hidden_hands_could_explain_is_refused(reported: dict[int, int]) -> None:
    *first, (seat, chips) = reported.items()
    hand = mucked().tries("; ".join(f"{seat} result {chips}" for seat, chips in first))
    hand.tries(f"{seat} result {chips}: score_mismatch; {seat} result 0: score_mismatch")
    hand.tries("4 result 10: out_of_order")


@pytest.mark.parametrize("seat", [0, 2])
def test_a_shown_hand_in_a_side_pot_beats_those_mucked_after_it_only_if_it_is_better(seat: int) -> None:
    """Seat 2 shows a pair, seat 3 has a flush and few chips, seat 0 mucks: its hand may lie between."""
    hand = stand_pat(act(dealt(50, 5, 50, 20), "raise 45; call; call"))
    hand.tries(f"1 shows {QUEEN_HIGH}; 2 shows {PAIR}; 3 shows {FLUSH}; 0 shows {HIDDEN}")
    assert not hand.state["done"]
    assert hand.tries(f"3 result {5 + 3 * 20}; {seat} result {2 * 30}").state["done"]


# ---------------------------------------------------------------- messages


def test_the_text_of_what_is_legal() -> None:
    assert legal_text(opened(100, 100).state) == ""
    hand = dealt(100, 100, hands=(FOURS, PAIR))
    assert legal_text(hand.state) == "seat 1: check, raise, paying 1 to 95"
    assert legal_text(hand.tries("raise 20").state) == "seat 0: fold, call 20, raise, paying 21 to 95"
    assert legal_text(act(hand, "call").state) == "seat 1: exchange 0 to 3 cards"
    assert legal_text(drawing(FOURS, ACE_HIGH).state) == "seat 1: exchange 0 to 3 cards, 4 keeping an ace"


# ---------------------------------------------------------------- blinds and limits


def with_blinds(*chips: int, structure: str = "no_limit", hands: tuple[str, ...] = ()) -> Hand:
    """A hand at PokerStars with bets of 10, and of 20 after the draw with fixed limits; seat 0 has the
    button."""
    settings = {
        "ante_trimming": True, "big_bet": 20 if structure == "fixed_limit" else 10, "currency": "USD",
        "dialect": "pokerstars", "small_bet": 10, "structure": structure, "unit": 100,
    }  # fmt: skip
    hand = Hand("five_card_draw", table.opening(settings, 0, [{} for _ in chips], [*chips]))
    hand.tries("deal/open; 1 bid/blind 5; 2 bid/blind 10")
    held = enumerate(hands or [HIDDEN] * len(chips))
    return hand.tries("; ".join(f"{seat} hand {shown}" for seat, shown in held))


@pytest.mark.parametrize(
    ("structure", "bets", "legal"),
    [
        ("no_limit", "", "seat 0: fold, call 10, raise, paying 20 to 500"),
        ("no_limit", "raise 30; raise 495", "seat 2: fold, call 490"),
        ("no_limit", "raise 30", "seat 1: fold, call 25, raise, paying 45 to 495"),
        ("no_limit", "call 10; call 5", "seat 2: fold, check, raise, paying 10 to 490"),
        ("pot_limit", "", "seat 0: fold, call 10, raise, paying 20 to 35"),
        ("pot_limit", "raise 35", "seat 1: fold, call 30, raise, paying 55 to 110"),
        ("fixed_limit", "", "seat 0: fold, call 10, raise, paying 20"),
        ("fixed_limit", "raise 20; raise 25; raise 30", "seat 0: fold, call 20"),
    ],
)
def test_r15_limits_say_what_a_raise_may_be(structure: str, bets: str, legal: str) -> None:
    hand = with_blinds(500, 500, 500, structure=structure).tries(bets)
    assert legal_text(hand.state) == legal


def test_r15_after_the_draw_the_first_after_the_button_bets_the_big_bet() -> None:
    hand = stand_pat(with_blinds(500, 500, 500, structure="fixed_limit").tries("call 10; call 5; check"))
    assert legal_text(hand.state) == "seat 1: fold, check, bet, paying 20"
    hand.tries("raise 10: bad_bid; raise 20; fold; call 20").tries("1 shows " + FOURS)
    assert hand.tries(f"0 shows {HIDDEN}").state["done"]
    assert won(hand)[:3] == [0, 70, 0]


def test_r15_what_nobody_called_goes_back_before_the_draw() -> None:
    hand = with_blinds(60, 500, 500, hands=(PAIR, FOURS, ACE_HIGH)).tries("raise 60; raise 495; fold")
    assert hand.state["phase"] == DRAWING
    assert hand.state["stack"][:3].tolist() == [0, 440, 490]
    assert hand.state["uncalled"][:3].tolist() == [0, 440, 0]
    stand_pat(hand).tries(f"1 shows {FOURS}; 0 shows {PAIR}").tries(
        "1 result 124; 1 result 124: out_of_order"
    )
    assert (hand.state["rake"], hand.state["stack"][1]) == (6, 564)


def test_r9_and_r11_of_pokerstars() -> None:
    """Five cards may be exchanged; whoever mucks can't win; folded hands may be shown at the end."""
    hand = with_blinds(100, 100, 100, hands=(HIDDEN, FOURS, ACE_HIGH)).tries("fold; call 5; check")
    assert legal_text(hand.state) == "seat 1: exchange 0 to 5 cards"
    hand.tries(f"discard; discard {ACE_HIGH}; 2 draw {QUEEN_HIGH}; check; check")
    hand.tries(f"2 shows {QUEEN_HIGH}; 1 shows {HIDDEN}")
    assert won(hand)[:3] == [0, 0, 20]
    hand.tries(f"1 shows {FOURS}; 0 shows {PAIR}; 0 shows {ALSO_PAIR}: not_in_hand")


def test_r9_discards_are_dealt_again_when_the_pack_runs_out() -> None:
    hands = (HIDDEN, *[HIDDEN] * 4, FLUSH)
    hand = with_blinds(*[100] * 6, hands=hands).tries("call 10; " * 4 + "call 5; check")
    hand.tries(f"discard {HIDDEN}; 1 draw {HIDDEN}; discard {HIDDEN}; 2 draw {HIDDEN}")
    hand.tries(f"discard {'??' * 4}; 3 draw {'??' * 4}; discard {'??' * 4}; 4 draw {'??' * 4}")
    hand.tries(f"discard {FLUSH[:2]}; 5 draw {FLUSH[:2]}: duplicate_card; 5 draw 2C")
    hand.tries(f"discard {HIDDEN}; 0 draw {HIDDEN}; " + "check; " * 6)
    again = f"{FLUSH[:2]}KDKC7S5C"
    hand.tries(f"0 shows {again}; 1 shows {FLUSH[2:4]}KSKH7C5D: duplicate_card")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"structure": "spread_limit"}, "structure is 'spread_limit'"),
        ({"ante": 5}, "unknown setting ante"),
        ({"unit": 0}, "unit is 0"),
    ],
)
def test_r15_an_opening_with_blinds_is_checked(change: dict[str, Any], says: str) -> None:
    settings: dict[str, Any] = {
        "ante_trimming": True, "big_bet": 10, "currency": "USD", "dialect": "pokerstars", "small_bet": 10,
        "structure": "no_limit", "unit": 100,
    }  # fmt: skip
    detail = json.loads(table.opening(settings, 0, [{}, {}], [50, 50]))
    assert not refusal("five_card_draw", detail)
    assert says in refusal("five_card_draw", detail | {"settings": settings | change})
