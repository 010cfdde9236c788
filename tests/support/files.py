"""The content of a folder, to check that nothing has changed, and files that aren't ours to distribute."""

import os
from pathlib import Path


def files_of(folder: Path | str) -> dict[str, tuple[int, int]]:
    """Every file in a folder, with its size and modification time."""
    paths = [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in paths}


def beside_checkout(path: str) -> Path:
    """A file or folder of `shared` beside the checkout or a folder around it; it need not be there."""
    places = [folder / "shared" / path for folder in Path(__file__).parents]
    return next((place for place in places if place.exists()), places[-1])


def content(path: Path) -> dict[str, bytes]:
    """The bytes of a file, or of all files in a folder by their paths in it."""
    files = [file for file in path.rglob("*") if file.is_file()] or [path]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}
