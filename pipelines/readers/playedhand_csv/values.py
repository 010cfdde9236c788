"""What the fields of a column say, for all rows at once.

Values that repeat are understood once; ids, times and cards by column expressions. ``NULL`` is an empty
field, or ``\\N`` as in COPY's text format.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.pipelines.readers import times
from cardlog.pipelines.readers.arrays import CARD_OF_PAIR, NO_CARD
from cardlog.schemas.cards import NO_SUIT, PACK_RANKS, SUIT_LETTERS, SUIT_STRIDE, SUITS
from cardlog.schemas.events import NO_TIME

Numbers = NDArray[np.int64]

BAD: Final = -(2**40)
"""Stands for what is not a value of its column."""
NULL: Final = 2
"""Stands for NULL among flags."""
NO_BID: Final = -1
"""Stands for NULL among bids; a pass is 0."""
_NUMBER: Final = "0|-?[1-9][0-9]{0,9}"
"""A whole number as Postgres writes it."""
_FLAGS: Final = {b"t": 1, b"true": 1, b"f": 0, b"false": 0, b"": NULL, b"\\N": NULL}
_BID: Final = re.compile(rf"([1-9][0-9]?)([{SUIT_LETTERS}]?)".encode())
_IN_PACK: Final = np.array(
    [card // SUIT_STRIDE < len(SUITS) and card % SUIT_STRIDE < len(PACK_RANKS) for card in range(256)]
)
_CARD_OF_PAIR: Final = np.where(_IN_PACK[CARD_OF_PAIR], CARD_OF_PAIR, np.uint8(NO_CARD))
"""`CARD_OF_PAIR` for the pack of 52."""


class Cards(NamedTuple):
    """A column of runs of cards.

    codes
        Shape (rows, most cards), 0 behind the last card.
    counts, is_null, fits, is_known
        Shape (rows,). What does not fit is not read: half a card, or too many. A card may be unknown.
    """

    codes: NDArray[np.uint8]
    counts: Numbers
    is_null: NDArray[np.bool_]
    fits: NDArray[np.bool_]
    is_known: NDArray[np.bool_]


def _each(column: pa.BinaryArray, meaning: Callable[[bytes], int | tuple[int, int]]) -> Numbers:
    """What each value means, by a function that is called once for a value that repeats."""
    found = column.dictionary_encode()
    meanings = [*map(meaning, found.dictionary.to_pylist())]
    return np.asarray(np.array(meanings, np.int64)[found.indices.to_numpy()])


def ids(column: pa.BinaryArray) -> Numbers:
    """Whole numbers that fit into 32 bits, except the lowest one, which stands for null in our files; else
    `BAD`."""
    is_number = pc.match_substring_regex(column, f"^(?:{_NUMBER})$")
    numbers = pc.if_else(is_number, column, b"0").cast(pa.string()).cast(pa.int64()).to_numpy()
    is_good = is_number.to_numpy(zero_copy_only=False) & (np.abs(numbers) < 2**31)
    return np.where(is_good, numbers, BAD)


def small_numbers(column: pa.BinaryArray) -> Numbers:
    """Numbers from 0 to 127, else `BAD`."""
    return _each(column, _small_number)


def _small_number(text: bytes) -> int:
    is_number = re.fullmatch(b"0|[1-9][0-9]{0,2}", text)
    return int(text) if is_number and int(text) < 128 else BAD


def flags(column: pa.BinaryArray) -> Numbers:
    """1 for true, 0 for false, or `NULL`, else `BAD`."""
    return _each(column, lambda text: _FLAGS.get(text, BAD))


def bids(column: pa.BinaryArray) -> tuple[Numbers, Numbers]:
    """The numbers of bids, 0 for a pass, or `NO_BID`, else `BAD`; and the suits that they name, or -1."""
    numbers, suits = _each(column, _bid).reshape(-1, 2).T
    return numbers, suits


def _bid(text: bytes) -> tuple[int, int]:
    if text in (b"", b"\\N", b"pass"):
        return 0 if text == b"pass" else NO_BID, NO_SUIT
    bid = _BID.fullmatch(text)
    suit = SUIT_LETTERS.index(bid[2].decode()) if bid and bid[2] else NO_SUIT
    return int(bid[1]) if bid else BAD, suit


def moments(column: pa.BinaryArray) -> tuple[Numbers, Numbers]:
    """Microseconds since 1970 UTC, or `NO_TIME`, else `BAD`; and offsets from UTC in minutes."""
    is_time = pc.match_substring_regex(column, f"^(?:{times.PATTERN})$")
    texts = pc.if_else(is_time, column, b"1970-01-01 00:00:00Z").cast(pa.string())
    try:
        found = texts.cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:  # there is no such day
        found = np.array([*map(_microseconds, texts.to_pylist())], np.int64)
    zones = pc.ascii_ltrim(pc.utf8_slice_codeunits(texts, len("2016-03-01 21:16:07")), ".0123456789")
    is_good = is_time.to_numpy(zero_copy_only=False) & (found >= times.FIRST) & (found <= times.LAST)
    found = np.where(is_null(column), NO_TIME, np.where(is_good, found, BAD))
    return found, _each(zones.cast(pa.binary()), _zone)


def _microseconds(text: str) -> int:
    try:
        return times.microseconds(text)
    except ValueError:
        return times.LAST + 1


def _zone(text: bytes) -> int:
    """The minutes of ``Z``, ``+05``, ``-0530`` or ``+05:30``."""
    minutes = 60 * int(text[1:3] or b"0") + int(text[3:].lstrip(b":") or b"0")
    return -minutes if text[:1] == b"-" else minutes


def cards(column: pa.BinaryArray, most: int) -> Cards:
    """The cards of the pack of 52 in each field."""
    sizes = pc.binary_length(column).to_numpy()
    null, fits = is_null(column), (sizes % 2 == 0) & (sizes <= 2 * most)
    if not fits.all() or null.any():
        column = pc.if_else(pa.array(fits & ~null), column, b"")
        sizes = pc.binary_length(column).to_numpy()
    _, bounds, text = column.buffers()
    first = np.frombuffer(bounds, np.int32)[column.offset]
    pairs = np.frombuffer(text or b"", np.uint16, sizes.sum() // 2, int(first))
    found = _CARD_OF_PAIR[pairs]
    if len(found) == len(column) * most:
        codes = found.reshape(-1, most)
    else:
        codes = np.zeros((len(column), most), np.uint8)
        codes[np.arange(most) < (sizes // 2)[:, None]] = found
    return Cards(codes, sizes // 2, null, fits, codes.max(axis=1) < NO_CARD)


def is_null(column: pa.BinaryArray) -> NDArray[np.bool_]:
    """Which fields are NULL."""
    null = pc.is_in(column, pa.array([b"", b"\\N"]))
    return np.asarray(null.to_numpy(zero_copy_only=False))
