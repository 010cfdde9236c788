"""Quarantine for what is too long: lines that were cut when the text was split, and whole hands."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cardlog.pipelines.ingest.judge import reject
from cardlog.pipelines.readers import lengths
from cardlog.pipelines.readers.base import Read, Reject
from cardlog.pipelines.readers.lengths import HAND, LINE, Overlong, TooLong
from cardlog.schemas.reasons import Reason


def set_aside(read: Read, cuts: Sequence[TooLong]) -> Read:
    """A read of a text in which something was cut, with the hands concerned rejected.

    Every cut line has a mark that no format knows, so readers reject it or the hand it is in. These rejects
    get their own reason here; hands that a reader accepted nevertheless, and lines it passed over, are
    rejected too.
    """
    for cut in cuts:
        is_rejected = False
        for number, entry in enumerate(read.rejects):
            overlaps = cut.first_line <= entry.last_line and cut.last_line >= entry.first_line
            if overlaps and cut.raw in entry.raw:
                read.rejects[number] = replace(entry, reason=Reason.TOO_LONG, message=cut.message)
                is_rejected = True
        around = (read.first_lines <= cut.first_line) & (read.last_lines >= cut.first_line)
        hands = [hand for hand in np.flatnonzero(around).tolist() if cut.raw in read.raw_of(hand)]
        if hands:
            rejects = [reject(read, hand, Reason.TOO_LONG, cut.message) for hand in hands]
            read = read.without(hands)
            read.rejects += rejects
        elif not is_rejected:
            read.rejects.append(Reject(Reason.TOO_LONG, cut.message, cut.raw, cut.first_line, cut.last_line))
            if cut.what == LINE:
                read.other_lines -= 1
    return read


def shortened(entry: Reject) -> Reject:
    """A reject as it is kept: only the beginning of a hand that is too long."""
    if len(entry.raw) <= lengths.HAND_BYTES:
        return entry
    overlong = Overlong(HAND, entry.first_line)
    overlong.add(entry.raw)
    cut = overlong.done(entry.last_line)
    return replace(entry, reason=Reason.TOO_LONG, message=cut.message, raw=cut.raw)
