"""The lines of cardlog-jsonl as typed values, and what is wrong with those that are not.

msgspec decodes a line and checks its values. What it refuses, or where it may have overlooked a repeated key,
goes through strict JSON, which finds what is wrong and in which hand.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw

from cardlog import models
from cardlog.pipelines.events.batch import NO_HAND_NO
from cardlog.pipelines.readers import json_lines, times
from cardlog.pipelines.readers.json_lines import shown
from cardlog.schemas import cards
from cardlog.schemas.events import (
    ACTIONS,
    CODE,
    KINDS,
    NO_AMOUNT,
    NO_SEAT,
    NO_TIME,
    SCHEMA,
    SCHEMA_VERSION,
)
from cardlog.schemas.reasons import Reason

COLUMNS: Final = tuple(SCHEMA.names)
"""The keys that a line may have."""
MOST_EVENTS: Final = 2**15
"""Most events of a hand: `seq` has 16 bits."""
NO_SEQ: Final = -1
NO_RAW: Final = Raw(b"")
"""Stands for no detail."""
_MOST_CARDS: Final = 255
"""Most cards on a line of any game."""

_Text = Annotated[str, Meta(min_length=1)]
_Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]
_CARD: Final = rf"(?:[{cards.RANKS}][{cards.CARD_SUITS}]|\?\?)"
_Cards = Annotated[str, Meta(pattern=rf"\A{_CARD}{{1,{_MOST_CARDS}}}\Z")]
_Time = Annotated[str, Meta(pattern=rf"\A{times.PATTERN}\Z")]
_Microseconds = Annotated[int, Meta(ge=times.FIRST, le=times.LAST)]


class Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """A line. The defaults stand for null, so that a column of numbers needs no other values."""

    hand_id: _Text
    game: _Text
    kind: _Text
    action: _Text
    match_id: _Text | None = ""
    hand_no: _Number | None = NO_HAND_NO
    seq: Annotated[int, Meta(ge=0, lt=MOST_EVENTS)] | None = NO_SEQ
    seat: Annotated[int, Meta(ge=0, le=127)] | None = NO_SEAT
    cards: _Cards | None = ""
    suit: Literal["C", "D", "H", "S", "N", None] = ""  # type: ignore[assignment]
    amount: Annotated[int, Meta(gt=NO_AMOUNT, le=2**31 - 1)] | None = NO_AMOUNT
    detail: Raw = NO_RAW
    occurred_at: _Microseconds | _Time | None = NO_TIME
    source_id: _Text | None = ""
    source_line: int | None = 0
    ingest_no: int | None = 0
    schema_version: Annotated[int, Meta(ge=1, le=SCHEMA_VERSION)] | None = 0
    dataset: _Text | None = ""
    source_key: _Text | None = ""


_decode: Final[Callable[[bytes], Line]] = msgspec.json.Decoder(Line).decode
"""Decodes a line. Raises one of `_REFUSED`; accepts repeated keys, and any JSON as detail."""
_REFUSED: Final = (msgspec.DecodeError, ValueError, RecursionError)
_encode: Final = msgspec.json.Encoder().encode

_TYPES: Final = {field.name: field.type for field in msgspec.structs.fields(Line)}
_REQUIRED: Final = ("hand_id", "game", "kind", "action")
_FIRST: Final = ("hand_id", "game", "match_id", "dataset", "source_key", "kind", "action")
"""Columns in the order in which they are checked, before all others."""
_TIME_WANTED: Final = (
    "it must be a time of the years 1 to 9999 with a zone, such as 2016-03-01T21:16:07.226159Z, or "
    "microseconds since 1970"
)


class BadLine(ValueError):
    """What is wrong with a line.

    line
        Its hand, game and match, as far as they are right; None if it belongs to no hand.
    """

    def __init__(self, message: str, reason: Reason = Reason.UNPARSABLE) -> None:
        super().__init__(message)
        self.reason = reason
        self.line: Line | None = None

    def forgetful(self) -> "BadLine":
        """The same without traceback and context, which would keep far more than the message in memory."""
        self.__context__ = None
        return self.with_traceback(None)


def read_line(raw: bytes) -> Line | None:
    """A line, None for a blank one. Its time is a number. Raises BadLine."""
    try:
        line = _decode(raw)
        if line.detail is not NO_RAW:
            stored_detail(line.detail)
        # With more quotes than its values need, a key may be repeated.
        is_plain = b"\\" not in raw and _encode(line).count(b'"') == raw.count(b'"')
        if isinstance(line.occurred_at, str):
            line.occurred_at = microseconds(line.occurred_at)
        if is_plain and (line.kind, line.action) in CODE:
            return line
    except _REFUSED:
        pass
    return _read_strictly(raw) if raw.strip(b" \t\r") else None


def _read_strictly(raw: bytes) -> Line:
    """A line that was refused, or in which something may have been overlooked. Raises BadLine."""
    given = _object(raw)
    fields = {name: value for name, value in given.items() if value is not None}
    known = Line("", "", "", "")
    try:
        for name in dict.fromkeys((*_FIRST, *fields)):
            if name in fields:
                _check(name, fields[name], fields)
            elif name in _REQUIRED:
                raise BadLine(f"{name} is null" if name in given else f"it has no {name}")
            if name in ("hand_id", "game", "match_id"):
                setattr(known, name, fields.get(name))
    except BadLine as problem:
        problem.line = known if known.hand_id else None
        raise
    detail = fields.pop("detail", None)
    if "occurred_at" in fields:
        fields["occurred_at"] = microseconds(fields["occurred_at"])
    line = msgspec.convert(fields, Line)
    if detail is not None:
        line.detail = Raw(json.dumps(detail).encode())
    return line


def _object(raw: bytes) -> dict[str, Any]:
    """The object on a line. Raises BadLine if there is none."""
    try:
        value = json_lines.parse(raw)
    except ValueError as error:
        if json_lines.is_piece(raw):
            raise BadLine(f"it is not a JSON object but a piece of one; {json_lines.ADVICE}") from None
        raise BadLine(f"it is not a JSON object: {error}") from None
    if isinstance(value, list):
        raise BadLine(f"it is not a JSON object but a list; {json_lines.ADVICE}")
    if not isinstance(value, dict):
        raise BadLine(f"it is not a JSON object but {shown(value)}")
    return value


def _check(name: str, value: Any, fields: dict[str, Any]) -> None:
    """Raise BadLine if a column can't have a value."""
    if name not in _TYPES:
        raise BadLine(f"there is no column {shown(name)}; there are: {', '.join(COLUMNS)}")
    try:
        if name == "detail":
            detail_text(value)
            return
        msgspec.convert(value, _TYPES[name])
        if name == "occurred_at":
            microseconds(value)
        elif name in _FIRST:
            value.encode()
    except UnicodeEncodeError:
        raise BadLine(f"{name} is {shown(value)}, which has half a surrogate pair") from None
    except (msgspec.ValidationError, ValueError) as error:
        if name == "cards" and isinstance(value, str) and value:
            _check_cards(value, fields["game"])
        problem = _TIME_WANTED if name == "occurred_at" else str(error)
        raise BadLine(f"{name} is {shown(value)}: {problem}") from None
    if name == "action" and (fields["kind"], value) not in CODE:
        known = ", ".join(action.name for action in ACTIONS if action.kind == fields["kind"])
        there = f"it has: {known}" if known else f"the kinds are: {', '.join(KINDS)}"
        raise BadLine(f"there is no action {shown(value)} of kind {shown(fields['kind'])}; {there}")


