"""The lines of cardlog-jsonl, which msgspec decodes and checks, and messages on those at fault."""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw
from msgspec.structs import asdict

from cardlog import models
from cardlog.models.engine import opening
from cardlog.models.engine.game import Game
from cardlog.pipelines.events.batch import NO_HAND_NO
from cardlog.pipelines.readers import json_lines, times
from cardlog.pipelines.readers.json_lines import shown
from cardlog.pipelines.readers.options import NO_OPTIONS, ReadOptions
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, CODE, NO_AMOUNT, NO_SEAT, NO_TIME, SCHEMA_VERSION, Action
from cardlog.schemas.reasons import Reason

MOST_EVENTS: Final = 2**15
"""Most events of a hand: `seq` has 16 bits."""
Fault = tuple[Reason, str]
NO_SEQ: Final = -1
NO_RAW: Final = Raw(b"")
"""Stands for no detail."""
_MOST_CARDS: Final = 255
"""Most cards on a line of any game."""

_Text = Annotated[str, Meta(min_length=1)]
_Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]
_CARD: Final = rf"(?:[{cards.RANKS}][{cards.CARD_SUITS}]|\?\?)"
_Cards = Annotated[str, Meta(pattern=rf"\A{_CARD}{{1,{_MOST_CARDS}}}\Z")]


class Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """A line. The defaults stand for null."""

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
    occurred_at: int | float | str | None = NO_TIME
    source_id: _Text | None = ""
    source_line: int | None = 0
    ingest_no: int | None = 0
    schema_version: Annotated[int, Meta(ge=1, le=SCHEMA_VERSION)] | None = 0
    dataset: _Text | None = ""
    source_key: _Text | None = ""


_decode: Final[Callable[[bytes], Line]] = msgspec.json.Decoder(Line).decode

_TIME: Final = re.compile(times.PATTERN).fullmatch
_BARE: Final = re.compile(times.BARE).fullmatch
_column: Final = re.compile(r" - at `\$\.(\w+)").search
OPEN: Final = ACTIONS[Action.DEAL_OPEN].name
_COLUMNS: Final = Line.__struct_fields__
_LET_PASS: Final = "--ignore-columns lets others pass by name"
_TIME_WANTED: Final = (
    "it must be a time of the years 1 to 9999 with a zone and at most six decimals, such as "
    f"2016-03-01T21:16:07.226159Z, or without one if --timezone names it, or {times.EPOCH}"
)


def read_line(raw: bytes, options: ReadOptions = NO_OPTIONS) -> tuple[Line | None, Fault | None]:
    """A line, without null values and with a number for its time, and its fault. A line at fault has only its
    hand, game and match, if they are right; None if it is blank or belongs to no hand."""
    try:
        line = json_lines.typed(_decode, raw)
        if b"null" in raw:
            line = Line(**{name: value for name, value in asdict(line).items() if value is not None})
        if line.detail is not NO_RAW:
            detail = stored_detail(bytes(line.detail))
            if line.action == OPEN and detail and line.game in models.GAMES:
                _check_keys(models.game(line.game), detail)
        if line.occurred_at not in (None, NO_TIME):
            line.occurred_at = _microseconds(line.occurred_at, options.timezone)
        if (line.kind, line.action) not in CODE:
            there_are = ", ".join(action for kind, action in CODE if kind == line.kind)
            known = f"; there are: {there_are}" if there_are else "; --ignore-kinds lets other kinds pass"
            raise ValueError(f"there is no action {shown(line.action)} of kind {shown(line.kind)}{known}")
        return line, None
    except (ValueError, RecursionError) as error:
        if plain := _without(raw, options.ignore_columns):
            return read_line(plain, ReadOptions(timezone=options.timezone))
        return _bad_line(raw, str(error)) if raw.strip(b" \t\r") else (None, None)


@lru_cache(maxsize=2**12)
def _check_keys(game: Game, detail: str) -> None:
    """Raises ValueError if the detail of an opening has a key that the game does not know."""
    if unknown := opening.unknown_keys(json.loads(detail), game.opening_keys):
        there_are = f"there are: {', '.join(game.opening_keys)}; {_LET_PASS}"
        raise ValueError(f"the opening's detail has the unknown key {shown(unknown[0])}; {there_are}")


