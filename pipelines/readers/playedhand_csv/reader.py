"""Kaiser's `playedhand.csv`: a Postgres dump with one hand a line, in the original program's twenty columns.

A line is parsed by one compiled pass over its bytes. It accepts what Postgres writes, and the
spellings that docs/formats/playedhand-csv.md lists; any other line is rejected with the column that is wrong.
Rows don't name who played a card, so the events of play have no seat: the fold fills it in.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.kaiser import rules as kaiser
from cardlog.pipelines.readers.base import Read, Reject, Source, hand_name
from cardlog.pipelines.readers.playedhand_csv.faults import sentence
from cardlog.pipelines.readers.playedhand_csv.lines import (
    COLUMNS,
    DEALER,
    END_MARK,
    ID,
    field_order,
    header_of,
    id_of_torn,
    is_header,
    is_torn,
    names,
    other_lines,
    without_quotes,
)
from cardlog.pipelines.readers.playedhand_csv.parser import (
    MOST_EVENTS,
    NO_COLUMN,
    ROW,
    Lines,
    Parsed,
    details_of,
    parse,
)
from cardlog.pipelines.readers.scan import BOM, line_bounds
from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.reasons import Reason

__all__ = ["COLUMNS", "FORMAT", "GAMES", "LINE_PER_HAND", "SUMMARY", "is_header", "read", "sniff"]

FORMAT: Final = "playedhand-csv"
GAMES: Final = (kaiser.GAME,)
LINE_PER_HAND: Final = True
SUMMARY: Final = "Kaiser's hands as Postgres dumps them, one a line"
_TORN: Final = '{"torn":true}'
"""The context of a row that was torn, so that it is not read as a whole one later."""


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    first = names(head.split(b"\n", 1)[0])
    if is_header(first):
        return True
    fields = first.split(b",")
    return len(fields) == len(COLUMNS) and fields[ID].isdigit() and fields[DEALER].isdigit()


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of some lines.

    text
        Lines of the file, from line `first_line` on. The last one may be torn.
    source
        What the lines are from; its `head` is the first line of the file.
    """
    header = header_of(source.head)
    start = 0 if source.context == _TORN else text.rfind(b"\n") + 1
    row = text[start:].removeprefix(BOM).rstrip(b"\r\n")
    is_other = row in (b"", END_MARK) or names(row) == names(header)
    if is_other or not (source.context == _TORN or is_torn(row, header)):
        return [_read_lines(text, source, first_line)]
    found = _read_lines(text[:start], source, first_line)
    found.rejects.append(_torn_reject(row, header, first_line + found.lines_read, source))
    found.lines_read += 1
    return [found]


def _read_lines(text: bytes, source: Source, first_line: int) -> Read:
    """The hands of some whole lines."""
    buffer = np.frombuffer(text, np.uint8)
    starts, ends = line_bounds(buffer)
    header = header_of(source.head)
    after_bom = starts.copy()
    if first_line == 1 and text.startswith(BOM):
        after_bom[0] += len(BOM)
    clean, starts_in, ends_in = without_quotes(text, buffer, after_bom, ends)
    other = other_lines(text, after_bom, ends, header)
    most_hands = np.count_nonzero(ends_in - starts_in >= len(COLUMNS) - 1)
    events = np.zeros(most_hands * MOST_EVENTS, kaiser.EVENT)
    offsets = np.zeros(len(starts) + 1, np.int64)
    rows = np.zeros(len(starts), ROW)
    lines = Lines(clean, starts_in, ends_in, other, first_line)
    parse(lines, field_order(header), Parsed(events, offsets, rows))
    rejects = [
        _reject(text[starts[number] : ends[number]], rows[number], first_line + int(number), source)
        for number in np.flatnonzero(rows["reason"])
    ]
    kept = np.flatnonzero((rows["reason"] == 0) & ~other)
    firsts = offsets[kept]
    details, events["detail"][firsts] = details_of(rows[kept])
    batch = Batch(
        game=kaiser.GAME,
        hand_ids=_hand_ids(rows["id"][kept], source),
        events=events[: offsets[-1]],
        offsets=np.append(firsts, offsets[-1]),
        details=details,
    )
    numbers = (first_line + kept).astype(np.int32)
    kept_starts, kept_ends = starts[kept], ends[kept]
    return Read(
        batch,
        rejects,
        raw_of=lambda hand: text[kept_starts[hand] : kept_ends[hand]],
        first_lines=numbers,
        last_lines=numbers,
        lines_read=len(starts),
        other_lines=int(other.sum()),
    )


def _hand_ids(ids: NDArray[np.int64], source: Source) -> NDArray[np.bytes_]:
    """The id of each hand, made from the row's own."""
    stem = hand_name(FORMAT, source.dataset)
    names = bytearray()
    for number in ids.tolist():
        digest = stem.copy()
        digest.update(b"%d" % number)
        names += digest.digest()
    return np.frombuffer(bytes(names).hex().encode(), "S32")


def _reject(raw: bytes, row: NDArray[np.void], line: int, source: Source) -> Reject:
    """The reject of a line that could not be parsed."""
    reason, column = Reason(int(row["reason"])), int(row["column"])
    hand_id = None
    if row["id"] < 2**31 and column not in (ID, NO_COLUMN):
        hand_id = _hand_ids(np.array([row["id"]]), source)[0].decode()
    return Reject(reason, sentence(raw, reason, column, source.head), raw, line, line, hand_id, kaiser.GAME)


def _torn_reject(row: bytes, header: bytes, line: int, source: Source) -> Reject:
    """The reject of a row that the end of the text has cut off."""
    number = id_of_torn(row, header)
    hand_id = None if number is None else _hand_ids(np.array([number]), source)[0].decode()
    message = "The text ends in the middle of this row. Ingest it again when it is whole."
    return Reject(Reason.INCOMPLETE, message, row, line, line, hand_id, kaiser.GAME, _TORN)
