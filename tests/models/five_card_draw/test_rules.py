"""Five-card draw's rules R2 to R14, one by one, and what the original program does differently."""

import pytest

from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.state import DRAWING, RULES, SECOND_BETS, SHOWING
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason
from tests.support.five_card_draw_hands import Table, event

HIDDEN = "??" * 5
# Hands without a card in common, best first.
FOURS = "9S9H9D9C2S"
FLUSH = "AHTH8H4H2H"
PAIR = "KSKD7C5C3S"
ALSO_PAIR = "KHKC7D5D3H"
ACE_HIGH = "ASQCJD8S4C"
QUEEN_HIGH = "QDJC8C6D2C"


# ---------------------------------------------------------------- the opening


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": {"ante": -1, "dialect": "book"}}, "ante is -1"),
        ({"settings": {"ante": "5", "dialect": "book"}}, "ante is '5'"),
        ({"settings": {"ante": 5, "dialect": "house"}}, "dialect is 'house'"),
        ({"settings": {"ante": 5}}, "setting dialect is missing from the opening, event 0"),
        ({"dealer": 2}, "dealer is 2"),
        ({"dealer": 3}, "dealer is 3"),
        ({"dealer": None}, "dealer is None"),
        ({"players": [{}]}, "2 to 6 players"),
        ({"players": [{}] * 7}, "2 to 6 players"),
        ({"players": [{}, None, None]}, "at least 2 seats"),
        ({"players": [{}, {"kind": "dog"}, None]}, "kind human or computer"),
        ({"players": [{}, "Ann", None]}, "must be an object"),
        ({"match": {"score": [100, 100]}}, "chips of each seat"),
        ({"match": {}}, "chips of each seat"),
        ({"match": {"score": [100, 0, 0]}}, "if a player holds it"),
        ({"match": {"score": [100, 100, 5]}}, "if a player holds it"),
        ({"match": {"score": [100, 2**30, 0]}}, "at most"),
    ],
)
def test_openings_that_make_no_sense(change: dict, message: str) -> None:
    sound = {
        "settings": {"ante": 5, "dialect": "book"},
        "dealer": 0,
        "players": [{}, {}, None],
        "match": {"score": [100, 100, 0]},
    }
    game.begin(sound)
    with pytest.raises(ValueError, match=message):
        game.begin(sound | change)


# ---------------------------------------------------------------- antes and the deal


def test_r3_antes_are_paid_from_the_first_after_the_button_on() -> None:
    table = Table([100, 100, 100], dealer=1, antes=False)
    assert table.try_(Action.BID_ANTE, 0, 5) is Reason.WRONG_TURN
    for seat in (2, 0, 1):
        assert table.try_(Action.BID_ANTE, seat, 4) is Reason.BAD_BID
        table.do(Action.BID_ANTE, seat, 5)
    assert table.try_(Action.BID_ANTE, 2, 5) is Reason.OUT_OF_ORDER
    assert table.state["staked"].tolist() == [5, 5, 5, 0, 0, 0]


def test_r3_a_player_with_less_than_the_ante_pays_all_he_has() -> None:
    table = Table([100, 3], antes=False)
    assert table.try_(Action.BID_ANTE, 1, 5) is Reason.BAD_BID
    table.do(Action.BID_ANTE, 1, 3).do(Action.BID_ANTE, 0, 5)
    assert table.state["stack"].tolist()[:2] == [95, 0]


def test_r2_an_empty_seat_is_passed_over() -> None:
    table = Table([100, 0, 100, 0, 100], dealer=4).deal()
    assert table.state["turn"] == 0
    table.act("check", "check")
    assert table.state["turn"] == 4
    assert table.try_(Action.BID_CHECK, 1) is Reason.WRONG_TURN


