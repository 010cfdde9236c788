"""The lines of a dump: their columns, and which of them are not hands."""

import re
from typing import Final

from cardlog.pipelines.readers.base import BOM
from cardlog.schemas.tables import PLAYEDHAND

END_MARK: Final = b"\\."
"""The line that COPY's text format has after the last row."""
COLUMNS: Final = tuple(PLAYEDHAND.names[:20])
"""The original program's columns, in the table's order."""
(
    ID, DATE, MIN_BID, PASS_CARDS, NO_TRUMP_OUT, MINUS_52, DEALER,
    BID_0, BID_1, BID_2, BID_3, HAND_0, HAND_1, HAND_2, HAND_3, PLAYED, AI_0, AI_1, AI_2, AI_3,
) = range(20)  # fmt: skip
PLAIN_HEADER: Final = b",".join(column.encode() for column in COLUMNS)


def is_header(line: bytes) -> bool:
    """Whether a line names the columns, in any order."""
    return sorted(names(line).decode("ascii", "replace").split(",")) == sorted(COLUMNS)


def names(header: bytes) -> bytes:
    """A header without byte order mark, quotes and line end."""
    return header.removeprefix(BOM).rstrip(b"\r\n").replace(b'"', b"")


def header_of(head: bytes) -> bytes:
    """The header of a file by its first line: that line, or else the columns in the table's order."""
    return head if is_header(head) else PLAIN_HEADER


def field_order(header: bytes) -> list[int]:
    """The column of each field of a line."""
    return [COLUMNS.index(name) for name in names(header).decode("ascii").split(",")]


_FLAGS: Final = {PASS_CARDS, MINUS_52, AI_0, AI_1, AI_2, AI_3}
_TORN_FLAGS: Final = (b"", b"tr", b"tru", b"fa", b"fal", b"fals", b"\\")
"""Beginnings of flags that mean something else, or nothing; `t` and `true` mean the same."""


def is_torn(row: bytes, header: bytes) -> bool:
    """Whether a text's last line, without its line end, may be only the beginning of a row. A flag at its end
    shows that it is not; any other value could go on, and an empty one begin."""
    if row.count(b'"') % 2:
        return True
    fields = names(row).split(b",")
    could_go_on = field_order(header)[-1] not in _FLAGS or fields[-1] in _TORN_FLAGS
    return len(fields) < len(COLUMNS) or (len(fields) == len(COLUMNS) and could_go_on)


def id_of_torn(row: bytes, header: bytes) -> int | None:
    """The id of a torn row, if it is whole: then another field follows it."""
    fields = names(row).split(b",")[:-1]
    index = field_order(header).index(ID)
    known = index < len(fields) and re.fullmatch(rb"0|-?[1-9][0-9]{0,9}", fields[index])
    number = int(fields[index]) if known else 2**31
    return number if abs(number) < 2**31 else None


def is_no_hand(line: bytes, header: bytes) -> bool:
    """Whether a line, without its line end, is known not to be a hand: blank, a header, the end mark."""
    return line in (b"", END_MARK) or names(line) == names(header)
