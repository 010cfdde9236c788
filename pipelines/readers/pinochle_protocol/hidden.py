"""What seats 1 to 3 held, which the log does not show: what they melded and played."""

from typing import Any, Final

import numpy as np

from cardlog.models.pinochle import cards as pack
from cardlog.models.pinochle import dialects
from cardlog.models.pinochle.state import HAND_CARDS
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers.pinochle_protocol.match import Hand
from cardlog.pipelines.readers.transcript import Event
from cardlog.schemas.cards import SUIT_STRIDE, UNKNOWN
from cardlog.schemas.events import Action

_ORDER: Final = {card: index for index, card in enumerate(pack.DECK_CODES.tolist())}
"""The index of each card in the servers' order."""


def fill_in(hand: Hand, trump: int) -> None:
    """Fill in the deals of seats 1 to 3, of which the log shows only what they melded and played."""
    for seat in range(1, SEATS):
        own = [event for event in hand.events[1 + SEATS :] if event.seat == seat]
        known = b"".join([event.cards for event in own if event.action == Action.PLAY_CARD])
        if len(known) < HAND_CARDS:
            for event in own:
                declares = event.action == Action.MELD_DECLARE
                shown = _held_of_shown(hand.dialect, event, trump) if declares else b""
                known += b"".join(
                    bytes([card]) * (shown.count(card) - known.count(card)) for card in set(shown)
                )
        known = bytes(sorted(known, key=_ORDER.__getitem__)[:HAND_CARDS])
        hand.events[1 + seat].cards = known.ljust(HAND_CARDS, bytes([UNKNOWN]))


def _held_of_shown(dialect: str, event: Event, trump: int) -> bytes:
    """The cards that a seat certainly holds if it declares a meld: those it shows, perhaps without the nines
    of trump."""
    cards = event.cards
    if max(map(cards.count, cards), default=0) > 2:
        return b""
    nine = int(pack.NINE).bit_length() - 1 + trump * SUIT_STRIDE
    if trump < 0 or nine not in cards:
        return cards
    firsts = np.int64(sum(1 << card for card in set(cards)))
    seconds = np.int64(sum(1 << card for card in set(cards) if cards.count(card) == 2))
    both = dialects.RULES[dialect].double_run_shows_both_nines
    # With the types of the rules' own records, or the function would be compiled once more.
    amount: Any = np.int32(event.amount)
    suit: Any = np.int8(trump)
    held = pack.held_of_shown(firsts, seconds, amount, suit, both)
    nines = sum(int(mask) >> nine & 1 for mask in held)
    return cards.replace(bytes([nine]), b"") + bytes([nine]) * nines
