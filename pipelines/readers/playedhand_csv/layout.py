"""Which columns the fields of a line are, by the line that names them: a CSV file's header, or a `COPY`
statement in a dump of Postgres; a file without one has the table's columns in the table's order. And which
lines are no rows.

A text is read in sections of one layout each, since files are joined, and a dump has other statements and
tables.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.options import ReadOptions
from cardlog.schemas.tables import PLAYEDHAND

END_MARK: Final = b"\\."
"""The line that COPY's text format has after the last row."""
COLUMNS: Final = tuple(PLAYEDHAND.names[:20])
"""The original program's columns, in the table's order; their indices:"""
(
    ID, DATE, MIN_BID, PASS_CARDS, NO_TRUMP_OUT, MINUS_52, DEALER,
    BID_0, BID_1, BID_2, BID_3, HAND_0, HAND_1, HAND_2, HAND_3, PLAYED, AI_0, AI_1, AI_2, AI_3,
) = range(20)  # fmt: skip
FLAGS: Final = (PASS_CARDS, MINUS_52, AI_0, AI_1, AI_2, AI_3)
_FLAG_NAMES: Final = [COLUMNS[column] for column in FLAGS]
_TORN_FLAGS: Final = ("", "tr", "tru", "fa", "fal", "fals", "\\")
"""Beginnings of flags that mean something else, or nothing. `t` and `f` already mean what the words do."""
TABLE: Final = "playedhand"
_SEVERAL: Final = len(COLUMNS) // 2
"""With so many of its columns a table or a file is taken for ours."""
_SEPARATORS: Final = (b",", b"\t", b";")
_COPY: Final = re.compile(rb'COPY (?:[^ (]*\.)?"?([^ ."(]+)"? (?:\((.*)\) )?FROM stdin;')
_BETWEEN: Final = re.compile(rb"--(?: .*)?|\\(?:un)?restrict .*|(?:SET|SELECT|BEGIN|CREATE|INSERT)\b.*;")
"""Lines with which a dump may begin."""


class Layout(NamedTuple):
    """The layout of some lines."""

    columns: tuple[str, ...]  # by field; empty for lines that are no rows of our table
    separator: bytes = b","
    named_by: bytes = b""  # the line that says so; empty for the table's own order and commas
    is_copied: bool = False  # whether the lines follow a `COPY` statement, up to an end mark
    is_dump: bool = False  # whether the lines are of a dump of Postgres
    fault: str = ""  # why rows of our table can't be read


class Section(NamedTuple):
    """Consecutive lines of one layout: their offsets in the text."""

    start: int
    stop: int
    layout: Layout


BETWEEN: Final = Layout((), named_by=b"--", is_dump=True)
"""Of the statements in a dump."""


def plain(line: bytes) -> bytes:
    """A line without byte order mark and line end."""
    return line.removeprefix(BOM).rstrip(b"\r\n")


def fields_of(line: bytes, separator: bytes = b",") -> list[str]:
    """The fields of a line without byte order mark, quotes and line end; non-ASCII bytes are replaced."""
    return plain(line).replace(b'"', b"").decode("ascii", "replace").split(separator.decode())


def separator_of(line: bytes) -> bytes:
    """What separates the fields of a line: the separator that it has most of."""
    return max(_SEPARATORS, key=line.count)


def is_header(line: bytes) -> bool:
    """Whether a line names columns, ours or others, and can't be a row."""
    names = _names_of(line)
    are_names = len(names) > 1 and all(re.fullmatch("[A-Za-z_][A-Za-z_0-9 ]*", name) for name in names)
    return are_names or not set(COLUMNS).isdisjoint(names)


def names_ours(line: bytes) -> bool:
    """Whether a line is a header with most of our columns."""
    return _is_ours(_names_of(line))


def _names_of(line: bytes) -> list[str]:
    """The names in a header, without blanks around them, with which no name is ours."""
    return [*map(str.strip, fields_of(line, separator_of(line)))]


def _is_ours(names: Iterable[str]) -> bool:
    return len(set(COLUMNS).intersection(names)) >= _SEVERAL


