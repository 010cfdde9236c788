"""Arrow columns from NumPy arrays, without a Python object a row."""

import json
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.cards import CHARACTERS
from cardlog.schemas.events import LABEL
from cardlog.schemas.tables import MOST_SEATS


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


class OpeningColumns:
    """Columns that follow from the text of a hand's opening, worked out once for each text.

    kinds
        The columns' names and types.
    values
        What an opening's text says, a value a column.
    """

    MOST: Final = 2**16
    """Texts that are remembered."""

    def __init__(
        self, kinds: dict[str, pa.DataType], values: Callable[[dict[str, Any]], tuple[Any, ...]]
    ) -> None:
        self._kinds, self._values = kinds, values
        self._lock = threading.Lock()
        self._indices: dict[str, int] = {}
        self._rows: list[tuple[Any, ...]] = []
        self._columns: list[pa.Array] = []

    def of(self, batch: Batch) -> dict[str, pa.Array]:
        """The columns, one value a hand."""
        which = batch.events["detail"][batch.offsets[:-1]]
        with self._lock:
            indices = [*map(self._indices.get, batch.details)]
            if None in indices:
                indices = self._learn(batch.details, indices, set(which.tolist()))
            columns = self._columns
        hands = pa.array(np.array(indices, np.int64)[which])
        kinds = self._kinds.items()
        return {
            name: _taken(column, hands, kind) for (name, kind), column in zip(kinds, columns, strict=True)
        }

    def _learn(self, details: list[str], known: list[int | None], openings: set[int]) -> list[int | None]:
        """The indices of all texts; 0 for those of other events."""
        if len(self._rows) > self.MOST:
            self._indices.clear()
            self._rows.clear()
            known = [None] * len(details)
        for number in openings:
            if known[number] is None:
                known[number] = self._indices[details[number]] = len(self._rows)
                self._rows.append(self._values(json.loads(details[number])))
        columns = zip(*self._rows, strict=True) if self._rows else [()] * len(self._kinds)
        kinds = map(_plain, self._kinds.values())
        self._columns = [pa.array(c, kind) for c, kind in zip(columns, kinds, strict=True)]
        return [*(index or 0 for index in known)]


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _taken(column: pa.Array, hands: pa.Array, kind: pa.DataType) -> pa.Array:
    """Values for hands. A dictionary has only their own, in their order: otherwise the bytes of a data file
    would depend on what its process has read before."""
    values = column.take(hands)
    return values.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else values


def _computers(opening: dict[str, Any]) -> tuple[bool | None, ...]:
    """For each seat whether a computer plays there, None where nobody does or the source does not say."""
    kinds = [player.get("kind") if player else None for player in opening["players"]]
    known = [None if kind is None else kind == "computer" for kind in kinds]
    return (*known, *[None] * MOST_SEATS)[:MOST_SEATS]


COMPUTERS: Final = OpeningColumns({f"player_{seat}_ai": pa.bool_() for seat in range(MOST_SEATS)}, _computers)
"""Who is a computer, as the openings of every game say."""


def dialect_of(opening: dict[str, Any]) -> str | None:
    """The name of the rules that a hand with this opening is judged by; None in games that have only one."""
    settings = opening.get("settings")
    name = settings.get("dialect") if isinstance(settings, dict) else None
    return name if name is None or isinstance(name, str) else json.dumps(name)


DIALECTS: Final = OpeningColumns({"dialect": LABEL}, lambda opening: (dialect_of(opening),))
"""The rules that hands are judged by, null in games that have only one."""


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
