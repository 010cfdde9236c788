"""Files and folders that appear complete or not at all.

A draft in the same folder is filled and then renamed atomically. It has a random name, so nobody can have
planted a file or a link there. Only `replaced` overwrites, and it is for files of our own.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cardlog.pipelines.runtime.leftovers import note


class NotWritten(OSError):
    """A file could not be written; the text is for the user."""


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, which appears under its name when it is complete.

    Raises NotWritten if that fails, or if the name is taken, even by a broken link, before or while the file
    is written.
    """
    try:
        _refuse_existing(path)
        draft = draft_of(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(draft, flags, 0o666)
        try:
            with os.fdopen(descriptor, "wb") as out:
                yield out
            _name(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    except NotWritten:
        raise
    except OSError as error:
        raise NotWritten(f"{path} could not be written: {error.strerror or error}") from error


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which appears under its name when it is complete; it may replace an empty folder.

    Raises OSError if the name is taken otherwise, or if it can't be written.
    """
    draft = draft_of(path)
    draft.mkdir()
    try:
        yield draft
        draft.rename(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A draft to write, which replaces a file of ours when it is complete. If several processes write the
    same file, the last one wins. Raises OSError if it can't be written."""
    draft = draft_of(path)
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write or replace a file of ours, for this user only; it is on disk before it has its name. One process
    at a time does so. Raises OSError."""
    draft = path.with_suffix(".new")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def draft_of(path: Path) -> Path:
    """A hidden, unpredictable path in the same folder, so that it can be renamed atomically."""
    path = path.absolute()
    return note(path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.tmp"))


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise NotWritten(f"{path} exists already; nothing was overwritten")


def _name(draft: Path, path: Path) -> None:
    """Give a draft its name. A hard link, unlike a rename, never replaces a file."""
    try:
        os.link(draft, path, follow_symlinks=False)
    except FileExistsError:
        _refuse_existing(path)
        raise
    except OSError:
        # A file system without links.
        _refuse_existing(path)
        draft.rename(path)