@pytest.mark.parametrize(
    ("hand", "reason"),
    [
        (PAIR[:8], Reason.INCOMPLETE),
        (PAIR[:8] + "??", Reason.UNKNOWN_CARD),
        (PAIR[:8] + "E4", Reason.UNKNOWN_CARD),
        (PAIR[:8] + "KS", Reason.DUPLICATE_CARD),
        (FLUSH[:8] + "9S", Reason.DUPLICATE_CARD),  # seat 0 has it
    ],
)
def test_r4_five_cards_each_from_one_pack(hand: str, reason: Reason) -> None:
    table = Table([100, 100]).do(Action.DEAL_HAND, 0, shown=FOURS)
    assert table.try_(Action.DEAL_HAND, 1, shown=hand) is reason
    assert table.try_(Action.DEAL_HAND, 0, shown=PAIR) is Reason.WRONG_TURN
    assert table.try_(Action.DEAL_HAND, 2, shown=PAIR) is Reason.WRONG_TURN
    table.do(Action.DEAL_HAND, 1, shown=PAIR)
    assert table.try_(Action.DEAL_HAND, 1, shown=PAIR) is Reason.OUT_OF_ORDER


# ---------------------------------------------------------------- betting


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_r5_the_first_after_the_button_bets_first(players: int) -> None:
    assert Table([100] * players).deal().state["turn"] == 1


def test_r6_which_bets_are_legal() -> None:
    table = Table([100, 40, 100]).deal()
    seat = 1
    assert table.try_(Action.BID_FOLD, seat) is Reason.BAD_BID  # there is nothing to call
    assert table.try_(Action.BID_CALL, seat, 0) is Reason.BAD_BID
    assert table.try_(Action.BID_RAISE, seat, 0) is Reason.BAD_BID
    assert table.try_(Action.BID_RAISE, seat, 36) is Reason.BAD_BID
    assert table.try_(Action.BID_CHECK, seat, 0) is Reason.BAD_BID  # a check has no amount
    table.act("raise 1", "raise 50")
    assert table.try_(Action.BID_CHECK, 0) is Reason.BAD_BID
    assert table.try_(Action.BID_CALL, 0, 49) is Reason.BAD_BID
    assert table.try_(Action.BID_RAISE, 0, 50) is Reason.BAD_BID
    table.do(Action.BID_CALL, 0, 50)
    # Seat 1 has 34 left, and 49 to call.
    assert game.legal_text(table.state) == "seat 1: fold, call 34"
    assert table.try_(Action.BID_RAISE, 1, 34) is Reason.BAD_BID
    table.do(Action.BID_CALL, 1, 34)
    assert table.state["all_in"] == 0b010


def test_r7_a_round_is_left_out_if_fewer_than_two_can_bet() -> None:
    table = Table([100, 50, 50]).deal().act("raise 45", "call", "call").stand_pat()
    assert table.state["phase"] == SHOWING
    table = Table([5, 5, 100]).deal()
    assert table.state["phase"] == DRAWING


def test_r8_a_player_who_is_all_in_by_the_ante_is_not_asked() -> None:
    table = Table([100, 5, 100]).deal()
    assert table.state["all_in"] == 0b010
    table.act("check", "check")
    assert table.state["phase"] == DRAWING


def test_r10_by_the_book_the_last_one_is_not_asked() -> None:
    """All others fold before his turn, which can happen if one of them is asked though he is all in."""
    table = Table([100, 3], dialect="original").deal()
    table.state["last_one_acts"] = 0
    table.act("fold")
    assert table.won() == [8, 0, 0, 0, 0, 0]


def test_r3_an_ante_of_nothing() -> None:
    """There is nothing to win then if nobody bets. Only the original reports that."""
    for dialect, reason in (("original", Reason.OK), ("book", Reason.SCORE_MISMATCH)):
        table = Table([100, 100], ante=0, dialect=dialect).deal(FOURS, PAIR).act("check", "check").stand_pat()
        table.act("check", "check").do(Action.SCORE_SHOW, 1, shown=PAIR).do(Action.SCORE_SHOW, 0, shown=FOURS)
        assert table.try_(Action.SCORE_HAND, 0, 0) is reason
        assert table.try_(Action.SCORE_HAND, 0, 1) is not Reason.OK
        assert table.won() == [0] * 6


def test_r13_no_win_of_nothing_is_reported_for_a_folded_player() -> None:
    table = Table([100, 100, 100], dialect="original").deal().act("raise 5", "fold", "call").stand_pat()
    table.act("check", "check").do(Action.SCORE_SHOW, 2, shown=FOURS).do(Action.SCORE_SHOW, 0, shown=HIDDEN)
    assert table.try_(Action.SCORE_HAND, 1, 0) is Reason.SCORE_MISMATCH
    table.do(Action.SCORE_HAND, 2, 25).do(Action.SCORE_HAND, 0, 0)


