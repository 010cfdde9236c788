"""The `bids` table: every bid and pass of the auctions, and which bid became the contract."""

import numpy as np
import pyarrow as pa

from cardlog.pipelines.derive.projections.hands import Hands
from cardlog.pipelines.events.columns import labels, nullable, optional
from cardlog.schemas.cards import NO_TRUMP, SUIT_LETTERS
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.schemas.tables import BIDS


def bids(hands: Hands) -> pa.Table:
    """The rows of `bids` for some legal hands. The winning bid is the declarer's bid of the contract's
    amount, or the declarer's only bid where bids have no amount."""
    batch = hands.batch
    index = np.flatnonzero(np.isin(batch.events["action"], hands.own.bids))
    hand = hands.hand_of_event[index]
    events = batch.events[index]
    firsts = np.searchsorted(hand, np.arange(len(batch)))
    seat, amount, suit = events["seat"], events["amount"], events["suit"]
    is_pass = events["action"] == Action.BID_PASS
    contract = hands.numbers("contract", NO_AMOUNT)[hand]
    is_contract = (amount == NO_AMOUNT) | (amount == contract)
    columns = {
        "bid_no": nullable((np.arange(len(index)) - firsts[hand]).astype(np.int16), None),
        "seat": nullable(seat, None),
        "is_pass": nullable(is_pass, None),
        "amount": optional(amount, NO_AMOUNT),
        "suit": labels(suit, SUIT_LETTERS),
        "is_no_trump": nullable(suit == NO_TRUMP, None),
        "is_dealer": nullable(seat == hands.numbers("dealer")[hand], None),
        "is_winning": nullable(~is_pass & (seat == hands.numbers("declarer")[hand]) & is_contract, None),
    }
    return hands.rows(BIDS, hand, columns)
