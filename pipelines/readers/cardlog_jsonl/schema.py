"""The JSON Schema of a line, from the types by which the reader decodes it and the games' openings."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec.structs import fields

from cardlog import models
from cardlog.pipelines.readers.cardlog_jsonl.decoding import OPEN, Line
from cardlog.schemas.events import ACTIONS, KINDS, SCHEMA

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema of one line. What lines of a hand have to do with each other it can't say."""
    detail = dict[str, Any] | str | None
    types: list[Any] = [
        (each.name, detail if each.name == "detail" else each.type, *([] if each.required else [None]))
        for each in fields(Line)
    ]
    made: Any = msgspec.defstruct("Line", types, forbid_unknown_fields=True)
    line = msgspec.json.schema(made)["$defs"]["Line"]
    for name, column in line["properties"].items():
        column.pop("default", None)
        if name in SCHEMA.names:
            column["description"] = SCHEMA.field(name).metadata[b"doc"].decode()
    _for_any_dialect(line["properties"])
    return {"$schema": DIALECT, **line, "title": "A line of cardlog-jsonl", "allOf": [*_rules()]}


def _for_any_dialect(columns: dict[str, Any]) -> None:
    r"""Write patterns without \A and \Z, which only Python knows."""
    for column in columns.values():
        for one in column.get("anyOf", [column]):
            if "pattern" in one:
                one["pattern"] = one["pattern"].replace(r"\A", "^").replace(r"\Z", "$")


def _rules() -> Iterator[dict[str, Any]]:
    """The actions of each kind, and the keys of each game's openings."""
    for kind in KINDS:
        actions = [{"const": word.name, "description": word.meaning} for word in ACTIONS if word.kind == kind]
        yield _if({"kind": kind}, {"action": {"oneOf": actions}})
    yield {"properties": {"kind": {"enum": [*KINDS]}, "game": {"examples": [*models.GAMES]}}}
    for name, game in models.GAMES.items():
        yield _if({"game": name, "action": OPEN}, {"detail": _keys(game.opening_keys)})


def _if(columns: dict[str, str], properties: dict[str, Any]) -> dict[str, Any]:
    """A rule for lines with some values."""
    constants = {name: {"const": value} for name, value in columns.items()}
    return {"if": {"properties": constants, "required": [*columns]}, "then": {"properties": properties}}


def _keys(known: Iterable[str]) -> dict[str, Any]:
    """An opening's detail, with the keys that the game knows; those of players and the match after a dot."""
    parts: dict[str, dict[str, Any]] = {}
    for key in known:
        name, _, inner = key.partition(".")
        parts.setdefault(name, {})
        if inner:
            parts[name][inner] = {}
    objects = {
        name: {"properties": inner, "additionalProperties": False} if inner else {}
        for name, inner in parts.items()
    }
    if "players" in objects:
        objects["players"] = {"items": objects["players"]}
    return {"properties": objects, "additionalProperties": False}