def _check_cards(value: str, game: str) -> None:
    """Raise BadLine if a text has something that is not a card, or too many."""
    try:
        count = len(cards.codes(value))
    except ValueError as error:
        fault, deck = str(error), deck_of(game)
        if deck:
            fault = f"{fault.partition(':')[0]}; the cards of {game} are: {cards.described(deck)}"
        raise BadLine(f"cards is {shown(value)}: {fault}", Reason.UNKNOWN_CARD) from None
    raise BadLine(f"cards has {count} cards; no event shows more than {_MOST_CARDS}")


def deck_of(game: str) -> str:
    """The cards of a game, two characters each; empty if there is no such game, or it does not say."""
    return models.GAMES[game].pack if game in models.GAMES else ""


def microseconds(value: int | str) -> int:
    """A time since 1970 UTC. Raises ValueError if there is no such time in the years 1 to 9999."""
    if isinstance(value, str):
        value = times.microseconds(value)
    if not times.FIRST <= value <= times.LAST:
        raise ValueError("it is out of range")
    return value


def detail_text(value: Any) -> str:
    """The text of a detail as it is stored: an object's canonical one; a string with an object in JSON stays
    as it is. Raises ValueError if it is neither."""
    detail = json_lines.parse(value.encode()) if isinstance(value, str) else value
    if not isinstance(detail, dict):
        raise ValueError("it must be an object, or a string with an object in JSON")
    text = json_lines.canonical(detail)
    return value if isinstance(value, str) else text


def stored_detail(raw: Raw) -> str | None:
    """The text of a line's detail as it is stored. Raises ValueError."""
    return None if raw is NO_RAW else _stored_detail(bytes(raw))


@lru_cache(maxsize=2**12)
def _stored_detail(raw: bytes) -> str | None:
    value = json_lines.parse(raw)
    return None if value is None else detail_text(value)
