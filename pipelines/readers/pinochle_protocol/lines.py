"""The lines of Pinochle's protocol: what each says, as a record.

A line is an arrow, ``-->`` to the client or ``<--`` from it, and one flat JSON object. A compiled
scanner reads the form in which the servers write it; any other is left to `pinochle_json`. Both
fill the same record, and what a line is, is told from its type and fields, by one table.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.pinochle.cards import DECK
from cardlog.models.pinochle.rules import MOST_SHOWN
from cardlog.pipelines.readers.scan import BAD_NUMBER, Bytes, whole_number
from cardlog.schemas.cards import NO_SUIT, NO_TRUMP, PACK_RANKS, RANK_OF_BYTE, SUIT_OF_BYTE, SUIT_STRIDE
from cardlog.schemas.events import compiled_dtype

TO_CLIENT: Final = b"--> "
TO_SERVER: Final = b"<-- "
NO_CARD: Final = 255
ABSENT: Final = -(2**31)
"""Stands for a number that a message does not hold."""

LINE: Final = compiled_dtype(
    [
        ("kind", np.int8),
        ("answer", np.int8),  # 1 if the client says it
        ("type", np.int8),  # index into TYPES, -1 if it has none
        ("said", np.int8),  # which of MESSAGES the message is, -1 if none of them
        ("fields", np.int32),  # which of FIELDS there are, one bit each
        ("seat", np.int8),
        ("dealer", np.int8),
        ("suit", np.int8),  # trump, NO_SUIT if there is none
        ("lead", np.int8),
        ("card", np.uint8),  # played, or named in a message; NO_CARD if there is none
        ("winning", np.uint8),
        ("count", np.int8),
        ("over", np.int8),
        ("win", np.int8),
        ("cards", np.uint8, (MOST_SHOWN,)),
        ("bid", np.int32),
        ("amount", np.int32),  # of a meld, or the points in a message
        ("option", np.int32),
        ("number", np.int32),  # of a trick or of hands, in a message
        ("scores", np.int32, (2,)),
    ]
)

FIELDS: Final = (
    "Type", "Playerid", "Hand", "Dealer", "Bid", "Amount", "Trump", "Lead", "PlayedCard", "WinningCard",
    "WinningPlayer", "Message", "Option", "Score", "GameOver", "Win", "MyTable", "Tables", "TableId",
)  # fmt: skip
(
    TYPE, PLAYERID, HAND, DEALER, BID, AMOUNT, TRUMP, LEAD, PLAYED_CARD, WINNING_CARD,
    WINNING_PLAYER, MESSAGE, OPTION, SCORE, GAME_OVER, WIN, MY_TABLE, TABLES, TABLE_ID,
) = range(len(FIELDS))  # fmt: skip

TYPES: Final = (
    "Message", "Hello", "Game", "Deal", "Bid", "Trump", "Meld", "Play", "PlayRequest", "Trick", "Score",
    "Throwin", "Sit", "Start", "MyTable", "Tables", "Name", "Error",
)  # fmt: skip

# What a line is.
(
    BLANK, BAD, MENU, NOTE, DEAL, SAY_BID, ASK_BID, ANSWER_BID, SAY_TRUMP, ASK_TRUMP, ANSWER_TRUMP,
    SAY_THROW_IN, ANSWER_THROW_IN, SAY_MELD, SAY_PLAY, ASK_PLAY, ANSWER_PLAY, SAY_TRICK, TRICK_MESSAGE,
    SCORES_MESSAGE, THROW_IN_MESSAGE, WINNER_MESSAGE, SAY_SCORE, TORN,
) = range(24)  # fmt: skip

NAMES: Final = {
    NOTE: "a message that no hand has",
    DEAL: "a deal",
    SAY_BID: "a bid of another seat",
    ASK_BID: "a request for a bid",
    ANSWER_BID: "the client's bid",
    SAY_TRUMP: "trump named by another seat",
    ASK_TRUMP: "a request to name trump",
    ANSWER_TRUMP: "the client's trump",
    SAY_THROW_IN: "a throw-in of another seat",
    ANSWER_THROW_IN: "the client's throw-in",
    SAY_MELD: "a meld",
    SAY_PLAY: "a card of another seat",
    ASK_PLAY: "a request for a card",
    ANSWER_PLAY: "the client's card",
    SAY_TRICK: "the seat that takes a trick",
    TRICK_MESSAGE: "the message that ends a trick",
    SCORES_MESSAGE: "the message with the scores",
    THROW_IN_MESSAGE: "the message of a throw-in",
    WINNER_MESSAGE: "the message of who wins",
    SAY_SCORE: "the score",
}
"""What the kinds of lines of a hand are called in sentences."""


def _bits(*fields: int) -> int:
    return sum(1 << field for field in fields)


# Type, from the client or not, its kind, the fields it must have and those it may have.
_SHAPES: Final = (
    ("Message", 0, NOTE, (MESSAGE,), ()),
    ("Hello", 0, MENU, (), ()),
    ("Hello", 1, MENU, (), (MESSAGE,)),
    ("Game", 0, MENU, (), ()),
    ("Game", 1, MENU, (), (OPTION,)),
    ("Sit", 1, MENU, (), (PLAYERID, TABLE_ID)),
    ("Start", 1, MENU, (), (PLAYERID,)),
    ("MyTable", 0, MENU, (MY_TABLE, PLAYERID), ()),
    ("Tables", 0, MENU, (TABLES,), ()),
    ("Tables", 1, MENU, (), (PLAYERID,)),
    ("Name", 0, BLANK, (), (PLAYERID,)),
    ("Name", 1, BLANK, (), (PLAYERID, MESSAGE)),
    ("Error", 0, BLANK, (MESSAGE,), (PLAYERID,)),
    ("Deal", 0, DEAL, (HAND, PLAYERID), (DEALER,)),
    ("Bid", 0, SAY_BID, (PLAYERID,), (BID, AMOUNT)),
    ("Bid", 1, ANSWER_BID, (), (PLAYERID, BID, AMOUNT)),
    ("Trump", 0, ASK_TRUMP, (PLAYERID,), (TRUMP,)),
    ("Trump", 1, ANSWER_TRUMP, (TRUMP,), (PLAYERID,)),
    ("Throwin", 0, SAY_THROW_IN, (PLAYERID,), ()),
    ("Throwin", 1, ANSWER_THROW_IN, (), (PLAYERID,)),
    ("Meld", 0, SAY_MELD, (PLAYERID, HAND), (AMOUNT,)),
    ("Play", 0, ASK_PLAY, (PLAYERID,), (PLAYED_CARD, LEAD, TRUMP, WINNING_CARD)),
    ("Play", 1, ANSWER_PLAY, (PLAYED_CARD,), (PLAYERID,)),
    ("PlayRequest", 0, ASK_PLAY, (PLAYERID, HAND), (LEAD, TRUMP, WINNING_CARD, WINNING_PLAYER)),
    ("Trick", 0, SAY_TRICK, (PLAYERID,), ()),
    ("Score", 0, SAY_SCORE, (SCORE,), (GAME_OVER, WIN)),
)
KIND: Final = np.full((2, len(TYPES)), BAD, np.int8)
MUST: Final = np.zeros((2, len(TYPES)), np.int32)
_MAY: Final = np.zeros((2, len(TYPES)), np.int32)
for _name, _answer, _shape_kind, _must, _may in _SHAPES:
    KIND[_answer, TYPES.index(_name)] = _shape_kind
    MUST[_answer, TYPES.index(_name)] = _bits(TYPE, *_must)
    _MAY[_answer, TYPES.index(_name)] = _bits(TYPE, *_must, *_may)

PLAY_REQUEST: Final = TYPES.index("PlayRequest")
_MESSAGE_TYPE = TYPES.index("Message")
BID_TYPE = TYPES.index("Bid")


def _table(words: tuple[bytes, ...]) -> NDArray[np.uint8]:
    """Words as rows of bytes, filled up with 0 to the longest and one more."""
    width = max(map(len, words)) + 1
    return np.array([list(word.ljust(width, b"\0")) for word in words], np.uint8)


_FIELD_BYTES: Final = _table(tuple(name.encode() for name in FIELDS))
_TYPE_BYTES: Final = _table(tuple(name.encode() for name in TYPES))

# Messages that belong to a hand, and those that no hand goes on after: a number is 1, a card is 2.
_SCORES_TEXT: Final = b"Scores are now Team0 = \1 to Team1 = \1, played \1 hands"
_MESSAGES: Final = (
    (TRICK_MESSAGE, b"Player \1 wins trick #\1 with \2 for \1 points"),
    (TRICK_MESSAGE, b"Player \1 wins trick with \2"),
    (SCORES_MESSAGE, _SCORES_TEXT),
    (THROW_IN_MESSAGE, b"Player \1 threw in! " + _SCORES_TEXT),
    (WINNER_MESSAGE, b"Team\1 wins with a score of \1!"),
    (MENU, b"Do you want to join a game, create a new game, or quit? (join, create, quit)"),
    (MENU, b"Ok, bye bye!"),
)
NUMBERED_TRICK, PLAIN_TRICK, SCORES, THROW_IN, WINNER, ASKED, LEFT = range(len(_MESSAGES))
_MESSAGE_KINDS: Final = np.array([kind for kind, _ in _MESSAGES], np.int8)
_MESSAGE_BYTES: Final = _table(tuple(text for _, text in _MESSAGES))


@compiled
def blank(line: Any) -> None:
    """Make a line's record one that says nothing."""
    line.kind = BLANK
    line.answer = 0
    line.type = -1
    line.said = -1
    line.fields = 0
    line.seat = -1
    line.dealer = -1
    line.suit = NO_SUIT
    line.lead = NO_SUIT
    line.card = NO_CARD
    line.winning = NO_CARD
    line.count = 0
    line.over = 0
    line.win = 0
    line.bid = 0
    line.amount = 0
    line.option = 0
    line.number = ABSENT
    line.scores[0] = 0
    line.scores[1] = 0