# ---------------------------------------------------------------- the draw


def drawing(*hands: str) -> Table:
    table = Table([100] * max(len(hands), 2)).deal(*hands)
    return table.act(*["check"] * max(len(hands), 2))


def test_r9_up_to_three_cards_are_exchanged() -> None:
    table = drawing(FOURS, PAIR)
    assert table.try_(Action.PLAY_DISCARD, 0, shown="9S") is Reason.WRONG_TURN
    assert table.try_(Action.PLAY_DISCARD, 1, shown="KSKD7C5C") is Reason.MUST_FOLLOW
    assert table.try_(Action.PLAY_DISCARD, 1, shown=PAIR) is Reason.MUST_FOLLOW
    assert table.try_(Action.PLAY_DISCARD, 1, shown="9S") is Reason.NOT_IN_HAND
    assert table.try_(Action.PLAY_DISCARD, 1, shown="KSKS") is Reason.DUPLICATE_CARD
    assert table.try_(Action.PLAY_DISCARD, 1, shown="??") is Reason.UNKNOWN_CARD
    table.do(Action.PLAY_DISCARD, 1, shown="7C3S5C")
    assert table.try_(Action.PLAY_DISCARD, 0) is Reason.OUT_OF_ORDER
    assert table.try_(Action.DEAL_DRAW, 1, shown="AHAC") is Reason.INCOMPLETE
    assert table.try_(Action.DEAL_DRAW, 1, shown="AHAC9S") is Reason.DUPLICATE_CARD
    assert table.try_(Action.DEAL_DRAW, 1, shown="AHAC7C") is Reason.DUPLICATE_CARD  # it was discarded
    assert table.try_(Action.DEAL_DRAW, 1, shown="??????") is Reason.UNKNOWN_CARD
    table.do(Action.DEAL_DRAW, 1, shown="AHACAD")
    assert RULES["book"].shuffles
    held = [int(card) for card in table.state["held_cards"][1]]
    assert held == [int(card) for card in Table([1, 1], 1).deal("KSKDAHACAD", FOURS).state["held_cards"][0]]


def test_r9_four_cards_only_with_an_ace_kept() -> None:
    table = drawing(FOURS, ACE_HIGH)
    assert table.try_(Action.PLAY_DISCARD, 1, shown="ASQCJD8S") is Reason.MUST_FOLLOW
    table.do(Action.PLAY_DISCARD, 1, shown="QCJD8S4C")


def test_r9_hidden_cards_are_exchanged_hidden() -> None:
    table = drawing()
    assert table.try_(Action.PLAY_DISCARD, 1, shown="9S") is Reason.UNKNOWN_CARD
    assert table.try_(Action.PLAY_DISCARD, 1, shown=HIDDEN) is Reason.MUST_FOLLOW
    table.do(Action.PLAY_DISCARD, 1, shown="????????")  # there may be an ace
    assert table.try_(Action.DEAL_DRAW, 1, shown="9S9D9H9C") is Reason.UNKNOWN_CARD
    table.do(Action.DEAL_DRAW, 1, shown="????????").do(Action.PLAY_DISCARD, 0)
    assert table.state["phase"] == SECOND_BETS


# ---------------------------------------------------------------- the showdown


def shown_down(
    chips: list[int], bets: tuple[str, ...], hands: tuple[str, ...] = (), dialect: str = "book"
) -> Table:
    """A hand in which all bets are made in the first round, and nobody exchanges a card."""
    table = Table(chips, dialect=dialect).deal(*hands).act(*bets).stand_pat()
    while table.state["phase"] == SECOND_BETS:
        table.act("check")
    return table


def test_r10_the_only_one_left_wins_all() -> None:
    table = Table([100] * 3).deal().act("raise 10", "fold", "fold")
    assert table.won() == [0, 25, 0, 0, 0, 0]
    assert table.try_(Action.SCORE_SHOW, 1, shown=PAIR) is Reason.OUT_OF_ORDER
    assert table.try_(Action.SCORE_HAND, 1, 24) is Reason.SCORE_MISMATCH
    table.do(Action.SCORE_HAND, 1, 25)
    assert table.try_(Action.SCORE_HAND, 1, 25) is Reason.OUT_OF_ORDER
    assert table.try_(Action.SCORE_MATCH, 1, 119) is Reason.SCORE_MISMATCH
    table.do(Action.SCORE_MATCH, 1, 110)


