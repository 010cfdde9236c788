"""What the machine that reads Pinochle's protocol remembers, waits for, finds and finds wrong."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.models.pinochle.rules import SEATS
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_TIME, compiled_dtype
from cardlog.schemas.reasons import Reason

DIALECTS: Final = ("jan2013", "head2014")
JAN_2013, HEAD_2014 = range(len(DIALECTS))

NOT_KNOWN: Final = -2
"""Stands for the trump of the hand before, or the number of hands, after a hand that can't be read."""
NO_LINE: Final = -1
BEFORE_EVENTS: Final = 1 + SEATS
"""Events of a hand that come before what the lines after its deal say: the opening and four hands."""

# What a hand waits for.
(
    BIDS, BID_ANSWER, STUCK, NAME, NAME_ANSWER, MELDS, PLAYS, PLAY_ANSWER, CONFIRM, TRICK, TRICK_TAKER,
    SCORES, WINNER, SCORE, OVER,
) = range(15)  # fmt: skip
WANTED: Final = (
    "a bid", "the client's bid", "the dealer's bid of 20", "trump", "the client's trump", "a meld",
    "a card", "the client's card", "a card or the end of the trick", "the end of the trick",
    "the seat that takes the trick", "the scores", "the winner", "the score",
    "another hand",
)  # fmt: skip

# What can be wrong with a hand, besides its rules.
(
    FINE, UNREADABLE, UNEXPECTED, HEADLESS, REQUEST, TRICK_NUMBER, TAKER, SAID_SCORES, SAID_HANDS, SAID_OVER,
    DEALT_COUNT, DEALT_THRICE, UNFINISHED_LINE,
) = range(13)  # fmt: skip
FAULT_REASONS: Final = np.array(
    [
        Reason.OK, Reason.UNPARSABLE, Reason.OUT_OF_ORDER, Reason.OUT_OF_ORDER, Reason.OUT_OF_ORDER,
        Reason.OUT_OF_ORDER, Reason.SCORE_MISMATCH, Reason.SCORE_MISMATCH, Reason.SCORE_MISMATCH,
        Reason.SCORE_MISMATCH, Reason.INCOMPLETE, Reason.DUPLICATE_CARD, Reason.INCOMPLETE,
    ],
    np.int8,
)  # fmt: skip

NOWHERE, IN_HAND, IN_DAMAGE = range(3)

HAND: Final = compiled_dtype(
    [
        ("match", np.int32),  # its place in the text, from 0
        ("number", np.int32),  # the hand's in the match; NO_LINE if what was found is no hand
        ("first", np.int32),  # its lines
        ("last", np.int32),
        ("fault", np.int8),
        ("fault_line", np.int32),
        ("waited_for", np.int8),
        ("ended", np.int8),  # whether its last line was seen
        ("cut", np.int8),  # whether the lines end before it does
        ("dialect", np.int8),
        ("dealer", np.int8),
        ("known", np.int8),  # whether the score before is
        ("before", np.int32, (2,)),
        ("trump_before", np.int8),  # NO_SUIT if there was none, NOT_KNOWN
        ("hands_played", np.int32),  # hands that counted before, NOT_KNOWN
        ("table", np.int32),  # the line that tells who plays, NO_LINE if none does
    ]
)
"""A hand that was found, or lines that are none."""

REFUSED: Final = compiled_dtype([("event", np.int64), ("card", np.uint8)])
"""A card of seat 0 that was refused before it played the one of an event."""

MEMORY: Final = compiled_dtype(
    [
        ("where", np.int8),
        ("hand", np.int64),  # place of the hand that is being read
        ("filled", np.int64),  # events so far
        ("begins", np.int64),  # where the hand's begin
        ("refused", np.int64),  # refused cards so far
        ("first_refused", np.int64),  # where the hand's begin
        ("match", np.int32),
        ("number", np.int32),  # of the next hand in the match
        ("new_match", np.int8),  # whether the next hand begins one, if this has had a hand
        ("table", np.int32),
        ("known", np.int8),
        ("before", np.int32, (2,)),
        ("trump_before", np.int8),
        ("hands_played", np.int32),
        ("next_dealer", np.int8),  # NOT_KNOWN at the beginning of a text
        ("stage", np.int8),
        ("dialect", np.int8),
        ("dealer", np.int8),
        ("bids", np.int8),
        ("high_bid", np.int32),
        ("declarer", np.int8),
        ("thrown_in", np.int8),
        ("trump", np.int8),
        ("melds", np.int8),
        ("tricks", np.int8),
        ("on_table", np.int8),
        ("lead", np.int8),
        ("best", np.uint8),
        ("firsts", np.int64),  # what seat 0 holds
        ("seconds", np.int64),
        ("card", np.uint8),  # that seat 0 has sent and nobody has answered to
        ("card_line", np.int32),
        ("taker", np.int8),
        ("scores", np.int32, (2,)),
        ("scores_told", np.int8),
        ("hands_told", np.int32),
        ("over", np.int8),  # team that has won, -1 if none has
    ]
)


def start(memory: Any) -> None:
    """Make a blank memory what it is before the first line of a text, which may begin in the middle of
    a match."""
    memory["next_dealer"] = NOT_KNOWN
    memory["trump_before"] = NOT_KNOWN
    memory["hands_played"] = NOT_KNOWN
    memory["table"] = NO_LINE


@compiled
def add(memory: Any, events: NDArray[Any], action: int, seat: int, place: int) -> Any:
    """A new event of the hand, read from the line at a place."""
    event = events[memory.filled]
    memory.filled += 1
    clear(event, action, seat, place)
    return event


@compiled
def clear(event: Any, action: int, seat: int, place: int) -> None:
    """Make an event one of this action, seat and line, everything else null."""
    event.action = action
    event.seat = seat
    event.suit = NO_SUIT
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = place
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for card in range(len(event.cards)):
        event.cards[card] = 0
