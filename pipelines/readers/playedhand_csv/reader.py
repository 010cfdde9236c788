"""Kaiser's `playedhand.csv`: a Postgres dump, one hand per line, in the original program's twenty columns.

`layout` finds out which columns the fields are, `columns` splits the lines into columns and parses these, and
`parser` makes events of the values. They accept what Postgres writes and the spellings that
docs/formats/playedhand-csv.md lists; any other line is rejected with the column at fault. Rows don't say who
played a card, so the events of play have no seat: the fold fills it in.
"""

import json
import re
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.kaiser import state as kaiser
from cardlog.pipelines.events.batch import Batch, order_of
from cardlog.pipelines.readers.arrays import hand_ids, line_bounds
from cardlog.pipelines.readers.base import BOM, Read, Reject, Source
from cardlog.pipelines.readers.options import NO_OPTIONS, ReadOptions
from cardlog.pipelines.readers.playedhand_csv.columns import BAD, ids, rows_of
from cardlog.pipelines.readers.playedhand_csv.layout import (
    COLUMNS,
    DEALER,
    END_MARK,
    ID,
    Layout,
    fields_of,
    is_header,
    is_no_hand,
    is_torn,
    layout_of,
    names_ours,
    plain,
    sections,
    separator_of,
)  # fmt: skip
from cardlog.pipelines.readers.playedhand_csv.parser import (
    NO_COLUMN,
    events_of,
    faults_of,
    sentence,
    values_of,
)  # fmt: skip
from cardlog.schemas.reasons import Reason

__all__ = [
    "COLUMNS", "FORMAT", "GAMES", "LINE_PER_HAND", "SUMMARY", "head_after", "is_header", "read", "refusal",
    "sniff",
]  # fmt: skip

FORMAT: Final = "playedhand-csv"
GAMES: Final = (kaiser.GAME,)
LINE_PER_HAND: Final = True
SUMMARY: Final = "Kaiser's hands as Postgres dumps them, one per line"
_HEAD, _TORN = "head", "torn"
"""Keys of the context of a row: the line that names the columns, if they are not the usual ones, and whether
it was torn, so that it is not read as a whole one later."""
_INSERT: Final = re.compile(rb'INSERT INTO (?:[^ (]*\.)?"?playedhand"?[ (]').match
_NOT_COPIED: Final = "A hand in an INSERT statement is not read; dump the table without --inserts."


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    first, *_ = lines = head.split(b"\n")
    if names_ours(first):
        return separator_of(first) == b","  # others are read, but only with --format
    if layout_of(first, NO_OPTIONS).is_dump:
        return any(layout_of(line, NO_OPTIONS).columns for line in lines if line.startswith(b"COPY "))
    fields = fields_of(first)
    return len(fields) == len(COLUMNS) and fields[ID].isdigit() and fields[DEALER].isdigit()


def refusal(head: bytes, options: ReadOptions) -> str:
    """See `Reader`: a file whose columns are not ours can't be read."""
    if ours := [name for name in options.ignore_columns if name in COLUMNS]:
        return f"a hand needs {', '.join(ours)}, so --ignore-columns can't name it"
    first = head.split(b"\n", 1)[0]
    text = head if layout_of(first, options).is_dump else first
    return next((part.layout.fault for part in sections(text, first, options) if part.layout.fault), "")


