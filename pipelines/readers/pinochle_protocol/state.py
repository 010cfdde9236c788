"""State of the parser of Pinochle's protocol: what it waits for, what can be wrong, and its records.

What bids, trump and tricks amount to is not kept here but asked of the game's own state, which each
event of a hand goes through; see `advance` in `game.py`.
"""

from enum import IntEnum
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.pinochle.state import SEATS
from cardlog.pipelines.readers.pinochle_protocol.lines import NO_CARD
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_TIME, compiled_dtype
from cardlog.schemas.reasons import Reason

DIALECTS: Final = ("jan2013", "head2014")
JAN_2013, HEAD_2014 = range(len(DIALECTS))

UNKNOWN: Final = -2
"""Stands for a dealer, a trump or a number of hands that lost lines would have told."""
NO_LINE: Final = -1
NO_NUMBER: Final = -1
FIRST_EVENTS: Final = 1 + SEATS
"""Events that a hand begins with: the opening and four hands."""


Stage = IntEnum(
    "Stage",
    "BIDS BID_ANSWER STUCK NAME NAME_ANSWER MELDS PLAYS PLAY_ANSWER CONFIRM TRICK TRICK_TAKER SCORES WINNER "
    "SCORE OVER",
    start=0,
)
"""What the parser waits for, in the order of a hand."""

WANTED: Final = {
    Stage.BIDS: "a bid",
    Stage.BID_ANSWER: "the client's bid",
    Stage.STUCK: "the dealer's bid of 20",
    Stage.NAME: "trump",
    Stage.NAME_ANSWER: "the client's trump",
    Stage.MELDS: "a meld",
    Stage.PLAYS: "a card",
    Stage.PLAY_ANSWER: "the client's card",
    Stage.CONFIRM: "a card or the end of the trick",
    Stage.TRICK: "the end of the trick",
    Stage.TRICK_TAKER: "the seat that takes the trick",
    Stage.SCORES: "the scores",
    Stage.WINNER: "the winner",
    Stage.SCORE: "the score",
    Stage.OVER: "another hand",
}
"""What must come at each stage, in sentences."""


Fault = IntEnum(
    "Fault",
    "FINE UNREADABLE UNEXPECTED HEADLESS REQUEST TRICK_NUMBER TAKER SCORES HAND_COUNT WINNER DEALT_COUNT "
    "DEALT_THRICE UNFINISHED_LINE",
    start=0,
)
"""What can be wrong with the lines of a hand, whatever the rules say of its events."""

FAULTS: Final = {
    Fault.UNREADABLE: (Reason.UNPARSABLE, "{line} stands in the middle of a hand"),
    Fault.UNEXPECTED: (Reason.OUT_OF_ORDER, "{line}, where {wanted} must come"),
    Fault.HEADLESS: (
        Reason.OUT_OF_ORDER,
        "{line}, before any deal: the beginning of the hand is missing",
    ),
    Fault.REQUEST: (
        Reason.OUT_OF_ORDER,
        "the request names another hand, lead, trump or winning card than there is",
    ),
    Fault.TRICK_NUMBER: (Reason.OUT_OF_ORDER, "the message counts the tricks differently"),
    Fault.TAKER: (Reason.SCORE_MISMATCH, "another seat takes the trick than the message says"),
    Fault.SCORES: (Reason.SCORE_MISMATCH, "the score is not what the message says"),
    Fault.HAND_COUNT: (Reason.SCORE_MISMATCH, "the message counts the hands differently"),
    Fault.WINNER: (Reason.SCORE_MISMATCH, "by the scores the game ends otherwise than it says"),
    Fault.DEALT_COUNT: (Reason.INCOMPLETE, "the deal must be twelve cards, for seat 0"),
    Fault.DEALT_THRICE: (Reason.DUPLICATE_CARD, "a card is dealt three times"),
    Fault.UNFINISHED_LINE: (Reason.INCOMPLETE, "the text ends in the middle of the line"),
}
"""For each fault the reason and the sentence; `line` is what the line is, `wanted` what must come."""

HAND: Final = compiled_dtype(
    [
        # where it is: `hands.find`
        ("first", np.int32),  # its lines
        ("last", np.int32),
        ("menu", np.int8),  # whether a menu stands before it
        ("table", np.int32),  # the line that tells who plays, NO_LINE if none does
        ("cut", np.int8),  # whether the lines end before it does
        # what it is: `parser.parse`
        ("match", np.int32),  # index of its match in the text
        ("number", np.int32),  # in the match, from 0; NO_NUMBER if the lines are no hand
        ("dialect", np.int8),
        ("dealer", np.int8),
        ("score_known", np.int8),  # whether the score before it is
        ("score", np.int32, (2,)),
        ("trump_before", np.int8),  # of the hand before it, NO_SUIT if it had none, UNKNOWN
        ("hands_played", np.int32),  # hands that counted before it, UNKNOWN
        ("fault", np.int8),
        ("fault_line", np.int32),
        ("wanted", np.int8),  # the stage in which the fault was found
    ]
)
"""A hand, or lines that are none. Lines are indices into the section's."""

REFUSED: Final = compiled_dtype([("event", np.int64), ("card", np.uint8)])
"""A card that the server refused of seat 0 before it took the one of an event."""

PARSER: Final = compiled_dtype(
    [
        # the match, as far as the hands so far have told it
        ("match", np.int32),
        ("next_number", np.int32),
        ("new_match", np.int8),  # whether the next hand begins one, unless this has no hand yet
        ("score_known", np.int8),
        ("score", np.int32, (2,)),
        ("trump", np.int8),  # of the last hand
        ("hands_played", np.int32),
        ("next_dealer", np.int8),  # UNKNOWN at the beginning of a text
        # the hand
        ("stage", np.int8),
        ("card", np.uint8),  # that seat 0 has sent and that is neither taken nor refused yet
        ("card_line", np.int32),
        ("scores", np.int32, (2,)),  # of the match after the hand, as its last message says
        ("scores_known", np.int8),
        ("hands_counted", np.int32),  # as that message says
        # what it has filled
        ("events", np.int64),
        ("first_event", np.int64),  # of the hand
        ("refused", np.int64),
        ("first_refused", np.int64),
    ]
)


class Parsed(NamedTuple):
    """What the parser fills. `offsets` says where each hand's events begin and the last one's end."""

    hands: NDArray[Any]
    events: NDArray[Any]
    offsets: NDArray[np.int64]
    refused: NDArray[Any]


def parser_state() -> Any:
    """The state before the first line of a text, which may begin in the middle of a match."""
    parser = np.zeros(1, PARSER)[0]
    parser["next_dealer"] = UNKNOWN
    parser["trump"] = UNKNOWN
    parser["hands_played"] = UNKNOWN
    return parser


@compiled
def begin_hand(parser: Any) -> None:
    """Reset what belongs to a single hand."""
    parser.stage = Stage.BIDS
    parser.card = NO_CARD
    parser.scores_known = 0
    parser.hands_counted = UNKNOWN
    parser.first_event = parser.events
    parser.first_refused = parser.refused


@compiled
def add(parser: Any, parsed: Parsed, action: int, seat: Int, line: Int) -> Any:
    """A new event of the hand, all but these three null."""
    event = parsed.events[parser.events]
    parser.events += 1
    event.action = action
    event.seat = seat
    event.suit = NO_SUIT
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    event.cards[:] = 0
    return event