def ignored_line(raw: bytes, kinds: tuple[str, ...]) -> tuple[str, Any] | None:
    """The hand and the seq of a line of one of some kinds that are ignored; None of any other line."""
    try:
        columns = json_lines.parse(raw) if kinds else None
    except ValueError:
        return None
    if not isinstance(columns, dict) or columns.get("kind") not in kinds:
        return None
    return _text(columns.get("hand_id")), columns.get("seq")


def _without(raw: bytes, names: tuple[str, ...]) -> bytes | None:
    """A line without some keys, also of an opening's detail, None if it has none of them that the format
    lacks."""
    try:
        columns = json_lines.parse(raw) if names else None
        if not isinstance(columns, dict):
            return None
        left = {name: value for name, value in columns.items() if name in _COLUMNS or name not in names}
        detail, game = left.get("detail"), _text(left.get("game"))
        value = json_lines.parse(detail.encode()) if isinstance(detail, str) else detail
        if left.get("action") == OPEN and game in models.GAMES and isinstance(value, dict):
            value = opening.without(value, set(names).difference(models.game(game).opening_keys))
            left["detail"] = json.dumps(value) if isinstance(detail, str) else value
    except ValueError:
        return None
    return None if left == columns else json.dumps(left).encode()


def _bad_line(raw: bytes, problem: str) -> tuple[Line | None, Fault]:
    """What is known of a line that was refused, and its fault."""
    try:
        columns = json_lines.parse(raw)
    except ValueError as error:
        advice = f" but a piece of one; {json_lines.ADVICE}" if json_lines.is_piece(raw) else f": {error}"
        return None, (Reason.UNPARSABLE, f"it is not a JSON object{advice}")
    if not isinstance(columns, dict):
        return None, (Reason.UNPARSABLE, f"it is not a JSON object; {json_lines.ADVICE}")
    reason, column = Reason.UNPARSABLE, _column(problem)
    if column:
        name, value = column[1], columns[column[1]]
        problem = _TIME_WANTED if name == "occurred_at" else problem[: column.start()]
        if name == "cards" and isinstance(value, str) and value:
            try:
                problem = f"{len(cards.codes(value))} cards are more than an event shows"
            except ValueError as error:
                reason, problem = Reason.UNKNOWN_CARD, str(error)
        problem = f"{name} is {shown(value)}: {problem}"
    elif "unknown field" in problem:
        problem += f"; there are: {', '.join(_COLUMNS)}; {_LET_PASS}"
    hand_id, game, match_id = (_text(columns.get(name)) for name in ("hand_id", "game", "match_id"))
    if reason is Reason.UNKNOWN_CARD and game in models.GAMES:
        problem = f"{problem}. {models.game(game).cards()}".rstrip(". ")
    return Line(hand_id, game, "", "", match_id) if hand_id else None, (reason, problem)


def _text(value: Any) -> str:
    """A name if it is a valid one, else an empty text."""
    is_name = isinstance(value, str) and not re.search(r"[\ud800-\udfff]", value)
    return value if is_name else ""


def _microseconds(time: Any, timezone: str) -> int:
    """Microseconds since 1970 UTC. Raises ValueError if it is no time of the years 1 to 9999."""
    value = times.NO_SUCH_TIME
    if isinstance(time, int | float):
        value = times.of_number(time)
    elif _TIME(text := times.with_zone(time, timezone) if timezone and _BARE(time) else time):
        value = times.microseconds(text)
    if not times.FIRST <= value <= times.LAST:
        raise ValueError("there is no such time - at `$.occurred_at`")
    return value


@lru_cache(maxsize=2**12)
def stored_detail(raw: bytes) -> str | None:
    """A line's detail as it is stored: an object as its canonical text; a string with an object in JSON stays
    as it is. Raises ValueError if it is neither."""
    try:
        value = json_lines.parse(raw)
        if value is None:
            return None
        detail = json_lines.parse(value.encode()) if isinstance(value, str) else value
        if not isinstance(detail, dict):
            raise ValueError("it must be an object, or a string with an object in JSON")
        text = json_lines.canonical(detail)
        return value if isinstance(value, str) else text
    except ValueError as error:
        raise ValueError(f"{error} - at `$.detail`") from None
