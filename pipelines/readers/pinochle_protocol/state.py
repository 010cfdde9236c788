"""The state of the parser of Pinochle's protocol: its stages, faults and records.

Bids, trump and tricks are not kept here but in the game's own state; see `advance` in `game.py`.
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
"""Stands for a dealer, a trump or a number of hands that is not known, since lines are missing."""
NO_LINE: Final = -1
NO_NUMBER: Final = -1
FIRST_EVENTS: Final = 1 + SEATS
"""Events at the beginning of a hand: the opening and four deals."""


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
"""What is expected at each stage, in messages."""


Fault = IntEnum(
    "Fault",
    "FINE UNREADABLE UNEXPECTED HEADLESS REQUEST TRICK_NUMBER TAKER SCORES HAND_COUNT WINNER DEALT_COUNT "
    "DEALT_THRICE",
    start=0,
)
"""What can be wrong with the lines of a hand, apart from the rules."""

FAULTS: Final = {
    Fault.UNREADABLE: (Reason.UNPARSABLE, "{line} is in the middle of a hand"),
    Fault.UNEXPECTED: (Reason.OUT_OF_ORDER, "{line}, where {wanted} was expected"),
    Fault.HEADLESS: (
        Reason.OUT_OF_ORDER,
        "{line}, before any deal: the beginning of the hand is missing",
    ),
    Fault.REQUEST: (
        Reason.OUT_OF_ORDER,
        "the request has a wrong hand, lead, trump or winning card",
    ),
    Fault.TRICK_NUMBER: (Reason.OUT_OF_ORDER, "the message counts the tricks differently"),
    Fault.TAKER: (Reason.SCORE_MISMATCH, "the message names another taker of the trick"),
    Fault.SCORES: (Reason.SCORE_MISMATCH, "the score differs from the message"),
    Fault.HAND_COUNT: (Reason.SCORE_MISMATCH, "the message counts the hands differently"),
    Fault.WINNER: (Reason.SCORE_MISMATCH, "the scores give another winner, or none"),
    Fault.DEALT_COUNT: (Reason.INCOMPLETE, "the deal must be twelve cards, for seat 0"),
    Fault.DEALT_THRICE: (Reason.DUPLICATE_CARD, "a card is dealt three times"),
}
"""The reason and message of each fault; `line` is the kind of line, `wanted` the expected one."""

HAND: Final = compiled_dtype(
    [
        # filled in by `hands.find`:
        ("first", np.int32),  # its lines
        ("last", np.int32),
        ("menu", np.int8),  # whether a menu comes before it
        ("table", np.int32),  # the line that names the players, or NO_LINE
        ("cut", np.int8),  # whether the lines end in the middle of it
        # filled in by `parser.parse`:
        ("match", np.int32),  # index of its match in the text
        ("number", np.int32),  # in the match, from 0; NO_NUMBER if it is not a hand
        ("dialect", np.int8),
        ("dealer", np.int8),
        ("score_known", np.int8),  # whether the score before it is known
        ("score", np.int32, (2,)),
        ("trump_before", np.int8),  # of the hand before it, NO_SUIT or UNKNOWN
        ("hands_played", np.int32),  # hands that counted before it, or UNKNOWN
        ("fault", np.int8),
        ("fault_line", np.int32),
        ("wanted", np.int8),  # the stage in which the fault was found
    ]
)
"""A hand, or lines that are not one. Lines are indices into the section's."""

REFUSED: Final = compiled_dtype([("event", np.int64), ("card", np.uint8)])
"""A card of seat 0 that the server refused, and the index of the next play."""

PARSER: Final = compiled_dtype(
    [
        # the match so far
        ("match", np.int32),
        ("next_number", np.int32),
        ("new_match", np.int8),  # whether the next hand begins one, unless this one has no hand yet
        ("score_known", np.int8),
        ("score", np.int32, (2,)),
        ("trump", np.int8),  # of the last hand
        ("hands_played", np.int32),
        ("next_dealer", np.int8),  # UNKNOWN at the beginning of a text
        # the hand
        ("stage", np.int8),
        ("card", np.uint8),  # sent by seat 0, neither accepted nor refused yet
        ("card_line", np.int32),
        ("scores", np.int32, (2,)),  # of the match after the hand, by its last message
        ("scores_known", np.int8),
        ("hands_counted", np.int32),  # by that message
        # the sizes of `Parsed`
        ("events", np.int64),
        ("first_event", np.int64),  # of the hand
        ("refused", np.int64),
        ("first_refused", np.int64),
    ]
)


class Parsed(NamedTuple):
    """Out: the hands and their events. `offsets` has the first event of each hand, and the end."""

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
    """A new event of the hand, null except for what is given."""
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
