"""Croissant 1.1: a dataset's files, columns and types in JSON-LD, for tools that know the standard."""

from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.pipelines.export.dataset_card import Counts, splits_of
from cardlog.pipelines.export.spec import ExportSpec
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.version import VERSION

NAME: Final = "croissant.json"
CONFORMS_TO: Final = "http://mlcommons.org/croissant/1.1"
_PARQUET: Final = "application/x-parquet"
_OWN: Final = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet",
    "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
    "references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField",
    "transform",
)  # fmt: skip
"""Names of the standard's own vocabulary; the others are schema.org's."""
_CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{name: f"cr:{name}" for name in _OWN},
}
_TYPES: Final = {
    pa.string(): "sc:Text",
    pa.bool_(): "sc:Boolean",
    pa.int8(): "cr:Int8",
    pa.int16(): "cr:Int16",
    pa.float32(): "cr:Float32",
}


def description(
    spec: ExportSpec, counts: Counts, files: list[dict[str, Any]], folder: Folder
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
        "name": f"decisions-of-{game.replace('_', '-')}",
        "description": f"Decisions of {game}: what a seat knew, might do, did, and what came of it.",
        "conformsTo": CONFORMS_TO,
        "license": "https://www.apache.org/licenses/LICENSE-2.0",
        "version": VERSION,
        "distribution": [*map(_file_object, files), *map(_file_set, splits)],
        "recordSet": [_record_set(kind, _schema(kind, files, folder), splits[kind]) for kind in splits],
    }


def _schema(kind: str, files: list[dict[str, Any]], folder: Folder) -> pa.Schema:
    with folder.open(min(file["path"] for file in files if file["path"].startswith(f"{kind}/"))) as file:
        return pq.read_schema(file)


def _file_object(file: dict[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file["path"],
        "name": file["path"],
        "contentUrl": file["path"],
        "contentSize": f"{file['bytes']} B",
        "encodingFormat": _PARQUET,
        "sha256": file["sha256"],
    }


def _file_set(kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{kind}-files",
        "name": f"{kind}-files",
        "encodingFormat": _PARQUET,
        "includes": f"{kind}/*.parquet",
    }


def _record_set(kind: str, schema: pa.Schema, splits: list[str]) -> dict[str, Any]:
    """One kind of decision: its columns, and the split, which is the beginning of the file's name."""
    extract = {"fileProperty": "filename"}
    source = {"fileSet": {"@id": f"{kind}-files"}, "extract": extract, "transform": {"regex": r"^(\w+)-.*$"}}
    split = {"@type": "cr:Field", "@id": f"{kind}/split", "name": "split", "dataType": "sc:Text"}
    return {
        "@type": "cr:RecordSet",
        "@id": kind,
        "name": kind,
        "description": f"One record per decision of the kind {kind}; splits: {', '.join(splits)}.",
        "field": [split | {"source": source}, *(_field(kind, field) for field in schema)],
    }


def _field(kind: str, field: pa.Field) -> dict[str, Any]:
    is_list = pa.types.is_fixed_size_list(field.type)
    found = {
        "@type": "cr:Field",
        "@id": f"{kind}/{field.name}",
        "name": field.name,
        "dataType": _TYPES[field.type.value_type if is_list else field.type],
        "source": {"fileSet": {"@id": f"{kind}-files"}, "extract": {"column": field.name}},
    }
    if is_list:
        found |= {"cr:isArray": True, "cr:arrayShape": str(field.type.list_size)}
    return found
