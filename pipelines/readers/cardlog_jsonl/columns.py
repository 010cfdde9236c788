"""A text of cardlog-jsonl as columns: one value a line."""

from collections.abc import Iterable
from itertools import repeat
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np

from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.arrays import CARD_OF_PAIR, Offsets, line_bounds
from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.cardlog_jsonl.lines import (
    NO_LINE,
    NO_RAW,
    REFUSED,
    BadLine,
    Line,
    decode,
    decode_strictly,
    detail_text,
    microseconds,
)
from cardlog.schemas.cards import NO_SUIT, SUIT_LETTERS
from cardlog.schemas.events import CODE, NO_DETAIL, NO_TIME

Values = dict[str, list[Any]]

_CHUNK_LINES: Final = 4096
"""Lines that are decoded at a time: their columns take much less memory."""
_BAD: Final = -2
_BAD_TIME: Final = NO_TIME + 1
"""Stand for values that are found wrong after decoding."""
_NUMBERS: Final = ("hand_no", "seq", "seat", "amount")
_TEXTS: Final = ("hand_id", "game", "match_id", "dataset", "source_key")
_SUITS: Final = {"": NO_SUIT, None: NO_SUIT} | {letter: code for code, letter in enumerate(SUIT_LETTERS)}

_DEFAULTS: Final = {field.name: field.default for field in msgspec.structs.fields(Line) if not field.required}
_REQUIRED: Final = ("hand_id", "game", "kind", "action")
_GETTERS: Final = {name: attrgetter(name) for name in (*_REQUIRED, *_DEFAULTS)}


class _Numbered(dict[str | None, int]):
    """Numbers for texts in the order in which they come, -1 for no text."""

    def __init__(self) -> None:
        super().__init__({None: -1, "": -1})

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self) - 2
        return number


class _Details(dict[bytes, int]):
    """Numbers of details by their JSON; those that are stored alike have the same."""

    def __init__(self) -> None:
        super().__init__({b"null": NO_DETAIL})
        self.texts: dict[str, int] = {}

    def __missing__(self, raw: bytes) -> int:
        try:
            self[raw] = self.texts.setdefault(detail_text(json_lines.parse(raw)), len(self.texts))
        except ValueError:
            self[raw] = _BAD
        return self[raw]


