"""cardlog-jsonl: our own format, one event per line; see docs/formats/cardlog-jsonl.md.

`decoding` reads a line; here lines go to their hands and hands become batches. A text may come in blocks: a
hand is complete `APART_BYTES` after its last line, or at the end of the text. So hands may be interleaved in
any way in a smaller text, and within that distance in a larger one."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from operator import attrgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.events.batch import Batch, put_cards
from cardlog.pipelines.readers import json_lines, lengths
from cardlog.pipelines.readers.arrays import blank_events, hand_ids
from cardlog.pipelines.readers.base import BOM, Read, Reject, Source
from cardlog.pipelines.readers.cardlog_jsonl.decoding import (
    MOST_EVENTS,
    NO_SEQ,
    Fault,
    Line,
    ignored_line,
    read_line,
    stored_detail,
)  # fmt: skip
from cardlog.pipelines.readers.json_lines import shown
from cardlog.pipelines.readers.lengths import HAND, Overlong
from cardlog.schemas.cards import CARD_OF_PAIR, NO_SUIT, SUIT_LETTERS
from cardlog.schemas.events import CODE
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SUMMARY", "in_blocks", "read", "sniff"]

FORMAT: Final = "cardlog-jsonl"
GAMES: Final = models.GAMES
LINE_PER_HAND: Final = False
SUMMARY: Final = "any game's events, one per line, as any game server can write them"

APART_BYTES: Final = 8 * 2**20
"""The distance at which two lines of a hand always belong together."""
_SUITS: Final[dict[Any, int]] = {"": NO_SUIT} | {letter: code for code, letter in enumerate(SUIT_LETTERS)}
_SIZE: Final = attrgetter("size")
_SAME: Final = ("game", "match_id", "hand_no")
"""Columns that must be the same on all lines of a hand."""
_IS_ID: Final = re.compile(r"[0-9a-f]{32}").fullmatch


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    lines = (line.lstrip() for line in head.removeprefix(BOM).split(b"\n"))
    return any(line.startswith(b"{") and b'"hand_id"' in line and b'"kind"' in line for line in lines)


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text, one `Read` per game; the first also has the rejects."""
    return HandsInBlocks(source).read(text, first_line, is_last=True)


@dataclass(slots=True)
class Hand:
    """A hand so far."""

    offset: int  # that of its last line
    broken_before: int  # the number of unreadable lines before it
    size: int = 0  # in bytes
    has_gap: bool = False  # whether there are unreadable lines between its lines
    lines: list[Line] = field(default_factory=list)
    raws: list[bytes] = field(default_factory=list)  # the lines' text
    numbers: list[int] = field(default_factory=list)  # the lines' numbers in the file
    problem: Fault | None = None  # of the first line that is wrong by itself
    ignored: list[Any] = field(default_factory=list)  # the seq of each line that is ignored

    @property
    def name(self) -> str:
        """Its id in the text."""
        return self.lines[0].hand_id

    @property
    def raw(self) -> bytes:
        """Its text."""
        return b"\n".join(self.raws)

    @property
    def match(self) -> tuple[str, str] | None:
        """Its game and match; None if it is in no match."""
        first = self.lines[0]
        return (first.game, first.match_id) if first.match_id else None

    def let_pass(self, seq: Any, raw: bytes) -> None:
        """Add an ignored line, only to the text."""
        self.raws.append(raw)
        self.ignored.append(seq)
        self.size += len(raw) + 1

    def fault(self) -> Fault | None:
        """Why it can't be read."""
        return self.problem or self._fault_of_order() or self._fault_of_game() or self._fault_of_gap()

    def _fault_of_order(self) -> Fault | None:
        """Of the first line that does not belong where it is."""
        for name in _SAME:
            values = [getattr(line, name) for line in self.lines]
            if values.count(values[0]) != len(values):
                index = next(index for index, value in enumerate(values) if value != values[0])
                where = f"line {self.numbers[index]} differs from line {self.numbers[0]}"
                return Reason.UNPARSABLE, f"The lines of a hand must have the same {name}; {where}."
        seqs: list[Any] = [line.seq for line in self.lines]
        if len(seqs) > MOST_EVENTS:
            return Reason.UNPARSABLE, f"The hand has more than {MOST_EVENTS} events."
        left = [seq for seq in range(len(seqs) + len(self.ignored)) if seq not in self.ignored]
        if seqs in (left[: len(seqs)], [NO_SEQ] * len(seqs)):
            return None
        if NO_SEQ in seqs:
            return Reason.UNPARSABLE, "Some lines of the hand have seq and some have not."
        index = next(index for index, seq in enumerate(seqs) if seq != index)
        where = f"line {self.numbers[index]} has seq {seqs[index]} where {index} should be."
        if seqs[index] < index or index in seqs:
            return Reason.OUT_OF_ORDER, f"The events are not in order: {where}"
        return Reason.INCOMPLETE, f"An event is missing: {where}"

    def _fault_of_game(self) -> Fault | None:
        game = self.lines[0].game
        if game not in models.GAMES:
            message = f"There is no game {shown(game)}; there are: {', '.join(models.GAMES)}."
            return Reason.UNPARSABLE, message
        most = models.game(game).event["cards"].shape[0]
        if any(line.cards and len(line.cards) > 2 * most for line in self.lines):
            message = f"An event has more cards than {most}, the most that an event of {game} shows."
            return Reason.UNPARSABLE, message
        return None

    def _fault_of_gap(self) -> Fault | None:
        if self.has_gap and self.lines[0].seq == NO_SEQ:
            message = "A line between its lines can't be read; without seq an event may be missing."
            return Reason.INCOMPLETE, message
        return None


