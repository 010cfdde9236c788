"""A last line without its end, which may be torn off."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.readers.base import Read, Source


def read_whole_lines(
    read: Callable[[bytes, Source, int], Read], text: bytes, source: Source, first_line: int
) -> list[Read]:
    """What `read` makes of a text without a torn last line, which counts among the other lines.

    A last line without its end may be the beginning of another one, as VII is of VIII. So it is torn, unless
    it ends a hand as the rules want, and would not without its last character; or unless no hand is open that
    it could be a part of, and it means nothing.
    """
    start = text.rfind(b"\n") + 1
    if start == len(text):
        return [read(text, source, first_line)]

    def going_on(piece: bytes) -> Read:
        return read(piece, replace(source, final=False), first_line)

    before, whole = going_on(text[:start]), going_on(text)
    shorter = text.removesuffix(b"\r")[:-1]
    if _is_over(before, whole) and (not _has_cut(before) or not _is_over(before, going_on(shorter))):
        return [read(text, source, first_line)]
    found = read(text[:start], source, first_line)
    found.lines_read += 1
    found.other_lines += 1
    return [found]


def _has_cut(read: Read) -> bool:
    return read.cut is not None and bool(read.cut.any())


def _is_over(before: Read, whole: Read) -> bool:
    """Whether a text ends between hands, the last one complete and legal.

    before
        The same without the last line.
    """
    if _has_cut(whole) or [one.reason for one in whole.rejects] != [one.reason for one in before.rejects]:
        return False
    if not len(whole.batch):
        return True
    last = fold_batch(whole.batch.take(np.array([len(whole.batch) - 1])))
    return bool(last.done[0]) and not last.reasons[0]
