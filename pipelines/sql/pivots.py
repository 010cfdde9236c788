"""Write the values into a pivot that names none: ``pivot hands on dealer using count(*)``.

DuckDB turns such a statement into several, the first of which creates a type, and serializes none of them for
the check. So the values are queried first, and the pivot runs with them written out. Every text that runs
has passed the check as it is, so whatever this module makes of a statement, it can only read.
"""

import re
from typing import Final, NamedTuple

import duckdb

from cardlog.pipelines.sql import statements
from cardlog.pipelines.sql.tables import quoted

MOST_PIVOTS: Final = 4
"""Pivots without values in one statement: the values of one may be those of another one's result."""
MOST_WORDS: Final = 100
"""Pivots looked at in one statement."""
MOST_VALUES: Final = 5_000
"""Values, and so columns, of one pivot."""

_PIVOTS: Final = ("pivot", "pivot_wider")
_AFTER_ON: Final = ("using", "group", "order", "limit", "offset", "union", "intersect", "except", ";")
"""What ends the list of expressions to pivot on."""


class _Word(NamedTuple):
    """A token: its text in lower case, its first byte, and the number of brackets open before it."""

    text: str
    start: int
    depth: int


class _OpenPivot(NamedTuple):
    """A pivot with an expression that has no values.

    prefix
        The common table expressions before it.
    source
        The table that it pivots.
    expressions
        The first byte and the end in the statement of each expression without values.
    """

    prefix: str
    source: str
    expressions: list[tuple[int, int]]


def checked(connection: duckdb.DuckDBPyConnection, sql: str, pivots: int = MOST_PIVOTS) -> str:
    """A query to run for a text: the text itself, or with the values of its pivots.

    Raises Refused unless it is one read-only query, or duckdb.Error for a syntax error.
    """
    while found := _open_pivot(sql):
        if not pivots:
            raise statements.Refused(
                "these are too many pivots without values; name the values with 'in (…)'"
            )
        pivots -= 1
        text = sql.encode()
        for start, end in reversed(found.expressions):
            expression = text[start:end].decode(errors="replace")
            values = ", ".join(_values(connection, found, expression, pivots))
            text = text[:start] + f" ({expression}\n) in ({values}) ".encode() + text[end:]
        sql = text.decode(errors="replace")
    statements.check(connection, sql)
    return sql


def _values(
    connection: duckdb.DuckDBPyConnection, pivot: _OpenPivot, expression: str, pivots: int
) -> list[str]:
    """The values of an expression as SQL literals, in the order of DuckDB's columns."""
    query = (
        f"{pivot.prefix}\nselect distinct ({expression}\n)::varchar as v from {pivot.source}\n"
        f"where ({expression}\n) is not null order by v limit {MOST_VALUES + 1}"
    )
    rows = connection.execute(checked(connection, query, pivots)).fetchall()
    if len(rows) > MOST_VALUES:
        raise statements.Refused(f"the pivot on {expression.strip()} has more than {MOST_VALUES:,} values")
    if not rows:
        raise statements.Refused(f"the pivot on {expression.strip()} has no values: there are no rows")
    return [quoted(value) for (value,) in rows]


def _open_pivot(sql: str) -> _OpenPivot | None:
    """The last pivot of a statement that has an expression without values, or None."""
    if not re.search("pivot", sql, re.IGNORECASE) or "\0" in sql:
        return None
    try:
        text = sql.encode()
    except UnicodeEncodeError:
        return None  # the check says what is wrong
    words = _words(text)
    pivots = [index for index, word in enumerate(words) if word.text in _PIVOTS]
    for index in reversed(pivots[:MOST_WORDS]):
        if found := _pivot_at(text, words, index):
            return found
    return None


def _words(text: bytes) -> list[_Word]:
    """The tokens of a statement that are no comments, with one of no text for its end."""
    starts = duckdb.tokenize(text.decode())
    ends = [start for start, _ in starts[1:]] + [len(text)]
    found, depth = [], 0
    for (start, kind), end in zip(starts, ends, strict=True):
        if kind is duckdb.token_type.comment:
            continue
        word = text[start:end].decode(errors="replace").strip().lower()
        is_operator = kind is duckdb.token_type.operator
        depth -= is_operator and word in (")", "]", "}")
        found.append(_Word(word, start, depth))
        depth += is_operator and word in ("(", "[", "{")
    return [*found, _Word("", len(text), -1)]


def _pivot_at(text: bytes, words: list[_Word], index: int) -> _OpenPivot | None:
    """The pivot whose keyword is a certain word, if it is a statement and an expression has no values."""
    depth = words[index].depth
    on = next((n for n in range(index + 1, len(words)) if _is_at(words[n], depth, ("on",))), None)
    if on is None or any(word.depth < depth for word in words[index:on]):
        return None
    expressions, start, is_open = [], words[on].start + len("on"), True
    for word in words[on + 1 :]:
        ends = word.depth < depth or _is_at(word, depth, _AFTER_ON)
        if ends or _is_at(word, depth, (",",)):
            if is_open and text[start : word.start].strip():
                expressions.append((start, word.start))
            start, is_open = word.start + 1, True
        elif _is_at(word, depth, ("in",)):
            is_open = False
        if ends:
            break
    source = text[words[index].start + len(words[index].text) : words[on].start].decode(errors="replace")
    return _OpenPivot(_prefix(text, words, index), source, expressions) if expressions else None


def _is_at(word: _Word, depth: int, texts: tuple[str, ...]) -> bool:
    return word.depth == depth and word.text in texts


def _prefix(text: bytes, words: list[_Word], index: int) -> str:
    """The ``with`` clause before a word, within the same brackets; empty if there is none."""
    pivot, start = words[index], None
    for word in reversed(words[:index]):
        if word.depth < pivot.depth or word.text == ";":
            break
        if _is_at(word, pivot.depth, ("with",)):
            start = word.start
    return "" if start is None else text[start : pivot.start].decode(errors="replace")