@compiled
def scan(buffer: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], lines: NDArray[Any]) -> None:
    """Fill a record for each line; `BAD` ones are in no form that is known here."""
    numbers = np.zeros(8, np.int64)
    for place in range(len(starts)):
        line = lines[place]
        blank(line)
        start = starts[place]
        end = ends[place]
        if is_blank(buffer, start, end):
            continue
        line.kind = BAD
        if _object(buffer, start, end, line, numbers):
            classify(line)


@compiled
def is_blank(buffer: Bytes, start: Int, end: Int) -> bool:
    """Whether there is nothing but spaces and tabs."""
    while start < end and (buffer[start] == 32 or buffer[start] == 9):
        start += 1
    return bool(start == end)


@compiled
def classify(line: Any) -> None:
    """Tell from its type and fields what a line is, `BAD` if they do not fit together."""
    line.kind = BAD
    if line.type < 0:
        return
    must = MUST[line.answer, line.type]
    if line.fields & must != must or line.fields & ~_MAY[line.answer, line.type]:
        return
    kind = KIND[line.answer, line.type]
    if line.answer and line.fields >> PLAYERID & 1 == 0:
        line.seat = 0  # the page that comes with the server of 2014 leaves the zero out
    if line.type == _MESSAGE_TYPE and line.said >= 0:
        kind = _MESSAGE_KINDS[line.said]
    elif line.type == BID_TYPE and line.amount != 0:
        kind = BAD
    elif kind == SAY_BID and line.seat == 0:
        kind = ASK_BID
    elif kind == ASK_TRUMP and line.suit != NO_SUIT:
        kind = SAY_TRUMP
    elif kind == ASK_PLAY and line.fields >> PLAYED_CARD & 1:
        kind = SAY_PLAY
        if line.fields & ~(1 << TYPE | 1 << PLAYERID | 1 << PLAYED_CARD):
            kind = BAD
    line.kind = kind


