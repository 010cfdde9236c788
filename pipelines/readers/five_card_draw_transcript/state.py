"""What the compiled reader of five-card draw keeps in mind: a table, a hand, and where the reading is."""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.ranks import HAND_CARDS
from cardlog.pipelines.readers.five_card_draw_transcript import phrases as words
from cardlog.pipelines.readers.five_card_draw_transcript.phrases import NONE, is_word, name_and_number
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.events import NO_DETAIL, NO_TIME, compiled_dtype

SEATS: Final = game.SEATS
MOST_NAMES: Final = 10
"""Names that are followed, so that a table with more players than seats is told from others."""

# What may be wrong with a hand, besides what the rules forbid.
(
    FINE, UNREADABLE, NO_SUCH_PLAYER, NO_CARD, SAYS_OTHER, NO_ANTES, NO_CHIPS, LINES_MISSING, NO_BEGINNING,
    TOO_MANY_PLAYERS, SAME_NAMES, WRONG_PLACE, WRONG_BUTTON, WRONG_BET, NO_HUMAN, CHIPS_MISSING,
) = range(16)  # fmt: skip

GOES_ON, OVER, BROKEN_OFF = range(3)
"""What is known of a game."""

TABLE: Final = compiled_dtype(
    [
        ("match", np.int32),  # index of the game among those of the text
        ("number", np.int32),  # hands of it so far
        ("over", np.int8),  # GOES_ON, OVER once its last line has been seen, BROKEN_OFF by a crash
        ("seats", np.int8),  # 0 before a hand has told who plays
        ("trusted", np.int8),  # whether a hand was read whole that bears it out
        ("name_from", np.int64, (SEATS,)),  # where the name of each seat is written, in the buffer
        ("name_to", np.int64, (SEATS,)),
        ("human_from", np.int64),
        ("human_to", np.int64),  # equal to human_from if nobody was asked for a name
        ("piped", np.int8),  # whether what the human types is not echoed, not even the name
        ("given", np.int64),  # chips at the beginning, NONE if not known
        ("ante", np.int64),
        ("total", np.int64),  # chips of all players
        ("before", np.int64, (SEATS,)),  # chips before the next hand, NONE if not known
        ("left", np.int8),  # players named in the last standings
        ("left_from", np.int64, (MOST_NAMES,)),
        ("left_to", np.int64, (MOST_NAMES,)),
        ("left_chips", np.int64, (MOST_NAMES,)),
    ]
)
"""What is known at a table before a hand."""

UNTOLD: Final = -2
"""The human was asked for cards to put away; which it named is not told."""

HAND: Final = compiled_dtype(
    [
        ("match", np.int32),
        ("number", np.int32),
        ("first", np.int32),  # its first line, from 0
        ("last", np.int32),  # the line after its last
        ("cut", np.int8),  # whether the text ends before it does
        ("wrong", np.int8),  # FINE, or what is wrong
        ("wrong_line", np.int32),
        ("shuffled", np.int8),
        ("dealer", np.int8),
        ("human", np.int8),  # seat of the human, -1 if there is none
        ("piped", np.int8),  # as in `TABLE`
        ("seats", np.int8),
        ("name_from", np.int64, (SEATS,)),
        ("name_to", np.int64, (SEATS,)),
        ("human_from", np.int64),
        ("human_to", np.int64),
        ("ante", np.int64),
        ("given", np.int64),
        ("chips", np.int64, (SEATS,)),  # before the hand
        ("first_event", np.int64),
        ("last_event", np.int64),  # the event after its last
    ]
)
"""A hand that was found."""

NOW: Final = compiled_dtype(
    [
        ("hands", np.int32),  # found so far; the last one is open if `open` is 1
        ("open", np.int8),
        ("filled", np.int64),  # events so far
        ("junk", np.int32),  # stretches of lines that belong to nothing
        ("preamble", np.int32),  # first line of what stands before a game's first hand, NONE if nothing
        ("preamble_wrong", np.int32),  # a line of it that can't be read, NONE if all can
        # Of the open hand:
        ("crashed", np.int8),
        ("ended", np.int8),
        ("thanked", np.int8),
        ("game_over", np.int8),
        ("button", np.int8),
        ("dealt", np.int8),
        ("collected", np.int8),
        ("leaving", np.int8),  # seats, as a mask
        ("present", np.int8),
        ("mucked", np.int8),
        ("category", np.int8, (SEATS,)),  # of the hand a seat has shown, NONE before
        ("standing", np.int64, (SEATS,)),
        ("stack", np.int64, (SEATS,)),
        ("staked", np.int64, (SEATS,)),
        ("human_deal", np.int64),  # event in which the human is dealt cards, NONE before
        ("human_known", np.int8),
        ("human_swapped", np.int8),
        ("human_cards", np.uint8, (HAND_CARDS,)),
        ("human_draw", np.int64),  # event in which it draws, while its new hand has not been shown
        ("bet_answer", np.int64),  # the last number the human typed, NONE if it was none
        ("swap_answer", np.int64),  # the cards it named, as bits, NONE before, UNTOLD if they can't be read
    ]
)
"""Where the reading is."""


@compiled
def stands(now: Any) -> bool:
    """Whether the standings of all players have been told."""
    for seat in range(SEATS):
        if now.present >> seat & 1 and now.standing[seat] == NONE:
            return False
    return bool(now.present != 0)


@compiled
def wrong(hand: Any, what: Int, line: Int) -> None:
    """Note what is wrong with a hand; the first thing counts."""
    if hand.wrong == FINE:
        hand.wrong = what
        hand.wrong_line = line


@compiled
def same_text(buffer: Bytes, start: Int, end: Int, other: Int, other_end: Int) -> bool:
    """Whether two stretches of the text are the same."""
    if end - start != other_end - other:
        return False
    place = 0
    while place < end - start and buffer[start + place] == buffer[other + place]:
        place += 1
    return bool(place == end - start)


@compiled
def seat_of(buffer: Bytes, table: Any, start: Int, end: Int) -> Int:
    """The seat of a name, `NONE` if nobody at the table has it."""
    for seat in range(table.seats):
        if same_text(buffer, start, end, table.name_from[seat], table.name_to[seat]):
            return seat
    return NONE


@compiled
def add_event(events: Any, now: Any, line: Int, action: Int, seat: Int, amount: Int) -> Any:
    """A new event at the end."""
    event = events[now.filled]
    now.filled += 1
    event.action = action
    event.seat = seat
    event.suit = -1
    event.count = 0
    event.amount = amount
    event.line = line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for place in range(HAND_CARDS):
        event.cards[place] = 0
    return event


@compiled
def ante_line(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int, Int, bool]:
    """Where the name in a line on the ante begins and ends (`NONE` if it is none), the chips, and whether
    they were the player's last."""
    stop, amount = name_and_number(buffer, start, end, words.PAID, words.FOR_ANTE)
    if stop != NONE:
        return start, stop, amount, False
    stop, amount = name_and_number(buffer, start, end, words.ALL_IN_WITH, words.CHIPS_BANG)
    length = len(words.FORCED)
    if stop > start + length and is_word(buffer, start, start + length, words.FORCED):
        return start + length, stop, amount, True
    return start, NONE, 0, False


@compiled
def any_standing(now: Any) -> bool:
    """Whether the standings of a player have been told."""
    found = False
    for seat in range(SEATS):
        found |= bool(now.standing[seat] != NONE)
    return found
