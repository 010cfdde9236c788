"""cardlog-jsonl: our own format, one event per line; see docs/formats/cardlog-jsonl.md.

`lines` decodes a line, `hands` knows what is wrong with a hand; here lines go to their hands and hands become
batches. A text may come in blocks: a hand is read `APART_BYTES` after its last line, or at the end of the
text. So hands may be interleaved in any way in a smaller text, and within that distance in a larger one."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.events.batch import NO_HAND_NO, Batch
from cardlog.pipelines.readers import json_lines, lengths
from cardlog.pipelines.readers.arrays import CARD_OF_PAIR, blank_events, put_cards
from cardlog.pipelines.readers.base import BOM, Read, Reject, Source, hand_name
from cardlog.pipelines.readers.cardlog_jsonl.hands import Fault, Hand
from cardlog.pipelines.readers.cardlog_jsonl.lines import BadLine, Line, read_line, stored_detail
from cardlog.pipelines.readers.lengths import HAND, Overlong
from cardlog.schemas.cards import NO_SUIT, SUIT_LETTERS
from cardlog.schemas.events import CODE, NO_AMOUNT, NO_SEAT, NO_TIME
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SUMMARY", "in_blocks", "read", "sniff"]

FORMAT: Final = "cardlog-jsonl"
GAMES: Final = tuple(models.GAMES)
LINE_PER_HAND: Final = False
SUMMARY: Final = "any game's events, one a line, as any game server can write them"

APART_BYTES: Final = 8 * 2**20
"""The distance at which two lines of a hand always belong together."""
_SUITS: Final = {"": NO_SUIT, None: NO_SUIT} | {letter: code for code, letter in enumerate(SUIT_LETTERS)}
_IS_ID: Final = re.compile(r"[0-9a-f]{32}").fullmatch


def sniff(head: bytes) -> bool:
    """Whether a file that begins so looks like this format."""
    first = (line.lstrip() for line in head.removeprefix(BOM).split(b"\n"))
    return any(line.startswith(b"{") and b'"hand_id"' in line and b'"kind"' in line for line in first)


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text, one `Read` per game; the first also has the rejects."""
    return in_blocks(source).read(text, first_line, is_last=True)


def in_blocks(source: Source) -> "HandsInBlocks":
    """A reader of a text in blocks."""
    return HandsInBlocks(source)


