"""The state of the parser of one hand."""

from typing import Final

import numpy as np

from cardlog.models.ruter_sju.state import SEATS, STATE
from cardlog.schemas.events import compiled_dtype

MOST_NAME: Final = 256
"""Bytes of a player's name."""

NAMES: Final = compiled_dtype(
    [
        ("seats", np.int8),
        ("sizes", np.int16, (SEATS,)),  # bytes of each name
        ("letters", np.uint8, (SEATS, MOST_NAME)),
    ]
)
"""The players' names as in the text, by seat."""

TURN, SECTION, HAND, GAME, BOARD, ORDER, NOTHING = range(7)
"""What the parser expects next: a turn or an act; the line after a turn's name; a computer's hand; the line
before the board; a row of it; the final order; nothing."""

PARSER: Final = compiled_dtype(
    [
        ("first", np.int64),  # the hand's lines, from 0; `last` is the line after them
        ("last", np.int64),
        ("names", NAMES),
        ("start", STATE),  # before the deal
        ("state", STATE),  # after the events so far
        ("events", np.int64),  # their number
        ("line", np.int64),  # the line that is parsed
        ("fault", np.int8),  # its fault
        ("expected", np.int8),
        ("seat", np.int8),  # whose turn began last
        ("turn_line", np.int64),  # the line where it did
        ("in_turn", np.int8),  # 1 while that seat may act
        ("acted", np.int8),  # 1 once it has
        ("leaving", np.int8),  # 1 if the next line must report that it is out
        ("unanswered", np.int8),  # 1 if it was asked whether to go on, without an answer shown
        ("loose_block", np.int8),  # 1 if taking the block has no effect
        ("row", np.int8),  # rows of the board seen
        ("over", np.int8),  # 1 once the game is reported over
        ("order", np.int8),  # the next place in the final order, 0 before its heading
    ]
)
"""A hand's lines, its fault, and the parser's progress."""
