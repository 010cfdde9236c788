"""Hands in the lines of Pinochle's protocol: where they begin and end, and what was dealt.

A compiled machine goes through the lines; `pinochle_talk` says what each line of a hand says. A hand
that can't be read does not take its neighbours with it.

The log shows the hand of seat 0 alone. What the others held follows from what they melded and
played; the rest is unknown.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.cards import DECK_CODES, KINDS, held_of_shown, masks_of
from cardlog.models.pinochle.dialects import GAME_POINTS, RULES
from cardlog.models.pinochle.rules import HAND_CARDS, SEATS
from cardlog.pipelines.readers.pinochle_protocol import lines as said
from cardlog.pipelines.readers.pinochle_protocol.parser import deal, follow
from cardlog.pipelines.readers.pinochle_protocol.state import (
    BEFORE_EVENTS,
    DIALECTS,
    FINE,
    HEADLESS,
    IN_DAMAGE,
    IN_HAND,
    JAN_2013,
    NAME_ANSWER,
    NO_LINE,
    NOT_KNOWN,
    NOWHERE,
    OVER,
    UNFINISHED_LINE,
    UNREADABLE,
    clear,
)
from cardlog.schemas.cards import NO_SUIT, UNKNOWN
from cardlog.schemas.events import NO_SEAT

_BOTH_NINES: Final = np.array([RULES[name].double_run_shows_both_nines for name in DIALECTS])


@compiled
def find(
    lines: NDArray[Any],
    memory: Any,
    hands: NDArray[Any],
    events: NDArray[Any],
    offsets: NDArray[np.int64],
    refused: NDArray[Any],
) -> int:
    """Find the hands in some lines; returns how many there are, damaged ones among them.

    memory
        `MEMORY`, as `start` leaves it, or what is known before a hand that stands alone.
    hands, events, offsets, refused
        Out: the hands, their events and where those begin, and the cards that were refused. A
        damaged hand has no events. `offsets` has one place more than there are lines.
    """
    memory.hand = -1
    memory.filled = 0
    for place in range(len(lines)):
        line = lines[place]
        kind = line.kind
        if kind == said.BLANK:
            continue
        if kind == said.TORN and memory.where != NOWHERE:
            hands[memory.hand].last = place
            continue
        if kind == said.DEAL or kind == said.MENU:
            _leave(memory, hands, events)
        elif memory.where == NOWHERE:
            if kind == said.NOTE:
                continue
            _enter(memory, hands, offsets, place)
            if kind == said.TORN:
                _damage(memory, hands, UNFINISHED_LINE, place)
            else:
                _damage(memory, hands, UNREADABLE if kind == said.BAD else HEADLESS, place)
        if kind == said.MENU:
            memory.new_match = 1
            if line.fields >> said.MY_TABLE & 1 or line.fields >> said.OPTION & 1:
                memory.table = place
            continue
        if kind == said.DEAL:
            _enter(memory, hands, offsets, place)
            _number(memory, hands)
            fault = deal(memory, hands, events, line, place)
        elif memory.where == IN_HAND:
            hands[memory.hand].last = place
            fault = follow(memory, hands, events, refused, line, place)
            if memory.stage == OVER:
                hands[memory.hand].ended = 1
                memory.new_match = line.over
                _leave(memory, hands, events)
        else:
            fault = FINE
        if fault != FINE:
            _damage(memory, hands, fault, place)
        if memory.where == IN_DAMAGE:
            _swallow(memory, hands, line, place)
    if memory.where != NOWHERE:
        hands[memory.hand].cut = 1
    _leave(memory, hands, events)
    offsets[memory.hand + 1] = memory.filled
    return int(memory.hand + 1)


# ---------------------------------------------------------------- where hands begin and end


@compiled
def _enter(memory: Any, hands: NDArray[Any], offsets: NDArray[np.int64], place: int) -> None:
    """Begin a hand, or lines that may turn out to be none."""
    memory.hand += 1
    memory.where = IN_HAND
    memory.begins = memory.filled
    memory.first_refused = memory.refused
    memory.card = said.NO_CARD
    memory.scores_told = 0
    memory.hands_told = NOT_KNOWN
    offsets[memory.hand] = memory.filled
    hand = hands[memory.hand]
    hand.number = NO_LINE
    hand.match = memory.match
    hand.first = place
    hand.last = place
    hand.fault = FINE
    hand.ended = 0
    hand.cut = 0
    hand.dialect = JAN_2013
    hand.table = memory.table


@compiled
def _number(memory: Any, hands: NDArray[Any]) -> None:
    """Give the hand its place in the match, which it may begin, and what is known before it."""
    hand = hands[memory.hand]
    if memory.new_match and memory.number > 0:
        memory.match += 1
        memory.number = 0
    if memory.new_match:
        memory.known = 1
        memory.before[0] = 0
        memory.before[1] = 0
        memory.trump_before = NO_SUIT
        memory.hands_played = 0
        memory.next_dealer = 0
    memory.new_match = 0
    hand.match = memory.match
    hand.number = memory.number
    hand.known = memory.known
    hand.before[0] = memory.before[0]
    hand.before[1] = memory.before[1]
    hand.trump_before = memory.trump_before
    hand.hands_played = memory.hands_played
    memory.dealer = memory.next_dealer
    hand.dealer = max(memory.next_dealer, 0)
    memory.number += 1
    if memory.next_dealer != NOT_KNOWN:
        memory.next_dealer = (memory.next_dealer + 1) % SEATS


@compiled
def _damage(memory: Any, hands: NDArray[Any], fault: int, place: int) -> None:
    """The hand can't be read: leave its events out, and take what follows for its rest."""
    hand = hands[memory.hand]
    hand.fault = fault
    hand.fault_line = place
    hand.waited_for = memory.stage
    memory.where = IN_DAMAGE
    memory.filled = memory.begins
    memory.refused = memory.first_refused


