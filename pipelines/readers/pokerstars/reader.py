"""PokerStars' hand histories, and what other programs write in their form.

`header` reads a hand's first line and `hand` its other lines; here texts are cut into hands, and hands become
columns. docs/formats/pokerstars.md describes the format."""

import re
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa

from cardlog import models
from cardlog.models.hold_em import state as hold_em
from cardlog.models.hold_em.state import GAME
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.readers.arrays import blank_events, hand_ids, put_cards
from cardlog.pipelines.readers.base import BOM, Read, Reject, Source
from cardlog.pipelines.readers.pokerstars.hand import Parsed, Trouble, parse_hand
from cardlog.pipelines.readers.pokerstars.header import BEGINS, Header, parse_header
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, NO_TIME, Action
from cardlog.schemas.reasons import Reason

FORMAT: Final = "pokerstars"
GAMES: Final = (GAME,)
LINE_PER_HAND: Final = False
SPLIT_AT: Final = b"PokerStars "
SUMMARY: Final = "PokerStars' hand histories, one text for each hand"

_HEADER: Final = re.compile(rb"(?:^[ \t\r\xef\xbb\xbf]*)?PokerStars " + BEGINS + rb"+:", re.MULTILINE)
"""The beginning of a hand. A text may be cut in a line, and another one follow."""
_SUMMARY: Final = re.compile(
    rb"^[ \t]*\*\*\* SUMMARY \*\*\*.*(?:\n[ \t]*(?:Seat \d|Board |Total pot|FIRST |SECOND |Hand was).*)*",
    re.MULTILINE,
)
NO_SUMMARY: Final = "is the last of a hand without its summary; who was dealt in is not known"
_NOISE: Final = b"* #0123456789\t\r\n" + BOM
"""What may stand between hands."""


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    return _HEADER.search(head) is not None


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text; the last one may be incomplete."""
    hands, rejects, others = _Hands(source), [], 0
    line, last_line = first_line, first_line + _lines(text) - 1
    for raw, is_hand in _pieces(text):
        last = line + _lines(raw) - 1
        is_last = last == last_line
        try:
            if is_hand:
                hands.add(raw, line, last, is_last and not source.final)
            elif raw.strip(_NOISE):
                raise Trouble(Reason.UNPARSABLE, 0, "is in no hand")
            else:
                others += _lines(raw)
        except Trouble as trouble:
            rejects.append(_reject(raw, line, last, trouble, source))
        line = last + 1
    return [hands.read(rejects, line - first_line, others)]


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


def _lines(text: bytes) -> int:
    """How many lines a text has; an unfinished one counts."""
    return text.count(b"\n") + (len(text) > 0 and not text.endswith(b"\n"))


def _as_text(raw: bytes) -> list[str]:
    """The lines of a hand: UTF-8, else an old code page of Windows."""
    try:
        text = raw.removeprefix(BOM).decode()
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    return [line.strip() for line in text.split("\n")]


def _reject(raw: bytes, first: int, last: int, trouble: Trouble, source: Source) -> Reject:
    lines = _as_text(raw)
    number = re.match(r"PokerStars .*?#(\d+)", lines[0])
    message = f"Line {first + trouble.line}, {lines[trouble.line][:60]!r}, {trouble.what}."
    key = number[1].encode() if number else b""
    hand_id = hand_ids(FORMAT, source, [key])[0].decode() if key else None
    return Reject(trouble.reason, message, raw, first, last, hand_id, GAME)


class _Hands:
    """The hands of a text that can be judged."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.numbers: list[str] = []
        self.events: list[tuple[int, int, int, int, bytes]] = []
        self.sizes = [0]
        self.details: list[str] = []
        self.times: list[int] = []
        self.matches: dict[str, int] = {}
        self.match_of: list[int] = []
        self.raw: list[bytes] = []
        self.spans: list[tuple[int, int]] = []
        self.cut: list[bool] = []

    def add(self, raw: bytes, first: int, last: int, may_grow: bool) -> None:
        """Read a hand. Raises Trouble."""
        lines = _as_text(raw)
        header = parse_header(lines[0], self.source.options)
        if header is None:
            raise Trouble(Reason.UNPARSABLE, 0, "does not say which game was played, or when")
        if header.played != GAME:
            raise Trouble(Reason.UNPARSABLE, 0, f"is of {header.title or 'a game'}, which is not supported")
        hand = parse_hand(lines, header)
        if hand.dealer < 0 or not hand.names:
            raise Trouble(Reason.INCOMPLETE, 0, "begins a hand without its table and seats")
        if not hand.is_whole and not may_grow:
            raise Trouble(Reason.INCOMPLETE, len(lines) - 1, NO_SUMMARY)
        self.details.append(_opening(header, hand))
        number = int(header.number)
        opening = (Action.DEAL_OPEN, NO_SEAT, number if number < 2**31 else NO_AMOUNT, 0, b"")
        self.events += [
            (action, seat, amount, first + line, codes)
            for action, seat, amount, line, codes in chain([opening], hand.events)
        ]
        self.sizes.append(1 + len(hand.events))
        self.numbers.append(header.number)
        self.times.append(NO_TIME if header.at is None else header.at)
        match = " ".join(filter(None, (header.about.get("tournament", ""), hand.about.get("table", ""))))
        self.match_of.append(self.matches.setdefault(match, len(self.matches)))
        self.raw.append(raw)
        self.spans.append((first, last))
        self.cut.append(may_grow and not hand.is_whole)

    def read(self, rejects: list[Reject], lines: int, others: int) -> Read:
        """The `Read` of all hands."""
        offsets = np.cumsum(self.sizes)
        records = blank_events(len(self.events), models.game(GAME).event)
        if self.events:
            *columns, codes = zip(*self.events, strict=True)
            for name, values in zip(("action", "seat", "amount", "line"), columns, strict=True):
                records[name] = values
            records["count"] = [*map(len, codes)]
            put_cards(records, np.frombuffer(b"".join(codes), np.uint8))
        records["detail"][offsets[:-1]] = np.arange(len(self.details))
        records["at"][offsets[:-1]] = self.times
        batch = Batch(
            GAME,
            hand_ids(FORMAT, self.source, [number.encode() for number in self.numbers]),
            records,
            offsets,
            self.details,
            np.array(self.match_of, np.int32),
            [*self.matches],
            keys=pa.array(self.numbers, pa.string()),
        )
        spans = np.array(self.spans, np.int32).reshape(-1, 2)
        cut = np.array(self.cut, np.bool_)
        return Read(batch, rejects, self.raw.__getitem__, spans[:, 0], spans[:, 1], lines, others, cut, cut)


def _opening(header: Header, hand: Parsed) -> str:
    """The opening's detail. With fixed limits the stakes are the two bets, but in some tournaments the
    blinds: then the big blind is the second of them."""
    seats = max(*hand.names, hand.dealer) + 1
    small, big = (header.small, header.big) if header.structure == "fixed_limit" else (header.big, header.big)
    if header.structure == "fixed_limit" and hand.big_blind == header.big:
        small, big = header.big, 2 * header.big
    settings: dict[str, Any] = {
        "ante_trimming": True, "big_bet": big, "currency": header.currency, "dialect": FORMAT,
        "small_bet": small, "structure": header.structure, "unit": header.unit,
    }  # fmt: skip
    players = [{"name": hand.names[seat]} if seat in hand.names else None for seat in range(seats)]
    chips = [hand.chips[seat] if seat in hand.names else 0 for seat in range(seats)]
    about = {**header.about, **hand.about}
    return hold_em.opening(settings, hand.dealer, players, chips, boards=hand.boards, about=about)
