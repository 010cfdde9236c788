"""cardlog-jsonl: our own format, one event per line; see docs/formats/cardlog-jsonl.md.

`lines` decodes a line, `columns` a text, `hands` groups the lines; here hands become batches. A text may come
in blocks: then the lines of hands that may go on are kept for the next block. A hand is read `APART_BYTES`
after its last line, or at the end of the text. So hands may be interleaved in any way in a smaller text, and
within that distance in a larger one."""

import re
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.readers import lengths
from cardlog.pipelines.readers.arrays import Offsets, blank_events, put_cards
from cardlog.pipelines.readers.base import BOM, Read, Reject, Source, hand_name
from cardlog.pipelines.readers.cardlog_jsonl.columns import Columns
from cardlog.pipelines.readers.cardlog_jsonl.hands import Fault, Hands
from cardlog.pipelines.readers.lengths import HAND, Overlong
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SUMMARY", "in_blocks", "read", "sniff"]

FORMAT: Final = "cardlog-jsonl"
GAMES: Final = tuple(models.GAMES)
LINE_PER_HAND: Final = False
SUMMARY: Final = "any game's events, one a line, as any game server can write them"

APART_BYTES: Final = 8 * 2**20
"""The distance at which two lines of a hand always belong together."""
_COLUMNS: Final = {"at": "occurred_at", "count": "cards"} | {
    name: name for name in ("action", "seat", "suit", "amount", "detail")
}
"""Fields of an event's record, and the columns that they come from."""
_IS_ID: Final = re.compile(r"[0-9a-f]{32}").fullmatch


def sniff(head: bytes) -> bool:
    """Whether a file that begins so looks like this format."""
    first = (line.lstrip() for line in head.removeprefix(BOM).split(b"\n"))
    return any(line.startswith(b"{") and b'"hand_id"' in line and b'"kind"' in line for line in first)


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text, one `Read` per game; the first also has the rejects."""
    columns = Columns(text)
    parsed = _Parsed(Hands(columns, first_line + np.arange(len(columns))), source)
    return parsed.reads(parsed.hands.numbers[columns.broken])


class _Parsed:
    """The hands of a text from a source."""

    def __init__(self, hands: Hands, source: Source) -> None:
        self.hands, self.columns, self._source = hands, hands.columns, source

    def reads(
        self, broken: Offsets, left_out: NDArray[np.bool_] | None = None, before: int = 0
    ) -> list[Read]:
        """One `Read` per game; the first also has the rejects and the line counts.

        broken
            See `Hands.faults`.
        left_out
            Hands to ignore: shape (hands,).
        before
            Number of lines that were counted before.
        """
        hands, columns = self.hands, self.columns
        fine = np.ones(len(hands), np.bool_) if left_out is None else ~left_out
        faults = hands.faults(broken) if len(hands) else {}
        rejects = [self._rejected_line(line) for line in columns.broken]
        rejects += [self.reject(hand, fault, hands.raw(hand)) for hand, fault in faults.items() if fine[hand]]
        fine[list(faults)] = False
        games = columns.names["game"]
        chosen = {
            name: np.flatnonzero(fine & (hands.of("game") == games.index(name)))
            for name in models.GAMES
            if name in games
        }
        reads = [self._read(name, which) for name, which in chosen.items() if len(which)]
        reads = reads or [self._read(next(iter(models.GAMES)), np.zeros(0, np.int64))]
        reads[0].rejects = sorted(rejects, key=lambda reject: reject.first_line)
        reads[0].lines_read = len(columns) - before
        reads[0].other_lines = int((columns.of["hand_id"] < 0).sum()) - len(columns.broken)
        return reads

    def _rejected_line(self, line: int) -> Reject:
        """The reject of a line that belongs to no hand."""
        number, problem = int(self.hands.numbers[line]), self.columns.problems[line]
        message = f"Line {number} belongs to no hand: {problem}."
        return Reject(problem.reason, message, self.columns.raw_line(line), number, number)

    def reject(self, hand: int, fault: Fault, raw: bytes) -> Reject:
        """The reject of a hand; `raw` is the text to keep."""
        first, last = (int(self.hands.numbers[line]) for line in self.hands.lines(hand)[[0, -1]])
        game = int(self.hands.of("game")[hand])
        name = self.columns.names["game"][game] if game >= 0 else None
        return Reject(*fault, raw, first, last, self._hand_id(hand).decode(), name)

    def _hand_id(self, hand: int) -> bytes:
        """The id of a hand: the source's own if it is a valid id, else derived from it."""
        name = self.columns.names["hand_id"][hand]
        if _IS_ID(name):
            return name.encode()
        digest = hand_name(FORMAT, self._source.dataset)
        digest.update(name.encode())
        return digest.hexdigest().encode()

    def _key(self, hand: int, number: int) -> str | None:
        """The source's own key of a hand: `source_key`, or else `hand_id`, unless that is a valid id."""
        name = self.columns.names["hand_id"][hand]
        return self.columns.names["source_key"][number] if number >= 0 else None if _IS_ID(name) else name

    def _read(self, game: str, chosen: Offsets) -> Read:
        """The `Read` of some hands of a game."""
        hands, names = self.hands, self.columns.names
        lines = hands.order[np.repeat(np.isin(np.arange(len(hands)), chosen), np.diff(hands.bounds))]
        keys = hands.of("source_key")[chosen].tolist()
        batch = Batch(
            game,
            np.array([self._hand_id(hand) for hand in chosen.tolist()], "S32"),
            self._events(game, lines),
            np.append(0, np.cumsum(np.diff(hands.bounds)[chosen])),
            self.columns.details,
            hands.of("match_id")[chosen],
            names["match_id"],
            hands.of("hand_no")[chosen],
            dataset_of=hands.of("dataset")[chosen],
            datasets=names["dataset"],
            keys=pa.array(map(self._key, chosen.tolist(), keys), pa.string()),
        )
        return Read(
            batch,
            [],
            raw_of=lambda hand: hands.raw(int(chosen[hand])),
            first_lines=hands.numbers[hands.firsts[chosen]].astype(np.int32),
            last_lines=hands.numbers[hands.lasts[chosen]].astype(np.int32),
            lines_read=0,
            other_lines=0,
            cut=np.zeros(len(chosen), np.bool_) if self._source.final else self._may_go_on()[chosen],
        )

    def _events(self, game: str, lines: Offsets) -> NDArray[np.void]:
        """The events of some lines."""
        of = self.columns.of
        events = blank_events(len(lines), models.game(game).event)
        for name, column in _COLUMNS.items():
            events[name] = of[column][lines]
        events["line"] = self.hands.numbers[lines]
        counts = of["cards"]
        firsts = np.repeat((np.cumsum(counts) - counts)[lines], counts[lines])
        index = np.arange(len(firsts)) - np.repeat(np.cumsum(counts[lines]) - counts[lines], counts[lines])
        put_cards(events, self.columns.cards[firsts + index])
        return events

    def _may_go_on(self) -> NDArray[np.bool_]:
        """Which hands are not followed by another hand of their match."""
        hands = self.hands
        games = len(self.columns.names["game"])
        matches = hands.of("match_id").astype(np.int64)
        match = np.where(matches < 0, -1, matches * games + hands.of("game"))
        last_begin = np.full(len(self.columns.names["match_id"]) * games + 1, -1, np.int64)
        np.maximum.at(last_begin, match, hands.firsts)
        last_begin[-1] = -1  # of hands in no match
        return np.asarray(last_begin[match] <= hands.lasts)


