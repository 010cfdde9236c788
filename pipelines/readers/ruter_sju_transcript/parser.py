"""The lines of Ruter Sju transcripts, compiled: from bytes to events.

A game is read turn by turn. The hand and the table that every turn shows are compared with what the
cards placed so far make of them, so a line that is lost or damaged does not go unnoticed; whether what
was done is legal is left to the rules.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.models.ruter_sju.rules import CARD_OF, MOST_CARDS, SEATS, SUITS
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, compiled_dtype

SUIT_WORDS: Final = (b"diamonds", b"spades", b"hearts", b"clubs", b"4", b"5")
"""How the program writes the suits in the name of a card; in a row of the table it is the first letter."""
PROMPTS: Final = (
    b"Which player starts?: ",
    b"Which card will you place (number, suit separated by space): ",
    b"Place another? (y/n): ",
)
INVALID: Final = b"Enter a valid card!"
GOING_BACK: Final = b"Going back to last player input..."

MOST_NAME: Final = 256
"""Bytes of a player's name."""
TABLE: Final = compiled_dtype(
    [
        ("seats", np.int8),
        ("suits", np.int8),
        ("ranks", np.int8),
        ("humans", np.int8),  # one bit a seat
        ("sizes", np.int16, (SEATS,)),  # bytes of each name
        ("names", np.uint8, (SEATS, MOST_NAME)),
    ]
)
"""Who plays and with what."""
PARSED: Final = compiled_dtype(
    [
        ("table", TABLE),
        ("first", np.int64),  # lines from 0; last is the one after
        ("last", np.int64),
        ("at", np.int64),  # line of the error
        ("error", np.int8),
        ("ended", np.int8),  # whether the end of the game was told
    ]
)
"""A game's part of the text, and what became of it."""

(
    NO_ERROR, NO_LINE, NO_CARD, WRONG_HAND, WRONG_BOARD, WRONG_OUT, NO_ACT, NO_TURN, NOT_HELD, WRONG_KIND,
    EARLY_END, AFTER_END, TOO_LONG, WRONG_COUNT, DEALT_TWICE,
) = range(15)  # fmt: skip
"""What can be wrong with a line."""
MAY_BE_TORN: Final = (NO_LINE, NO_CARD, WRONG_HAND, WRONG_BOARD, WRONG_COUNT, DEALT_TWICE)
"""What is found wrong with a line that lacks its end."""

# What is expected of the next line that is not blank.
_TURNS, _CARDS, _HAND, _ROWS, _ORDER, _ENDED, _SHOWN, _GAME = range(8)


