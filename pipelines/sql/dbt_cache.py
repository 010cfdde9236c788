"""Cache of what depends only on a dbt project, with those of packages: its manifest and the empty
warehouse. Making either takes as long as building small marts."""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Final

from cardlog.pipelines.runtime import whole
from cardlog.pipelines.storage.store import SCHEMAS
from cardlog.schemas.folders import cache_folder
from cardlog.schemas.registry import Registry

MARTS: Final[Registry[Path]] = Registry("cardlog.marts", Path, {}, "folder of marts")
"""Folders of packages' own dbt projects, which are local packages of ours for dbt."""
_SUFFIXES: Final = (".sql", ".py", ".yml", ".yaml", ".csv", ".md")
_MAX_FILES: Final = 16


def digest(*projects: Path) -> str:
    """A short digest of the files of dbt projects, and of those of packages."""
    content = hashlib.sha256()
    for folder in (*projects, *MARTS.values()):
        for file in sorted(folder.rglob("*")):
            path = file.relative_to(folder)
            if file.suffix in _SUFFIXES and "target" not in path.parts and path.parts[0][0] != ".":
                name = path.as_posix()
                content.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return content.hexdigest()[:16]


def packages(work: Path) -> Path:
    """A folder with a link to the dbt project of each package, in which dbt looks for them; in the user's
    cache, since a manifest has its path, or else in `work`."""
    name = hashlib.sha256("\0".join(map(str, MARTS.values())).encode()).hexdigest()[:16]
    for folder in (cache_folder() / "cardlog-dbt-packages" / name, work / "packages"):
        with suppress(OSError):
            for package, target in MARTS.items():
                folder.mkdir(parents=True, exist_ok=True)
                if not (folder / package).exists():
                    (folder / package).symlink_to(target)
            break
    return folder


def kept(kind: str, make: Callable[[], bytes], *projects: Path) -> bytes:
    """What `make` returns for dbt projects, cached; the least recently used files are deleted."""
    versions = (version(name) for name in ("dbt-core", "dbt-duckdb", "duckdb"))
    columns = (f"{name} {schema.to_string(show_field_metadata=False)}" for name, schema in SCHEMAS.items())
    # The manifest refers to seeds by their absolute paths.
    folders = map(str, (*projects, *MARTS.values()))
    key = hashlib.sha256("\0".join([digest(*projects), *folders, *versions, *columns]).encode())
    path = cache_folder() / "cardlog-dbt" / f"{key.hexdigest()[:32]}.{kind}"
    with suppress(OSError):
        content = path.read_bytes()
        os.utime(path)
        return content
    content = make()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole.replaced(path) as draft:
            draft.write_bytes(content)
        for old in sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime)[:-_MAX_FILES]:
            old.unlink(missing_ok=True)
    return content
