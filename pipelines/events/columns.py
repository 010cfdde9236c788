"""Arrow columns from NumPy arrays, without a Python object per row."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch
from cardlog.schemas.cards import CHARACTERS


def nullable(values: NDArray[Any], valid: "NDArray[np.bool_] | None") -> pa.Array:
    """A column of numbers, null where not valid."""
    values = np.ascontiguousarray(values)
    return pa.array(values) if valid is None or valid.all() else pa.array(values, mask=~valid)


def optional(values: NDArray[Any], null: int) -> pa.Array:
    """A column of numbers, one of which stands for null."""
    return nullable(values, values != null)


def labels(indices: NDArray[Any], texts: Sequence[str]) -> pa.DictionaryArray:
    """A dictionary column: the text with each index, null where it is negative. Texts that don't occur are
    left out, so that indices are short."""
    after_null = np.maximum(indices.astype(np.int64) + 1, 0)
    occurs = np.zeros(len(texts) + 1, np.bool_)
    occurs[after_null] = True
    used = np.flatnonzero(occurs[1:])
    new_index = np.zeros(len(texts) + 1, np.int32)
    new_index[used + 1] = np.arange(len(used))
    dictionary = pa.array([texts[index] for index in used.tolist()], pa.string())
    valid = after_null > 0 if occurs[0] else None
    return pa.DictionaryArray.from_arrays(nullable(new_index[after_null], valid), dictionary)


def labels_of_rows(indices: NDArray[Any], texts: Sequence[str], hand: NDArray[Any]) -> pa.DictionaryArray:
    """The labels of hands, as a column of rows of which each is of one of the hands."""
    of_hands = labels(indices, texts)
    # Half of Arrow's time goes into checking the bounds of indices, which are those of the hands.
    of_rows = pc.take(of_hands.indices, pa.array(hand), boundscheck=False)
    return pa.DictionaryArray.from_arrays(of_rows, of_hands.dictionary)


def card_labels(codes: NDArray[np.integer[Any]]) -> pa.DictionaryArray:
    """A column of single cards, null where a code is negative."""
    return labels(codes.astype(np.int16), _CARDS)


_PAIRS: Final = np.ascontiguousarray(CHARACTERS).view(np.uint16)[:, 0]
"""The text of each code as one number."""
_CARDS: Final = [bytes(pair).decode() for pair in CHARACTERS]
"""The text of each code."""


def hand_labels(hand_ids: NDArray[np.bytes_]) -> pa.StringArray:
    """The ids of hands as a column."""
    return pa.array(hand_ids).cast(pa.string())


def card_texts(codes: NDArray[np.uint8], counts: NDArray[Any]) -> pa.StringArray:
    """A column of runs of cards, null where there are none: codes (rows, width), counts (rows,)."""
    sizes = counts.astype(np.int64)
    firsts = codes.shape[1] * np.arange(len(codes)) - (np.cumsum(sizes) - sizes)
    indices = np.arange(sizes.sum()) + np.repeat(firsts, sizes)  # a mask as wide as the codes is slower
    data = _PAIRS.take(np.ascontiguousarray(codes).reshape(-1).take(indices)).view(np.uint8)
    return runs(data, 2 * sizes, counts > 0)


def digit_texts(digits: NDArray[np.int8], counts: NDArray[Any]) -> pa.StringArray:
    """A column of runs of digits, one per seat: digits (rows, width), counts (rows,)."""
    return runs(digits[among(digits, counts)].astype(np.uint8) + ord("0"), counts)


def among(values: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are among the first ``counts`` of their row: shape (rows, width)."""
    return np.arange(values.shape[1]) < counts[:, None]


def runs(
    data: NDArray[np.uint8], sizes: NDArray[Any], valid: "NDArray[np.bool_] | None" = None
) -> pa.StringArray:
    """A column of texts from their bytes, one text after the other, and the size of each."""
    bitmap = None
    if valid is not None and not valid.all():
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    ends = np.append(0, np.cumsum(sizes, dtype=np.int64)).astype(np.int32)
    buffers = pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(data))
    return pa.StringArray.from_buffers(len(sizes), *buffers, null_bitmap=bitmap)


class OpeningColumns:
    """Columns that follow from the text of a hand's opening, computed once for each text.

    kinds
        The columns' names and types.
    values
        Makes the row of an opening, one value per column.
    """

    CACHE_SIZE: Final = 2**16

    def __init__(
        self, kinds: dict[str, pa.DataType], values: Callable[[dict[str, Any]], tuple[Any, ...]]
    ) -> None:
        self._kinds = kinds
        self._values = lru_cache(self.CACHE_SIZE)(lambda text: values(json.loads(text)))

    def of(self, batch: Batch) -> dict[str, pa.Array]:
        """The columns, one value per hand."""
        details, row_of_hand = np.unique(batch.events["detail"][batch.offsets[:-1]], return_inverse=True)
        rows = [self._values(batch.details[detail]) for detail in details.tolist()]
        columns = zip(*rows, strict=True) if rows else [()] * len(self._kinds)
        indices = pa.array(row_of_hand)
        kinds = self._kinds.items()
        return {
            name: _column(values, kind, indices) for (name, kind), values in zip(kinds, columns, strict=True)
        }


def _column(values: Sequence[Any], kind: pa.DataType, indices: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).take(indices).dictionary_encode().cast(kind)
    return pa.array(values, kind).take(indices)


def dialect_of(opening: dict[str, Any]) -> str | None:
    """The dialect of the rules that a hand with this opening is judged by; None in games with only one."""
    settings = opening.get("settings")
    return settings.get("dialect") if isinstance(settings, dict) else None
