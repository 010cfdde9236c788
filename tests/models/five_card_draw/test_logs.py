"""The rules against all games of the original program, with the cards it did not print."""

import numpy as np
import pytest

from cardlog.models.five_card_draw import ranks
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.legal import owed
from cardlog.models.five_card_draw.state import DECK_TEXT, RULES
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.five_card_draw_hands import (
    LOGS,
    OracleHand,
    event,
    full_events,
    hand_text,
    opening_of,
    oracle_hands,
)

HANDS = oracle_hands()
ALL = [hand for log in LOGS for hand in oracle_hands(log)]


def kind_of(bet: np.void, before: np.void) -> str:
    """What the oracle calls a bet, from the fold's state before it and the event."""
    action, stack = int(bet["action"]), int(before["stack"][before["turn"]])
    if action in (Action.BID_CHECK, Action.BID_FOLD):
        return "check" if action == Action.BID_CHECK else "fold"
    if action == Action.BID_RAISE:
        return "raise_allin" if bet["amount"] == stack else "raise"
    if stack < owed(before):
        return "short_allin"
    return "call_allin" if bet["amount"] == stack else "call"


def test_all_hands_are_there() -> None:
    assert [len(oracle_hands(log)) for log in LOGS] == [285, 1486, 232]
    assert [sum(hand.crashed for hand in oracle_hands(log)) for log in LOGS] == [3, 14, 3]


@pytest.mark.parametrize("hand", ALL, ids=lambda hand: f"{hand.game['gid']}-{hand.number}")
def test_a_hand_folds_to_what_the_oracle_says(hand: OracleHand) -> None:
    """Every ante, bet, stack, pot, rank and reward; all hands are open here, those that mucked too."""
    states = game.begin(opening_of(hand))
    state = states[0]
    for noted, one in full_events(hand):
        before = states.copy()[0]
        assert game.evolve(state, one) == 0, (one, game.legal_text(before))
        seat = int(one["seat"])
        if noted is None:
            continue
        if noted["t"] == "ante":
            assert [state["stack"][seat], state["staked"][seat]] == noted["chips"][hand.seats[seat]]
        elif noted["t"] == "bet":
            assert owed(before) == noted["call"]
            assert kind_of(one, before) == noted["kind"]
            assert before["stack"][seat] == noted["stack_before"]
            assert before["stack"][seat] - noted["amount"] == noted["stack"]
            assert before["staked"][seat] + noted["amount"] == noted["contribution"] == state["staked"][seat]
            assert before["staked"].sum() + noted["amount"] == noted["pot"]
        elif noted["t"] == "swap":
            assert cards.texts(state["held_cards"][seat]) == hand_text(noted["after"])
            assert int(state["rank"][seat]) == noted["rank_n"]
            assert ranks.category(int(state["rank"][seat])) == noted["rank_c"]
    [deal] = hand.of("deal")
    assert hand.by_seat(deal["rank_n"]) == state["dealt_rank"].tolist()[: len(hand.seats)]
    assert bool(state["done"]) == (not hand.crashed)
    if hand.crashed:
        return
    [rewards], [standings] = hand.of("rewards"), hand.of("standings")
    count = len(hand.seats)
    assert state["won"].tolist()[:count] == hand.by_seat(rewards["rewards"])
    assert state["stack"].tolist()[:count] == hand.by_seat(standings["stacks"])
    folded = [hand.seat(name) for name in rewards["folded"]]
    assert state["live"] == state["present"] & ~sum(1 << seat for seat in folded)
    assert state["won"].sum() == state["staked"].sum()
    told_nothing = [name for name, chips in rewards["rewards"].items() if not chips]
    for name in told_nothing:
        assert game.evolve(state, event(Action.SCORE_HAND, hand.seat(name), 0)) == 0
    for name, chips in standings["stacks"].items():
        assert game.evolve(state, event(Action.SCORE_MATCH, hand.seat(name), chips)) == 0


def test_by_the_book_the_hands_with_quirks_are_not_legal() -> None:
    """Those in which the first after the button did not bet first, or one without chips was asked."""
    for hand in ALL:
        states = game.begin(opening_of(hand, "book"))
        refused = any(game.evolve(states[0], one) for _, one in full_events(hand))
        first = hand.bets[0]["player"] if hand.bets else hand.of("ante")[0]["order"][0]
        odd = first != hand.of("ante")[0]["order"][0] or any(not bet["stack_before"] for bet in hand.bets)
        assert refused == odd


def test_r8_players_without_chips_are_asked_and_fold_if_short() -> None:
    asked = [bet for hand in ALL for bet in hand.bets if bet["stack_before"] == 0]
    assert {(bet["kind"], bet["call"] > 0) for bet in asked} == {("fold", True), ("call_allin", False)}
    assert len(asked) == 78


def test_r10_the_last_one_is_asked_if_he_has_not_acted() -> None:
    """All others have folded, having been short of the ante; he may still check, call or raise."""
    asked = []
    for hand in ALL:
        live = {name for name in hand.seats if hand.chips[hand.seat(name)]}
        for bet in hand.bets:
            if len(live) == 1:
                asked.append(bet["kind"])
            if bet["kind"] == "fold":
                live.remove(bet["player"])
    assert set(asked) == {"check", "raise"}


def test_r13_all_of_a_group_are_reported_even_with_no_chips() -> None:
    """From the best hand on until nothing is left; with an ante of 0 and no bets nobody gets any."""
    reported = [hand.of("rewards")[0]["rewards"] for hand in ALL if not hand.crashed]
    assert sum(0 in rewards.values() for rewards in reported) > 80
    assert any(0 in rewards.values() and sum(rewards.values()) for rewards in reported)


def test_r4_the_pack_that_is_not_shuffled_is_dealt_as_it_was_made() -> None:
    """In the order in which the players came to the table, five cards at once."""
    hands = [hand for hand in ALL if hand.game["kind"] == "spectate_original"]
    assert hands
    for hand in hands:
        [deal] = hand.of("deal")
        dealt = "".join(hand_text(held) for held in deal["hands"].values())
        assert DECK_TEXT.startswith(dealt)
    assert not RULES["original_unshuffled"].shuffles
