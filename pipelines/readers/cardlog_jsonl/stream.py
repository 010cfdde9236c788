"""Reads cardlog-jsonl in blocks: the lines of hands that may go on are kept for the next block.

A hand is read `APART_BYTES` after its last line, or at the end of the text. So hands may be interleaved in
any way in a smaller text, and within that distance in a larger one."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.readers import lengths
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.cardlog_jsonl.lines import BROKEN, Offsets
from cardlog.pipelines.readers.cardlog_jsonl.parser import parse
from cardlog.pipelines.readers.cardlog_jsonl.reads import reads_of, reject
from cardlog.pipelines.readers.cardlog_jsonl.state import ParsedText
from cardlog.pipelines.readers.lengths import HAND, Overlong
from cardlog.schemas.reasons import Reason

APART_BYTES: Final = 8 * 2**20
"""The distance at which two lines of a hand always belong together."""

_NO_LINES: Final = np.zeros(0, np.int64)


class HandsInBlocks:
    """Reads the blocks of a text in order."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = b""
        self._numbers: Offsets = _NO_LINES
        self._broken: Offsets = _NO_LINES

    def read(self, text: bytes, first_line: int, is_last: bool) -> list[Read]:
        """The hands that end in this block or before it, one `Read` per game; the first also has the rejects.

        is_last
            Whether this is the last block.
        """
        before = len(self._numbers)
        parsed = parse(self._text + text, self._source, self._numbers, first_line)
        waiting, too_large = self._waiting(parsed, is_last)
        reads = reads_of(parsed, waiting | too_large, self._broken, before)
        reads[0].rejects += [_too_large(parsed, hand) for hand in np.flatnonzero(too_large).tolist()]
        self._keep(parsed, waiting)
        return reads

    def _waiting(self, parsed: ParsedText, is_last: bool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which hands may go on, and which are too large to keep: shapes (hands,)."""
        hands = parsed.hands
        if not len(hands):
            return np.zeros(0, np.bool_), np.zeros(0, np.bool_)
        sizes = np.add.reduceat((parsed.ends - parsed.starts + 1)[hands.order], hands.bounds[:-1])
        too_large = sizes > lengths.HAND_BYTES
        if is_last:
            return np.zeros(len(hands), np.bool_), too_large
        waiting = (parsed.starts[hands.lasts] >= len(parsed.text) - APART_BYTES) & ~too_large
        excess = int(sizes[waiting].sum()) - lengths.WAITING_BYTES
        for hand in np.argsort(-sizes, kind="stable").tolist() if excess > 0 else ():
            if excess > 0 and waiting[hand]:
                waiting[hand], too_large[hand] = False, True
                excess -= int(sizes[hand])
        return waiting, too_large

    def _keep(self, parsed: ParsedText, waiting: NDArray[np.bool_]) -> None:
        """Keep the lines of some hands."""
        hands = parsed.hands
        lines = np.sort(hands.order[np.repeat(waiting, np.diff(hands.bounds))])
        pieces = [parsed.raw_line(line) for line in lines.tolist()]
        self._text = b"".join(piece + b"\n" for piece in pieces)
        self._numbers = parsed.numbers[lines]
        # One broken line between two kept lines is enough to know.
        broken = np.append(self._broken, parsed.numbers[parsed.lines["state"] == BROKEN])
        gaps = np.searchsorted(self._numbers, broken)
        self._broken = broken[np.unique(gaps, return_index=True)[1]]


def _too_large(parsed: ParsedText, hand: int) -> Reject:
    """The reject of a hand that is too large; its later lines are another hand."""
    lines = parsed.numbers[parsed.hands.lines(hand)]
    whole = Overlong(HAND, int(lines[0]))
    whole.add(parsed.raw(hand))
    cut = whole.done(int(lines[-1]))
    return reject(parsed, hand, (Reason.TOO_LONG, cut.message), cut.raw)