# ---------------------------------------------------------------- the compiled scanner


@compiled
def _object(buffer: Bytes, start: Int, end: Int, line: Any, numbers: Any) -> bool:
    """Read the arrow and the object; whether all of it is in the form that servers write."""
    if end - start < 6 or buffer[start + 3] != 32 or buffer[start + 4] != 123 or buffer[end - 1] != 125:
        return False
    if buffer[start] == 60 and buffer[start + 1] == 45 and buffer[start + 2] == 45:
        line.answer = 1
    elif buffer[start] != 45 or buffer[start + 1] != 45 or buffer[start + 2] != 62:
        return False
    place = start + 5
    while place < end:
        if buffer[place] != 34:
            return False
        close = _quote(buffer, place + 1, end)
        if close < 0 or close + 1 >= end or buffer[close + 1] != 58:
            return False
        field = _word(_FIELD_BYTES, buffer, place + 1, close)
        if field < 0 or line.fields >> field & 1:
            return False
        line.fields |= 1 << field
        place = _value(buffer, close + 2, end, field, line, numbers)
        if place < 0 or place >= end:
            return False
        if buffer[place] == 125:
            return bool(place == end - 1)
        if buffer[place] != 44:
            return False
        place += 1
    return False


@compiled
def _quote(buffer: Bytes, place: Int, end: Int) -> Int:
    """Where a string ends, -1 if it does not, or has what must be decoded."""
    while place < end:
        if buffer[place] == 34:
            return place
        if buffer[place] == 92 or buffer[place] < 32:
            return -1
        place += 1
    return -1


