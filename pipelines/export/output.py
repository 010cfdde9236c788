"""Where exports and simulations go: files and folders that are there whole or not at all."""

import gzip
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast

from cardlog import models
from cardlog.pipelines import scratch, whole
from cardlog.pipelines.progress import Watch
from cardlog.pipelines.storage.remote import (
    TEMPORARY,
    Folder,
    get_all,
    is_remote,
    named,
    put_all,
    shared_folder,
)
from cardlog.pipelines.whole import draft_of
from cardlog.schemas.errors import CardlogError

STANDARD_OUTPUT: Final = "-"
GZIP_LEVEL: Final = 6


class OutputError(CardlogError):
    """What was asked can't be written; the text is for the user."""


def check_format(game: str, name: str, formats: Mapping[str, Collection[str]], verb: str) -> None:
    """Raises OutputError, naming what there is, if none can hold a game.

    formats
        The games that each can hold.
    """
    if name not in formats:
        raise OutputError(f"there is no format {name!r} to {verb}; there are: {', '.join(formats)}")
    if game not in models.GAMES:
        raise OutputError(f"there is no game {game!r}; there are: {', '.join(models.GAMES)}")
    if game not in formats[name]:
        able = ", ".join(form for form, games in formats.items() if game in games)
        raise OutputError(f"{name} can't hold {game}; there are: {able}")


@contextmanager
def new_file(out: str) -> Iterator[IO[bytes]]:
    """A file to write that appears when all of it is there; ``-`` is standard output.

    A name that ends in ``.gz`` is compressed, with nothing in it but the content, so that the same
    content gives the same bytes.

    Raises OutputError if there is something already, or it can't be written.
    """
    if out == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if is_remote(out):
        with _new_remote_file(out) as file:
            yield file
        return
    path = Path(out)
    _need_folder(path)
    try:
        with whole.new_file(path) as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as packed:
                    yield cast(IO[bytes], packed)
            else:
                yield raw
    except whole.NotWritten as error:
        raise OutputError(str(error)) from error


@contextmanager
def _new_remote_file(out: str) -> Iterator[IO[bytes]]:
    """As `new_file`, under a URI: a file of this machine that is copied there when all of it is written."""
    parent, _, name = out.rpartition("/")
    with scratch.folder() as here, named(out):
        folder = Folder(parent)
        if folder.has(name):
            raise OutputError(f"{out} exists already; nothing was overwritten")
        path = Path(here) / name
        with new_file(str(path)) as file:
            yield file
        folder.put(name, path)


@contextmanager
def placed(folder: str, drafts: str) -> Iterator[Path]:
    """A folder of this machine to fill; the files in it then appear in `folder`, which may be remote, each
    whole. A worker that does its part again puts the same files in their place.

    drafts
        A folder of this machine on the same disk, if it is not remote.
    """
    if is_remote(folder):
        with scratch.folder() as here:
            yield Path(here)
            put_all(Path(here), Folder(folder))
        return
    draft = draft_of(Path(drafts) / "draft")
    draft.mkdir()
    yield draft
    for path in [path for path in draft.rglob("*") if path.is_file()]:
        target = Path(folder) / path.relative_to(draft)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)
    shutil.rmtree(draft)


@contextmanager
def filled(out: str, root: str | None) -> Iterator[str]:
    """A folder for workers to fill; what is in it then appears at `out`.

    root
        What workers reach at a URI, if they don't reach this machine.

    Raises OutputError as `new_folder` does. Under a URI files appear one by one, the manifest last.
    """
    if not is_remote(out) and root is None:
        with new_folder(out) as draft:
            yield str(draft)
        return
    with shared_folder(root or out) as work:
        if not is_remote(out):
            with new_folder(out) as draft:
                yield work.uri
                get_all(work, draft)
            return
        with named(out):
            target = Folder(out)
            if any(not name.startswith(f"{TEMPORARY}/") for name in target.files()):
                raise OutputError(f"{out} exists already and is not empty; nothing was overwritten")
            yield work.uri
            for name in sorted(work.files(), key=lambda name: ("/" not in name, name)):
                work.copy(name, target)


@contextmanager
def new_folder(out: str) -> Iterator[Path]:
    """A folder to fill that appears when everything is in it.

    Raises OutputError if there is a file or a folder with something in it, or it can't be written.
    """
    if out == STANDARD_OUTPUT:
        raise OutputError("this format is a folder of files; it can't go to standard output")
    path = Path(out)
    _need_folder(path)
    if path.is_dir() and any(path.iterdir()):
        raise OutputError(f"{path} exists already and is not empty; nothing was overwritten")
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} exists already and is no folder; nothing was overwritten")
    try:
        with whole.new_folder(path) as draft:
            yield draft
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error}") from error


def _need_folder(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{path} can't be written: there is no folder {path.absolute().parent}")


@contextmanager
def watched(watch: Watch, title: str, units: int) -> Iterator[str]:
    """The folder for a `Tally`, and the progress that it shows."""
    with scratch.folder() as folder, watch(title, folder, units):
        yield folder