def head_after(text: bytes, head: bytes) -> bytes:
    """See `Reader`. What is ignored does not matter to it."""
    return sections(text, head, NO_OPTIONS)[-1].layout.named_by


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of some lines, of which the last one may be torn."""
    context = json.loads(source.context or "{}")
    head = context[_HEAD].encode("latin-1") if _HEAD in context else source.head
    reads = []
    for start, stop, layout in sections(text, head, source.options):
        part = text if stop - start == len(text) else text[start:stop]
        if layout.fault or not layout.columns:
            reads.append(_read_none(part, layout, source, first_line))
        else:
            reads.append(_read_rows(part, layout, source, first_line, context.get(_TORN, False)))
        first_line += reads[-1].lines_read
    return [reads[0] if len(reads) == 1 else Read.joined(reads)]


def _read_none(text: bytes, layout: Layout, source: Source, first_line: int) -> Read:
    """Lines that are no rows: those of a table whose columns are not ours are rejected, those around it in a
    dump are let pass."""
    result = _read_lines(b"", Layout(COLUMNS), source, first_line)
    lines = text.removesuffix(b"\n").split(b"\n") if text else []
    for number, line in enumerate(lines, first_line):
        raw = line.rstrip(b"\r")
        message = f"It is not read, since {layout.fault}." if layout.fault else ""
        if not layout.columns:
            message = _NOT_COPIED if _INSERT(raw) else ""
        if message and raw not in (b"", END_MARK):
            fault = Reason.UNPARSABLE, message
            result.rejects.append(_reject(raw, fault, BAD, number, source, _context(layout)))
    result.lines_read, result.other_lines = len(lines), len(lines) - len(result.rejects)
    return result


def _read_rows(text: bytes, layout: Layout, source: Source, first_line: int, torn: bool) -> Read:
    """The hands of lines of one layout; `torn` if they are only the beginning of a row."""
    start = 0 if torn else text.rfind(b"\n") + 1
    row = plain(text[start:])
    if is_no_hand(row, layout) or not (torn or is_torn(row, layout)):
        return _read_lines(text, layout, source, first_line)
    result = _read_lines(text[:start], layout, source, first_line)
    complete = dict(zip(layout.columns, fields_of(row, layout.separator)[:-1], strict=False))
    number = int(ids(pa.array([complete.get(COLUMNS[ID], "").encode()]))[0])
    fault = Reason.INCOMPLETE, "The text ends in the middle of this row. Ingest it again when it is whole."
    context = _context(layout, torn=True)
    result.rejects.append(_reject(row, fault, number, first_line + result.lines_read, source, context))
    result.lines_read += 1
    return result


def _context(layout: Layout, torn: bool = False) -> str:
    """What is needed to read a row by itself."""
    known = {_HEAD: layout.named_by.decode("latin-1"), _TORN: torn}
    said = {name: value for name, value in known.items() if value}
    return json.dumps(said, separators=(",", ":")) if said else ""


def _read_lines(text: bytes, layout: Layout, source: Source, first_line: int) -> Read:
    """The hands of some whole lines."""
    starts, ends = line_bounds(text)
    skipped = len(BOM) if first_line == 1 and text.startswith(BOM) else 0
    rows = rows_of(text[skipped:], np.maximum(starts - skipped, 0), ends - skipped, layout)
    values = values_of(rows.columns, source.options.timezone)
    reasons, at_fault = faults_of(values)
    kept = np.flatnonzero(reasons == 0)
    ids = _hand_ids(values.ids[kept], source)
    order = order_of(ids)  # that of the store, so that no event has to be moved
    kept = kept[order]
    events, offsets, details = events_of(values, kept, first_line + rows.lines)
    wrong = np.flatnonzero(reasons)
    faults = np.stack([one[wrong] for one in (rows.lines, reasons, at_fault, values.ids)], axis=1).tolist()
    faults += [[line, Reason.UNPARSABLE, NO_COLUMN, BAD] for line in rows.uneven]
    rejects, context = [], _context(layout)
    for line, reason, column, number in sorted(faults):
        raw = text[starts[line] : ends[line]]
        fault = Reason(reason), sentence(raw, Reason(reason), column, layout)
        rejects.append(_reject(raw, fault, number, first_line + line, source, context))
    lines = rows.lines[kept]
    numbers = (first_line + lines).astype(np.int32)
    return Read(
        Batch(kaiser.GAME, ids[order], events, offsets, details),
        rejects,
        raw_of=lambda hand: text[starts[lines[hand]] : ends[lines[hand]]],
        first_lines=numbers,
        last_lines=numbers,
        lines_read=len(starts),
        other_lines=len(starts) - len(rows.lines) - len(rows.uneven),
        context_of=lambda _: context,
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