class HandsInBlocks:
    """Reads the blocks of a text in order."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = b""
        self._numbers: Offsets = np.zeros(0, np.int64)
        self._broken: Offsets = np.zeros(0, np.int64)

    def read(self, text: bytes, first_line: int, is_last: bool) -> list[Read]:
        """The hands that end in this block or before it, one `Read` per game; the first also has the rejects.

        is_last
            Whether this is the last block.
        """
        columns = Columns(self._text + text)
        before = len(self._numbers)
        numbers = np.append(self._numbers, first_line + np.arange(len(columns) - before))
        parsed = _Parsed(Hands(columns, numbers), self._source)
        waiting, too_large = self._waiting(parsed.hands, is_last)
        self._broken = np.append(self._broken, numbers[columns.broken])
        reads = parsed.reads(self._broken, waiting | too_large, before)
        reads[0].rejects += [_too_large(parsed, hand) for hand in np.flatnonzero(too_large).tolist()]
        self._keep(parsed.hands, waiting)
        return reads

    def _waiting(self, hands: Hands, is_last: bool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which hands may go on, and which are too large to keep: shapes (hands,)."""
        if not len(hands):
            return np.zeros(0, np.bool_), np.zeros(0, np.bool_)
        columns = hands.columns
        sizes = np.add.reduceat((columns.ends - columns.starts + 1)[hands.order], hands.bounds[:-1])
        too_large = sizes > lengths.HAND_BYTES
        if is_last:
            return np.zeros(len(hands), np.bool_), too_large
        waiting = (columns.starts[hands.lasts] >= len(columns.text) - APART_BYTES) & ~too_large
        excess = int(sizes[waiting].sum()) - lengths.WAITING_BYTES
        for hand in np.argsort(-sizes, kind="stable").tolist() if excess > 0 else ():
            if excess > 0 and waiting[hand]:
                waiting[hand], too_large[hand] = False, True
                excess -= int(sizes[hand])
        return waiting, too_large

    def _keep(self, hands: Hands, waiting: NDArray[np.bool_]) -> None:
        """Keep the lines of some hands."""
        lines = np.sort(hands.order[np.repeat(waiting, np.diff(hands.bounds))])
        self._text = b"".join(hands.columns.raw_line(line) + b"\n" for line in lines.tolist())
        self._numbers = hands.numbers[lines]
        # One broken line between two kept lines is enough to know.
        gaps = np.searchsorted(self._numbers, self._broken)
        self._broken = self._broken[np.unique(gaps, return_index=True)[1]]


def _too_large(parsed: _Parsed, hand: int) -> Reject:
    """The reject of a hand that is too large; its later lines are another hand."""
    lines = parsed.hands.numbers[parsed.hands.lines(hand)]
    whole = Overlong(HAND, int(lines[0]))
    whole.add(parsed.hands.raw(hand))
    cut = whole.done(int(lines[-1]))
    return parsed.reject(hand, (Reason.TOO_LONG, cut.message), cut.raw)


def in_blocks(source: Source) -> HandsInBlocks:
    """A reader of a text in blocks."""
    return HandsInBlocks(source)
