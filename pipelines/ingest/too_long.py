"""What is too long goes to quarantine: lines that were cut when the text was split, and whole hands."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cardlog.pipelines.ingest.judge import reject
from cardlog.pipelines.readers import lengths
from cardlog.pipelines.readers.base import Read, Reject
from cardlog.pipelines.readers.lengths import HAND, LINE, Overlong, TooLong
from cardlog.schemas.reasons import Reason


def set_aside(read: Read, found: Sequence[TooLong]) -> Read:
    """A read of a text in which something was cut, with the hands that are concerned rejected.

    Every cut line has a note that no format knows, so readers reject it or the hand it is in. Here they
    are told apart from what else can't be read; and hands that a reader took all the same, and lines it
    took for none, are rejected too.
    """
    for one in found:
        seen = False
        for number, entry in enumerate(read.rejects):
            near = one.first_line <= entry.last_line and one.last_line >= entry.first_line
            if near and one.raw in entry.raw:
                read.rejects[number] = replace(entry, reason=Reason.TOO_LONG, message=one.message)
                seen = True
        around = (read.first_lines <= one.first_line) & (read.last_lines >= one.first_line)
        hands = [hand for hand in np.flatnonzero(around).tolist() if one.raw in read.raw_of(hand)]
        if hands:
            rejects = [reject(read, hand, Reason.TOO_LONG, one.message) for hand in hands]
            read = read.without(hands)
            read.rejects += rejects
        elif not seen:
            read.rejects.append(Reject(Reason.TOO_LONG, one.message, one.raw, one.first_line, one.last_line))
            if one.what == LINE:
                read.other_lines -= 1
    return read


def shortened(entry: Reject) -> Reject:
    """A reject as it is kept: of a hand that is too long only the beginning."""
    if len(entry.raw) <= lengths.HAND_BYTES:
        return entry
    hand = Overlong(HAND, entry.first_line)
    hand.add(entry.raw)
    found = hand.done(entry.last_line)
    return replace(entry, reason=Reason.TOO_LONG, message=found.message, raw=found.raw)
