"""Croissant 1.1: a dataset's files, columns and types in JSON-LD, for tools that know the standard."""

from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from cardlog.pipelines.export.dataset_card import Counts, schema_of, splits_of
from cardlog.pipelines.export.spec import ExportSpec
from cardlog.pipelines.version import VERSION

NAME: Final = "croissant.json"
CONFORMS_TO: Final = "http://mlcommons.org/croissant/1.1"
_PARQUET: Final = "application/x-parquet"
_CROISSANT_NAMES: Final = (
    "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "includes", "key", "recordSet",
    "references", "regex", "source", "transform",
)  # fmt: skip
"""Names from the standard's own vocabulary; the others are schema.org's."""
_CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{name: f"cr:{name}" for name in _CROISSANT_NAMES},
}
_TYPES: Final = {
    pa.string(): "sc:Text",
    pa.bool_(): "sc:Boolean",
    pa.int8(): "cr:Int8",
    pa.int16(): "cr:Int16",
    pa.float32(): "cr:Float32",
    pa.timestamp("us", "UTC"): "sc:DateTime",
}


def description(
    spec: ExportSpec, counts: Counts, files: list[dict[str, Any]], folder: Path
) -> dict[str, Any]:
    """The description of a folder of Parquet files.

    files
        For each its path in the folder, bytes and sha256.
    """
    game = spec.game
    splits = splits_of(counts)
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": spec.name or f"decisions-of-{game.replace('_', '-')}",
        "description": spec.description
        or f"Decisions of {game}: what a seat knew, might do, did, and what came of it.",
        "conformsTo": CONFORMS_TO,
        **({"license": spec.license} if spec.license else {}),
        "version": VERSION,
        "distribution": [*map(_file_object, files), *map(_file_set, splits)],
        "recordSet": [
            *(_record_set(kind, folder / kind, splits[kind], kind in spec.words) for kind in splits),
            *(_enumeration(f"{kind}-actions", spec.words[kind]) for kind in splits if kind in spec.words),
        ],
    }


def _node(kind: str, name: str, **properties: Any) -> dict[str, Any]:
    return {"@type": f"cr:{kind}", "@id": name, "name": name, **properties}


def _file_object(file: dict[str, Any]) -> dict[str, Any]:
    size, path = f"{file['bytes']} B", file["path"]
    return _node(
        "FileObject", path, contentUrl=path, contentSize=size, encodingFormat=_PARQUET, sha256=file["sha256"]
    )


def _file_set(kind: str) -> dict[str, Any]:
    return _node("FileSet", f"{kind}-files", encodingFormat=_PARQUET, includes=f"{kind}/*.parquet")


def _record_set(kind: str, folder: Path, splits: list[str], has_words: bool) -> dict[str, Any]:
    """One kind of decision: its columns, and the split, which is the beginning of the file's name."""
    schema = schema_of(folder)
    file_name = {"extract": {"fileProperty": "filename"}, "transform": {"regex": r"^(\w+)-.*$"}}
    text = f"One record per decision of the kind {kind}; splits: {', '.join(splits)}."
    fields = [_field(kind, "split", "sc:Text", **file_name), *(_column(kind, field) for field in schema)]
    for field in fields:
        if has_words and field["name"] == "action":
            field["references"] = {"field": {"@id": f"{kind}-actions/action"}}
    return _node("RecordSet", kind, description=text, field=fields)


def _enumeration(name: str, words: tuple[str, ...]) -> dict[str, Any]:
    """The words of the actions of a kind."""
    number, word = f"{name}/action", f"{name}/word"
    return _node(
        "RecordSet",
        name,
        dataType="sc:Enumeration",
        key={"@id": number},
        field=[
            _node("Field", number, dataType="cr:Int16") | {"name": "action"},
            _node("Field", word, dataType="sc:Text") | {"name": "word"},
        ],
        data=[{number: action, word: text} for action, text in enumerate(words)],
    )


def _column(kind: str, field: pa.Field) -> dict[str, Any]:
    extract = {"extract": {"column": field.name}}
    if not pa.types.is_fixed_size_list(field.type):
        return _field(kind, field.name, _TYPES[field.type], **extract)
    shape = {"cr:isArray": True, "cr:arrayShape": str(field.type.list_size)}
    return _field(kind, field.name, _TYPES[field.type.value_type], **extract) | shape


def _field(kind: str, name: str, data_type: str, **source: Any) -> dict[str, Any]:
    source |= {"fileSet": {"@id": f"{kind}-files"}}
    return _node("Field", f"{kind}/{name}", dataType=data_type, source=source) | {"name": name}