@compiled
def _swallow(memory: Any, hands: NDArray[Any], line: Any, place: int) -> None:
    """Take a line for part of a damaged hand; the score is its last one. What it tells of the match
    counts only if it agrees with itself."""
    hand = hands[memory.hand]
    hand.last = place
    belongs = line.kind not in (said.BAD, said.NOTE, said.TORN)
    if belongs and hand.number == NO_LINE:
        _number(memory, hands)
    scores = line.scores
    if line.kind in (said.SCORES_MESSAGE, said.THROW_IN_MESSAGE):
        counted = memory.hands_played + (line.kind == said.SCORES_MESSAGE)
        known = memory.hands_played == NOT_KNOWN or line.number == counted
        memory.hands_told = line.number if known else NOT_KNOWN
        memory.scores[0] = scores[0]
        memory.scores[1] = scores[1]
        memory.scores_told = 1
    elif line.kind == said.SAY_SCORE:
        hand.ended = 1
        if scores[0] != memory.scores[0] or scores[1] != memory.scores[1]:
            memory.scores_told = 0
        memory.new_match = line.over and max(scores[0], scores[1]) >= GAME_POINTS
        _close(memory, NOT_KNOWN)


@compiled
def _leave(memory: Any, hands: NDArray[Any], events: NDArray[Any]) -> None:
    """What comes next is not of the hand any more, whether that is over or not."""
    if memory.where == NOWHERE:
        return
    if memory.where == IN_HAND:
        _complete(memory, hands, events)
        trump = memory.trump if memory.stage > NAME_ANSWER else NOT_KNOWN
        if memory.thrown_in and memory.melds == 0:
            trump = memory.trump_before
        _close(memory, trump)
    elif hands[memory.hand].number != NO_LINE:
        _close(memory, NOT_KNOWN)
    memory.where = NOWHERE


@compiled
def _close(memory: Any, trump: int) -> None:
    """Keep of a hand what matters to the next."""
    memory.where = NOWHERE
    memory.known = memory.scores_told
    memory.before[0] = memory.scores[0]
    memory.before[1] = memory.scores[1]
    memory.hands_played = memory.hands_told
    memory.trump_before = trump


@compiled
def _complete(memory: Any, hands: NDArray[Any], events: NDArray[Any]) -> None:
    """Put before a hand's events its opening and what the others were dealt, as far as it is known."""
    hand = hands[memory.hand]
    clear(events[memory.begins], pinochle.OPEN, NO_SEAT, hand.first)
    held = np.zeros((SEATS, 64), np.int64)
    played = np.zeros(SEATS, np.int64)
    for place in range(memory.begins + BEFORE_EVENTS, memory.filled):
        event = events[place]
        if event.action == pinochle.PLAY_CARD:
            held[event.seat, event.cards[0]] += 1
            played[event.seat] += 1
    for place in range(memory.begins + BEFORE_EVENTS, memory.filled):
        event = events[place]
        if event.action == pinochle.DECLARE and played[event.seat] < HAND_CARDS:
            firsts, seconds = masks_of(event.cards, event.count)
            if firsts < 0:
                continue
            firsts, seconds = held_of_shown(
                firsts, seconds, event.amount, memory.trump, _BOTH_NINES[memory.dialect]
            )
            for number in range(KINDS):
                code = DECK_CODES[number]
                least = (firsts >> code & 1) + (seconds >> code & 1)
                held[event.seat, code] = max(held[event.seat, code], least)
    for seat in range(1, SEATS):
        event = events[memory.begins + 1 + seat]
        clear(event, pinochle.DEAL_HAND, seat, hand.first)
        _give(event, held[seat])


@compiled
def _give(event: Any, held: Any) -> None:
    """Fill a hand with so many of each card, in the servers' order, and the rest with unknown ones."""
    for number in range(KINDS):
        for _ in range(held[DECK_CODES[number]]):
            if event.count < HAND_CARDS:
                event.cards[event.count] = DECK_CODES[number]
                event.count += 1
    for place in range(event.count, HAND_CARDS):
        event.cards[place] = UNKNOWN
    event.count = HAND_CARDS
