"""The game in a hand of Pinochle's protocol: its state follows the text where that breaks a rule."""

import re

import numpy as np
import pytest

from cardlog.models.pinochle import rules
from cardlog.models.pinochle.cards import masks_of
from cardlog.models.pinochle.state import BIDDING, DONE, HAND_CARDS, MELDING, NAMING, PLAYING, SEATS
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.pinochle_protocol.game import advance, begin_game, set_dealer
from cardlog.pipelines.readers.pinochle_protocol.state import HEAD_2014, JAN_2013
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_damage import sessions
from tests.support.pinochle_logs import read_text

HAND = "ADTDKDQDJD9DACTCKCQCJC9C"
"""What seat 0 is dealt."""


def step(game: np.record, action: int, seat: int = NO_SEAT, shown: str = "", **values: int) -> None:
    """Advance the game by an event."""
    event = np.zeros(1, rules.EVENT)[0]
    event["action"], event["seat"] = action, seat
    event["suit"], event["amount"] = values.get("suit", -1), values.get("amount", NO_AMOUNT)
    codes = cards.codes(shown)
    event["count"] = len(codes)
    event["cards"][: len(codes)] = codes
    advance(game, event)


def dealt(dialect: int = JAN_2013, dealer: int = 3) -> np.record:
    """A hand that has been dealt; seat 0 is the first to bid."""
    game = np.zeros(1, rules.STATE)
    begin_game(game, dialect, cards.NO_SUIT)
    state: np.record = game[0]
    set_dealer(state, dealer)
    step(state, rules.OPEN)
    for seat in range(SEATS):
        step(state, rules.DEAL_HAND, seat, HAND if seat == 0 else "??" * HAND_CARDS)
    return state


def playing() -> np.record:
    """A hand in which seat 0 leads, diamonds being trump."""
    game = dealt()
    step(game, rules.BID, 0, amount=30)
    for seat in range(1, SEATS):
        step(game, rules.BID_PASS, seat)
    step(game, rules.NAME_TRUMP, 0, suit=cards.SUITS.index("D"))
    for _ in range(SEATS):
        step(game, rules.DECLARE, 1, "AS", amount=99)
    return game


def test_a_bid_out_of_turn_counts_as_one_of_the_four() -> None:
    game = dealt()
    step(game, rules.BID, 2, amount=25)
    assert (game["bid_count"], game["high_bid"], game["declarer"]) == (1, 25, 2)
    step(game, rules.BID, 2, amount=20_000)
    assert (game["bid_count"], game["high_bid"], game["declarer"]) == (2, 20_000, 2)
    step(game, rules.BID_PASS, 1)
    step(game, rules.BID_PASS, 0)
    assert (game["phase"], game["turn"]) == (NAMING, 2)


@pytest.mark.parametrize("bidder", [2, 3])
def test_a_dealer_is_stuck_only_if_nobody_has_bid(bidder: int) -> None:
    """[R4] Also if it is the dealer who has, before the turn came to him."""
    game = dealt(HEAD_2014)
    step(game, rules.BID, bidder, amount=25)
    for seat in (1, 2):
        step(game, rules.BID_PASS, seat)
    assert game["phase"] == BIDDING
    step(game, rules.BID_PASS, 3)
    assert (game["phase"], game["declarer"]) == (NAMING, bidder)
    passed = dealt(HEAD_2014)
    for seat in (1, 1, 2):
        step(passed, rules.BID_PASS, seat)
    assert (passed["phase"], passed["bid_count"]) == (NAMING, 3)


@pytest.mark.parametrize(("dialect", "phase"), [(JAN_2013, MELDING), (HEAD_2014, DONE)])
def test_another_seat_than_the_declarer_names_trump_or_throws_in(dialect: int, phase: int) -> None:
    for action, then in ((rules.NAME_TRUMP, MELDING), (rules.THROW_IN, phase)):
        game = dealt(dialect)
        step(game, rules.BID, 0, amount=25)
        for seat in range(1, SEATS):
            step(game, rules.BID_PASS, seat)
        step(game, action, 2, suit=1 if action == rules.NAME_TRUMP else -1)
        assert (game["phase"], game["declarer"]) == (then, 0)
        assert game["trump"] == (1 if action == rules.NAME_TRUMP else cards.NO_SUIT)


def test_four_melds_lead_to_play_whoever_shows_them() -> None:
    game = playing()
    assert (game["phase"], game["turn"]) == (PLAYING, 0)


def test_cards_lie_on_the_table_whoever_plays_them() -> None:
    game = playing()
    step(game, rules.PLAY_CARD, 0, "9C")
    step(game, rules.PLAY_CARD, 3, "AS")
    step(game, rules.PLAY_CARD, 0, "9C")  # which it holds no more, and it is not its turn
    assert (game["plays"], game["trick_cards"], cards.text(int(game["best"]))) == (3, 3, "9C")
    step(game, rules.PLAY_CARD, 3, "9D")
    assert (game["tricks"], game["winners"][0], game["turn"]) == (1, 3, 3)
    held = masks_of(np.array(cards.codes(HAND.replace("9C", "")), np.uint8), HAND_CARDS - 1)
    assert (game["firsts"][0], game["seconds"][0]) == held
    assert game["unknown"][3] == HAND_CARDS


def test_a_hand_that_breaks_a_rule_tells_the_next_one_all_the_same() -> None:
    [text] = [part for part in sessions() if part.startswith(b"=== SESSION J001")]
    whole = judge(read_text(text))
    trump = re.search(rb'--> {"Playerid":(.),"Trump":".","Type":"Trump"}', text)
    assert trump
    assert trump[1] == b"2"
    broken = text.replace(trump[0], trump[0].replace(b'"Playerid":2', b'"Playerid":3'), 1)
    found = judge(read_text(broken))
    assert [reject.reason for reject in found.rejects] == [Reason.BAD_BID]
    assert found.batch.content().tolist() == whole.batch.content().tolist()[1:]


def test_what_contradicts_itself_after_a_broken_rule_is_still_found() -> None:
    [text] = [part for part in sessions() if part.startswith(b"=== SESSION J001")]
    broken = text.replace(b'"Bid":26', b'"Bid":26000', 1).replace(b'"Score":[28,9]', b'"Score":[28,8]', 1)
    assert broken.count(b"26000") == 1
    [reject] = judge(read_text(broken)).rejects
    assert (reject.reason, "the score differs" in reject.message) == (Reason.SCORE_MISMATCH, True)
