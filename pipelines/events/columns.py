"""Arrow columns from NumPy arrays, without a Python object a row."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch
from cardlog.schemas.cards import CHARACTERS


def nullable(values: NDArray[Any], valid: "NDArray[np.bool_] | None") -> pa.Array:
    """A column of numbers, null where not valid."""
    values = np.ascontiguousarray(values)
    return pa.array(values) if valid is None or valid.all() else pa.array(values, mask=~valid)


def optional(values: NDArray[Any], null: int) -> pa.Array:
    """A column of numbers in which one stands for null."""
    return nullable(values, values != null)


def labels(which: NDArray[Any], texts: Sequence[str]) -> pa.DictionaryArray:
    """A dictionary column: the text each number stands for, null where it is negative. Texts that don't occur
    are left out, so that indices are short."""
    which = np.maximum(which.astype(np.int64), -1)
    used = np.flatnonzero(np.bincount(which + 1, minlength=len(texts) + 1)[1:])
    new = np.full(len(texts) + 1, -1, np.int32)
    new[used] = np.arange(len(used), dtype=np.int32)
    found = pa.array([texts[index] for index in used.tolist()], pa.string())
    return pa.DictionaryArray.from_arrays(optional(new[which], -1), found)


def card_labels(codes: NDArray[np.integer[Any]]) -> pa.DictionaryArray:
    """A column of single cards, null where a code is negative."""
    return labels(codes.astype(np.int16), _CARDS)


_CARDS: Final = [bytes(pair).decode() for pair in CHARACTERS]
"""The text of each code."""


def hand_labels(hand_ids: NDArray[np.bytes_]) -> pa.StringArray:
    """The ids of hands as a column."""
    return pa.array(hand_ids).cast(pa.string())


def card_texts(codes: NDArray[np.uint8], counts: NDArray[Any]) -> pa.StringArray:
    """A column of runs of cards, null where there are none: codes (rows, most), counts (rows,)."""
    return runs(CHARACTERS[codes[among(codes, counts)]], 2 * counts.astype(np.int64), counts > 0)


def digit_texts(digits: NDArray[np.int8], counts: NDArray[Any]) -> pa.StringArray:
    """A column of runs of digits, one a seat: digits (rows, most), counts (rows,)."""
    return runs(digits[among(digits, counts)].astype(np.uint8) + ord("0"), counts)


def among(values: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of the values of each row are among the first that count: shape (rows, most)."""
    return np.arange(values.shape[1]) < counts[:, None]


def runs(
    data: NDArray[np.uint8], sizes: NDArray[Any], valid: "NDArray[np.bool_] | None" = None
) -> pa.StringArray:
    """A column of texts from their bytes, one after the other, and how many each has."""
    bitmap = None
    if valid is not None and not valid.all():
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    ends = np.append(0, np.cumsum(sizes, dtype=np.int64)).astype(np.int32)
    buffers = pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(data))
    return pa.StringArray.from_buffers(len(sizes), *buffers, null_bitmap=bitmap)


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