def test_r11_hands_are_shown_if_they_are_as_good_as_the_best() -> None:
    table = shown_down([100] * 3, ("check",) * 3)
    assert table.try_(Action.SCORE_SHOW, 0, shown=PAIR) is Reason.WRONG_TURN
    assert table.try_(Action.SCORE_SHOW, 1, shown=HIDDEN) is Reason.SCORE_MISMATCH  # the first always shows
    table.do(Action.SCORE_SHOW, 1, shown=PAIR)
    assert table.try_(Action.SCORE_SHOW, 2, shown=ACE_HIGH) is Reason.SCORE_MISMATCH
    assert table.try_(Action.SCORE_SHOW, 2, shown="KSKH7C5C3D") is Reason.DUPLICATE_CARD
    assert table.try_(Action.SCORE_SHOW, 2, shown=ALSO_PAIR[:8]) is Reason.INCOMPLETE
    table.do(Action.SCORE_SHOW, 2, shown=ALSO_PAIR)  # as good
    assert not table.state["done"]
    table.do(Action.SCORE_SHOW, 0, shown=HIDDEN)
    assert table.state["done"]
    assert table.won() == [0, 8, 7, 0, 0, 0]


def test_r11_a_hand_that_is_known_is_shown_as_it_is() -> None:
    table = shown_down([100] * 3, ("check",) * 3, (ACE_HIGH, PAIR, QUEEN_HIGH))
    assert table.state["done"]
    assert table.try_(Action.SCORE_SHOW, 1, shown=FLUSH) is Reason.NOT_IN_HAND
    table.do(Action.SCORE_SHOW, 1, shown=PAIR).do(Action.SCORE_SHOW, 2, shown=HIDDEN)
    assert table.try_(Action.SCORE_SHOW, 0, shown=ACE_HIGH) is Reason.SCORE_MISMATCH
    table.do(Action.SCORE_SHOW, 0, shown=HIDDEN)
    assert table.try_(Action.SCORE_SHOW, 1, shown=PAIR) is Reason.OUT_OF_ORDER


def test_r11_a_hand_that_is_known_to_be_good_is_not_mucked() -> None:
    table = shown_down([100] * 2, ("check",) * 2, (FOURS, PAIR))
    table.do(Action.SCORE_SHOW, 1, shown=PAIR)
    assert table.try_(Action.SCORE_SHOW, 0, shown=HIDDEN) is Reason.SCORE_MISMATCH


def test_a_hidden_hand_that_stood_pat_and_is_shown_was_dealt_so() -> None:
    table = shown_down([100] * 2, ("check",) * 2)
    table.do(Action.SCORE_SHOW, 1, shown=PAIR)
    assert table.state["dealt_rank"][1] == table.state["rank"][1] > 0
    assert table.state["dealt_rank"][0] == 0


# ---------------------------------------------------------------- pots


ALL_IN_FOUR = ("raise 15", "raise 25", "raise 45", "call")


