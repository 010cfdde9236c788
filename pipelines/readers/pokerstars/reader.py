"""PokerStars' hand histories, and what other programs write in their form.

`header` reads a hand's first line and `hand` its other lines; here texts are cut into hands, and hands become
columns. docs/formats/pokerstars.md describes the format."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa

from cardlog import models
from cardlog.pipelines.events.batch import Batch, put_cards
from cardlog.pipelines.readers.arrays import blank_events, hand_ids
from cardlog.pipelines.readers.base import BOM, Read, Reject, Source
from cardlog.pipelines.readers.pokerstars.hand import Event, Hand, Trouble
from cardlog.pipelines.readers.pokerstars.header import BEGINS, TRANSLATED, Header, parse_header
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, NO_TIME, Action
from cardlog.schemas.reasons import Reason

FORMAT: Final = "pokerstars"
GAMES: Final = ("hold_em", "five_card_draw")
LINE_PER_HAND: Final = False
SPLIT_AT: Final = b"PokerStars "
SUMMARY: Final = "PokerStars' hand histories, one text for each hand"

_LINE_START: Final = rb"^[ \t\r\xef\xbb\xbf]*"
_HEADERS: Final = rb"PokerStars " + BEGINS + rb"+:|^" + TRANSLATED
_HEADER: Final = re.compile(rb"(?:" + _LINE_START + rb")?" + _HEADERS, re.MULTILINE)
"""The beginning of a hand. A text may be cut in a line, and another one follow."""
_HEADER_LINE: Final = re.compile(_LINE_START + _HEADERS, re.MULTILINE)
_MARK: Final = b"*** SUMMARY ***"
_SUMMARY: Final = re.compile(
    rb"^[ \t]*\*\*\* SUMMARY \*\*\*.*"
    rb"(?:\n[ \t]*(?:Seat \d|Board |Total pot|FIRST |SECOND |Hand was|Hand cancelled).*)*",
    re.MULTILINE,
)
_TOLD: Final = re.compile(rb"folded|collected|won|lost|(?:showed|mucked) \[.*\]")
"""What the summary says of a seat, in a line that may lack its end."""
_HEAD_LINES: Final = 4
"""With more lines than these, a hand has the line of its table."""
_NOISE: Final = b"* #0123456789\t\r\n" + BOM
_BETWEEN: Final = re.compile(
    rb"(?:[* #=0-9\t\r\n\xef\xbb\xbf-]|(?:Hand|Game) #|Transcript for your last .*)*"
)
"""What may stand between hands."""
_BEGINNINGS: Final = (
    b"PokerStars ", b"*** SUMMARY ***", b"Seat ", b"Board ", b"Total pot", b"FIRST ", b"SECOND ", b"Hand was",
    b"Hand cancelled",
)  # fmt: skip
"""Of the lines before and after whose beginning a hand may end."""
CUT: Final = (
    "is the last of a hand without its summary; who was dealt in is not known. If the log has grown, ingest "
    "it again"
)
SHORT: Final = (
    "ends a hand whose summary does not name every player. If the log has grown, ingest it again; an empty "
    "line after it says that there is no more"
)
TORN: Final = "may be cut off; ingest the log again when it has grown, or with --final if it won't"
UNENDED: Final = "{what}, unless the log has not been written to its end"
NO_HEADER: Final = "does not say which game was played, or when, in English; other languages can't be read"
NO_TABLE: Final = "does not say which table it is, in English; other languages can't be read"


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    return _HEADER_LINE.search(head) is not None


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text; the last one may be incomplete."""
    hands, rejects, others = {game: _Hands(source, game) for game in GAMES}, [], 0
    line, last_line = first_line, first_line + _lines(text) - 1
    torn = text[text.rfind(b"\n") + 1 :]  # which may be of the summary before it
    end = last_line - (len(torn) > 0 and _is_torn(torn))
    for raw, is_hand in _pieces(text):
        last = line + _lines(raw) - 1
        try:
            if is_hand:
                lines = _as_text(raw)
                header = _header(lines, source)
                hand = _hand(lines, header, raw, source, is_last=last >= end)
                hands[header.played].add(raw, hand, line, last)
            elif not (_BETWEEN.fullmatch(raw) or _is_torn(raw)):
                empty = len(raw) - len(raw.lstrip(_NOISE))
                raise Trouble(Reason.UNPARSABLE, raw.count(b"\n", 0, empty), "is in no hand")
            else:
                others += _lines(raw)
        except Trouble as trouble:
            if line + trouble.line == last_line and not (text.endswith(b"\n") or source.final):
                trouble = Trouble(Reason.INCOMPLETE, trouble.line, UNENDED.format(what=trouble.what))
            rejects.append(_reject(raw, line, last, trouble, source))
        line = last + 1
    first, *more = (found for game, found in hands.items() if game == GAMES[0] or found.hands)
    return [first.read(rejects, line - first_line, others), *(found.read([], 0, 0) for found in more)]


def _pieces(text: bytes) -> Iterator[tuple[bytes, bool]]:
    """The hands of a text and what is between them, with whether each is a hand. A hand ends with the lines
    of its summary; one without goes on to the next hand, but for what may stand between them."""
    starts = [match.start() for match in _HEADER.finditer(text)]
    before = text[: starts[0]] if starts else text
    yield from [(before, False)] if before else []
    for start, stop in pairwise([*starts, len(text)]):
        raw = text[start:stop]
        summary = _SUMMARY.search(raw)
        size = summary.end() if summary else len(raw.rstrip(_NOISE))
        size = len(raw) if b"\n" not in raw[size:] else raw.index(b"\n", size) + 1
        yield raw[:size], True
        yield from [(raw[size:], False)] if raw[size:] else []


