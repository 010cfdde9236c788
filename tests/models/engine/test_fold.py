"""The fold: hands one after another, each up to its first illegal event."""

import numpy as np

from cardlog.models.engine.fold import WHOLE, fold
from cardlog.models.kaiser import KAISER
from cardlog.models.kaiser.state import BIDDING, OPENING
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason
from tests.support.kaiser_hands import MIXED, Event, Hand, bid, event, fold_hands, opening, records

DEAL = [Event(Action.DEAL_OPEN), *(event("deal", "hand", seat, MIXED[seat]) for seat in range(4))]


def test_fold_gives_each_hand_its_state_and_nothing_of_its_neighbours() -> None:
    hands = [
        [*DEAL, bid(0, "7")],
        [*DEAL, bid(0, "8N"), bid(1, "pass")],
        [Event(Action.DEAL_OPEN)],
    ]
    states, reasons, at = fold_hands([opening()] * 3, hands)
    assert reasons.tolist() == [0, 0, 0]
    assert at.tolist() == [WHOLE] * 3
    assert states["bids"].tolist() == [[14, -1, -1, -1], [17, 0, -1, -1], [-1] * 4]
    for state, hand in zip(states, hands, strict=True):
        assert state.tobytes() == Hand(deal=None).all(*hand).states.tobytes()


def test_fold_stops_at_the_first_illegal_event_and_goes_on_with_the_next_hand() -> None:
    hands = [
        [*DEAL, bid(0, "7"), bid(1, "7"), bid(1, "8")],
        [*DEAL, bid(1, "7"), bid(0, "6")],
        [*DEAL, bid(0, "9")],
    ]
    states, reasons, at = fold_hands([opening()] * 3, hands)
    assert reasons.tolist() == [Reason.BAD_BID, Reason.WRONG_TURN, Reason.OK]
    assert at.tolist() == [6, 5, WHOLE]
    assert states["bids"][:, 0].tolist() == [14, -1, 18]  # the state after the last legal event
    assert states["bid_count"].tolist() == [1, 0, 1]


def test_fold_takes_hands_without_events_and_no_hands() -> None:
    states, reasons, at = fold_hands([opening()] * 2, [[], DEAL])
    assert reasons.tolist() == [0, 0]
    assert at.tolist() == [WHOLE] * 2
    assert states["phase"].tolist() == [OPENING, BIDDING]
    empty = np.zeros(0, np.int64)
    fold(KAISER, records([]), np.zeros(1, np.int64), states[:0], empty.astype(np.int8), empty)


def test_fold_leaves_alone_the_events_outside_the_offsets() -> None:
    flat = records([bid(0, "7"), *DEAL, bid(3, "7")])
    states = KAISER.begin(opening())
    reasons, at = np.zeros(1, np.int8), np.zeros(1, np.int64)
    fold(KAISER, flat, np.array([1, 6]), states, reasons, at)
    assert (reasons[0], at[0], states["phase"][0]) == (0, WHOLE, BIDDING)


def test_fold_gives_the_index_of_the_illegal_event_among_all_events() -> None:
    flat = records([*DEAL, *DEAL, bid(2, "7")])
    states = np.repeat(KAISER.begin(opening()), 2)
    reasons, at = np.zeros(2, np.int8), np.zeros(2, np.int64)
    fold(KAISER, flat, np.array([0, 5, 11]), states, reasons, at)
    assert reasons.tolist() == [0, Reason.WRONG_TURN]
    assert at.tolist() == [WHOLE, 10]


def test_fold_fills_in_the_seats_of_plays() -> None:
    played = ["AC", "9C", "JC", "KC", "8C"]
    bids = [bid(0, "7"), bid(1, "pass"), bid(2, "pass"), bid(3, "pass"), event("bid", "trump", 0, suit="D")]
    flat = records([*DEAL, *bids, *(event("play", "card", NO_SEAT, card) for card in played)])
    states = KAISER.begin(opening())
    fold(KAISER, flat, np.array([0, len(flat)]), states, np.zeros(1, np.int8), np.zeros(1, np.int64))
    assert flat["seat"][-5:].tolist() == [0, 1, 2, 3, 0]
