"""The lines of a dump as columns, which Arrow's CSV reader splits, and the values of a column's fields.

Values that repeat are parsed once; ids, times and cards by column expressions. ``NULL`` is an empty field, or
``\\N`` as in COPY's text format.
"""

import csv
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv

from cardlog.pipelines.events.columns import among
from cardlog.pipelines.readers import times
from cardlog.pipelines.readers.arrays import Offsets
from cardlog.pipelines.readers.playedhand_csv.layout import COLUMNS, Layout, is_no_hand
from cardlog.schemas.cards import CARD_OF_PAIR, NO_CARD, NO_SUIT, PACK_RANKS, SUIT_LETTERS, SUIT_STRIDE, SUITS
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
_SMALL_NUMBERS: Final = {b"%d" % number: number for number in range(128)}
_FLAGS: Final = {b"t": 1, b"true": 1, b"f": 0, b"false": 0, b"": NULL, b"\\N": NULL}
_BIDS: Final = {b"": (NO_BID, NO_SUIT), b"\\N": (NO_BID, NO_SUIT), b"pass": (0, NO_SUIT)} | {
    f"{number}{letter}".encode(): (number, suit)
    for number in range(1, 100)
    for suit, letter in ((NO_SUIT, ""), *enumerate(SUIT_LETTERS))
}
"""The number and the suit of each bid."""
_IN_PACK: Final = np.array(
    [card // SUIT_STRIDE < len(SUITS) and card % SUIT_STRIDE < len(PACK_RANKS) for card in range(256)]
)
_CARD_OF_PAIR: Final = np.where(_IN_PACK[CARD_OF_PAIR], CARD_OF_PAIR, np.uint8(NO_CARD))
"""`CARD_OF_PAIR` for the pack of 52."""


# ---------------------------------------------------------------- rows


class Rows(NamedTuple):
    """The rows of a text."""

    lines: Offsets  # indices of the lines with as many fields as there are columns: shape (rows,)
    columns: list[pa.BinaryArray]  # the fields of each of `COLUMNS`, each of shape (rows,)
    uneven: list[int]  # indices of the lines with more or fewer fields


def rows_of(text: bytes, starts: Offsets, ends: Offsets, layout: Layout) -> Rows:
    """The rows of a text whose lines begin and end at these offsets."""
    if not text:  # Arrow refuses it
        return Rows(np.zeros(0, np.int64), [pa.array([], pa.binary())] * len(COLUMNS), [])
    plain = _unquoted(text, starts, ends, layout)
    table, is_even = _table(plain, layout)
    uneven: list[int] = []
    if not is_even:  # they are read as blank lines: among many of them Arrow loses count
        by_line = [line.rstrip(b"\r") for line in plain.removesuffix(b"\n").split(b"\n")]
        most = len(layout.columns) - 1
        uneven = [n for n, line in enumerate(by_line) if line and line.count(layout.separator) != most]
        for number in uneven:
            by_line[number] = b""
        table, _ = _table(b"\n".join([*by_line, b""]), layout)
    lines = np.arange(len(starts))
    is_row = ends > starts
    is_row[uneven] = False
    for row in np.flatnonzero(pc.ends_with(table.column("id"), "id")).tolist():
        is_row[row] &= not is_no_hand(text[starts[row] : ends[row]], layout)
    if not is_row[:1].all():  # the header, without a copy
        table, lines, is_row = table.slice(1), lines[1:], is_row[1:]
    if not is_row.all():
        table, lines = table.filter(pa.array(is_row)), lines[is_row]
    uneven = [line for line in uneven if not is_no_hand(text[starts[line] : ends[line]], layout)]
    return Rows(lines, [table.column(name).combine_chunks() for name in COLUMNS], uneven)


def _table(plain: bytes, layout: Layout) -> tuple[pa.Table, bool]:
    """The columns of a text without quotes, and whether all lines have as many as they should. The others are
    left out."""
    uneven: list[Any] = []

    def skip(row: Any) -> str:
        uneven.append(row)
        return "skip"

    table = arrow_csv.read_csv(
        pa.BufferReader(plain),
        arrow_csv.ReadOptions(use_threads=False, block_size=len(plain) + 1, column_names=[*layout.columns]),
        arrow_csv.ParseOptions(
            delimiter=layout.separator.decode(),
            quote_char=False,
            ignore_empty_lines=False,
            invalid_row_handler=skip,
        ),
        arrow_csv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, pa.binary()), include_columns=COLUMNS),
    )
    return table, not uneven


_NO_VALUE: Final = bytes(byte if byte < 128 and byte != ord("\r") else 0 for byte in range(256))
"""Translates to 0 bytes that are in no value, and that Arrow's reader refuses or takes for a line end."""


