"""Arrow columns from NumPy arrays, without a Python object a row."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.events.batch import Batch
from cardlog.schemas.cards import CHARACTERS, RANKS, SUIT_CHARACTERS, SUIT_STRIDE


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


def occurring(which: NDArray[Any], texts: Sequence[str]) -> pa.DictionaryArray:
    """As `labels`; the dictionary has only texts that occur, so that indices are short."""
    used = np.bincount(which[which >= 0], minlength=len(texts)) > 0
    texts = [text for text, is_used in zip(texts, used.tolist(), strict=True) if is_used]
    return labels(np.where(which < 0, -1, (np.cumsum(used) - 1)[which]), texts)


def card_labels(codes: NDArray[np.integer[Any]]) -> pa.DictionaryArray:
    """A column of single cards, null where a code is negative."""
    return occurring(codes, _CARDS)


def rank_labels(codes: NDArray[np.uint8]) -> pa.DictionaryArray:
    """The ranks of cards."""
    return occurring(codes & (SUIT_STRIDE - 1), RANKS)


def suit_labels(codes: NDArray[np.uint8]) -> pa.DictionaryArray:
    """The suits of cards."""
    return occurring(codes // SUIT_STRIDE, SUIT_CHARACTERS)


_CARDS: Final = [bytes(pair).decode() for pair in CHARACTERS]
"""The text of each code."""


def fixed_texts(data: NDArray[np.uint8], valid: "NDArray[np.bool_] | None" = None) -> pa.StringArray:
    """A column of texts that all have the same length, from their bytes: shape (rows, length)."""
    rows, length = data.shape
    return varied_texts(data, np.arange(rows + 1, dtype=np.int32) * np.int32(length), valid)


def varied_texts(
    data: NDArray[np.uint8], ends: NDArray[np.int32], valid: "NDArray[np.bool_] | None" = None
) -> pa.StringArray:
    """A column of texts from their bytes, one after the other, and where each begins and ends."""
    bitmap = None
    if valid is not None and not valid.all():
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(data))
    return pa.StringArray.from_buffers(len(ends) - 1, *buffers, null_bitmap=bitmap)


class OpeningColumns:
    """Columns that follow from the text of a hand's opening, worked out once for each text.

    kinds
        The columns' names and types.
    values
        What an opening says, a value a column.
    """

    MOST: Final = 2**16
    """Texts that are remembered."""

    def __init__(
        self, kinds: dict[str, pa.DataType], values: Callable[[dict[str, Any]], tuple[Any, ...]]
    ) -> None:
        self._kinds = kinds
        self._values = lru_cache(self.MOST)(lambda text: values(json.loads(text)))

    def of(self, batch: Batch) -> dict[str, pa.Array]:
        """The columns, one value a hand."""
        which = batch.events["detail"][batch.offsets[:-1]]
        openings, hands = np.unique(which, return_inverse=True)
        rows = [self._values(batch.details[number]) for number in openings.tolist()]
        columns = zip(*rows, strict=True) if rows else [()] * len(self._kinds)
        hands = pa.array(hands)
        kinds = self._kinds.items()
        return {
            name: _column(values, kind, hands) for (name, kind), values in zip(kinds, columns, strict=True)
        }


def _column(values: Sequence[Any], kind: pa.DataType, hands: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).take(hands).dictionary_encode().cast(kind)
    return pa.array(values, kind).take(hands)


def text_of(value: Any) -> str | None:
    """A value of JSON as text, as SQL's ``->>`` has it."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def dialect_of(opening: dict[str, Any]) -> str | None:
    """The name of the rules that a hand with this opening is judged by; None in games that have only one."""
    settings = opening.get("settings")
    return text_of(settings.get("dialect")) if isinstance(settings, dict) else None


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
        for index in range(counts[row]):
            data[ends[row] + index] = 48 + digits[row, index]
    return data, ends


def digit_texts(digits: NDArray[np.int8], counts: NDArray[Any]) -> pa.StringArray:
    """A column of runs of digits, one a seat: digits (rows, most), counts (rows,)."""
    data, ends = digit_bytes(digits, np.ascontiguousarray(counts, np.int64))
    return varied_texts(data, ends)
