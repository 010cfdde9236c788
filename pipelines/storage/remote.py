"""Files under a URI: the file systems of object stores, and folders for what passes between machines.

Arrow's file systems are used for all of them, so sources, tables and exports find their credentials in the
same places, those of the AWS SDK: variables, `~/.aws`, the role of the machine or the pod.
"""

import io
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.fs

from cardlog.pipelines.storage.errors import StoreError, first_line

_ATTEMPTS: Final = 12
"""How often a request to S3 is made before it fails. The pauses double, so an outage of a minute is waited
for; ten times is what Delta's own library does."""
_TIMEOUT: Final = 30.0
_COPY_BYTES: Final = 2**22
_BUFFER_BYTES: Final = 2**23
"""Requests cost money and time: reading a log in the pieces that readers ask for took 27 a MB."""
TEMPORARY: Final = ".tmp"
"""Folder in a remote store for what passes between the machines of a run."""


def is_remote(path: str) -> bool:
    """Whether a path is a URI."""
    return "://" in path


def file_system(uri: str) -> tuple[pa.fs.FileSystem, str]:
    """The file system of a URI, and the path in it. Raises StoreError if there is none of that kind."""
    try:
        if uri.startswith("s3://"):
            return _s3(), uri.removeprefix("s3://").rstrip("/")
        system, path = pa.fs.FileSystem.from_uri(uri)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise StoreError(f"{uri} can't be opened: {error}") from error
    return system, path.rstrip("/")


def _s3() -> pa.fs.FileSystem:
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    scheme, _, host = endpoint.rpartition("://")
    return pa.fs.S3FileSystem(
        region=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
        endpoint_override=host or None,
        scheme=scheme or None,
        allow_delayed_open=True,  # a small file is put in one request, not in parts
        connect_timeout=_TIMEOUT,
        request_timeout=_TIMEOUT,
        retry_strategy=pa.fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    )


def open_file(uri: str) -> IO[bytes]:
    """A file under a URI, to read; each request asks for `_BUFFER_BYTES`. Raises OSError."""
    files, path = file_system(uri)
    return io.BufferedReader(files.open_input_file(path), _BUFFER_BYTES)


def files_at(uri: str) -> list[str]:
    """The URIs of the files that a URI stands for: itself, a folder or a glob. Raises OSError."""
    files, path = file_system(uri)
    base = uri.removesuffix("/")[: -len(path)] if path else uri
    if files.get_file_info(path).type is pa.fs.FileType.File:
        return [uri]
    fixed = re.split(r"[*?[]", path)[0]
    if fixed == path:
        return [base + name for name in _listed(files, path)]
    return [base + name for name in _listed(files, fixed.rpartition("/")[0]) if _matches(name, path)]


def _listed(files: pa.fs.FileSystem, folder: str) -> list[str]:
    found = files.get_file_info(pa.fs.FileSelector(folder, recursive=True, allow_not_found=True))
    files_found = (info for info in found if info.type is pa.fs.FileType.File)
    return sorted(info.path for info in files_found if not info.base_name.startswith("."))


_WILD: Final = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _matches(path: str, pattern: str) -> bool:
    """Whether a path is what a glob stands for: ``*`` is within a folder, ``**`` any folders."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]+\])", pattern)
    return re.fullmatch("".join(map(_word, parts)), path) is not None


def _word(part: str) -> str:
    """The regular expression for a wildcard, a set of characters or other text."""
    if part.startswith("["):
        return part.replace("[!", "[^", 1)
    return _WILD.get(part) or re.escape(part)


class Folder:
    """A folder under a URI, or of this machine."""

    def __init__(self, uri: str) -> None:
        self.uri = uri.rstrip("/")
        self._files, self._base = file_system(self.uri) if is_remote(uri) else (pa.fs.LocalFileSystem(), uri)

    def put(self, name: str, content: Any) -> str:
        """Write a file, from a stream or a path of this machine; returns its URI."""
        if isinstance(content, Path):
            with content.open("rb") as stream:
                return self.put(name, stream)
        self._make_folder_of(name)
        with self._files.open_output_stream(f"{self._base}/{name}", compression=None) as sink:
            while chunk := content.read(_COPY_BYTES):
                sink.write(chunk)
        return f"{self.uri}/{name}"

    def get(self, name: str, path: Path) -> None:
        """Copy a file to this machine."""
        with self.open(name) as source, path.open("wb") as out:
            while chunk := source.read(_COPY_BYTES):
                out.write(chunk)

    def open(self, name: str) -> pa.NativeFile:
        """A file, to read at any position."""
        return self._files.open_input_file(f"{self._base}/{name}")

    def has(self, name: str) -> bool:
        """Whether there is a file."""
        return bool(self._files.get_file_info(f"{self._base}/{name}").type is pa.fs.FileType.File)

    def files(self) -> dict[str, tuple[int, float]]:
        """The files in it and in folders in it: size, and time of the last change."""
        selector = pa.fs.FileSelector(self._base, recursive=True, allow_not_found=True)
        return {
            info.path.removeprefix(f"{self._base}/"): (info.size, info.mtime.timestamp())
            for info in self._files.get_file_info(selector)
            if info.type is pa.fs.FileType.File
        }

    def remove(self, name: str) -> None:
        """Remove a file; another process may have done so already."""
        with suppress(FileNotFoundError):
            self._files.delete_file(f"{self._base}/{name}")

    def move(self, name: str, to: "Folder") -> None:
        """Move a file to another folder, within the object store if that is the same."""
        if self._files.equals(to._files):
            to._make_folder_of(name)
            self._files.move(f"{self._base}/{name}", f"{to._base}/{name}")
        else:
            with self.open(name) as source:
                to.put(name, source)

    def _make_folder_of(self, name: str) -> None:
        if isinstance(self._files, pa.fs.LocalFileSystem):  # an object store has no folders
            Path(f"{self._base}/{name}").parent.mkdir(parents=True, exist_ok=True)

    def remove_all(self) -> None:
        """Remove all files in it. What can't be removed is left to `cardlog vacuum`."""
        with suppress(OSError):
            for name in self.files():
                self.remove(name)


def put_all(here: Path, folder: Folder) -> None:
    """Copy all files of a folder of this machine."""
    for path in sorted(here.rglob("*")):
        if path.is_file():
            folder.put(path.relative_to(here).as_posix(), path)


def get_all(folder: Folder, here: Path, but: str) -> None:
    """Copy all files of a folder to one of this machine, except those in one of its folders."""
    for name in folder.files():
        if not name.startswith(f"{but}/"):
            path = here / name
            path.parent.mkdir(parents=True, exist_ok=True)
            folder.get(name, path)


@contextmanager
def shared_folder(root: str) -> Iterator[Folder]:
    """A folder under the root of a remote store, which all machines reach, while the context is open."""
    folder = Folder(f"{root}/{TEMPORARY}/{uuid.uuid4().hex}")
    try:
        yield folder
    finally:
        folder.remove_all()


@contextmanager
def named(uri: str) -> Iterator[None]:
    """Raise errors of an object store as a StoreError that names the file or folder."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{uri} can't be reached: {first_line(error)}") from error
