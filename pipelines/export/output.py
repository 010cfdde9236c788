"""Where exports and simulations go: files and folders that are there whole or not at all."""

import gzip
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast

from cardlog import models
from cardlog.pipelines import readers
from cardlog.pipelines.export.playedhand_csv import CSV
from cardlog.pipelines.runtime import scratch, whole
from cardlog.pipelines.runtime.progress import Watch
from cardlog.pipelines.storage.remote import Folder, is_remote, named
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.names import EVENTS_FORMAT

STANDARD_OUTPUT: Final = "-"
GZIP_LEVEL: Final = 6


class OutputError(CardlogError):
    """An output can't be written as requested; the text is for the user."""


def log_formats() -> dict[str, tuple[str, ...]]:
    """The games that each format of logs that can be written can hold, by its name."""
    return {form: tuple(readers.get(form).GAMES) for form in (EVENTS_FORMAT, CSV)}


def check_format(game: str, name: str, formats: Mapping[str, Collection[str]], verb: str) -> None:
    """Raises OutputError, listing the alternatives, for a format or game there is none of, and for a format
    that can't hold the game.

    formats
        The games that each can hold.
    """
    if name not in formats:
        raise OutputError(f"there is no format {name!r} to {verb}; there are: {', '.join(formats)}")
    if game not in models.GAMES:
        raise OutputError(f"there is no game {game!r}; there are: {', '.join(models.GAMES)}")
    if game not in formats[name]:
        capable = ", ".join(form for form, games in formats.items() if game in games)
        raise OutputError(f"{name} can't hold {game}; there are: {capable}")


@contextmanager
def new_file(out: str) -> Iterator[IO[bytes]]:
    """A file to write that appears once it is complete; ``-`` is standard output.

    A name that ends in ``.gz`` is compressed, without a name or time inside, so that the same content gives
    the same bytes.

    Raises OutputError if it exists already, or can't be written.
    """
    if out == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if is_remote(out):
        parent, _, name = out.rpartition("/")
        with scratch.folder() as draft, named(out):
            if Folder(parent).has(name):
                raise OutputError(f"{out} exists already; nothing was overwritten")
            with new_file(f"{draft}/{name}") as file:
                yield file
            Folder(parent).put(name, Path(draft) / name)
        return
    path = Path(out)
    _check_parent(path)
    try:
        with whole.new_file(path) as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as compressed:
                    yield cast(IO[bytes], compressed)
            else:
                yield raw
    except whole.NotWritten as error:
        raise OutputError(str(error)) from error


@contextmanager
def new_folder(out: str) -> Iterator[Path]:
    """A folder to fill that appears once it is complete; under a URI, file by file, the manifest last.

    Raises OutputError if it is a file or a folder that is not empty, or can't be written.
    """
    if out == STANDARD_OUTPUT:
        raise OutputError("this format is a folder of files; it can't go to standard output")
    if is_remote(out):
        with scratch.folder() as draft, named(out):
            target = Folder(out)
            if target.files():
                raise OutputError(f"{out} exists already and is not empty; nothing was overwritten")
            yield Path(draft)
            for name in sorted(Folder(draft).files(), key=lambda name: ("/" not in name, name)):
                target.put(name, Path(draft) / name)
        return
    path = Path(out)
    _check_parent(path)
    if path.is_dir() and any(path.iterdir()):
        raise OutputError(f"{path} exists already and is not empty; nothing was overwritten")
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} exists already and is no folder; nothing was overwritten")
    try:
        with whole.new_folder(path) as folder:
            yield folder
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error}") from error


def _check_parent(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{path} can't be written: there is no folder {path.absolute().parent}")


@contextmanager
def watched(watch: Watch, title: str, units: int) -> Iterator[str]:
    """A folder for a `Tally`, whose progress is shown."""
    with scratch.folder() as folder, watch(title, folder, units):
        yield folder