def _unquoted(text: bytes, starts: Offsets, ends: Offsets, layout: Layout) -> bytes:
    """The text without quotes, which no value of these columns needs, so that Arrow's reader splits it at
    every separator and line end."""
    has_returns = b"\r" in text and text.count(b"\r") != text.count(b"\r\n") + text.endswith(b"\r")
    if text.isascii() and (b'"' not in text or layout.is_copied) and not has_returns:
        return text
    lines = (text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
    return b"\n".join([_without_quotes(line, layout).translate(_NO_VALUE) for line in lines]) + b"\n"


def _without_quotes(line: bytes, layout: Layout) -> bytes:
    if b'"' in line and not layout.is_copied:
        separator = layout.separator.decode()
        try:
            fields = next(csv.reader([line.decode("latin-1")], delimiter=separator, strict=True))
        except (csv.Error, StopIteration):
            return line
        if len(fields) == len(layout.columns):  # ignored columns may have any text
            known = zip(layout.columns, fields, strict=True)
            fields = [field if name in COLUMNS else "" for name, field in known]
        if not any(separator in field for field in fields):
            return separator.join(fields).encode("latin-1")
    return line


# ---------------------------------------------------------------- values


class Cards(NamedTuple):
    """A column of runs of cards; arrays of shape (rows,)."""

    codes: NDArray[np.uint8]  # shape (rows, most cards), 0 after the last card
    counts: Numbers
    is_null: NDArray[np.bool_]
    fits: NDArray[np.bool_]  # False for half a card or too many cards, which are not read
    is_known: NDArray[np.bool_]  # False for something that is not a card


def _parsed(column: pa.BinaryArray, parse: Callable[[bytes], int | tuple[int, int]]) -> Numbers:
    """The parsed values of a column; the function is called once for each distinct value."""
    encoded = column.dictionary_encode()
    values = [*map(parse, encoded.dictionary.to_pylist())]
    return np.asarray(np.array(values, np.int64)[encoded.indices.to_numpy()])


def ids(column: pa.BinaryArray) -> Numbers:
    """Whole numbers that fit into 32 bits, except the lowest one, which stands for null in our files; else
    `BAD`."""
    is_number = pc.match_substring_regex(column, f"^(?:{_NUMBER})$")
    numbers = pc.if_else(is_number, column, b"0").cast(pa.string()).cast(pa.int64()).to_numpy()
    is_good = is_number.to_numpy(zero_copy_only=False) & (np.abs(numbers) < 2**31)
    return np.where(is_good, numbers, BAD)


def small_numbers(column: pa.BinaryArray) -> Numbers:
    """Numbers from 0 to 127, else `BAD`."""
    return _parsed(column, lambda text: _SMALL_NUMBERS.get(text, BAD))


def flags(column: pa.BinaryArray) -> Numbers:
    """1 for true, 0 for false, or `NULL`, else `BAD`."""
    return _parsed(column, lambda text: _FLAGS.get(text, BAD))


def bids(column: pa.BinaryArray) -> tuple[Numbers, Numbers]:
    """The numbers of bids, 0 for a pass, or `NO_BID`, else `BAD`; and the suits that they name, or -1."""
    numbers, suits = _parsed(column, lambda text: _BIDS.get(text, (BAD, NO_SUIT))).reshape(-1, 2).T
    return numbers, suits


def times_and_zones(column: pa.BinaryArray, timezone: str) -> tuple[Numbers, Numbers]:
    """Microseconds since 1970 UTC, or `NO_TIME`, else `BAD`; and offsets from UTC in minutes.

    timezone
        That of times without a zone, or empty.
    """
    if timezone:
        is_bare = pc.match_substring_regex(column, f"^(?:{times.BARE})$")
        zoned = (
            times.with_zone(text.decode(), timezone).encode() for text in column.filter(is_bare).to_pylist()
        )
        column = pc.replace_with_mask(column, is_bare, pa.array(zoned, pa.binary()))
    is_time = pc.match_substring_regex(column, f"^(?:{times.PATTERN})$")
    texts = pc.if_else(is_time, column, b"1970-01-01 00:00:00Z").cast(pa.string())
    try:
        moments = texts.cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:  # there is no such day
        moments = np.array([*map(times.microseconds, texts.to_pylist())], np.int64)
    zones = pc.ascii_ltrim(pc.utf8_slice_codeunits(texts, len("2016-03-01 21:16:07")), ".0123456789")
    is_good = is_time.to_numpy(zero_copy_only=False) & (moments >= times.FIRST) & (moments <= times.LAST)
    moments = np.where(is_null(column), NO_TIME, np.where(is_good, moments, BAD))
    return moments, _parsed(zones.cast(pa.binary()), _zone)


def _zone(text: bytes) -> int:
    """The minutes of ``Z``, ``+05``, ``-0530`` or ``+05:30``."""
    minutes = 60 * int(text[1:3] or b"0") + int(text[3:].lstrip(b":") or b"0")
    return -minutes if text[:1] == b"-" else minutes


def cards(column: pa.BinaryArray, most: int) -> Cards:
    """The cards of the pack of 52 in each field, which may have at most so many."""
    sizes = pc.binary_length(column).to_numpy()
    null, fits = is_null(column), (sizes % 2 == 0) & (sizes <= 2 * most)
    if not fits.all() or null.any():
        column = pc.if_else(pa.array(fits & ~null), column, b"")
        sizes = pc.binary_length(column).to_numpy()
    _, bounds, text = column.buffers()
    first = np.frombuffer(bounds, np.int32)[column.offset]
    pairs = np.frombuffer(text or b"", np.uint16, sizes.sum() // 2, int(first))
    codes = _CARD_OF_PAIR[pairs]
    if len(codes) == len(column) * most:
        codes = codes.reshape(-1, most)
    else:
        run, codes = codes, np.zeros((len(column), most), np.uint8)
        codes[among(codes, sizes // 2)] = run
    return Cards(codes, sizes // 2, null, fits, codes.max(axis=1) < NO_CARD)


def is_null(column: pa.BinaryArray) -> NDArray[np.bool_]:
    """Which fields are NULL."""
    null = pc.is_in(column, pa.array([b"", b"\\N"]))
    return np.asarray(null.to_numpy(zero_copy_only=False))
