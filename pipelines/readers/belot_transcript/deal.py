"""The deal of a hand: if the text does not print it, it is derived from what is played later."""

from typing import Final

import numpy as np

from cardlog.models.belote import rules as belote
from cardlog.models.belote.score import SEATS
from cardlog.models.belote.state import HAND_CARDS
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript.state import (
    DEALT_EVENTS,
    Parser,
    are_printed,
    carry_out,
    deal_event,
)
from cardlog.schemas import cards

_CODES: Final = 61
"""The codes of the pack's cards are below this."""


@compiled
def hide(parser: Parser) -> None:
    """Deal unknown cards in the rules' state, unless hands were printed."""
    if are_printed(parser):
        return
    for seat in range(SEATS):
        event = deal_event(parser, seat)
        event.count = HAND_CARDS
        event.cards[:] = cards.UNKNOWN
        carry_out(parser, event)
        event.count = 0


@compiled
def complete(parser: Parser) -> None:
    """Complete the first events of a hand. Hands that were not printed are derived from the cards played,
    shown and seen at the keyboard; the rest remains unknown."""
    hand, progress = parser.hand, parser.progress[0]
    if are_printed(parser):
        for seat in range(SEATS):
            if deal_event(parser, seat).count:
                hand.ordered |= 1 << seat
    elif progress.made > hand.offset + DEALT_EVENTS:
        _derive_deal(parser)
    _drop_unknown_hands(parser)


@compiled
def _derive_deal(parser: Parser) -> None:
    """The known cards of each seat: first those shown at the keyboard, in order, then those it played, then
    those it declared."""
    hand, progress = parser.hand, parser.progress[0]
    for seat in range(SEATS):
        event = deal_event(parser, seat)
        event.count = progress.own[seat]
        event.cards[:] = progress.own_cards[seat]
        if event.count:
            hand.ordered |= 1 << seat
    shown = np.zeros(SEATS, np.int64)
    for index in range(hand.offset + DEALT_EVENTS, progress.made):
        event = parser.events[index]
        if event.action == belote.PLAY_CARD:
            _learn(parser, event.seat, event.cards[0])
        elif event.action == belote.DECLARE:
            for number in range(event.count):
                shown[event.seat] |= np.int64(1) << event.cards[number]
    for seat in range(SEATS):
        for card in range(_CODES):
            if shown[seat] >> card & 1:
                _learn(parser, seat, card)
        event = deal_event(parser, seat)
        event.cards[event.count :] = cards.UNKNOWN
        event.count = HAND_CARDS


@compiled
def _learn(parser: Parser, seat: Int, card: Int) -> None:
    """Add a card to a seat's deal, unless it is there already."""
    event = deal_event(parser, seat)
    for number in range(event.count):
        if event.cards[number] == card:
            return
    if event.count < HAND_CARDS:
        event.cards[event.count] = card
        event.count += 1


@compiled
def _drop_unknown_hands(parser: Parser) -> None:
    """Remove the deals of seats none of whose cards are known. If the hand goes on, the rules will report
    them missing."""
    offset, progress = parser.hand.offset, parser.progress[0]
    kept = offset + 1
    for index in range(offset + 1, progress.made):
        if index >= offset + DEALT_EVENTS or parser.events[index].count:
            if kept < index:
                parser.events[kept] = parser.events[index]
            kept += 1
    progress.made = kept
