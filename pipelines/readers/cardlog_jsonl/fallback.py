"""Parses the lines of cardlog-jsonl that the compiled pass leaves, with Python's json.

The result is the same as the compiled pass would have, or a message on what is wrong. The details of all
lines are parsed here too, each distinct one once."""

import json
from typing import Any, Final

import numpy as np

from cardlog import models
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.cardlog_jsonl.lines import (
    BROKEN,
    CARDS_TEXT,
    COLUMNS,
    DATASET_TEXT,
    DETAIL_TEXT,
    FIRST_TIME,
    GAME_TEXT,
    HAND_TEXT,
    KEY_TEXT,
    LAST_TIME,
    LEFT,
    MATCH_TEXT,
    MOST_CARDS,
    MOST_EVENTS,
    NULLS,
    READ,
    WRONG,
    Lines,
    distinct,
    no_lines,
)
from cardlog.pipelines.readers.scan import timestamp
from cardlog.schemas import cards
from cardlog.schemas.cards import SUIT_LETTERS
from cardlog.schemas.events import ACTIONS, CODE, KINDS, NO_AMOUNT, NO_DETAIL, NO_TIME, SCHEMA_VERSION
from cardlog.schemas.reasons import Reason

MOST_SHOWN: Final = 60
"""Characters of a value that a message shows."""


class BadValue(ValueError):
    """A value that its column can't have."""

    def __init__(self, message: str, reason: Reason = Reason.UNPARSABLE) -> None:
        super().__init__(message)
        self.reason = reason


def _parse(text: str) -> Any:
    """Strict JSON: no repeated key and no NaN. Raises ValueError."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise ValueError(f"it has {shown(twice)} twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def shown(value: Any) -> str:
    """A value for a message, shortened."""
    text = json.dumps(value) if not isinstance(value, dict | list) else "an object or a list"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def canonical(detail: dict[str, Any]) -> str:
    """A detail as it is stored: equal details have equal texts.

    Raises ValueError for what other programs can't read: infinite numbers, half a surrogate pair.
    """
    try:
        text = json.dumps(detail, separators=(",", ":"), sort_keys=True, allow_nan=False)
        if "\\ud" in text:
            json.dumps(detail, ensure_ascii=False).encode()
        return text
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class Details:
    """The details of all lines, each distinct text once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def texts(self) -> list[str]:
        """The texts, by their numbers."""
        return list(self._numbers)

    def number(self, value: Any) -> int:
        """The number of a detail: an object, or a string with one in JSON, which is kept as it is.

        Raises ValueError if it is neither.
        """
        detail = _parse(value) if isinstance(value, str) else value
        if not isinstance(detail, dict):
            raise ValueError("it is not an object")
        text = canonical(detail)
        if isinstance(value, str):
            value.encode()
            text = value
        return self._numbers.setdefault(text, len(self._numbers))

    def read(self, text: bytes, lines: Lines) -> None:
        """Parse the details that the compiled pass found; lines with a wrong one are left to Python."""
        which, firsts = distinct(np.frombuffer(text, np.uint8), lines, DETAIL_TEXT)
        numbers = np.full(len(firsts) + 1, NO_DETAIL, np.int32)
        wrong = np.zeros(len(firsts) + 1, np.bool_)
        for number, first in enumerate(firsts.tolist()):
            start, size = int(lines["start"][first, DETAIL_TEXT]), int(lines["size"][first, DETAIL_TEXT])
            try:
                numbers[number] = self.number(_parse(text[start : start + size].decode()))
            except ValueError:
                wrong[number] = True
        lines["detail"] = numbers[which]
        lines["state"][wrong[which]] = LEFT


class LeftLines:
    """Parses the lines that the compiled pass left.

    pieces
        Their texts, which follow the file's own in the buffer.
    problems
        What is wrong with a line, by its number.
    """

    def __init__(self, size: int, details: Details) -> None:
        self.pieces: list[bytes] = []
        self.problems: dict[int, BadValue] = {}
        self._size = size
        self._details = details

    def read(self, line: Lines, number: int, raw: bytes) -> None:
        """Parse a line into `line`, shape (1,), or add it to `problems`."""
        line[:] = _NO_LINE
        line["state"] = BROKEN
        try:
            fields = _object(raw)
            self._keep(line, HAND_TEXT, _text(fields, "hand_id"))
            line["state"] = WRONG
            self._keep(line, GAME_TEXT, _text(fields, "game"))
            for name, which in _OPTIONAL_TEXTS.items():
                self._keep(line, which, _text(fields, name, required=False))
            line["action"] = _action(fields)
            for name, value in fields.items():
                if value is not None and name not in _NAMES_READ:
                    self._take(line, name, value, fields["game"])
            line["state"] = READ
        except BadValue as problem:
            # Without traceback and context, which would keep far more than the message in memory.
            self.problems[number] = problem.with_traceback(None)
            problem.__context__ = None

    def _keep(self, line: Lines, which: int, text: str) -> None:
        piece = text.encode()
        line["start"][0, which], line["size"][0, which] = self._size, len(piece)
        self.pieces.append(piece)
        self._size += len(piece)

    def _take(self, line: Lines, name: str, value: Any, game: str) -> None:
        """Set the column of a value. Raises BadValue if it can't have it."""
        if name in _RANGES:
            number = _whole_number(name, value)
            if name in NULLS:
                line[name] = number
        elif name == "cards":
            self._keep(line, CARDS_TEXT, _card_text(value, game))
        elif name == "suit":
            line["suit"] = _suit(value)
        elif name == "occurred_at":
            line["at"] = _time(value)
        elif name == "detail":
            line["detail"] = self._detail(value)
        elif name not in COLUMNS:
            raise BadValue(f"there is no column {shown(name)}; there are: {', '.join(COLUMNS)}")
        elif not isinstance(value, str) or not value:
            raise BadValue(f"{name} is {shown(value)}; it must be a string")

    def _detail(self, value: Any) -> int:
        try:
            return self._details.number(value)
        except ValueError as error:
            raise BadValue(f"detail must be an object, or a string with an object in JSON: {error}") from None


