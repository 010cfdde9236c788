"""What is known while a hand of belot's transcripts is gone through, and what can be wrong with it."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote.score import SEATS
from cardlog.models.belote.state import HAND_CARDS
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript.lines import starts_with
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, compiled_dtype
from cardlog.schemas.reasons import Reason

SENTENCES: Final = (
    "",
    "is nothing that a transcript of belot says",
    "names a player or a pair that does not play",
    "has a card that is no card",
    "can't come at this point of a hand",
    "comes where another line is missing before it",
    "has the wrong number of cards",
    "says that a player must bid who need not, or the other way round",
    "contradicts what was said before it",
    "begins a hand of which nothing tells who deals",
    "belongs to a hand whose beginning is missing",
    "is of a match whose players are not named",
)
"""What can be wrong with a line."""
(
    FINE, NOTHING, NAME, BAD_CARD, PLACE, MISSING, NUMBER, MUST_BID, CONTRADICTS, NO_DEALER, NO_BEGINNING,
    NO_NAMES,
) = range(12)  # fmt: skip

_UNPARSABLE = int(Reason.UNPARSABLE)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_BAD_BID = int(Reason.BAD_BID)
_OUT_OF_ORDER = int(Reason.OUT_OF_ORDER)
_SCORE_MISMATCH = int(Reason.SCORE_MISMATCH)
REASONS: Final = np.array(
    [
        0, _UNPARSABLE, _UNPARSABLE, _UNKNOWN_CARD, _OUT_OF_ORDER, _INCOMPLETE, _INCOMPLETE, _BAD_BID,
        _SCORE_MISMATCH, _INCOMPLETE, _INCOMPLETE, _INCOMPLETE,
    ],
    np.int8,
)  # fmt: skip
"""The reason that goes with each sentence."""

FIXED_EVENTS: Final = 1 + SEATS + 2
"""Events of a hand that no line stands for: the opening, hands, and what it brings."""
SETS_OF_A_LINE: Final = 4
PAIR_NAMES: Final = SEATS
"""Names of a match: its seats, then its pairs."""
NAMES: Final = SEATS + 2
NO_SPEAKER: Final = -1

WALK: Final = compiled_dtype(
    [
        ("made", np.int64),  # where the next event goes
        ("line", np.int32),
        ("speaker", np.int8),  # the seat whose header was read last, until it has acted
        ("named", np.int8),  # whether trump is named
        ("bids", np.int8),
        ("heading", np.int8),  # whether declarations were announced
        ("declared", np.int8),  # sets shown; -1 if it was said that there are none
        ("claimed", np.int8),  # whether the next line must be a card
        ("plays", np.int8),
        ("open_trick", np.int8),  # whether it is to be said who takes a trick
        ("block", np.int8),  # 1 points, 2 totals
        ("told", np.int8),  # lines of the block
        ("points", np.int32, (2,)),
        ("totals", np.int32, (2,)),
        ("nothing", np.int8),  # the team that the hand brings nothing, NO_SEAT
        ("swept", np.int8),  # whether all tricks went to one side
        ("final", np.int8),  # whether it was said what the hand brings
        ("brings", np.int32, (2,)),
        ("shown", np.int8),  # seats whose cards were printed at the deal, one bit each
        ("shown_at", np.int32, (SEATS,)),  # in which line
        ("own", np.int8, (SEATS,)),  # cards that a seat at the keyboard was shown at first
        ("own_cards", np.uint8, (SEATS, HAND_CARDS)),
        ("dealt", np.uint8, (SEATS, HAND_CARDS)),
        ("played", np.int8, (SEATS,)),
        ("played_cards", np.uint8, (SEATS, HAND_CARDS)),
        ("melded", np.int64, (SEATS,)),  # cards that a seat showed
    ]
)


@compiled
def begin(walk: Any, hand: Any, size: Int) -> None:
    """Forget the hand before; places are kept for the opening and four hands."""
    hand.dealer = -1
    hand.dialect = -1
    hand.ordered = 0
    hand.prompted = 0
    hand.acted = 0
    hand.reason = 0
    hand.what = 0
    hand.line = hand.first
    walk.made = size + 1 + SEATS
    walk.line = hand.first
    walk.speaker = NO_SPEAKER
    walk.named = 0
    walk.bids = 0
    walk.heading = 0
    walk.declared = 0
    walk.claimed = 0
    walk.plays = 0
    walk.open_trick = 0
    walk.block = 0
    walk.told = 0
    walk.points[:] = 0
    walk.totals[:] = 0
    walk.nothing = NO_SEAT
    walk.swept = 0
    walk.final = 0
    walk.shown = 0
    walk.own[:] = 0
    walk.played[:] = 0
    walk.melded[:] = 0


@compiled
def add(events: Any, walk: Any, first_line: int, action: int, seat: Int) -> Any:
    """A new event at the end, everything null but what is given."""
    event = blank_event(events, walk.made, first_line + walk.line, action, seat)
    walk.made += 1
    return event


@compiled
def blank_event(events: Any, place: Int, line: Int, action: int, seat: Int) -> Any:
    """The event at a place, everything null but what is given."""
    event = events[place]
    event.action = action
    event.seat = seat
    event.suit = cards.NO_SUIT
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for card in range(len(event.cards)):
        event.cards[card] = 0
    return event


@compiled
def is_name(
    buffer: Bytes, start: Int, end: Int, names: Bytes, name_at: NDArray[np.int64], number: Int
) -> bool:
    """Whether a text is one of some names, to the letter."""
    begin, finish = name_at[number, 0], name_at[number, 1]
    if begin < 0 or finish - begin != end - start:
        return False
    for place in range(end - start):  # noqa: SIM110, a generator can't be compiled
        if buffer[start + place] != names[begin + place]:
            return False
    return True


@compiled
def who(buffer: Bytes, start: Int, end: Int, names: Bytes, name_at: NDArray[np.int64], first: int) -> int:
    """Which of some names a text is, counted from `first` of the match's, -1 if it is none.

    A name may begin or end with blanks. Where a text has other ones, as when tabs were made blanks, it is
    the only name that is the same without them.
    """
    last = SEATS if first == 0 else NAMES
    for number in range(first, last):
        if is_name(buffer, start, end, names, name_at, number):
            return number - first
    start, end = _stripped(buffer, start, end)
    found = -1
    for number in range(first, last):
        begin, finish = _stripped(names, name_at[number, 0], name_at[number, 1])
        if finish - begin == end - start and starts_with(buffer, start, end, names[begin:finish]):
            if found >= 0:
                return -1
            found = number - first
    return found


@compiled
def _stripped(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    while start < end and buffer[start] == 32:
        start += 1
    while end > start and buffer[end - 1] == 32:
        end -= 1
    return start, end


@compiled
def who_after(
    buffer: Bytes, start: Int, end: Int, word: Bytes, names: Bytes, name_at: NDArray[np.int64], likely: Int
) -> int:
    """Which player a text names, with or without a word before the name. Where it can be read as two of
    them, as where one is called ``Player Two`` and another one ``Two``, it is the likely one."""
    after = start + len(word) if starts_with(buffer, start, end, word) else start
    if likely >= 0 and (
        is_name(buffer, start, end, names, name_at, likely)
        or is_name(buffer, after, end, names, name_at, likely)
    ):
        return int(likely)
    seat = who(buffer, start, end, names, name_at, 0)
    return who(buffer, after, end, names, name_at, 0) if seat < 0 else seat
