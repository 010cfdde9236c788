"""Files and folders that are there whole or not at all, and never take the place of something.

A draft beside the place is filled and then given its name in one step. Its own name is random and it is
made anew, so nobody can have put a file or a link there that would be written through.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cardlog.pipelines.leftovers import note


class AlreadyThere(FileExistsError):
    """Something has the name already; the text is for the user."""


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that appears under its name when all of it is there.

    Raises AlreadyThere if something has that name, be it a link that leads nowhere, also if it came
    while the file was written; OSError if it can't be written.
    """
    _need_nothing(path)
    draft = draft_of(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(draft, flags, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as out:
            yield out
        _name(draft, path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill that appears under its name when everything is in it; an empty one may be there.

    Raises OSError if something else is there, or it can't be written.
    """
    draft = draft_of(path)
    draft.mkdir()
    try:
        yield draft
        draft.rename(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def draft_of(path: Path) -> Path:
    """A hidden name beside it that nobody can foresee, so that it can be renamed in one step."""
    path = path.absolute()
    return note(path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.tmp"))


def _need_nothing(path: Path) -> None:
    if os.path.lexists(path):
        raise AlreadyThere(f"{path} exists already; nothing was overwritten")


def _name(draft: Path, path: Path) -> None:
    """Give a draft its name. A second name, unlike a rename, takes no other file's place."""
    try:
        os.link(draft, path, follow_symlinks=False)
    except FileExistsError:
        _need_nothing(path)
        raise
    except OSError:
        # A file system without links.
        _need_nothing(path)
        draft.rename(path)
