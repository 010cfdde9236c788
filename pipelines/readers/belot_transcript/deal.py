"""What belot's transcripts tell only by what comes later: the deal, and the score before a hand."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote import rules as belote
from cardlog.models.belote.score import SEATS
from cardlog.models.belote.state import HAND_CARDS
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript.hands import JUNK
from cardlog.pipelines.readers.belot_transcript.state import blank_event
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT

# ---------------------------------------------------------------- the deal


@compiled
def fill_deal(walk: Any, hand: Any, events: Any, first_line: int) -> None:
    """Put the opening and the hands before the other events. Hands that were not printed follow from what
    was played, shown and told at the keyboard; what is left is not known."""
    size = hand.offset
    begun = walk.made > size + 1 + SEATS
    blank_event(events, size, first_line + hand.first, belote.OPEN, NO_SEAT)
    size += 1
    for seat in range(SEATS):
        event = blank_event(events, size, first_line + hand.first, belote.DEAL_HAND, seat)
        if walk.shown:
            if walk.shown >> seat & 1 == 0:
                continue
            event.line = first_line + walk.shown_at[seat]
            event.count = HAND_CARDS
            event.cards[:HAND_CARDS] = walk.dealt[seat]
            hand.ordered |= 1 << seat
        elif begun:
            _derive(walk, seat, event)
            if walk.own[seat]:
                hand.ordered |= 1 << seat
        else:
            continue
        size += 1
    if not begun:
        walk.made = size
    elif size < hand.offset + 1 + SEATS:
        # Hands are missing though the hand goes on; the rules will say so.
        moved = hand.offset + 1 + SEATS - size
        for place in range(size, walk.made - moved):
            events[place] = events[place + moved]
        walk.made -= moved


@compiled
def _derive(walk: Any, seat: int, event: Any) -> None:
    """The cards of a seat as far as they are known: those it was told first, then those it played, then
    those it showed."""
    count = 0
    known = np.int64(0)
    for place in range(walk.own[seat]):
        event.cards[count] = walk.own_cards[seat, place]
        known |= np.int64(1) << event.cards[count]
        count += 1
    for place in range(walk.played[seat]):
        card = walk.played_cards[seat, place]
        if known >> card & 1 == 0 and count < HAND_CARDS:
            event.cards[count] = card
            known |= np.int64(1) << card
            count += 1
    for card in range(61):
        if walk.melded[seat] >> card & 1 and known >> card & 1 == 0 and count < HAND_CARDS:
            event.cards[count] = card
            count += 1
    for place in range(count, HAND_CARDS):
        event.cards[place] = cards.UNKNOWN
    event.count = HAND_CARDS


# ---------------------------------------------------------------- the score of the match


@compiled
def _told_brings(walk: Any, team: int) -> Int:
    """What the text says that the hand brings a team, -1 if it does not say."""
    if walk.final:
        return np.int64(walk.brings[team])
    if walk.swept or walk.block == 0 or (walk.block == 1 and walk.told < 2):
        return np.int64(-1)
    if walk.nothing < 0:
        return np.int64(walk.points[team])
    return np.int64(0 if walk.nothing == team else walk.points[0] + walk.points[1])


@compiled
def settle(walk: Any, hand: Any) -> None:
    """Choose the score before the hand: of two that are possible the one that the totals after it fit."""
    hand.in_match = hand.befores > 0
    hand.score[:] = hand.before[0]
    if hand.befores < 2 or walk.block != 2 or walk.told != 2:
        return
    hand.in_match = 0
    for choice in range(hand.befores):
        fits = True
        for team in range(2):
            brings = _told_brings(walk, team)
            fits &= bool(brings >= 0 and hand.before[choice, team] + brings == walk.totals[team])
        if fits and not hand.in_match:
            hand.in_match = 1
            hand.score[:] = hand.before[choice]


@compiled
def skip_to_totals(walk: Any, hand: Any, numbers: NDArray[np.int64]) -> None:
    """Of a spoilt hand take only the score of the match after it."""
    walk.final = 0
    walk.swept = 1
    walk.block = 0
    if hand.totals[0] >= 0 and hand.totals[1] >= 0:
        walk.block = 2
        walk.told = 2
        for team in range(2):
            walk.totals[team] = numbers[hand.totals[team]]


@compiled
def next_before(walk: Any, hand: Any, following: Any) -> None:
    """What the score before the next hand may be: what was printed, and what the hand's points make; if
    these differ, one of them is spoilt, and with it this hand."""
    following.befores = 0
    if hand.stray == JUNK:
        following.befores = hand.befores
        following.before[:] = hand.before
        return
    if walk.block == 2 and walk.told == 2:
        following.before[0, :] = walk.totals
        following.befores = 1
    if not hand.in_match or _told_brings(walk, 0) < 0:
        return
    same = following.befores == 1
    for team in range(2):
        made = hand.score[team] + _told_brings(walk, team)
        same &= made == following.before[0, team]
        following.before[following.befores, team] = made
    if not same:
        following.befores += 1
