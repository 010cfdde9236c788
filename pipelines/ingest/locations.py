"""Where logs are: the files that paths, folders, globs and URIs stand for, and pipes."""

import glob
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Final

from cardlog.pipelines.ingest.source_bytes import SourceError, reading, shown
from cardlog.pipelines.storage.errors import StoreError, first_line
from cardlog.pipelines.storage.remote import files_at, is_remote

STANDARD_INPUT: Final = "-"
_DESCRIPTORS: Final = ("/dev/fd/", "/proc/self/fd/")
_KINDS: Final = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket", stat.S_IFDIR: "folder"}


def plain_path(path: str) -> str:
    """A path without the scheme of files on this machine."""
    return path.removeprefix("file://")


def expand(paths: list[str]) -> list[str]:
    """The files that some files, folders, globs or URIs stand for, each once.

    Raises SourceError for one that stands for nothing.
    """
    return list(dict.fromkeys(file for path in paths for file in _files(plain_path(path))))


def _files(path: str) -> list[str]:
    """The files that one path stands for."""
    missing = "there is no such file"
    if path == STANDARD_INPUT:
        return [path]
    if is_remote(path):
        try:
            files = files_at(path)
        except (StoreError, OSError) as error:
            raise SourceError(f"{shown(path)}: can't be reached: {first_line(error)}") from error
    elif Path(path).is_dir():
        files, missing = sorted(_inside(path)), "there is no log in the folder"
    elif os.path.lexists(path):
        return [path]
    else:
        files = _matching(path)
    if not files:
        raise SourceError(f"{shown(path)}: {missing}")
    return files


def _inside(root: str) -> Iterator[str]:
    """The files in a folder, without hidden ones and stores. Links to folders are followed, after the folders
    themselves; each folder is read once."""
    seen: set[str] = set()
    folders, links = [Path(root)], list[Path]()
    while folders or links:
        folder = folders.pop() if folders else links.pop()
        if os.path.realpath(folder) in seen or _is_store(folder):
            continue
        seen.add(os.path.realpath(folder))
        with reading(str(folder)):
            for path in folder.iterdir():
                if path.is_dir() and not path.name.startswith("."):
                    (links if path.is_symlink() else folders).append(path)
                elif path.is_file() and not path.name.startswith("."):
                    yield str(path)


def _matching(pattern: str) -> list[str]:
    """The files that a glob finds outside of stores, each once: by its own path, or by the shortest one that
    goes over links."""
    found = (Path(file) for file in glob.glob(pattern, recursive=True))  # noqa: PTH207
    real = {path: os.path.realpath(path) for path in found if path.is_file()}
    once: dict[str, Path] = {}
    for path in sorted(real, key=lambda path: (str(path.absolute()) != real[path], len(path.parts), path)):
        once.setdefault(real[path], path)
    return sorted(str(path) for path in once.values() if not any(map(_is_store, path.parents)))


def _is_store(folder: Path) -> bool:
    """Whether a folder is a store, whose files are no logs."""
    return (folder / "events" / "_delta_log").is_dir()


def pipe_of(path: str) -> AbstractContextManager[IO[bytes]] | None:
    """The stream that a path stands for; None for a file.

    Raises SourceError for anything else, or if the stream is closed. A named pipe is not opened, since that
    would block until somebody writes to it.
    """
    if path in (STANDARD_INPUT, "/dev/stdin"):
        if sys.stdin is None or sys.stdin.closed:
            raise SourceError(f"{path}: standard input is closed")
        return nullcontext(sys.stdin.buffer)
    for folder in _DESCRIPTORS:
        if path.startswith(folder) and path.removeprefix(folder).isdecimal():
            return os.fdopen(os.dup(int(path.removeprefix(folder))), "rb")
    mode = stat.S_IFREG if is_remote(path) else Path(path).stat().st_mode
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "device")
        raise SourceError(f"{shown(path)}: it is a {kind}, not a file; 'cardlog ingest -' reads what is sent")
    return None
