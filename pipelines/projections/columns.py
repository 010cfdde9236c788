"""Arrow columns from NumPy arrays, without a Python object a row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from models.compiled import compiled
from schemas.cards import CHARACTERS


def nullable(values: NDArray[Any], valid: "NDArray[np.bool_] | None") -> pa.Array:
    """A column of numbers, null where not valid."""
    values = np.ascontiguousarray(values)
    return pa.array(values) if valid is None or valid.all() else pa.array(values, mask=~valid)


def optional(values: NDArray[Any], null: int) -> pa.Array:
    """A column of numbers in which one stands for null."""
    return nullable(values, values != null)


def labels(which: NDArray[Any], texts: Sequence[str]) -> pa.Array:
    """A dictionary column: the text each number stands for, null where it is negative."""
    which = np.ascontiguousarray(which, np.int32)
    return pa.DictionaryArray.from_arrays(nullable(which, which >= 0), pa.array(texts, pa.string()))


def fixed_texts(data: NDArray[np.uint8], valid: "NDArray[np.bool_] | None" = None) -> pa.StringArray:
    """A column of texts that all have the same length, from their bytes: shape (rows, length)."""
    rows, length = data.shape
    ends = np.arange(0, length * (rows + 1), length or 1, dtype=np.int32)[: rows + 1]
    return varied_texts(data, ends, valid)


def varied_texts(
    data: NDArray[np.uint8], ends: NDArray[np.int32], valid: "NDArray[np.bool_] | None" = None
) -> pa.StringArray:
    """A column of texts from their bytes, one after the other, and where each begins and ends."""
    bitmap = None
    if valid is not None and not valid.all():
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(data))
    return pa.StringArray.from_buffers(len(ends) - 1, *buffers, null_bitmap=bitmap)


def hand_labels(hand_ids: NDArray[np.bytes_]) -> pa.StringArray:
    """The ids of hands as a column."""
    return fixed_texts(np.ascontiguousarray(hand_ids).view(np.uint8).reshape(len(hand_ids), 32))


@compiled
def card_bytes(
    codes: NDArray[np.uint8], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The bytes of the first `counts[row]` cards of each row, and where each row ends."""
    ends = np.zeros(len(counts) + 1, np.int32)
    for row in range(len(counts)):
        ends[row + 1] = ends[row] + 2 * counts[row]
    data = np.empty(ends[-1], np.uint8)
    for row in range(len(counts)):
        for card in range(counts[row]):
            data[ends[row] + 2 * card] = CHARACTERS[codes[row, card], 0]
            data[ends[row] + 2 * card + 1] = CHARACTERS[codes[row, card], 1]
    return data, ends


def card_texts(codes: NDArray[np.uint8], counts: NDArray[Any]) -> pa.StringArray:
    """A column of runs of cards, null where there are none: codes (rows, most), counts (rows,)."""
    counts = np.ascontiguousarray(counts, np.int64)
    data, ends = card_bytes(codes, counts)
    return varied_texts(data, ends, counts > 0)


@compiled
def digit_bytes(
    digits: NDArray[np.int8], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The first `counts[row]` digits of each row as bytes, and where each row ends."""
    ends = np.zeros(len(counts) + 1, np.int32)
    for row in range(len(counts)):
        ends[row + 1] = ends[row] + counts[row]
    data = np.empty(ends[-1], np.uint8)
    for row in range(len(counts)):
        for place in range(counts[row]):
            data[ends[row] + place] = 48 + digits[row, place]
    return data, ends


def digit_texts(digits: NDArray[np.int8], counts: NDArray[Any]) -> pa.StringArray:
    """A column of runs of digits, one a seat: digits (rows, most), counts (rows,)."""
    data, ends = digit_bytes(digits, np.ascontiguousarray(counts, np.int64))
    return varied_texts(data, ends)