def _header(lines: list[str], source: Source) -> Header:
    """The header of a hand of a game that is played here. Raises Trouble."""
    try:
        header = parse_header(lines[0], source.options)
    except ValueError as error:
        raise Trouble(Reason.UNPARSABLE, 0, f"can't be read: {error}") from None
    if header is None:
        raise Trouble(Reason.UNPARSABLE, 0, NO_HEADER)
    if header.played not in GAMES:
        raise Trouble(Reason.UNPARSABLE, 0, f"is of {header.title or 'a game'}, which is not supported")
    return header


def _hand(lines: list[str], header: Header, raw: bytes, source: Source, *, is_last: bool) -> Hand:
    """A hand that is whole. Raises Trouble."""
    if len(lines) > _HEAD_LINES and b"Table '" not in raw:
        raise Trouble(Reason.UNPARSABLE, 1, NO_TABLE)
    if _MARK not in raw:
        raise Trouble(Reason.INCOMPLETE, len(lines) - 1, CUT)
    hand = Hand(lines, header)
    if hand.dealer < 0 or not hand.present:
        raise Trouble(Reason.INCOMPLETE, 0, "begins a hand without its table and seats")
    is_told = raw.endswith(b"\n") or source.final or _TOLD.search(raw, raw.rindex(b"\n")) is not None
    if is_last and not (hand.is_over and is_told):
        raise Trouble(Reason.INCOMPLETE, len(lines) - 1, TORN if hand.is_over else SHORT)
    return hand


def _is_torn(raw: bytes) -> bool:
    """Whether a text is the first bytes of a line, which its end has cut off, of this hand or the next."""
    return b"\n" not in raw and any(whole.startswith(raw) or raw.startswith(whole) for whole in _BEGINNINGS)


def _lines(text: bytes) -> int:
    """How many lines a text has; an unfinished one counts."""
    return text.count(b"\n") + (len(text) > 0 and not text.endswith(b"\n"))


def _as_text(raw: bytes) -> list[str]:
    """The lines of a hand: UTF-8, else an old code page of Windows."""
    try:
        text = raw.removeprefix(BOM).decode()
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    return [line.strip() for line in text.rstrip().split("\n")]


def _reject(raw: bytes, first: int, last: int, trouble: Trouble, source: Source) -> Reject:
    lines = _as_text(raw)
    number = re.match(r"PokerStars .*?#(\d+)", lines[0])
    message = f"Line {first + trouble.line}, {lines[trouble.line][:60]!r}, {trouble.what}."
    hand_id = hand_ids(FORMAT, source, [number[1].encode()])[0].decode() if number else None
    return Reject(trouble.reason, message, raw, first, last, hand_id, GAMES[0])


class _Hands:
    """The hands of a text that can be judged, of one game."""

    def __init__(self, source: Source, game: str) -> None:
        self.source, self.game = source, game
        self.hands: list[tuple[str, str, int, int, bytes, int, int]] = []
        """Number, opening, time, match, text, first and last line."""
        self.events: list[Event] = []
        self.offsets = [0]
        self.matches: dict[str, int] = {}

    def add(self, raw: bytes, hand: Hand, first: int, last: int) -> None:
        """Add a hand and the lines that it is in."""
        header = hand.header
        number = int(header.number)
        opening = (Action.DEAL_OPEN, NO_SEAT, number if number < 2**31 else NO_AMOUNT, 0, b"")
        self.events += [
            (action, seat, amount, first + line, codes)
            for action, seat, amount, line, codes in (opening, *hand.events())
        ]
        self.offsets.append(len(self.events))
        match = " ".join(filter(None, (header.about.get("tournament", ""), hand.about.get("table", ""))))
        match_no = self.matches.setdefault(match, len(self.matches))
        at = NO_TIME if header.at is None else header.at
        self.hands.append((header.number, hand.opening(), at, match_no, raw, first, last))

    def read(self, rejects: list[Reject], lines: int, others: int) -> Read:
        """The `Read` of all hands."""
        records = blank_events(len(self.events), models.game(self.game).event)
        numbers, openings, times, match_of, raws, first, last = (
            zip(*self.hands, strict=True) if self.hands else [()] * 7
        )
        if self.events:
            *columns, codes = zip(*self.events, strict=True)
            for name, values in zip(("action", "seat", "amount", "line"), columns, strict=True):
                records[name] = values
            records["count"] = [*map(len, codes)]
            put_cards(records, np.frombuffer(b"".join(codes), np.uint8))
        records["detail"][self.offsets[:-1]] = np.arange(len(self.hands))
        records["at"][self.offsets[:-1]] = times
        batch = Batch(
            self.game,
            hand_ids(FORMAT, self.source, [number.encode() for number in numbers]),
            records,
            np.array(self.offsets),
            [*openings],
            np.array(match_of, np.int32),
            [*self.matches],
            keys=pa.array(numbers, pa.string()),
        )
        spans = np.array(first, np.int32), np.array(last, np.int32)
        return Read(batch, rejects, raws.__getitem__, *spans, lines, others)
