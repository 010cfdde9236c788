"""What dbt has parsed of a project, kept between runs: parsing takes as long as building small marts.

It is kept with the user's caches, under the digest of the project's files.
"""

import hashlib
import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

_KINDS: Final = ("sql", "yml", "csv", "md")
_KEPT: Final = 8
"""Projects, or states of one, that are kept."""


def digest(project: Path) -> str:
    """A short digest of what the files of a dbt project say."""
    files = [file for kind in _KINDS for file in project.rglob(f"*.{kind}")]
    found = hashlib.sha256()
    for file in sorted(files):
        if "target" not in file.parts:
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            found.update(f"{file.relative_to(project).as_posix()} {content}\n".encode())
    return found.hexdigest()[:16]


def _path(project: Path) -> Path:
    versions = (version(name) for name in ("dbt-core", "dbt-duckdb"))
    name = "\0".join([digest(project), str(project), *versions])  # a seed is found by its absolute path
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "cardlog-dbt" / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.msgpack"


def load(project: Path) -> Any:
    """The parsed project, a dbt manifest, None if it has to be parsed."""
    from dbt.contracts.graph.manifest import Manifest

    try:
        manifest = Manifest.from_msgpack(_path(project).read_bytes())
    except Exception:  # whatever msgpack and dbt say of a file that is not there or not whole
        return None
    manifest.build_flat_graph()
    return manifest


def keep(project: Path, manifest: Any) -> Any:
    """Keep a parsed project for later runs, if there is anywhere to; gives it back."""
    with suppress(OSError, RuntimeError):
        path = _path(project)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        draft.write_bytes(manifest.to_msgpack())
        draft.replace(path)
        for old in sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime)[:-_KEPT]:
            old.unlink(missing_ok=True)
    return manifest
