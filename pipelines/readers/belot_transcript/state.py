"""What the parser of a hand works on.

Turn, trick, trump and cards are in the state of the game's rules, which every event goes through as it is
made; what stands beside it is what only the text knows: which line may come next and what it reports.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from cardlog.models.belote import rules as belote
from cardlog.models.belote.score import SEATS
from cardlog.models.belote.state import BIDDING, HAND_CARDS, PLAYING
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript.names import NameTable
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, compiled_dtype

DEALT_EVENTS: Final = 1 + SEATS
"""Events at the beginning of a hand: the opening and the cards of each seat."""
FIXED_EVENTS: Final = DEALT_EVENTS + 2
"""Events of a hand that no line stands for: those, and what it brings each team."""
MOST_SETS: Final = 4
"""Declarations in a line, at most."""
NO_SPEAKER: Final = -1
UNSAID, ANNOUNCED, NONE, SHOWN = range(4)
"""What was said of declarations so far."""
NO_SECTION, POINTS, TOTALS = range(3)
"""The part of the report of a hand's result that was read last."""
NO_REPORT: Final = -1

PROGRESS: Final = compiled_dtype(
    [
        ("line", np.int32),  # index of the line that is being read
        ("made", np.int64),  # index of the next event
        ("speaker", np.int8),  # the seat whose header was read last, until it has acted
        ("declarations", np.int8),
        # Of the cards that a person at the keyboard was shown first, how many and which.
        ("own", np.int8, (SEATS,)),
        ("own_cards", np.uint8, (SEATS, HAND_CARDS)),
        ("found", np.uint8, (HAND_CARDS,)),  # cards of the line
        # What the text reports of the result.
        ("section", np.int8),
        ("pairs", np.int8),  # pairs whose points were read in the section
        ("points", np.int32, (2,)),
        ("totals", np.int32, (2,)),
        ("brings", np.int32, (2,)),  # what the hand brings each team, `NO_REPORT`
        ("nothing", np.int8),  # the team that it brings nothing, `NO_SEAT`
        ("swept", np.int8),  # whether all tricks went to one side
    ]
)
_BLANK: Final = np.zeros(1, PROGRESS)
_BLANK["speaker"] = NO_SPEAKER
_BLANK["brings"] = NO_REPORT
_BLANK["nothing"] = NO_SEAT


class Parser(NamedTuple):
    """What the functions of the parser work on.

    text
        The bytes of the whole text.
    names
        Of the match.
    hand
        What is found out about the hand, `HAND`.
    states
        The hand's state by the rules, after the events so far: shape (1,).
    progress
        Where the parser is in the text, and what that reports, `PROGRESS`: shape (1,).
    events
        Out: the events of all hands, with the indices of their lines. Those at the beginning of a hand are
        made first, though its cards may be known only later.
    """

    text: Bytes
    names: NameTable
    hand: Any
    states: Any
    progress: Any
    events: Any


@compiled
def begin(parser: Parser) -> None:
    """Begin a hand: forget the one before, and make the events at its beginning."""
    hand, progress = parser.hand, parser.progress[0]
    hand.dealer = NO_SEAT
    hand.offset = progress.made
    parser.progress[0] = _BLANK[0]
    progress.made = hand.offset
    progress.line = hand.first
    add(parser, belote.OPEN, NO_SEAT)
    for seat in range(SEATS):
        add(parser, belote.DEAL_HAND, seat)


@compiled
def add(parser: Parser, action: int, seat: Int) -> Any:
    """A new event of the line that is being read, everything null but what is given."""
    progress = parser.progress[0]
    event = parser.events[progress.made]
    progress.made += 1
    event.action = action
    event.seat = seat
    event.suit = cards.NO_SUIT
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = progress.line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    event.cards[:] = 0
    return event


@compiled
def last_event(parser: Parser) -> Any:
    """The event that was made last."""
    return parser.events[parser.progress[0].made - 1]


@compiled
def deal_event(parser: Parser, seat: Int) -> Any:
    """The event that deals a seat its cards; it has none as long as they were not printed."""
    return parser.events[parser.hand.offset + 1 + seat]


@compiled
def are_printed(parser: Parser) -> bool:
    """Whether the text prints the hands at the deal."""
    printed = 0
    for seat in range(SEATS):
        printed |= deal_event(parser, seat).count
    return printed > 0


@compiled
def awaits_trick(parser: Parser) -> bool:
    """Whether a trick is whole, and it is not yet said who takes it."""
    return bool(parser.states[0].trick_cards == 0 and last_event(parser).action == belote.PLAY_CARD)


@compiled
def cards_left(state: Any, seat: Int) -> Int:
    """How many cards a seat holds."""
    held, left = state.hands[seat], np.int64(state.hidden[seat])
    while held:
        held &= held - 1
        left += 1
    return left


@compiled
def carry_out(parser: Parser, event: Any) -> None:
    """Let the rules apply an event.

    One that they refuse is kept, since judging the hand will say why it is lost. The state follows the text
    all the same, because a line behind it that can't be read at all is named first.
    """
    amount = event.amount
    state = parser.states[0]
    if belote.evolve(state, event):
        _give_way(state, event)
        belote.evolve(state, event)
    event.amount = amount  # as the text has it; judging the hand fills it in


@compiled
def _give_way(state: Any, event: Any) -> None:
    """Make a state one that allows what somebody did against the rules: it is his turn, and nobody knows
    what he holds. Other events that are refused change nothing that the parser asks for."""
    seat = event.seat
    if event.action == belote.NAME_TRUMP:
        for other in range(SEATS):
            if state.dealt >> other & 1 == 0:
                state.hidden[other] = HAND_CARDS
        state.phase = BIDDING
        state.turn = seat
    elif event.action == belote.PLAY_CARD and state.phase == PLAYING:
        state.hidden[seat] = cards_left(state, seat)
        state.hands[seat] = 0
        state.seen &= ~(np.int64(1) << event.cards[0])
        state.claiming = 0
        state.turn = seat