def _bytes(word: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(word, np.uint8).copy()


_CARDS_WORD = _bytes(b"CARDS")
_GAME_WORD = _bytes(b"GAME")
_OVER_WORD = _bytes(b"GAME OVER")
_ORDER_WORD = _bytes(b"Final Order:")
_PLACES = _bytes(b" places ")
_TAKES = _bytes(b" takes the block...")
_BLOCKED = _bytes(b" is blocked...")
_OUT = _bytes(b" is out!")
_DOTS = _bytes(b"...")
_OF = _bytes(b" of ")
_STARTS, _WHICH, _ANOTHER = (_bytes(word) for word in PROMPTS)
_INVALID = _bytes(INVALID)
_BACK = _bytes(GOING_BACK)
_WORDS = np.zeros((SUITS, 8), np.uint8)
_WORD_SIZES = np.zeros(SUITS, np.int64)
for _suit, _word in enumerate(SUIT_WORDS):
    _WORDS[_suit, : len(_word)] = list(_word)
    _WORD_SIZES[_suit] = len(_word)
_SUIT_OF_LETTER = np.full(256, -1, np.int8)
_SUIT_OF_LETTER[_WORDS[:, 0]] = np.arange(SUITS)

READING: Final = compiled_dtype(
    [
        ("expected", np.int8),
        ("seat", np.int8),  # whose turn it is that was shown last
        ("open", np.int8),  # 1 while it may go on
        ("acted", np.int8),  # 1 if it did something
        ("turn_line", np.int32),  # where it was shown
        ("row", np.int8),  # rows of the table seen
        ("over", np.int8),  # 1 if they are the last ones
        ("out", np.int8),  # 1 if the next line must say that the seat is out
        ("loose", np.int8),  # 1 if the block does not hold who takes it
        ("asked", np.int8),  # 1 if nothing was answered yet to whether it goes on
        ("outs", np.int8),
        ("ordered", np.int8),  # lines of the final order
        ("shown", np.int8),  # seats whose cards were shown, one bit each
        ("dealt", np.int32, (SUITS,)),  # cards of the hands that were shown, bit n for number n
        ("left", np.int8, (SEATS,)),
        ("counts", np.int8, (SEATS,)),  # cards of each hand that was shown
        ("hands", np.uint8, (SEATS, MOST_CARDS)),  # in the order they are shown: suit << 4 | number
        ("middle", np.int8, (SUITS,)),  # the table: numbers, 0 for none
        ("under", np.int8, (SUITS,)),
        ("above", np.int8, (SUITS,)),
    ]
)
"""How far a game has been read."""


@compiled
def parse(
    buffer: Bytes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    first_line: int,
    rows: NDArray[Any],
    events: NDArray[Any],
    offsets: NDArray[np.int64],
) -> None:
    """Parse games into events; one that can't be parsed leaves those before the error and says what
    is wrong."""
    readings = np.zeros(1, READING)
    blank = np.zeros(1, READING)
    size: Int = np.int64(0)
    for number in range(len(rows)):
        row = rows[number]
        readings[0] = blank[0]
        offsets[number] = size
        size = _parse_game(buffer, starts, ends, first_line, row, readings[0], events, size)
    offsets[len(rows)] = size


@compiled
def _parse_game(
    buffer: Bytes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    first_line: int,
    row: Any,
    reading: Any,
    events: NDArray[Any],
    size: Int,
) -> Int:
    """The events of one game, from `size` on; returns how many there are then."""
    table = row.table
    opening = size
    size = _deal(events, size, first_line + row.first, table, reading)
    reading.seat = NO_SEAT
    first = True
    fresh: Int = np.int64(-1)  # the event of a hand that the line before showed first
    for line in range(row.first, row.last):
        start, end = starts[line], ends[line]
        if start >= end:
            continue
        if first:
            for place in range(opening, size):
                events[place].line = first_line + line
            first = False
        error: Int = NO_ERROR
        fresh = np.int64(-1)
        if reading.expected == _HAND and not reading.shown >> reading.seat & 1:
            fresh = opening + 1 + np.int64(reading.seat)
        while start < end and error == NO_ERROR:
            stop = _after_prompt(buffer, start, end, table, reading)
            size, error = _line(
                buffer, start, stop, first_line + line, table, reading, events, size, opening
            )  # fmt: skip
            start = stop
        if error != NO_ERROR:
            row.at = line
            row.error = error
            break
    if fresh >= 0:  # perhaps torn off, and nobody acted on it
        _hide(events[fresh], reading.left[events[fresh].seat])
    row.ended = reading.expected == _ENDED
    return size


@compiled
def _line(
    buffer: Bytes,
    start: Int,
    end: Int,
    line: Int,
    table: Any,
    reading: Any,
    events: NDArray[Any],
    size: Int,
    opening: Int,
) -> tuple[Int, Int]:
    """One line; returns how many events there are now and what is wrong."""
    if reading.asked:
        reading.asked = 0
        if not _begins_prompt(buffer, start, end, _WHICH):
            # The game went on, so the answer was empty, and that is no yes.
            size, _ = _act(events, size, line, ruter_sju.PASS, reading, reading.seat)
    expected = reading.expected
    if expected == _TURNS:
        return _turn_line(buffer, start, end, line, table, reading, events, size)
    if expected in (_CARDS, _SHOWN):
        return size, _section_line(buffer, start, end, table, reading)
    if expected == _HAND and not _is_empty_handed(reading):
        event = events[opening + 1 + reading.seat]
        return size, _hand_line(buffer, start, end, line, table, reading, event)
    if expected in (_HAND, _GAME):
        if not _is(buffer, start, end, _GAME_WORD):
            return size, NO_LINE
        reading.expected = _ROWS
        reading.row = 0
        return size, NO_ERROR
    if expected == _ROWS:
        return size, _row_line(buffer, start, end, table, reading)
    if expected == _ORDER:
        return _order_line(buffer, start, end, line, table, reading, events, size)
    return size, AFTER_END


@compiled
def _is_empty_handed(reading: Any) -> bool:
    """[R10] Whether the seat goes on though it has placed its only card; the line of its hand is blank."""
    return bool(reading.shown >> reading.seat & 1 and reading.counts[reading.seat] == 0)


@compiled
def _after_prompt(buffer: Bytes, start: Int, end: Int, table: Any, reading: Any) -> Int:
    """Where a prompt ends and the line begins that runs on behind it, since what was answered came from
    a file and is not shown; the end of the line if there is none."""
    if reading.expected != _TURNS:
        return end
    for prompt in (_STARTS, _WHICH, _ANOTHER):
        after = start + len(prompt)
        if after >= end or not _begins(buffer, start, end, prompt):
            continue
        if buffer[start + 6] == _WHICH[6]:  # a card is placed, the block taken, or the turn let go by
            actor = np.int64(max(int(reading.seat), 0))
            name = _named(buffer, after, end, table, actor)
            placed = name >= 0 and _begins(buffer, name, end, _PLACES) and _ends(buffer, end, _DOTS)
            if placed or (name >= 0 and _is(buffer, name, end, _TAKES)) or _is(buffer, after, end, _BACK):
                return after
            continue
        if _begins(buffer, after, end, _WHICH):
            return after
        for seat in range(table.seats):
            name = _named(buffer, after, end, table, seat)
            if name >= 0 and ((end - name == 1 and buffer[name] == 58) or _is(buffer, name, end, _BLOCKED)):
                return after
    return end


@compiled
def _ends(buffer: Bytes, end: Int, word: Bytes) -> bool:
    """Whether the text before a place ends so."""
    return _begins(buffer, end - len(word), end, word)


@compiled
def _add(events: NDArray[Any], size: Int, line: Int, action: int, seat: Int) -> Any:
    """A new event at the end, everything null but what is given."""
    event = events[size]
    event.action = action
    event.seat = seat
    event.suit = -1
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for place in range(len(event.cards)):
        event.cards[place] = 0
    return event


@compiled
def _deal(events: NDArray[Any], size: Int, line: Int, table: Any, reading: Any) -> Int:
    """The opening and the hands, hidden until they are shown: round by round from seat 0."""
    _add(events, size, line, ruter_sju.OPEN, NO_SEAT)
    deck = np.int64(table.suits) * np.int64(table.ranks)
    for seat in range(table.seats):
        event = _add(events, size + 1 + seat, line, ruter_sju.DEAL_HAND, seat)
        count = deck // table.seats + (seat < deck % table.seats)
        _hide(event, count)
        reading.left[seat] = count
    return size + 1 + np.int64(table.seats)


@compiled
def _hide(event: Any, count: Int) -> None:
    """Make a hand one that is not known."""
    event.count = count
    for place in range(len(event.cards)):
        event.cards[place] = UNKNOWN if place < count else 0


# ---------------------------------------------------------------- lines


@compiled
def _is(buffer: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    """Whether the text from start to end is this word."""
    return bool(end - start == len(word) and _begins(buffer, start, end, word))


@compiled
def _begins(buffer: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    """Whether the text from start to end begins so."""
    if end - start < len(word):
        return False
    for place in range(len(word)):  # noqa: SIM110, a generator can't be compiled
        if buffer[start + place] != word[place]:
            return False
    return True


@compiled
def _begins_prompt(buffer: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    """The same; but the space that a prompt ends with may be lost where nothing was typed."""
    return _begins(buffer, start, end, word) or _is(buffer, start, end, word[:-1])


@compiled
def _named(buffer: Bytes, start: Int, end: Int, table: Any, seat: Int) -> Int:
    """Where the text goes on after the name of a seat, -1 if it does not begin with it."""
    size = np.int64(table.sizes[seat])
    if end - start < size:
        return -1
    for place in range(size):
        if buffer[start + place] != table.names[seat, place]:
            return -1
    return start + size


@compiled
def _turn_line(
    buffer: Bytes, start: Int, end: Int, line: Int, table: Any, reading: Any, events: NDArray[Any], size: Int
) -> tuple[Int, Int]:
    """A line that begins a turn, or tells what was done in one; returns how many events there are now
    and what is wrong."""
    spoilt = NO_SEAT
    for step in range(table.seats):
        # Mostly the line begins with the name of the seat that was shown last, or of the next one.
        seat = (max(int(reading.seat), 0) + step) % int(table.seats)
        after = _named(buffer, start, end, table, seat)
        if after < 0:
            continue
        if end - after == 1 and buffer[after] == 58:
            size = _let_go_by(table, reading, events, size)
            return size, _begin_turn(table, reading, seat, line)
        if _begins(buffer, after, end, _PLACES):
            suit, _, stop = _card(buffer, after + len(_PLACES), end)
            if suit == -1 or not _is(buffer, stop, end, _DOTS):
                spoilt = seat  # unless another name begins like this one
                continue
            return _placing(buffer, after + len(_PLACES), end, line, table, reading, events, size, seat)
        if _is(buffer, after, end, _TAKES):
            action = ruter_sju.PASS if reading.loose else ruter_sju.TAKE_BLOCK
            return _act(events, size, line, action, reading, seat)
        if _is(buffer, after, end, _BLOCKED):
            size = _let_go_by(table, reading, events, size)
            if reading.out or _unfinished(reading):
                return size, WRONG_OUT if reading.out else NO_ACT
            reading.open = 0
            _add(events, size, line, ruter_sju.BLOCKED, seat)
            return size + 1, NO_ERROR
        if _is(buffer, after, end, _OUT):
            if reading.out == 0 or seat != reading.seat:
                return size, WRONG_OUT
            reading.out = 0
            reading.open = 0
            return size, NO_ERROR
    if spoilt != NO_SEAT:
        return size, NO_LINE
    return _other_line(buffer, start, end, line, table, reading, events, size)


@compiled
def _unfinished(reading: Any) -> bool:
    """Whether a turn was shown, but not what was done in it."""
    return bool(reading.open and reading.acted == 0)


@compiled
def _let_go_by(table: Any, reading: Any, events: NDArray[Any], size: Int) -> Int:
    """[R10] Note that a computer did nothing in a turn, of which the program says nothing: it waits for
    the first suit's middle card, and holds another one."""
    seat = reading.seat
    if not _unfinished(reading) or table.humans >> seat & 1 or reading.middle[0]:
        return size
    middle = (np.int64(table.ranks) + 1) // 2
    for place in range(reading.counts[seat]):
        if reading.hands[seat, place] == middle:  # of suit 0
            return size
    size, _ = _act(events, size, np.int64(reading.turn_line), ruter_sju.PASS, reading, seat)
    return size


@compiled
def _begin_turn(table: Any, reading: Any, seat: Int, line: Int) -> int:
    if reading.out:
        return WRONG_OUT
    if _unfinished(reading):
        return NO_ACT
    reading.seat = seat
    reading.turn_line = line
    reading.open = 1
    reading.acted = 0
    reading.over = 0
    reading.expected = _SHOWN if table.humans >> seat & 1 else _CARDS
    return NO_ERROR


@compiled
def _act(events: NDArray[Any], size: Int, line: Int, action: int, reading: Any, seat: Int) -> tuple[Int, Int]:
    """What a seat did that is no card: its turn is over."""
    if reading.out:
        return size, WRONG_OUT
    if reading.open == 0 or seat != reading.seat:
        return size, NO_TURN
    reading.acted = 1
    reading.open = 0
    reading.loose = 0
    _add(events, size, line, action, seat)
    return size + 1, NO_ERROR


@compiled
def _placing(
    buffer: Bytes,
    place: Int,
    end: Int,
    line: Int,
    table: Any,
    reading: Any,
    events: NDArray[Any],
    size: Int,
    seat: Int,
) -> tuple[Int, Int]:
    """A card that a seat places; after an end card the turn may go on."""
    suit, number, _ = _card(buffer, place, end)
    if suit < 0 or suit >= table.suits or number < 1 or number > table.ranks:
        return size, NO_CARD
    if reading.out:
        return size, WRONG_OUT
    if reading.open == 0 or seat != reading.seat:
        return size, NO_TURN
    if table.humans >> seat & 1 == 0 and not _remove(reading, seat, suit << 4 | number):
        return size, NOT_HELD
    middle = (np.int64(table.ranks) + 1) // 2
    goes_on = table.humans >> seat & 1 == 0 and suit == 0 and number == middle  # [R10] though it is out
    if number < middle:
        reading.under[suit] = number
    elif number > middle:
        reading.above[suit] = number
    else:
        reading.middle[suit] = number
    reading.acted = 1
    reading.loose = 0
    reading.open = number == 1 or number == table.ranks
    reading.left[seat] -= 1
    if reading.left[seat] == 0:
        reading.out = 1
        reading.outs += not goes_on
    event = _add(events, size, line, ruter_sju.PLAY_CARD, seat)
    event.count = 1
    event.cards[0] = CARD_OF[suit, number]
    return size + 1, NO_ERROR


@compiled
def _remove(reading: Any, seat: Int, card: Int) -> bool:
    """Take a card out of a shown hand; False if it is not there."""
    count = reading.counts[seat]
    for place in range(count):
        if reading.hands[seat, place] == card:
            for later in range(place + 1, count):
                reading.hands[seat, later - 1] = reading.hands[seat, later]
            reading.counts[seat] -= 1
            return True
    return False


@compiled
def _card(buffer: Bytes, place: Int, end: Int) -> tuple[Int, Int, Int]:
    """The card at a place, ``10 of hearts``: suit, number, where the text goes on. Suit -1 if there is
    none there, -2 if its suit is no suit."""
    number = np.int64(0)
    first = place
    while place < end and 48 <= buffer[place] <= 57 and place - first < 4:
        number = 10 * number + np.int64(buffer[place]) - 48
        place += 1
    if place == first or not _begins(buffer, place, end, _OF):
        return -1, 0, place
    place += len(_OF)
    if buffer[first] == 48:
        number = np.int64(0)
    suit = np.int64(_SUIT_OF_LETTER[buffer[place]]) if place < end else np.int64(-1)
    if suit >= 0:
        size = _WORD_SIZES[suit]
        if place + size <= end:
            same = True
            for step in range(size):
                same &= buffer[place + step] == _WORDS[suit, step]
            if same:
                return suit, number, place + size
    word = place
    while place < end and (97 <= buffer[place] <= 122 or 48 <= buffer[place] <= 57):
        place += 1
    return (-1 if place == word else -2), number, place


@compiled
def _section_line(buffer: Bytes, start: Int, end: Int, table: Any, reading: Any) -> int:
    """What follows the name: CARDS for a computer, GAME for a human."""
    is_cards = _is(buffer, start, end, _CARDS_WORD)
    is_game = _is(buffer, start, end, _GAME_WORD)
    if not is_cards and not is_game:
        return NO_LINE
    if is_cards != (reading.expected == _CARDS):
        return WRONG_KIND
    if is_game:
        reading.row = 0
    reading.expected = _HAND if is_cards else _ROWS
    return NO_ERROR


@compiled
def _hand_line(buffer: Bytes, start: Int, end: Int, line: Int, table: Any, reading: Any, event: Any) -> int:
    """A hand: the one that was dealt when it is shown first, afterwards what is left of it."""
    seat = reading.seat
    is_first = reading.shown >> seat & 1 == 0
    place = start
    count = 0
    while True:
        suit, number, place = _card(buffer, place, end)
        if suit == -1:
            return NO_LINE
        if suit < 0 or suit >= table.suits or number < 1 or number > table.ranks:
            return NO_CARD
        if is_first and count == reading.left[seat]:
            return WRONG_COUNT
        if is_first:
            if reading.dealt[suit] >> number & 1:
                return DEALT_TWICE
            reading.dealt[suit] |= 1 << number
            reading.hands[seat, count] = suit << 4 | number
            event.cards[count] = CARD_OF[suit, number]
        elif count >= reading.counts[seat] or reading.hands[seat, count] != suit << 4 | number:
            return WRONG_HAND
        count += 1
        if place == end:
            break
        if place + 2 > end or buffer[place] != 44 or buffer[place + 1] != 32:
            return NO_LINE
        place += 2
    if is_first:
        if count != reading.left[seat]:
            return WRONG_COUNT
        reading.counts[seat] = count
        reading.shown |= 1 << seat
        event.count = count
        event.line = line
    elif count != reading.counts[seat]:
        return WRONG_HAND
    reading.expected = _GAME
    return NO_ERROR


@compiled
def _row_line(buffer: Bytes, start: Int, end: Int, table: Any, reading: Any) -> int:
    """A row of the table: ``d: 6 7 8``, what was last placed below, the middle card, and above."""
    suit = np.int64(reading.row)
    while end > start and buffer[end - 1] == 32:
        end -= 1
    if end - start < 2 or buffer[start] != _WORDS[suit, 0] or buffer[start + 1] != 58:
        return NO_LINE
    place = start + 2
    for value in (reading.under[suit], reading.middle[suit], reading.above[suit]):
        if value != 0 and place >= 0:
            place = _after_number(buffer, place, end, np.int64(value))
    if place != end:
        for place in range(start + 2, end):
            if buffer[place] != 32 and not 48 <= buffer[place] <= 57:
                return NO_LINE
        return WRONG_BOARD
    reading.row += 1
    if reading.row == table.suits:
        reading.expected = _ORDER if reading.over else _TURNS
    return NO_ERROR


@compiled
def _after_number(buffer: Bytes, place: Int, end: Int, value: Int) -> Int:
    """Where the text goes on after a space and this number, -1 if they are not there."""
    digits = 2 if value > 9 else 1
    if end - place <= digits or buffer[place] != 32 or buffer[place + digits] != 48 + value % 10:
        return -1
    if digits == 2 and buffer[place + 1] != 49:
        return -1
    return place + 1 + digits


@compiled
def _other_line(
    buffer: Bytes, start: Int, end: Int, line: Int, table: Any, reading: Any, events: NDArray[Any], size: Int
) -> tuple[Int, Int]:
    """A line that begins with no name: what a human was asked, or the end of the game."""
    if _is(buffer, start, end, _OVER_WORD):
        if reading.out:
            return size, WRONG_OUT
        if reading.outs < table.seats:
            return size, EARLY_END
        reading.expected = _ROWS
        reading.row = 0
        reading.over = 1
        return size, NO_ERROR
    if reading.seat == NO_SEAT and _begins_prompt(buffer, start, end, _STARTS):
        after = start + len(_STARTS)
        reading.loose = after < end and buffer[after] == 45
        return size, NO_ERROR
    if reading.seat == NO_SEAT or reading.open == 0 or table.humans >> reading.seat & 1 == 0 or reading.out:
        return size, NO_LINE
    if _begins_prompt(buffer, start, end, _WHICH) or _is(buffer, start, end, _INVALID):
        return size, NO_ERROR
    if _is(buffer, start, end, _BACK):
        return _act(events, size, line, ruter_sju.PASS, reading, reading.seat)
    if reading.acted and _begins_prompt(buffer, start, end, _ANOTHER):
        after = start + len(_ANOTHER)
        if after >= end:
            reading.asked = 1
        elif end - after != 1 or (buffer[after] | 32) != 121:
            return _act(events, size, line, ruter_sju.PASS, reading, reading.seat)
        return size, NO_ERROR
    return size, NO_LINE


@compiled
def _order_line(
    buffer: Bytes, start: Int, end: Int, line: Int, table: Any, reading: Any, events: NDArray[Any], size: Int
) -> tuple[Int, Int]:
    """``Final Order:``, and then each place with who took it."""
    if reading.ordered == 0:
        if not _is(buffer, start, end, _ORDER_WORD):
            return size, NO_LINE
        reading.ordered = 1
        return size, NO_ERROR
    if end - start < 3 or buffer[start] != 48 + reading.ordered:
        return size, NO_LINE
    if buffer[start + 1] != 46 or buffer[start + 2] != 32:
        return size, NO_LINE
    for seat in range(table.seats):
        if _named(buffer, start + 3, end, table, seat) == end:
            event = _add(events, size, line, ruter_sju.SCORE_PLACE, seat)
            event.amount = reading.ordered
            reading.ordered += 1
            if reading.ordered > table.seats:
                reading.expected = _ENDED
            return size + 1, NO_ERROR
    return size, NO_LINE
