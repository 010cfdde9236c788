"""What is in a folder, to see that nothing there has changed."""

import os
from collections.abc import Iterator
from pathlib import Path


def files_of(folder: Path | str) -> dict[str, tuple[int, int]]:
    """Every file in a folder, with its size and the time it was written."""
    return dict(_files(Path(folder)))


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for parent, _, names in os.walk(folder):
        for name in names:
            stat = (Path(parent) / name).stat()
            yield str(Path(parent) / name), (stat.st_size, stat.st_mtime_ns)