class HandsInBlocks:
    """Reads the blocks of a text in order."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.hands: dict[str, Hand] = {}  # those that may go on, by their ids in the text, as they begin
        self.begins: dict[tuple[str, str] | None, int] = {}  # by their matches, where the last hand begins
        self.offset = 0  # bytes read so far
        self.broken = 0  # unreadable lines that belong to no hand
        self.last_number = 0  # of the last line of a hand
        self._early: dict[str, list[tuple[int, Any, bytes]]] = {}  # ignored lines: offset, seq and text

    def read(self, text: bytes, first_line: int, is_last: bool) -> list[Read]:
        """The hands complete after this block, one `Read` per game; the first also has the rejects."""
        raws = text.split(b"\n")
        is_open = raws[-1] != b""
        raws[0] = raws[0] if self.offset else raws[0].removeprefix(BOM)
        count, others = len(raws) - (not is_open), 0
        rejects: list[Reject] = []
        for number, raw in enumerate(raws[:count], first_line):
            raw = raw.removesuffix(b"\r")
            line, problem = read_line(raw, self._source.options)
            options = self._source.options
            if problem and (ignored := ignored_line(raw, options.ignore_kinds)):
                others += self._let_pass(*ignored, raw)
            elif line:
                self._add(line, raw, number, problem)
            elif problem and not (is_open and number == first_line + count - 1 and json_lines.is_torn(raw)):
                self.broken += 1
                message = f"Line {number} belongs to no hand: {problem[1]}."
                rejects.append(Reject(problem[0], message, raw, number, number))
            else:
                others += 1
            self.offset += len(raw) + 1
        complete = self._take_complete(is_last, rejects)
        reads = [self._read(game, hands) for game in models.GAMES if (hands := complete[game])]
        reads = reads or [self._read(next(iter(models.GAMES)), [])]
        matches = {hand.match for hand in self.hands.values()}
        self.begins = {match: number for match, number in self.begins.items() if match in matches}
        reads[0].rejects = sorted(rejects, key=lambda reject: reject.first_line)
        reads[0].lines_read, reads[0].other_lines = count, others
        return reads

    def _let_pass(self, name: str, seq: Any, raw: bytes) -> bool:
        """Keep an ignored line with the text of its hand, which may begin after it; returns whether it is in
        none yet."""
        hand = self.hands.get(name)
        if hand is None:
            self._early.setdefault(name, []).append((self.offset, seq, raw))
        else:
            hand.let_pass(seq, raw)
        return hand is None

    def _add(self, line: Line, raw: bytes, number: int, problem: Fault | None) -> None:
        """Add a line to its hand."""
        hand = self.hands.get(line.hand_id)
        if hand is None:
            hand = self.hands[line.hand_id] = Hand(self.offset, self.broken)
            for _, seq, early in self._early.pop(line.hand_id, ()):
                hand.let_pass(seq, early)
            if line.match_id:
                self.begins[line.game, line.match_id] = number
        hand.offset, hand.has_gap = self.offset, self.broken > hand.broken_before
        hand.size += len(raw) + 1
        hand.lines.append(line)
        hand.raws.append(raw)
        hand.numbers.append(number)
        self.last_number = number
        if problem and not hand.problem:
            hand.problem = problem[0], f"Line {number}: {problem[1]}."

    def _take_complete(self, is_last: bool, rejects: list[Reject]) -> dict[str, list[Hand]]:
        """Remove the hands that are complete, and return them by game; reject those that can't be read or are
        too large."""
        hands, self.hands = self.hands, {}
        oldest = self.offset - APART_BYTES
        recent = {name: [line for line in lines if line[0] >= oldest] for name, lines in self._early.items()}
        self._early = {name: lines for name, lines in recent.items() if lines}
        waiting = [] if is_last else [hand for hand in hands.values() if hand.offset >= oldest]
        waiting.sort(key=_SIZE)
        totals = dict(zip((hand.name for hand in waiting), accumulate(map(_SIZE, waiting)), strict=True))
        complete = defaultdict[str, list[Hand]](list)
        for name, hand in hands.items():
            if hand.size > lengths.HAND_BYTES or totals.get(name, 0) > lengths.WAITING_BYTES:
                rejects.append(self._too_large(hand))
            elif name in totals:
                self.hands[name] = hand
            elif fault := hand.fault():
                rejects.append(self._reject(hand, fault, hand.raw))
            else:
                complete[hand.lines[0].game].append(hand)
        return complete

    def _reject(self, hand: Hand, fault: Fault, raw: bytes) -> Reject:
        """The reject of a hand; `raw` is the text to keep."""
        first, last = hand.numbers[0], hand.numbers[-1]
        return Reject(*fault, raw, first, last, self._hand_id(hand.name), hand.lines[0].game or None)

    def _too_large(self, hand: Hand) -> Reject:
        """The reject of a hand that is too large; its later lines are another hand."""
        overlong = Overlong(HAND, hand.numbers[0])
        overlong.add(hand.raw)
        beginning = overlong.done(hand.numbers[-1])
        return self._reject(hand, (Reason.TOO_LONG, beginning.message), beginning.raw)

    def _hand_id(self, name: str) -> str:
        """The id of a hand: its id in the text if that is a valid one, else derived from it."""
        return name if _IS_ID(name) else hand_ids(FORMAT, self._source, [name.encode()])[0].decode()

    def _may_go_on(self, hand: Hand) -> bool:
        """Whether a hand is not followed by another hand of its match."""
        return not self._source.final and self.begins.get(hand.match, 0) <= hand.numbers[-1]

    def _may_be_scored(self, hand: Hand) -> bool:
        """Whether a hand ends the text and has no scores yet but those of tricks, so that they may follow."""
        last = hand.lines[-1]
        is_scored = last.kind == "score" and last.action != "trick"
        return not self._source.final and hand.numbers[-1] == self.last_number and not is_scored

    def _read(self, game: str, hands: list[Hand]) -> Read:
        """The `Read` of some hands of a game."""
        firsts = [hand.lines[0] for hand in hands]
        matches, match_of = _numbered(line.match_id for line in firsts)
        datasets, dataset_of = _numbered(line.dataset for line in firsts)
        # The key in the source is `source_key`, or else `hand_id`, unless that is a valid id.
        keys = [line.source_key or (None if _IS_ID(line.hand_id) else line.hand_id) for line in firsts]
        events, details = _events(game, [line for hand in hands for line in hand.lines])
        events["line"] = [number for hand in hands for number in hand.numbers]
        batch = Batch(
            game,
            np.array([self._hand_id(hand.name) for hand in hands], "S32"),
            events,
            np.cumsum([0, *(len(hand.lines) for hand in hands)]),
            details,
            match_of,
            matches,
            np.array([line.hand_no for line in firsts], np.int32),
            dataset_of=dataset_of,
            datasets=datasets,
            keys=pa.array(keys, pa.string()),
        )
        return Read(
            batch,
            [],
            raw_of=lambda hand: hands[hand].raw,
            first_lines=np.array([hand.numbers[0] for hand in hands], np.int32),
            last_lines=np.array([hand.numbers[-1] for hand in hands], np.int32),
            lines_read=0,
            other_lines=0,
            cut=np.array([self._may_go_on(hand) for hand in hands], np.bool_),
            cut_after_play=np.array([self._may_be_scored(hand) for hand in hands], np.bool_),
        )


def _numbered(texts: Iterable[str | None]) -> tuple[list[str], NDArray[np.int32]]:
    """The distinct texts, and for each text its number, -1 for none."""
    numbers: dict[str, int] = {}
    indices = [numbers.setdefault(text, len(numbers)) if text else -1 for text in texts]
    return [*numbers], np.array(indices, np.int32)


def _events(game: str, lines: list[Line]) -> tuple[NDArray[np.void], list[str]]:
    """The events of some lines, and the texts of their details."""
    events = blank_events(len(lines), models.game(game).event)
    events["action"] = [CODE[line.kind, line.action] for line in lines]
    events["seat"] = [line.seat for line in lines]
    events["suit"] = [_SUITS[line.suit] for line in lines]
    events["amount"] = [line.amount for line in lines]
    events["at"] = [line.occurred_at for line in lines]
    cards: list[Any] = [line.cards for line in lines]
    events["count"] = [len(text) // 2 for text in cards]
    put_cards(events, CARD_OF_PAIR[np.frombuffer("".join(cards).encode(), np.uint16)])
    raws = (bytes(line.detail) for line in lines)
    details, events["detail"] = _numbered(stored_detail(raw) if raw else None for raw in raws)
    return events, details


in_blocks: Final = HandsInBlocks
"""Reads a text block by block; see `Reader`."""
