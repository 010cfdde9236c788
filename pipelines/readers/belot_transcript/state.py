"""The state of the parser of a hand.

Turn, trick, trump and cards are in the state of the game's rules, which every event goes through as soon as
it is made. `PROGRESS` has what only the text knows: which line may come next, and what was reported."""

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
"""Events of a hand without a line of their own: those, and what each team scores."""
MOST_SETS: Final = 4
"""Most declarations in a line."""
NO_SPEAKER: Final = -1
UNANNOUNCED, ANNOUNCED, NONE, SHOWN = range(4)
"""What the text has reported of declarations so far."""
NO_SECTION, POINTS, TOTALS = range(3)
"""The part of the result that was read last."""
NO_REPORT: Final = -1

PROGRESS: Final = compiled_dtype(
    [
        ("line", np.int32),  # index of the line being parsed
        ("made", np.int64),  # index of the next event
        ("speaker", np.int8),  # the seat whose header was read last, until it has acted
        ("declarations", np.int8),
        # The cards that a person was shown first: how many, and which.
        ("own", np.int8, (SEATS,)),
        ("own_cards", np.uint8, (SEATS, HAND_CARDS)),
        ("found", np.uint8, (HAND_CARDS,)),  # cards of the line
        # The result by the text:
        ("section", np.int8),
        ("pairs", np.int8),  # pairs whose points were read in the section
        ("points", np.int32, (2,)),
        ("totals", np.int32, (2,)),
        ("brings", np.int32, (2,)),  # what each team scores, or `NO_REPORT`
        ("nothing", np.int8),  # the team that scores nothing, or `NO_SEAT`
        ("swept", np.int8),  # whether all tricks went to one side
    ]
)
_BLANK: Final = np.zeros(1, PROGRESS)
_BLANK["speaker"] = NO_SPEAKER
_BLANK["brings"] = NO_REPORT
_BLANK["nothing"] = NO_SEAT


class Parser(NamedTuple):
    """The text, and the parser's state.

    text
        The bytes of the whole text.
    names
        The names of the match.
    hand
        The hand that is parsed, `HAND`.
    states
        The hand's state by the rules, after the events so far: shape (1,).
    progress
        `PROGRESS`, shape (1,).
    events
        Out: the events of all hands, with the indices of their lines. The first ones of a hand are made at
        once, though its cards may be known only later.
    """

    text: Bytes
    names: NameTable
    hand: Any
    states: Any
    progress: Any
    events: Any


@compiled
def begin(parser: Parser) -> None:
    """Begin a hand: reset the progress, and make its first events."""
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
    """A new event of the current line, null except for what is given."""
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
    """The event that deals a seat its cards; it has none until they are printed."""
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
    """Whether a trick is complete, but its taker not yet reported."""
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
    """Apply an event by the rules.

    An event that they refuse is kept, since judging the hand will report it. The state follows the text
    nevertheless, because a later line that can't be read at all is reported first.
    """
    amount = event.amount
    state = parser.states[0]
    if belote.evolve(state, event):
        _give_way(state, event)
        belote.evolve(state, event)
    event.amount = amount  # as the text has it; judging the hand fills it in


@compiled
def _give_way(state: Any, event: Any) -> None:
    """Change a state so that it allows an illegal act: it is the player's turn, and the player's cards are
    unknown. Other refused events change nothing that the parser uses."""
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
