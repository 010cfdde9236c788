"""Where logs are: the files that paths, folders, globs and URIs stand for, and pipes."""

import glob
import os
import stat
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Final

from cardlog.pipelines.ingest.source_bytes import SourceError
from cardlog.pipelines.storage.errors import StoreError, first_line
from cardlog.pipelines.storage.remote import files_at, is_remote

STANDARD_INPUT: Final = "-"
_DESCRIPTORS: Final = ("/dev/fd/", "/proc/self/fd/")
_KINDS: Final = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket", stat.S_IFDIR: "folder"}


def shown(path: str) -> str:
    """A path as text that can be stored and printed, whatever bytes it has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def plain_path(path: str) -> str:
    """A path without the scheme of files on this machine."""
    return path.removeprefix("file://")


def expand(paths: list[str]) -> list[str]:
    """The files that some files, folders, globs or URIs stand for, each once.

    Raises SourceError for one that stands for nothing.
    """
    found: list[str] = []
    for path in map(plain_path, paths):
        if path == STANDARD_INPUT:
            found.append(path)
        elif is_remote(path):
            found += _under_uri(path)
        elif Path(path).is_dir():
            inside = sorted(
                str(p) for p in Path(path).rglob("*") if p.is_file() and not p.name.startswith(".")
            )
            if not inside:
                raise SourceError(f"{shown(path)}: the folder is empty")
            found += inside
        elif os.path.lexists(path):
            found.append(path)
        else:
            matches = sorted(p for p in glob.glob(path, recursive=True) if Path(p).is_file())  # noqa: PTH207
            if not matches:
                raise SourceError(f"{shown(path)}: there is no such file")
            found += matches
    return list(dict.fromkeys(found))


def _under_uri(path: str) -> list[str]:
    try:
        found = files_at(path)
    except (StoreError, OSError) as error:
        raise SourceError(f"{shown(path)}: can't be reached: {first_line(error)}") from error
    if not found:
        raise SourceError(f"{shown(path)}: there is no such file")
    return found


def pipe_of(path: str) -> AbstractContextManager[IO[bytes]] | None:
    """The stream behind a path that stands for one; None for a file.

    Raises SourceError for what is neither, or if it is closed. A named pipe is not opened: if nobody
    writes to it, that would take for ever.
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
