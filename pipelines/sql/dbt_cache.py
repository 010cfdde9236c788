"""What dbt makes of the project alone, kept between runs: its parse and the empty warehouse, each of which
takes as long as building small marts.

They are kept with the user's caches, under the digest of the project's files.
"""

import hashlib
import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from cardlog.pipelines.storage.store import SCHEMAS

_KINDS: Final = ("sql", "yml", "csv", "md")
_KEPT: Final = 16
"""Files that are kept."""


def digest(project: Path) -> str:
    """A short digest of what the files of a dbt project say."""
    files = [file for kind in _KINDS for file in project.rglob(f"*.{kind}")]
    found = hashlib.sha256()
    for file in sorted(files):
        if "target" not in file.parts:
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            found.update(f"{file.relative_to(project).as_posix()} {content}\n".encode())
    return found.hexdigest()[:16]


def path_of(project: Path, suffix: str) -> Path:
    """Where something that follows from a project, the store's schemas and the libraries is kept."""
    versions = (version(name) for name in ("dbt-core", "dbt-duckdb", "duckdb"))
    columns = (f"{name} {schema.to_string(show_field_metadata=False)}" for name, schema in SCHEMAS.items())
    # A seed is found by its absolute path.
    name = "\0".join([digest(project), str(project), *versions, *columns])
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "cardlog-dbt" / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.{suffix}"


def keep(path: Path, content: bytes) -> Path | None:
    """Keep something for later runs; None if there is nowhere to."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        draft.write_bytes(content)
        draft.replace(path)
        for old in sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime)[:-_KEPT]:
            old.unlink(missing_ok=True)
    except (OSError, RuntimeError):
        return None
    return path


def manifest(project: Path) -> Any:
    """The parsed project, a dbt manifest, None if it has to be parsed."""
    from dbt.contracts.graph.manifest import Manifest

    try:
        found = Manifest.from_msgpack(path_of(project, "msgpack").read_bytes())
    except Exception:  # whatever msgpack and dbt say of a file that is not there or not whole
        return None
    found.build_flat_graph()
    return found


def keep_manifest(project: Path, found: Any) -> Any:
    """Keep a parsed project for later runs; gives it back."""
    with suppress(RuntimeError):  # there is no home
        keep(path_of(project, "msgpack"), found.to_msgpack())
    return found
