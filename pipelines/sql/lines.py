"""SQL expressions that write a row as a line of CSV or JSON, so that DuckDB does it where the query runs.

``concat`` makes a line in one step, in which NULL is empty; a chain of ``||`` would copy the line at each.
"""

import json
from collections.abc import Sequence
from typing import Final

from duckdb.sqltypes import DuckDBPyType

from cardlog.pipelines.sql.tables import quoted

_RAW: Final = {
    "boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger",
    "ubigint", "uhugeint", "float", "double", "decimal",
}  # fmt: skip
"""Types whose values JSON has: numbers, true and false."""
_TIMES: Final = {"timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone"}
_SPECIAL: Final = ("','", "'\"'", "chr(10)", "chr(13)")
"""Characters for which a cell of CSV is quoted, in SQL."""
_NESTED: Final = {"list", "array", "struct", "tuple", "map", "union"}


def csv_line(columns: Sequence[tuple[str, DuckDBPyType]]) -> str:
    """A line as in RFC 4180 but with a plain line feed; NULL and NaN are empty."""
    cells = [_cell(f"#{number}", kind) for number, (_, kind) in enumerate(columns, 1)]
    if len(cells) == 1:
        cells = [f"coalesce(nullif({cells[0]}, ''), '\"\"')"]  # an empty line would be none
    within = ", ',', ".join(cells)
    return f"concat({within}, chr(10))"


def json_line(columns: Sequence[tuple[str, DuckDBPyType]]) -> str:
    """An object of an array, after a comma and a line feed."""
    values = [_json(f"#{number}", kind) for number, (_, kind) in enumerate(columns, 1)]
    return f"concat(',', chr(10), {_object([name for name, _ in columns], values)})"


def _cell(value: str, kind: DuckDBPyType) -> str:
    """A cell of CSV; lists and the like are in JSON."""
    text = _text(value, kind)
    if kind.id in _NESTED:
        text = f"nullif({_json(value, kind)}, 'null')"
    if kind.id not in _RAW | _TIMES:
        special = " or ".join(f"contains({text}, {mark})" for mark in _SPECIAL)
        text = f"if({special}, concat('\"', replace({text}, '\"', '\"\"'), '\"'), {text})"
    return text


def _text(value: str, kind: DuckDBPyType) -> str:
    """A plain value as text, or NULL: times in ISO 8601, NaN as NULL, a decimal in full only if a float would
    lose digits."""
    text = f"{value}::varchar"
    if kind.id in ("float", "double"):
        return f"if(isfinite({value}), {value}::double::varchar, null)"
    if kind.id == "decimal":
        short = f"if({_is_float(value, kind)}, {value}::double::varchar, {text})"
        return f"if({value} = trunc({value}), split_part({text}, '.', 1), {short})"
    if kind.id == "blob":
        return f"lower(hex({value}))"
    if kind.id == "time":
        return f"if(contains({text}, '.'), rpad({text}, 15, '0'), {text})"
    if kind.id in _TIMES:
        moment, zone = f"{value}::timestamp", "+00:00" if kind.id.endswith("zone") else ""
        whole, part = (f"strftime({moment}, '%Y-%m-%dT%H:%M:%S{end}{zone}')" for end in ("", ".%f"))
        within = f"{moment} between '0001-01-01' and '9999-12-31 23:59:59.999999'"
        return f"if({within}, if(epoch_us({moment}) % 1000000 = 0, {whole}, {part}), {text})"
    return text


def _is_float(value: str, kind: DuckDBPyType) -> str:
    return f"try_cast({value}::double::varchar as {kind}) = {value}"


def _json(value: str, kind: DuckDBPyType, depth: int = 0) -> str:
    """A value in JSON."""
    text = _text(value, kind) if kind.id in _RAW else _string(_text(value, kind))
    if kind.id == "decimal":
        is_number = f"{value} = trunc({value}) or {_is_float(value, kind)}"
        text = f"if({is_number}, {text}, {_string(text)})"
    elif kind.id in _NESTED:
        text = _nested(value, kind, depth)
    return f"if({value} is null, 'null', coalesce({text}, 'null'))"


def _nested(value: str, kind: DuckDBPyType, depth: int) -> str:
    """A list, a map, a structure or a union in JSON."""
    item, (names, kinds) = f"item_{depth}", zip(*kind.children, strict=True) if kind.children else ([], [])
    if kind.id in ("list", "array"):
        return _list(f"list_transform({value}, lambda {item}: {_json(item, kinds[0], depth + 1)})")
    if kind.id == "map":
        key, inner = _string(f"{item}.key::varchar"), _json(f"{item}.value", kinds[1], depth + 1)
        entries = f"list_transform(map_entries({value}), lambda {item}: {key} || ': ' || {inner})"
        return _list(entries, "{}")
    if kind.id == "union":
        cases = [
            f"when {quoted(name)} then {_json(f'union_extract({value}, {quoted(name)})', each, depth)}"
            for name, each in zip(names[1:], kinds[1:], strict=True)
        ]
        return f"case union_tag({value}) {' '.join(cases)} end"
    fields = [_json(f"struct_extract_at({value}, {at})", each, depth) for at, each in enumerate(kinds, 1)]
    return _object(names, fields) if kind.id == "struct" else _list(f"[{', '.join(fields)}]")


def _string(text: str) -> str:
    return f"to_json({text})::varchar"


def _list(items: str, brackets: str = "[]") -> str:
    return f"'{brackets[0]}' || array_to_string({items}, ', ') || '{brackets[1]}'"


def _object(names: Sequence[str], values: Sequence[str]) -> str:
    keys = (quoted(f"{json.dumps(name, ensure_ascii=False)}: ") for name in names)
    fields = ", ', ', ".join(f"{key}, {value}" for key, value in zip(keys, values, strict=True))
    return f"concat({', '.join(part for part in (quoted('{'), fields, quoted('}')) if part)})"


LINES: Final = {"csv": csv_line, "json": json_line}
"""By format, what makes the expression from the columns."""