@pytest.mark.parametrize("dialect", ["book", "original"])
@pytest.mark.parametrize(
    ("hands", "won"),
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
def test_r13_side_pots(hands: tuple[str, ...], won: list[int], dialect: str) -> None:
    bets = ALL_IN_FOUR if dialect == "book" else ("raise 45", "call", "call", "call")
    table = shown_down([50, 20, 30, 50], bets, hands, dialect)
    assert table.state["staked"].tolist()[:4] == [50, 20, 30, 50]
    assert table.won()[:4] == won


@pytest.mark.parametrize(("dialect", "won"), [("book", [0, 8, 7]), ("original", [0, 7, 8])])
def test_r14_odd_chips(dialect: str, won: list[int]) -> None:
    table = shown_down([100] * 3, ("check",) * 3, (QUEEN_HIGH, PAIR, ALSO_PAIR), dialect)
    assert table.won()[:3] == won


def test_r14_what_the_source_reports_of_odd_chips_is_accepted_in_the_original() -> None:
    for dialect, reason in (("original", Reason.OK), ("book", Reason.SCORE_MISMATCH)):
        table = shown_down([100] * 3, ("check",) * 3, (QUEEN_HIGH, PAIR, ALSO_PAIR), dialect)
        _, second = table.won()[1:3]
        assert table.try_(Action.SCORE_HAND, 1, second) is reason
    table = shown_down([100] * 3, ("check",) * 3, (QUEEN_HIGH, PAIR, ALSO_PAIR), "original")
    table.do(Action.SCORE_HAND, 1, 8)
    assert table.try_(Action.SCORE_HAND, 2, 8) is Reason.SCORE_MISMATCH
    table.do(Action.SCORE_HAND, 2, 7).do(Action.SCORE_MATCH, 1, 103).do(Action.SCORE_MATCH, 2, 102)


# ---------------------------------------------------------------- side pots between hidden hands


def mucked() -> Table:
    """Seat 1 is all in with the best hand; 0, 2 and 3 muck, and there is a side pot between them."""
    table = Table([50, 20, 50, 50]).deal().act("raise 15", "raise 45", "call", "call").stand_pat()
    table.do(Action.SCORE_SHOW, 1, shown=PAIR)
    for seat in (2, 3, 0):
        table.do(Action.SCORE_SHOW, seat, shown=HIDDEN)
    assert not table.state["done"]
    return table


def test_a_side_pot_between_hidden_hands_is_paid_as_reported() -> None:
    for winners in ({2: 90}, {0: 90}, {0: 45, 3: 45}, {0: 30, 2: 30, 3: 30}):
        table = mucked()
        table.do(Action.SCORE_HAND, 1, 80)
        for seat, chips in winners.items():
            assert not table.state["done"]
            table.do(Action.SCORE_HAND, seat, chips)
        assert table.state["done"]
        assert table.won() == [winners.get(0, 0), 80, winners.get(2, 0), winners.get(3, 0), 0, 0]


@pytest.mark.parametrize(
    "reported",
    [{1: 79, 2: 91}, {1: 81, 2: 89}, {1: 80, 2: 60, 3: 30}, {2: 170}, {1: 170}, {1: 80, 0: 44, 2: 46}],
)
def test_a_report_that_no_hidden_hands_could_explain_is_refused(reported: dict[int, int]) -> None:
    table = mucked()
    *first, last = reported.items()
    for seat, chips in first:
        table.do(Action.SCORE_HAND, seat, chips)
    assert table.try_(Action.SCORE_HAND, *last) is Reason.SCORE_MISMATCH
    assert table.try_(Action.SCORE_HAND, last[0], 0) is Reason.SCORE_MISMATCH
    assert table.try_(Action.SCORE_HAND, 4, 10) is Reason.OUT_OF_ORDER


def test_a_shown_hand_in_a_side_pot_beats_those_mucked_after_it_only_if_it_is_better() -> None:
    """Seat 2 shows a pair, seat 3 has a flush and few chips, seat 0 mucks: its hand may lie between."""
    table = Table([50, 5, 50, 20]).deal().act("raise 45", "call", "call").stand_pat()
    table.do(Action.SCORE_SHOW, 1, shown=QUEEN_HIGH).do(Action.SCORE_SHOW, 2, shown=PAIR)
    table.do(Action.SCORE_SHOW, 3, shown=FLUSH).do(Action.SCORE_SHOW, 0, shown=HIDDEN)
    assert not table.state["done"]
    for seat in (0, 2):
        trial = table.states.copy()
        assert game.evolve(trial[0], event(Action.SCORE_HAND, 3, 5 + 3 * 20)) == 0
        assert game.evolve(trial[0], event(Action.SCORE_HAND, seat, 2 * 30)) == 0
        assert trial[0]["done"] == 1


# ---------------------------------------------------------------- messages


def test_the_text_of_what_is_legal() -> None:
    table = Table([100, 100]).deal(FOURS, PAIR)
    assert game.legal_text(table.state) == "seat 1: check, raise, paying 1 to 95"
    table.act("raise 20")
    assert game.legal_text(table.state) == "seat 0: fold, call 20, raise, paying 21 to 95"
    table.act("call")
    assert game.legal_text(table.state) == "seat 1: exchange 0 to 3 cards"
    table = drawing(FOURS, ACE_HIGH)
    assert game.legal_text(table.state) == "seat 1: exchange 0 to 3 cards, 4 keeping an ace"
    assert game.legal_text(Table([100, 100]).state) == ""