class Columns:
    """The lines of a text, decoded.

    text, starts, ends
        The text, and the offsets of each line in it.
    of
        Columns, arrays of integers of shape (lines,): ``hand_no``, ``seq``, ``seat``, ``amount``, ``suit``,
        ``action``, ``detail`` and ``occurred_at`` as in the records of events; the number of ``cards``; and
        the columns of texts as indices into `names`, -1 for no text. A line of no hand has no ``hand_id``.
    names, details
        The texts of each column of texts, and those of details.
    cards
        The codes of all cards, line after line.
    problems
        What is wrong with lines, by their index.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.starts, self.ends = line_bounds(text)
        if text.startswith(BOM):
            self.starts[0] += len(BOM)
        self.problems: dict[int, BadLine] = {}
        self._numbered = {name: _Numbered() for name in _TEXTS}
        self._details = _Details()
        chunks = [self._chunk(first) for first in range(0, len(self.starts) or 1, _CHUNK_LINES)]
        self.of = {name: np.concatenate([of[name] for of, _ in chunks]) for name in chunks[0][0]}
        texts = "".join(text for _, text in chunks)
        self.cards = CARD_OF_PAIR[np.frombuffer(texts.encode(), np.uint16)]
        self.names = {name: [name for name in numbered if name] for name, numbered in self._numbered.items()}
        self.details = list(self._details.texts)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def broken(self) -> list[int]:
        """The lines that belong to no hand."""
        return [line for line, problem in self.problems.items() if problem.line is None]

    def raw_line(self, line: int) -> bytes:
        """A line without its end."""
        return self.text[self.starts[line] : self.ends[line]]

    def _chunk(self, first: int) -> tuple[dict[str, Offsets], str]:
        """Columns of some lines, and their cards."""
        chunk = slice(first, first + _CHUNK_LINES)
        bounds = zip(self.starts[chunk].tolist(), self.ends[chunk].tolist(), strict=True)
        raws = [self.text[start:end] for start, end in bounds]
        lines = _decode_all(raws)
        values = _values(lines)
        of = self._checked(values)
        doubtful = (of["action"] == _BAD) | (of["detail"] == _BAD) | (of["occurred_at"] == _BAD_TIME)
        quotes = _quotes(values)
        if doubtful.any() or quotes.sum() != b"".join(raws).count(b'"'):
            # More quotes than keys and values need: one is escaped, or a key is repeated.
            doubtful |= quotes != _array([raw.count(b'"') for raw in raws], len(raws))
            for index in np.flatnonzero(doubtful).tolist():
                lines[index] = self._decode_strictly(raws[index], first + index)
            values = _values(lines)
            of = self._checked(values)
        return of | self._others(values), "".join([text or "" for text in values["cards"]])

    def _decode_strictly(self, raw: bytes, number: int) -> Line:
        """A line, or what is known of it if it is wrong."""
        if not raw.strip(b" \t\r"):
            return NO_LINE
        try:
            return decode_strictly(raw)
        except BadLine as problem:
            is_open = number == len(self) - 1 and not self.text.endswith(b"\n")
            if problem.line is not None or not (is_open and json_lines.is_torn(raw)):
                # Without traceback and context, which would keep far more than the message in memory.
                self.problems[number] = problem.with_traceback(None)
                problem.__context__ = None
            return problem.line or NO_LINE

    def _checked(self, values: Values) -> dict[str, Offsets]:
        """Columns that show what is wrong with lines."""
        actions = map(CODE.get, zip(values["kind"], values["action"], strict=True), repeat(_BAD))
        details = [NO_DETAIL if raw is NO_RAW else self._details[bytes(raw)] for raw in values["detail"]]
        times = [value if type(value) is int else _time(value) for value in values["occurred_at"]]
        size = len(values["kind"])
        columns = {"action": actions, "detail": details, "occurred_at": times}
        return {name: _array(column, size) for name, column in columns.items()}

    def _others(self, values: Values) -> dict[str, Offsets]:
        """The other columns."""
        columns: dict[str, Iterable[int]] = {
            name: map(numbered.__getitem__, values[name]) for name, numbered in self._numbered.items()
        }
        for name in _NUMBERS:
            column = values[name]
            columns[name] = (
                [_DEFAULTS[name] if v is None else v for v in column] if None in column else column
            )
        columns["suit"] = map(_SUITS.__getitem__, values["suit"])
        columns["cards"] = [len(text) // 2 if text else 0 for text in values["cards"]]
        return {name: _array(column, len(values["kind"])) for name, column in columns.items()}


def _values(lines: list[Line]) -> Values:
    """The values of lines by columns."""
    return {name: list(map(getter, lines)) for name, getter in _GETTERS.items()}


def _quotes(values: Values) -> Offsets:
    """The quotes that lines with these values have: two for each key and each string."""
    size = len(values["kind"])
    quotes = np.full(size, len(_REQUIRED) * 4)
    for name, default in _DEFAULTS.items():
        column = values[name]
        if column.count(default) < size:
            quotes += [0 if v is default else 4 if type(v) is str else 2 for v in column]
    return quotes + [0 if raw is NO_RAW else bytes(raw).count(b'"') for raw in values["detail"]]


def _array(values: Iterable[int], size: int) -> Offsets:
    return np.fromiter(values, np.int64, size)


def _time(value: int | str | None) -> int:
    """Microseconds since 1970, `_BAD_TIME` if there is no such time."""
    try:
        return NO_TIME if value is None else microseconds(value)
    except ValueError:
        return _BAD_TIME


def _decode_all(raws: list[bytes]) -> list[Line]:
    """Lines; `NO_LINE` for one that is refused."""
    lines = []
    for raw in raws:
        try:
            lines.append(decode(raw))
        except REFUSED:
            lines.append(NO_LINE)
    return lines
