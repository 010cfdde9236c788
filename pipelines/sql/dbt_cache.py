"""Cache of what depends on the dbt project alone: its manifest and the empty warehouse. Making either takes
as long as building small marts.

It is in the user's cache folder, keyed by the digest of the project's files.
"""

import hashlib
import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from cardlog.pipelines import whole
from cardlog.pipelines.storage.store import SCHEMAS

_KINDS: Final = (".sql", ".yml", ".csv", ".md")
_MOST_FILES: Final = 16
"""Number of files kept in the cache."""


def digest(project: Path) -> str:
    """A short digest of the files of a dbt project."""
    files = (file for file in sorted(project.rglob("*")) if file.suffix in _KINDS)
    found = hashlib.sha256()
    for file in files:
        if "target" not in file.parts:
            found.update(f"{file.relative_to(project).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def path_of(project: Path, suffix: str) -> Path:
    """The cache file for a project, the store's schemas and the versions of the libraries."""
    versions = (version(name) for name in ("dbt-core", "dbt-duckdb", "duckdb"))
    columns = (f"{name} {schema.to_string(show_field_metadata=False)}" for name, schema in SCHEMAS.items())
    # The manifest refers to seeds by their absolute paths.
    name = "\0".join([digest(project), str(project), *versions, *columns])
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "cardlog-dbt" / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.{suffix}"


def keep(path: Path, content: bytes) -> None:
    """Cache some content, if that is possible; what is unused for longest goes."""
    with suppress(OSError, RuntimeError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole.replaced(path) as draft:
            draft.write_bytes(content)
        for old in sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime)[:-_MOST_FILES]:
            old.unlink(missing_ok=True)


def manifest(project: Path) -> Any:
    """The cached dbt manifest, or None."""
    from dbt.contracts.graph.manifest import Manifest

    try:
        path = path_of(project, "msgpack")
        found = Manifest.from_msgpack(path.read_bytes())
        os.utime(path)
    except Exception:  # whatever msgpack and dbt raise for a missing or broken file
        return None
    found.build_flat_graph()
    return found


def keep_manifest(project: Path, found: Any) -> Any:
    """Cache a manifest and return it."""
    with suppress(RuntimeError):  # no home directory
        keep(path_of(project, "msgpack"), found.to_msgpack())
    return found
