"""The rules against all games of the original program, with the cards it did not print."""

import pytest

from cardlog.models.five_card_draw import rules as game
from cardlog.models.poker import ranks
from cardlog.models.poker.betting import owed
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.five_card_draw_hands import (
    LOGS,
    OracleHand,
    event,
    full_events,
    opening_of,
    oracle_hands,
)
from tests.support.soak import long


def all_hands() -> list[OracleHand]:
    return [hand for log in LOGS for hand in oracle_hands(log)]


@pytest.mark.parametrize("log", ["games", "odd", *long("more")])
def test_every_hand_folds_to_what_the_oracle_says(log: str) -> None:
    """Every ante, bet, stack, pot, rank and reward; all hands are open here, mucked ones too."""
    for hand in oracle_hands(log):
        try:
            check(hand)
        except AssertionError as error:
            error.add_note(f"hand {hand.number} of {hand.game['gid']}")
            raise


def check(hand: OracleHand) -> None:
    states = game.begin(opening_of(hand))
    state = states[0]
    for record, act in full_events(hand):
        before = states.copy()[0]
        assert game.evolve(state, act) == 0, (act, game.legal_text(before))
        seat = int(act["seat"])
        if record is None:
            continue
        if record["t"] == "ante":
            assert [state["stack"][seat], state["staked"][seat]] == record["chips"][hand.seats[seat]]
        elif record["t"] == "bet":
            assert owed(before) == record["call"]
            if "kind" in record:
                is_all_in = record["kind"] != "fold" and record["amount"] == before["stack"][seat]
                assert record["kind"].endswith("allin") == is_all_in
            assert before["stack"][seat] == record["stack_before"]
            assert before["stack"][seat] - record["amount"] == record["stack"]
            staked = before["staked"][seat] + record["amount"]
            assert staked == record["contribution"] == state["staked"][seat]
            assert before["staked"].sum() + record["amount"] == record["pot"]
        elif record["t"] == "swap":
            assert cards.texts(state["held_cards"][seat]) == "".join(record["after"]).upper()
            assert int(state["rank"][seat]) == record["rank_n"]
            assert ranks.category(int(state["rank"][seat])) == record["rank_c"]
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
    losers = [name for name, chips in rewards["rewards"].items() if not chips]
    for name in losers:
        assert game.evolve(state, event(Action.SCORE_HAND, hand.seat(name), 0)) == 0
    for name, chips in standings["stacks"].items():
        assert game.evolve(state, event(Action.SCORE_MATCH, hand.seat(name), chips)) == 0


def test_by_the_book_the_hands_with_quirks_are_not_legal() -> None:
    """Those in which the first after the button did not bet first, or a player without chips was asked."""
    for hand in all_hands():
        states = game.begin(opening_of(hand, "book"))
        refused = any(game.evolve(states[0], act) for _, act in full_events(hand))
        first = hand.bets[0]["player"] if hand.bets else hand.of("ante")[0]["order"][0]
        odd = first != hand.of("ante")[0]["order"][0] or any(not bet["stack_before"] for bet in hand.bets)
        assert refused == odd