@compiled
def _word(words: NDArray[np.uint8], buffer: Bytes, start: Int, end: Int) -> Int:
    """Which of some words stands there, -1 if none does."""
    size = end - start
    if size <= 0 or size >= words.shape[1]:
        return -1
    for number in range(len(words)):
        if words[number, 0] != buffer[start] or words[number, size] != 0:
            continue
        same = True
        for place in range(size):
            if words[number, place] != buffer[start + place]:
                same = False
                break
        if same:
            return number
    return -1


@compiled
def _value(buffer: Bytes, start: Int, end: Int, field: Int, line: Any, numbers: Any) -> Int:
    """Read the value of a field; returns where it ends, -1 if it is not in the usual form."""
    if field == HAND:
        return _hand(buffer, start, end, line)
    if field == SCORE:
        return _scores(buffer, start, end, line)
    if field in (MY_TABLE, TABLES, TABLE_ID):
        return -1
    if field in (GAME_OVER, WIN):
        return _truth(buffer, start, end, field, line)
    if start >= end:
        return -1
    if buffer[start] != 34:
        close = _number_end(buffer, start, end)
        value = whole_number(buffer, start, close)
        return close if value != BAD_NUMBER and put_number(line, field, value) else -1
    close = _quote(buffer, start + 1, end)
    if close < 0:
        return -1
    if field == TYPE:
        line.type = _word(_TYPE_BYTES, buffer, start + 1, close)
        return close + 1 if line.type >= 0 else -1
    if field == MESSAGE:
        put_message(line, buffer, start + 1, close, numbers)
        return close + 1
    if field in (PLAYED_CARD, WINNING_CARD):
        card = _card(buffer, start + 1, close)
        if card < 0:
            return -1
        put_card(line, field, card)
        return close + 1
    if (field in (TRUMP, LEAD)) and close == start + 2:
        suit = np.int64(SUIT_OF_BYTE[buffer[start + 1]])
        if 0 <= suit < NO_TRUMP:
            put_suit(line, field, suit)
            return close + 1
    return -1


@compiled
def _number_end(buffer: Bytes, place: Int, end: Int) -> Int:
    while place < end and buffer[place] != 44 and buffer[place] != 125 and buffer[place] != 93:
        place += 1
    return place


@compiled
def _truth(buffer: Bytes, start: Int, end: Int, field: Int, line: Any) -> Int:
    """true or false."""
    for value, word in ((1, b"true"), (0, b"false")):
        if start + len(word) > end:
            continue
        same = True
        for place in range(len(word)):
            same &= buffer[start + place] == word[place]
        if same:
            if field == WIN:
                line.win = value
            else:
                line.over = value
            return start + len(word)
    return -1


@compiled
def _card(buffer: Bytes, start: Int, end: Int) -> Int:
    """The code of a card of the pack, -1 if there is none."""
    if end - start != 2:
        return -1
    rank = np.int64(RANK_OF_BYTE[buffer[start]])
    suit = np.int64(SUIT_OF_BYTE[buffer[start + 1]])
    if rank < 0 or rank >= len(PACK_RANKS) or suit < 0 or suit >= NO_TRUMP:
        return -1
    card = suit * SUIT_STRIDE + rank
    return card if DECK >> card & 1 else -1