@lru_cache(maxsize=256)
def layout_of(line: bytes, options: ReadOptions) -> Layout:
    """The layout of the lines from a line on: a header, a statement of a dump, or else a row."""
    line = plain(line)
    if copy := _COPY.fullmatch(line):
        names = COLUMNS if copy[2] is None else tuple(map(str.strip, fields_of(copy[2])))
        is_ours = copy[1].decode("utf-8", "replace") == TABLE or _is_ours(names)
        fault = _fault_of(names, options) if is_ours else ""
        return Layout(names if is_ours else (), b"\t", line, True, True, fault)
    if _BETWEEN.fullmatch(line):
        return BETWEEN
    separator = separator_of(line)
    names = tuple(fields_of(line, separator)) if is_header(line) else COLUMNS
    is_default = (names, separator) == (COLUMNS, b",")
    header = b"" if is_default else separator.join(name.encode() for name in names)
    return Layout(names, separator, header, fault=_fault_of(names, options))


def _fault_of(names: tuple[str, ...], options: ReadOptions) -> str:
    """What is wrong with the columns of a file; empty if nothing is."""
    unknown = [name for name in dict.fromkeys(names) if name not in (*COLUMNS, *options.ignore_columns)]
    missing = [name for name in COLUMNS if name not in names]
    repeated = [name for name, count in Counter(names).items() if count > 1 and name in COLUMNS]
    problems = {"unknown": unknown, "missing": missing, "there twice": repeated}
    found = "; ".join(
        f"{kind}: {', '.join(_shown(name) for name in names)}" for kind, names in problems.items() if names
    )
    if all(unknown) and unknown and not missing and not repeated:
        found += f"; --ignore-columns {shlex.quote(','.join(unknown))} lets them pass"
    return f"the columns are not those of {TABLE}; {found}" if found else ""


def _shown(name: str) -> str:
    return (name if name == name.strip() else repr(name)) or "one without a name"


def sections(text: bytes, head: bytes, options: ReadOptions) -> list[Section]:
    """The sections of a text, at least one; the last one is in force after it.

    head
        The line in force at the beginning.
    """
    found, start, layout = [], 0, layout_of(head, options)
    while True:
        stop, after = _end(text, start, layout, options)
        found.append(Section(start, stop, layout))
        if after is None:
            return found
        start, layout = stop, after


def _end(text: bytes, start: int, layout: Layout, options: ReadOptions) -> tuple[int, Layout | None]:
    """Where the section that begins at an offset ends, and the layout after it, None if the text ends."""
    if layout.is_copied:
        at = _line_with(text, start, END_MARK)
        return (len(text), None) if at < 0 else (_next_line(text, at), BETWEEN)
    at = start
    while (at := _line_with(text, at, b"COPY ") if layout.is_dump else text.find(b"play", at)) >= 0:
        first = max(text.rfind(b"\n", start, at) + 1, start)
        at = _next_line(text, first)
        line = text[first:at]
        if layout.is_dump and _COPY.fullmatch(plain(line)):
            return at, layout_of(line, options)
        if not layout.is_dump and is_header(line) and (other := layout_of(line, options)) != layout:
            return first, other
    return len(text), None


def _line_with(text: bytes, start: int, beginning: bytes) -> int:
    """The offset of the next line with a beginning, at or after the offset of a line; -1 if there is none."""
    if text.startswith(beginning, start):
        return start
    found = text.find(b"\n" + beginning, start)
    return found + 1 if found >= 0 else -1


def _next_line(text: bytes, offset: int) -> int:
    """The offset of the line after that at an offset."""
    return text.find(b"\n", offset) + 1 or len(text)


# ---------------------------------------------------------------- lines that are no rows


def is_torn(row: bytes, layout: Layout) -> bool:
    """Whether a text's last line, without its line end, may be only the beginning of a row. A complete flag
    at its end shows that it is not; any other value could go on."""
    if row.count(b'"') % 2:
        return True
    fields, names = fields_of(row, layout.separator), layout.columns
    could_go_on = names[-1] not in _FLAG_NAMES or fields[-1] in _TORN_FLAGS
    return len(fields) < len(names) or (len(fields) == len(names) and could_go_on)


def is_no_hand(line: bytes, layout: Layout) -> bool:
    """Whether a line, without its line end, is blank, a header or the end mark."""
    return line in (b"", END_MARK, layout.named_by) or fields_of(line, layout.separator) == [*layout.columns]
