"""PHH, the poker hand history format: TOML with one hand a file (``.phh``), or many, each under a header
(``.phhs``). Each hand is parsed by itself, so that a damaged one harms no other. `hands` says what the fields
mean, `actions` turns the actions of all hands into events."""

import re
from array import array
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import toml_rs

from cardlog.models.hold_em.state import EVENT, GAME
from cardlog.pipelines.events.batch import NO_MATCH, Batch
from cardlog.pipelines.readers.arrays import hand_ids
from cardlog.pipelines.readers.base import BOM, Read, Reject, Source
from cardlog.pipelines.readers.phh import actions as acts
from cardlog.pipelines.readers.phh.hands import (
    FIELDS,
    OTHER_GAMES,
    RESULTS,
    STRUCTURES,
    Decimal,
    Hand,
    Unreadable,
    detail_of,
    hand_of,
    key_of,
)
from cardlog.schemas.reasons import Reason

FORMAT: Final = "phh"
GAMES: Final = (GAME,)
LINE_PER_HAND: Final = False
SPLIT_AT: Final = b"["
SUMMARY: Final = "hold'em hands in the poker hand history format (PHH), one or many a file"
_HEADER: Final = re.compile(
    rb"\n(?=\[(?:(?:\d+|[A-Za-z][\w-]*|'[^'\n]*'|\"[^\"\n]*\")\][ \t]*(?:#.*)?\r?(?:\n|$)|[^\n]*\nvariant))"
)
"""Before the header of a hand, also of a damaged one."""
_NEXT: Final = re.compile(rb"\n(?=variant\b)")
"""Where a hand without a header begins, after another hand."""
_VARIANT: Final = re.compile(rb"^\s*variant\s*=", re.MULTILINE)
_NOTHING: Final = re.compile(rb"(?:\s|#.*|\[[^\]\n]*\])*")
_FIELD: Final = re.compile(rb"""\s*[\w'"-]+\s*=|.*\]""").match
_STRING: Final = re.compile(rb"'[^']*'|\"(?:[^\"\\]|\\.)*\"|#.*|\n")
_CUT: Final = "The text ends in the middle of this hand. Ingest it again when it is whole."
_OPEN: Final = (
    "The text ends with this hand, which may have more fields. Ingest it again when the text has grown, or "
    "with --final if it will not."
)
_MISSING: Final = "The hand has no"
_BETS: Final = {"min_bet", "small_bet", "big_bet"}  # the fields by which hands of one log may differ
_LAST: Final = frozenset(FIELDS[FIELDS.index(RESULTS[1]) :])
"""The fields that come last, but for those that the specification does not have."""
_ZONES: Final = ("time_zone", "time_zone_abbreviation")
_TORN: Final = re.compile(rb"=\s*[\w:.+-]+\Z").search
"""A number, a date or a time at the end of a text, which may lack its last digits."""
_WHOLE, _WAITS = '"whole"', '"waits"'  # what the context of a hand says of its end, as JSON
_FAULTS: Final = {
    acts.NO_ACTION: (Reason.UNPARSABLE, "is no action of hold'em"),
    acts.NO_PLAYER: (Reason.UNPARSABLE, "names none of the players"),
    acts.NO_CARDS: (Reason.UNKNOWN_CARD, "has other cards than up to three of the pack, such as AsTd"),
    acts.NO_CHIPS: (Reason.UNPARSABLE, "has no amount that can be read"),
    acts.NOT_PLAYED: (Reason.UNPARSABLE, "is not part of hold'em"),
}


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    return _VARIANT.search(head) is not None and (b"starting_stacks" in head or b"antes" in head)


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text."""
    hands = _Hands(source, is_begin=first_line == 1)
    beginning = len(BOM) if first_line == 1 and text.startswith(BOM) else 0
    starts = [beginning, *(match.end() for match in _HEADER.finditer(text, beginning))]
    line = first_line
    for start, stop in pairwise([*starts, len(text)]):
        piece = text[start:stop]
        parts = [piece]
        if piece.count(b"variant") > 1:
            begins = [match.end() for match in _NEXT.finditer(piece)]
            parts = [
                piece[first:end] for first, end in pairwise([0, *begins[piece[:1] == b"[" :], len(piece)])
            ]
        for part in parts:
            if not _NOTHING.fullmatch(part):
                is_last = start == starts[-1] and part is parts[-1]
                hands.add(part.rstrip(), line, is_last, is_last and _TORN(part) is not None)
            line += part.count(b"\n")
    return [hands.read(line - first_line + (not text.endswith(b"\n") and bool(text)))]


@dataclass
class _Hands:
    """Collects the hands of a text."""

    source: Source
    is_begin: bool  # whether the text is the beginning of its file
    hands: list[Hand] = field(default_factory=list)
    raws: list[bytes] = field(default_factory=list)
    numbers: "array[int]" = field(default_factory=lambda: array("q"))  # of `acts.HAND`
    actions: list[bytes] = field(default_factory=list)
    lines: "array[int]" = field(default_factory=lambda: array("q"))  # of each action
    rejects: list[Reject] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)  # of the hand before

    def add(self, raw: bytes, line: int, is_last: bool, is_torn: bool) -> None:
        """Add the hand that a piece of the text is, or a reject. The last one may go on, even in its last
        number if that `is_torn`."""
        said: dict[str, Any] = {}
        is_open = may_go_on = is_last and not (self.source.final or self.source.context == _WHOLE)
        try:
            said = _parsed(raw, line, is_last)
        except Unreadable as error:
            if end := 0 if may_go_on or str(error) == _CUT else _end_of(raw):
                self.add(raw[:end].rstrip(), line, is_last, False)
                rest, after = raw[end + 1 :], line + raw.count(b"\n", 0, end + 1)
                self.rejects.append(
                    Reject(Reason.UNPARSABLE, str(error), rest, after, after + rest.count(b"\n"), None, GAME)
                )
                return
        try:
            said = said or _parsed(raw, line, is_last)
            has_ended = self._has_ended(said, raw, is_last) and not is_torn and self.source.context != _WAITS
            is_open = may_go_on and not has_ended
            texts = _actions_of(said)
            if is_open:
                raise Unreadable(_OPEN)
            actions = ("\n".join(texts) + "\n").encode() if texts else b""
            if actions.count(b"\n") != len(texts):
                raise Unreadable("An action has a line feed in it.")
            ends = [_line_of(raw, name, line) if said.get(name) else 0 for name in RESULTS]
            hand = hand_of(said, actions, self.source.options.timezone)
        except Unreadable as error:
            self._refuse(raw, line, said, str(error), is_open)
            return
        self.hands.append(hand)
        self.raws.append(raw)
        self.actions.append(actions)
        self.lines.extend(_lines_of(raw, _line_of(raw, "actions", line), len(texts)))
        self.numbers.append(line)
        self.numbers.extend(ends)
        self.numbers.extend(hand.numbers)

    def _has_ended(self, said: dict[str, Any], raw: bytes, is_last: bool) -> bool:
        """Whether a hand is known to be whole: it has the fields of the hand before; or else it says how it
        ended, and with its last fields. The first one of a file that more hands can follow is not.

        Raises Unreadable if a file ends for good with one that lacks only the last fields of the one before.
        """
        before, self.fields = self.fields, _names(said)
        if self.fields == before[: len(self.fields)]:
            if is_last and self.source.final and not self.source.followed and self.fields != before:
                raise Unreadable(_CUT)
            return self.fields == before
        if self.is_begin and not before and raw.startswith(b"["):
            return False
        *_, last = said
        has_zone = self.source.options.timezone or not said.keys().isdisjoint(_ZONES)
        says_end = not said.keys().isdisjoint(_LAST) and (last in _LAST or last not in FIELDS)
        return says_end and ("time" not in said or bool(has_zone))

    def _refuse(self, raw: bytes, line: int, said: dict[str, Any], why: str, is_open: bool) -> None:
        """Reject a hand that can't be read, or not yet."""
        is_cut = why in (_CUT, _OPEN) or (is_open and (not said or why.startswith(_MISSING)))
        fault = (Reason.INCOMPLETE, why if why == _OPEN else _CUT) if is_cut else (Reason.UNPARSABLE, why)
        game = None if str(said.get("variant")) in OTHER_GAMES else GAME
        name = None
        if "venue" in said and "hand" in said:
            [name] = hand_ids(FORMAT, self.source, [key_of(said["venue"], said["hand"])]).astype(str)
        context = _WAITS if is_open or is_cut else _WHOLE
        self.rejects.append(Reject(*fault, raw, line, line + raw.count(b"\n"), name, game, context))

    def read(self, lines_read: int) -> Read:
        """The `Read` of all hands."""
        text, count = b"".join(self.actions), len(self.hands)
        offsets = np.cumsum([0, *map(len, self.actions)])
        told = np.array(self.numbers, np.int64).view(acts.HAND)
        lines = np.array(self.lines, np.int64)
        events, ends, styles, faults = acts.events_of(text, offsets, lines, told, EVENT)
        for index in np.flatnonzero(faults[:, 0]).tolist():
            self._reject(index, *faults[index].tolist())
        kept = np.flatnonzero(faults[:, 0] == 0)
        hands = [self.hands[index] for index in kept.tolist()]
        sessions: dict[str, int] = {"": NO_MATCH}
        match_of = [sessions.setdefault(hand.session, len(sessions) - 1) for hand in hands]
        first_lines = told["line"][kept].astype(np.int32)
        sizes = [self.raws[index].count(b"\n") for index in kept.tolist()]
        last_lines = (first_lines + sizes).astype(np.int32)
        batch = Batch(
            GAME,
            hand_ids(FORMAT, self.source, [hand.key for hand in hands]),
            events,
            np.append(0, ends[kept]),
            [*map(self._detail, range(count), styles.tolist())],
            np.array(match_of, np.int32),
            [*sessions][1:],
            keys=pa.array([hand.name for hand in hands], pa.string()),
        )
        spans = [*zip(first_lines.tolist(), last_lines.tolist(), strict=True)]
        spans += [(reject.first_line, reject.last_line) for reject in self.rejects]
        return Read(
            batch,
            sorted(self.rejects, key=lambda reject: reject.first_line),
            raw_of=lambda index: self.raws[kept[index]],
            first_lines=first_lines,
            last_lines=last_lines,
            lines_read=lines_read,
            other_lines=lines_read - sum(last - first + 1 for first, last in spans),
            context_of=lambda _: _WHOLE,
        )

    def _detail(self, index: int, style: int) -> str:
        """The opening of a hand."""
        if style & acts.OTHERWISE or style == acts.BARE_MUCK | acts.HIDDEN_MUCK:
            return detail_of(self.hands[index], {"actions": self.actions[index].decode().split("\n")[:-1]})
        return detail_of(self.hands[index], {"muck": "????"} if style == acts.HIDDEN_MUCK else {})

    def _reject(self, index: int, fault: int, number: int) -> None:
        """Reject a hand with an action that can't be read."""
        raw, line = self.raws[index], int(self.numbers[index * acts.HAND.itemsize // 8])
        reason, what = _FAULTS[fault]
        action = self.actions[index].decode().split("\n")[number]
        message = f"Action {number + 1}, {action!r}, {what}."
        name = hand_ids(FORMAT, self.source, [self.hands[index].key])[0].decode()
        self.rejects.append(Reject(reason, message, raw, line, line + raw.count(b"\n"), name, GAME, _WHOLE))


def _parsed(raw: bytes, line: int, is_last: bool) -> dict[str, Any]:
    """The fields of a hand. Raises Unreadable if its text is damaged, or as the last one of a text is cut."""
    try:
        said = toml_rs.loads(raw.decode(), parse_float=Decimal)
    except UnicodeDecodeError:
        raise Unreadable("The hand is not valid UTF-8.") from None
    except toml_rs.TOMLDecodeError as error:
        if is_last and error.lineno > raw.count(b"\n"):
            raise Unreadable(_CUT) from None
        what = error.msg.rsplit("\n", 1)[-1]
        raise Unreadable(f"Line {line + error.lineno - 1} can't be read as TOML: {what}.") from None
    if raw.startswith(b"["):
        said = next(iter(said.values()))
    return said


def _names(said: dict[str, Any]) -> list[str]:
    """The fields by which hands of a log are alike, and those of their tables."""
    tables = [f"{name}.{key}" for name, value in said.items() if type(value) is dict for key in value]
    return [name for name in said if name not in _BETS] + tables


def _end_of(raw: bytes) -> int:
    """Where a hand ends after which other lines come, none of them a field; 0 if that is not so."""
    try:
        toml_rs.loads(raw.decode())
    except UnicodeDecodeError:
        pass
    except toml_rs.TOMLDecodeError as error:
        lines = raw.split(b"\n")
        before, after = b"\n".join(lines[: error.lineno - 1]), lines[error.lineno - 1 :]
        if b"\nactions" in before and not any(_FIELD(other) for other in after):
            try:
                toml_rs.loads(before.decode())
            except toml_rs.TOMLDecodeError:
                return 0
            return len(before)
    return 0


def _actions_of(said: dict[str, Any]) -> list[str]:
    """Take away the actions. Raises Unreadable if there are none, or if they are of another game."""
    variant, texts = str(said.get("variant", "")), said.get("actions")
    if variant in OTHER_GAMES:
        raise Unreadable(f"The hand is {OTHER_GAMES[variant]} ({variant}), which is not supported.")
    if variant not in STRUCTURES:
        known = ", ".join(STRUCTURES)
        raise Unreadable(
            f"The variant is {variant!r}; those of hold'em are {known}."
            if variant
            else f"{_MISSING} variant."
        )
    if type(texts) is not list or {*map(type, texts)} - {str}:
        raise Unreadable(f"{_MISSING} list of actions.")
    del said["actions"]
    return texts


def _line_of(raw: bytes, name: str, line: int) -> int:
    """The line of a field of a hand that begins in a line."""
    return line + raw.count(b"\n", 0, raw.find(b"\n%b" % name.encode()) + 1)


def _lines_of(raw: bytes, line: int, count: int) -> list[int]:
    """The line of each action."""
    start = raw.find(b"\nactions") + 1
    end = raw.find(b"\n", start)
    if end < 0 or raw[start:end].split(b"#")[0].rstrip().endswith(b"]"):
        return [line] * count
    lines: list[int] = []
    for match in _STRING.finditer(raw, raw.find(b"[", start)):
        if match[0] == b"\n":
            line += 1
        elif not match[0].startswith(b"#"):
            lines.append(line)
    return (lines + [line] * count)[:count]
