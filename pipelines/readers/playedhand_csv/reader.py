"""Kaiser's `playedhand.csv`: a Postgres dump, one hand per line, in the original program's twenty columns.

`rows` splits the lines into columns, `values` parses a column, and `parser` makes events of the values. They
accept what Postgres writes and the spellings that docs/formats/playedhand-csv.md lists; any other line is
rejected with the column at fault. Rows don't say who played a card, so the events of play have no seat: the
fold fills it in.
"""

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.kaiser import rules as kaiser
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.readers.arrays import hand_ids, line_bounds
from cardlog.pipelines.readers.base import BOM, Read, Reject, Source
from cardlog.pipelines.readers.playedhand_csv.lines import (
    COLUMNS,
    DEALER,
    ID,
    NO_COLUMN,
    fields_of,
    header_of,
    is_header,
    is_no_hand,
    is_torn,
    sentence,
)
from cardlog.pipelines.readers.playedhand_csv.parser import Parsed
from cardlog.pipelines.readers.playedhand_csv.rows import rows_of
from cardlog.pipelines.readers.playedhand_csv.values import BAD, ids
from cardlog.schemas.reasons import Reason

__all__ = ["COLUMNS", "FORMAT", "GAMES", "LINE_PER_HAND", "SUMMARY", "is_header", "read", "sniff"]

FORMAT: Final = "playedhand-csv"
GAMES: Final = (kaiser.GAME,)
LINE_PER_HAND: Final = True
SUMMARY: Final = "Kaiser's hands as Postgres dumps them, one per line"
_TORN: Final = '{"torn":true}'
"""The context of a row that was torn, so that it is not read as a whole one later."""


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    first = head.split(b"\n", 1)[0]
    if is_header(first):
        return True
    fields = fields_of(first)
    return len(fields) == len(COLUMNS) and fields[ID].isdigit() and fields[DEALER].isdigit()


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of some lines, of which the last one may be torn."""
    header = header_of(source.head)
    start = 0 if source.context == _TORN else text.rfind(b"\n") + 1
    row = text[start:].removeprefix(BOM).rstrip(b"\r\n")
    if is_no_hand(row, header) or not (source.context == _TORN or is_torn(row, header)):
        return [_read_lines(text, source, first_line)]
    result = _read_lines(text[:start], source, first_line)
    complete = dict(zip(header, fields_of(row)[:-1], strict=False))
    number = int(ids(pa.array([complete.get(COLUMNS[ID], "").encode()]))[0])
    fault = Reason.INCOMPLETE, "The text ends in the middle of this row. Ingest it again when it is whole."
    result.rejects.append(_reject(row, fault, number, first_line + result.lines_read, source, _TORN))
    result.lines_read += 1
    return [result]


def _read_lines(text: bytes, source: Source, first_line: int) -> Read:
    """The hands of some whole lines."""
    starts, ends = line_bounds(text)
    skipped = len(BOM) if first_line == 1 and text.startswith(BOM) else 0
    rows = rows_of(text[skipped:], np.maximum(starts - skipped, 0), ends - skipped, header_of(source.head))
    parsed = Parsed(rows)
    events, offsets, details = parsed.events(first_line + rows.lines)
    wrong = np.flatnonzero(parsed.reasons)
    columns = (rows.lines, parsed.reasons, parsed.columns, parsed.ids)
    faults = np.stack([column[wrong] for column in columns], axis=1).tolist()
    faults += [[line, Reason.UNPARSABLE, NO_COLUMN, BAD] for line in rows.uneven]
    rejects = []
    for line, reason, column, number in sorted(faults):
        raw = text[starts[line] : ends[line]]
        fault = Reason(reason), sentence(raw, Reason(reason), column, source.head)
        rejects.append(_reject(raw, fault, number, first_line + line, source))
    kept = parsed.reasons == 0
    lines = rows.lines[kept]
    numbers = (first_line + lines).astype(np.int32)
    return Read(
        Batch(kaiser.GAME, _hand_ids(parsed.ids[kept], source), events, offsets, details),
        rejects,
        raw_of=lambda hand: text[starts[lines[hand]] : ends[lines[hand]]],
        first_lines=numbers,
        last_lines=numbers,
        lines_read=len(starts),
        other_lines=len(starts) - len(rows.lines) - len(rows.uneven),
    )


def _hand_ids(ids: NDArray[np.int64], source: Source) -> NDArray[np.bytes_]:
    """The ids of hands, made from the rows' own."""
    return hand_ids(FORMAT, source, map(b"%d".__mod__, ids.tolist()))


def _reject(
    raw: bytes, fault: tuple[Reason, str], number: int, line: int, source: Source, context: str = ""
) -> Reject:
    """The reject of a line; `number` is the row's own id, or `BAD`."""
    hand_id = None if number == BAD else _hand_ids(np.array([number]), source)[0].decode()
    return Reject(*fault, raw, line, line, hand_id, kaiser.GAME, context)