class HandsInBlocks:
    """Reads the blocks of a text in order.

    hands
        Those that may go on, by the text's own ids, in the order in which they begin.
    begins
        The line in which the last hand of a match begins, of the matches of those hands.
    at, broken
        How many bytes and how many lines that belong to no hand have been read.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.hands: dict[str, Hand] = {}
        self.begins: dict[tuple[str, str] | None, int] = {}
        self.at = self.broken = 0

    def read(self, text: bytes, first_line: int, is_last: bool) -> list[Read]:
        """The hands that end in this block or before it, one `Read` per game; the first also has the rejects.

        is_last
            Whether this is the last block.
        """
        raws = text.split(b"\n")
        is_open = raws[-1] != b""
        raws[0] = raws[0] if self.at else raws[0].removeprefix(BOM)
        count, others = len(raws) - (not is_open), 0
        rejects: list[Reject] = []
        for number, raw in enumerate(raws[:count], first_line):
            raw = raw.removesuffix(b"\r")
            found = read_line(raw)
            problem = found if isinstance(found, BadLine) else None
            line = found.line if isinstance(found, BadLine) else found
            if line:
                self._add(line, raw, number, problem)
            elif problem and not (is_open and number == first_line + count - 1 and json_lines.is_torn(raw)):
                self.broken += 1
                message = f"Line {number} belongs to no hand: {problem.problem}."
                rejects.append(Reject(problem.reason, message, raw, number, number))
            else:
                others += 1
            self.at += len(raw) + 1
        reads = self._reads(is_last, rejects)
        reads[0].rejects.sort(key=lambda reject: reject.first_line)
        reads[0].lines_read, reads[0].other_lines = count, others
        return reads

    def _add(self, line: Line, raw: bytes, number: int, problem: BadLine | None) -> None:
        """Add a line to its hand."""
        hand = self.hands.get(line.hand_id)
        if hand is None:
            hand = self.hands[line.hand_id] = Hand(self.at, self.broken)
            if line.match_id:
                self.begins[line.game, line.match_id] = number
        hand.at, hand.has_gap = self.at, self.broken > hand.broken_before
        hand.size += len(raw) + 1
        if problem:
            hand.problems[len(hand.lines)] = problem
        hand.lines.append(line)
        hand.raws.append(raw)
        hand.numbers.append(number)

    def _reads(self, is_last: bool, rejects: list[Reject]) -> list[Read]:
        """Take out the hands that are whole or too large."""
        hands, self.hands = self.hands, {}
        too_large = {name for name, hand in hands.items() if hand.size > lengths.HAND_BYTES}
        far = self.at - APART_BYTES
        waiting = {name: hand.size for name, hand in hands.items() if not is_last and hand.at >= far}
        left = 0
        for name in sorted(waiting, key=waiting.__getitem__):
            left += waiting[name]
            if left > lengths.WAITING_BYTES:
                too_large.add(name)
        chosen: dict[str, list[tuple[str, Hand]]] = defaultdict(list)
        for name, hand in hands.items():
            if name in too_large:
                rejects.append(self._too_large(name, hand))
            elif name in waiting:
                self.hands[name] = hand
            elif fault := hand.fault():
                rejects.append(self._reject(name, hand, fault, hand.raw))
            else:
                chosen[hand.lines[0].game].append((name, hand))
        reads = [self._read(game, chosen[game]) for game in models.GAMES if game in chosen]
        reads = reads or [self._read(next(iter(models.GAMES)), [])]
        reads[0].rejects = rejects
        matches = {hand.match for hand in self.hands.values()}
        self.begins = {match: number for match, number in self.begins.items() if match in matches}
        return reads

    def _reject(self, name: str, hand: Hand, fault: Fault, raw: bytes) -> Reject:
        """The reject of a hand; `raw` is the text to keep."""
        first, last = hand.numbers[0], hand.numbers[-1]
        return Reject(*fault, raw, first, last, self._hand_id(name), hand.lines[0].game or None)

    def _too_large(self, name: str, hand: Hand) -> Reject:
        """The reject of a hand that is too large; its later lines are another hand."""
        whole = Overlong(HAND, hand.numbers[0])
        whole.add(hand.raw)
        cut = whole.done(hand.numbers[-1])
        return self._reject(name, hand, (Reason.TOO_LONG, cut.message), cut.raw)

    def _hand_id(self, name: str) -> str:
        """The id of a hand: the source's own if it is a valid id, else derived from it."""
        if _IS_ID(name):
            return name
        digest = hand_name(FORMAT, self._source.dataset)
        digest.update(name.encode())
        return digest.hexdigest()

    def _may_go_on(self, hand: Hand) -> bool:
        """Whether a hand is not followed by another hand of its match."""
        return not self._source.final and self.begins.get(hand.match, 0) <= hand.numbers[-1]

    def _read(self, game: str, chosen: list[tuple[str, Hand]]) -> Read:
        """The `Read` of some hands of a game."""
        hands = [hand for _, hand in chosen]
        firsts = [hand.lines[0] for hand in hands]
        matches, match_of = _numbered(line.match_id for line in firsts)
        datasets, dataset_of = _numbered(line.dataset for line in firsts)
        # The source's own key is `source_key`, or else `hand_id`, unless that is a valid id.
        keys = [line.source_key or (None if _IS_ID(line.hand_id) else line.hand_id) for line in firsts]
        events, details = _events(game, [line for hand in hands for line in hand.lines])
        events["line"] = [number for hand in hands for number in hand.numbers]
        batch = Batch(
            game,
            np.array([self._hand_id(name) for name, _ in chosen], "S32"),
            events,
            np.cumsum([0, *(len(hand.lines) for hand in hands)]),
            details,
            match_of,
            matches,
            np.array([NO_HAND_NO if line.hand_no is None else line.hand_no for line in firsts], np.int32),
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
        )


def _numbered(texts: Iterable[str | None]) -> tuple[list[str], NDArray[np.int32]]:
    """The distinct texts, and for each text its number, -1 for none."""
    numbers: dict[str | None, int] = {}
    found = [numbers.setdefault(text, len(numbers)) if text else -1 for text in texts]
    return [text for text in numbers if text], np.array(found, np.int32)


def _events(game: str, lines: list[Line]) -> tuple[NDArray[np.void], list[str]]:
    """The events of some lines, and the texts of their details."""
    events = blank_events(len(lines), models.game(game).event)
    events["action"] = [CODE[line.kind, line.action] for line in lines]
    events["seat"] = [NO_SEAT if line.seat is None else line.seat for line in lines]
    events["suit"] = [_SUITS[line.suit] for line in lines]
    events["amount"] = [NO_AMOUNT if line.amount is None else line.amount for line in lines]
    events["at"] = [NO_TIME if line.occurred_at is None else line.occurred_at for line in lines]
    cards = [line.cards or "" for line in lines]
    events["count"] = [len(text) // 2 for text in cards]
    put_cards(events, CARD_OF_PAIR[np.frombuffer("".join(cards).encode(), np.uint16)])
    details, events["detail"] = _numbered(stored_detail(line.detail) for line in lines)
    return events, details