_NO_LINE: Final = no_lines(1)
_OPTIONAL_TEXTS: Final = {"match_id": MATCH_TEXT, "dataset": DATASET_TEXT, "source_key": KEY_TEXT}
_NAMES_READ: Final = ("hand_id", "game", *_OPTIONAL_TEXTS, "kind", "action")
_RANGES: Final = {
    "hand_no": (0, 2**31 - 1),
    "seq": (0, MOST_EVENTS - 1),
    "seat": (0, 127),
    "amount": (NO_AMOUNT + 1, 2**31 - 1),
    "source_line": (-np.inf, np.inf),
    "ingest_no": (-np.inf, np.inf),
    "schema_version": (1, SCHEMA_VERSION),
}
"""The least and the greatest value of columns of numbers."""


def _object(raw: bytes) -> dict[str, Any]:
    """The object on a line. Raises BadValue if there is none."""
    try:
        value = _parse(raw.decode())
    except ValueError as error:
        if json_lines.is_piece(raw):
            raise BadValue(f"it is not a JSON object but a piece of one; {json_lines.ADVICE}") from None
        raise BadValue(f"it is not a JSON object: {error}") from None
    if isinstance(value, list):
        raise BadValue(f"it is not a JSON object but a list; {json_lines.ADVICE}")
    if not isinstance(value, dict):
        raise BadValue(f"it is not a JSON object but {shown(value)}")
    return value


def _text(fields: dict[str, Any], name: str, required: bool = True) -> str:
    """A column's string, empty if there is none."""
    value = fields.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or not value:
        if name not in fields:
            raise BadValue(f"it has no {name}")
        raise BadValue(f"{name} is {shown(value)}; it must be a string{_not_a_number(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadValue(f"{name} is {shown(value)}, which has half a surrogate pair") from None
    return value


def _not_a_number(value: Any) -> str:
    """What to write instead of a number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f', such as "{shown(value)}", not a number' if is_number else ""


def _action(fields: dict[str, Any]) -> int:
    """The code of kind and action."""
    kind, name = _text(fields, "kind"), _text(fields, "action")
    if (kind, name) not in CODE:
        known = ", ".join(action.name for action in ACTIONS if action.kind == kind)
        there = f"{kind} has: {known}" if known else f"the kinds are: {', '.join(KINDS)}"
        raise BadValue(f"there is no action {shown(name)} of kind {shown(kind)}; {there}")
    return CODE[kind, name]


def _whole_number(name: str, value: Any) -> int:
    least, most = _RANGES[name]
    if type(value) is not int:
        raise BadValue(f"{name} is {shown(value)}; it must be a whole number")
    if not least <= value <= most:
        wanted = f"from {least} to {most}" if least < most else str(least)
        raise BadValue(f"{name} is {shown(value)}; it must be {wanted}")
    return value


def _card_text(value: Any, game: str) -> str:
    """The cards as they are. Raises BadValue if they are not cards."""
    if not isinstance(value, str) or not value:
        raise BadValue(f"cards is {shown(value)}; it must be a string of two characters per card")
    try:
        count = len(cards.codes(value))
    except ValueError as error:
        fault, deck = str(error), deck_of(game)
        if deck:
            fault = f"{fault.partition(':')[0]}; the cards of {game} are: {cards.described(deck)}"
        raise BadValue(f"cards is {shown(value)}: {fault}", Reason.UNKNOWN_CARD) from None
    if count > MOST_CARDS:
        raise BadValue(f"cards has {count} cards; no event shows more than {MOST_CARDS}")
    return value


def deck_of(game: str) -> str:
    """The cards of a game, two characters each; empty if there is no such game, or it does not say."""
    if game not in models.GAMES:
        return ""
    parts = (models.part(game, name) for name in ("state", "cards") if models.has_part(game, name))
    return next((str(part.DECK_TEXT) for part in parts if hasattr(part, "DECK_TEXT")), "")


def _suit(value: Any) -> int:
    if not isinstance(value, str) or len(value) != 1 or value not in SUIT_LETTERS:
        raise BadValue(f"suit is {shown(value)}; it must be one of {' '.join(SUIT_LETTERS)}")
    return SUIT_LETTERS.index(value)


def _time(value: Any) -> int:
    """Microseconds since 1970 UTC."""
    at = value if type(value) is int else NO_TIME
    if isinstance(value, str) and value.isascii() and value:
        at = int(timestamp(np.frombuffer(value.encode(), np.uint8), 0, len(value))[0])
    if not FIRST_TIME <= at <= LAST_TIME:
        raise BadValue(
            f"occurred_at is {shown(value)}; it must be a time of the years 1 to 9999 with a zone, such as "
            "2016-03-01T21:16:07.226159Z, or microseconds since 1970"
        )
    return int(at)