@compiled
def _hand(buffer: Bytes, start: Int, end: Int, line: Any) -> Int:
    """An array of cards."""
    if start + 1 >= end or buffer[start] != 91:
        return -1
    place = start + 1
    if buffer[place] == 93:
        return place + 1
    while place + 4 < end and line.count < MOST_SHOWN:
        if buffer[place] != 34 or buffer[place + 3] != 34:
            return -1
        card = _card(buffer, place + 1, place + 3)
        if card < 0:
            return -1
        line.cards[line.count] = card
        line.count += 1
        if buffer[place + 4] == 93:
            return place + 5
        if buffer[place + 4] != 44:
            return -1
        place += 5
    return -1


@compiled
def _scores(buffer: Bytes, start: Int, end: Int, line: Any) -> Int:
    """An array of two numbers."""
    if start >= end or buffer[start] != 91:
        return -1
    place = start + 1
    for team in range(2):
        close = _number_end(buffer, place, end)
        value = whole_number(buffer, place, close)
        if value == BAD_NUMBER or close >= end or buffer[close] != (44 if team == 0 else 93):
            return -1
        line.scores[team] = value
        place = close + 1
    return place


@compiled
def put_number(line: Any, field: Int, value: Int) -> bool:
    """Note the number of a field; whether it may be one."""
    if field == PLAYERID:
        line.seat = value if 0 <= value < 4 else -1
        return bool(0 <= value < 4)
    if field == DEALER:
        line.dealer = value if 0 <= value < 4 else -1
        return bool(0 <= value < 4)
    if field == BID:
        line.bid = value
    elif field == AMOUNT:
        line.amount = value
    elif field == OPTION:
        line.option = value
    elif field != WINNING_PLAYER:
        return False
    return True


@compiled
def put_card(line: Any, field: Int, card: Int) -> None:
    """Note the card of a field."""
    if field == PLAYED_CARD:
        line.card = card
    else:
        line.winning = card


@compiled
def put_suit(line: Any, field: Int, suit: Int) -> None:
    """Note the suit of a field."""
    if field == TRUMP:
        line.suit = suit
    else:
        line.lead = suit


@compiled
def put_message(line: Any, buffer: Bytes, start: Int, end: Int, numbers: Any) -> None:
    """Note what a message says, if it is one of `_MESSAGES`."""
    for number in range(len(_MESSAGE_BYTES)):
        count = _fits(_MESSAGE_BYTES[number], buffer, start, end, numbers)
        if count < 0:
            continue
        line.said = number
        if number in (NUMBERED_TRICK, PLAIN_TRICK):
            line.card = numbers[1 + (number == NUMBERED_TRICK)]
            if number == NUMBERED_TRICK:
                line.number = numbers[1]
                line.amount = numbers[3]
        elif number == WINNER:
            line.amount = numbers[1]
        elif number in (SCORES, THROW_IN):
            first = count - 3
            line.scores[0] = numbers[first]
            line.scores[1] = numbers[first + 1]
            line.number = numbers[first + 2]
        if number < ASKED and number != SCORES:
            line.seat = numbers[0] if 0 <= numbers[0] < 4 else -1
        return


@compiled
def _fits(text: NDArray[np.uint8], buffer: Bytes, start: Int, end: Int, numbers: Any) -> Int:
    """How many numbers and cards a message of this text has, which go into `numbers`; -1 if it is
    none."""
    count = 0
    place = start
    for letter in text:
        if letter == 0:
            return count if place == end else -1
        if letter == 1:
            close = place
            while close < end and (48 <= buffer[close] <= 57 or (close == place and buffer[close] == 45)):
                close += 1
            numbers[count] = whole_number(buffer, place, close)
            if numbers[count] == BAD_NUMBER:
                return -1
            count += 1
            place = close
        elif letter == 2:
            if place + 2 > end:
                return -1
            numbers[count] = _card(buffer, place, place + 2)
            if numbers[count] < 0:
                return -1
            count += 1
            place += 2
        else:
            if place >= end or buffer[place] != letter:
                return -1
            place += 1
    return -1
