"""Files under a URI: the file systems of object stores, and folders in which machines exchange files.

All of them go through Arrow's file systems, so sources, tables and exports find their credentials in the same
places, those of the AWS SDK: variables, `~/.aws`, the role of the machine or the pod.
"""

import io
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import has_magic
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.fs
from numpy.typing import DTypeLike, NDArray

from cardlog.pipelines.runtime import whole
from cardlog.pipelines.storage.errors import StoreError, first_line

_ATTEMPTS: Final = 12
"""Tries of a request to S3. The pauses between them double, so that a run survives an outage of a minute;
Delta's own library makes ten."""
_TIMEOUT: Final = 30.0
_COPY_BYTES: Final = 2**22
_BUFFER_BYTES: Final = 2**23
"""Requests cost money and time: without a buffer, readers made 27 for each MB of a log."""
TEMPORARY: Final = ".tmp"
"""Folder in a remote store in which the machines of a run exchange files."""


def is_remote(path: str) -> bool:
    """Whether a path is a URI."""
    return "://" in path


def file_system(uri: str) -> tuple[pa.fs.FileSystem, str]:
    """The file system of a URI or a local path, and the path in it. Raises StoreError for an unknown or
    malformed URI."""
    try:
        if uri.startswith("s3://"):
            return _s3(), uri.removeprefix("s3://").rstrip("/")
        if not is_remote(uri):
            return pa.fs.LocalFileSystem(), uri.rstrip("/")
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
        allow_delayed_open=True,  # a small file is written in one request, not in parts
        connect_timeout=_TIMEOUT,
        request_timeout=_TIMEOUT,
        retry_strategy=pa.fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    )


def open_file(uri: str) -> IO[bytes]:
    """A file under a URI, to read, `_BUFFER_BYTES` in a request. Raises OSError."""
    system, path = file_system(uri)
    return io.BufferedReader(system.open_input_file(path), _BUFFER_BYTES)


def files_at(uri: str) -> list[str]:
    """The URIs of the files that a URI stands for: a file, a folder or a glob. Raises OSError."""
    from fsspec.implementations.arrow import ArrowFSWrapper  # not above: rarely needed

    system, path = file_system(uri)
    if system.get_file_info(path).is_file:
        return [uri]
    base = uri.removesuffix("/")[: -len(path)] if path else uri
    wrapper = ArrowFSWrapper(system)
    infos = wrapper.glob(path, detail=True) if has_magic(path) else wrapper.find(path, detail=True)
    names = sorted(name for name, info in infos.items() if info["type"] == "file")
    return [base + name for name in names if not name.rpartition("/")[2].startswith(".")]


class Folder:
    """A folder under a URI, or on this machine."""

    def __init__(self, uri: str) -> None:
        self.uri = uri.rstrip("/")
        self.system, self.path = file_system(self.uri)

    def put(self, name: str, content: Any) -> str:
        """Write a file atomically, from a buffer, a stream or a local path; returns its URI."""
        if isinstance(content, Path):
            with content.open("rb") as stream:
                return self.put(name, stream)
        source = pa.BufferReader(content) if isinstance(content, pa.Buffer) else content
        path = f"{self.path}/{name}"
        if isinstance(self.system, pa.fs.LocalFileSystem):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with whole.replaced(Path(path)) as draft, draft.open("wb") as out:
                shutil.copyfileobj(source, out, _COPY_BYTES)
        else:  # an object store has no folders
            with self.system.open_output_stream(path, compression=None) as out:
                shutil.copyfileobj(source, out, _COPY_BYTES)
        return f"{self.uri}/{name}"

    def open(self, name: str) -> pa.NativeFile:
        """A file, to read with random access."""
        return self.system.open_input_file(f"{self.path}/{name}")

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if there is none."""
        try:
            with self.system.open_input_stream(f"{self.path}/{name}", compression=None) as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            return None

    def info(self, name: str) -> pa.fs.FileInfo:
        """Whether there is a file, its size and its time of modification."""
        return self.system.get_file_info(f"{self.path}/{name}")

    def has(self, name: str) -> bool:
        """Whether there is a file."""
        return bool(self.info(name).is_file)

    def files(self) -> dict[str, tuple[int, float]]:
        """The files in it and in its subfolders, by name: size, and time of modification."""
        selector = pa.fs.FileSelector(self.path, recursive=True, allow_not_found=True)
        return {
            info.path.removeprefix(f"{self.path}/"): (info.size, info.mtime.timestamp())
            for info in sorted(self.system.get_file_info(selector), key=attrgetter("path"))
            if info.is_file
        }

    def remove(self, name: str) -> None:
        """Remove a file; another process may have done so already."""
        with suppress(FileNotFoundError):
            self.system.delete_file(f"{self.path}/{name}")

    def remove_all(self) -> None:
        """Remove it with all files in it; `cardlog vacuum` removes what can't be removed now."""
        if isinstance(self.system, pa.fs.LocalFileSystem):
            shutil.rmtree(self.path, ignore_errors=True)
            return
        with suppress(OSError):
            for name in self.files():
                self.remove(name)


def put_all(source: Path, target: Folder) -> None:
    """Copy all files of a local folder."""
    for name in Folder(str(source)).files():
        target.put(name, source / name)


def array_in(folder: str, name: str, dtype: DTypeLike) -> NDArray[Any]:
    """The records of a file in a folder, memory-mapped if it is on this machine."""
    if is_remote(folder):
        with Folder(folder).open(name) as file:
            return np.frombuffer(file.read(), dtype)
    path = Path(folder) / name
    return np.memmap(path, dtype, "r") if path.stat().st_size else np.zeros(0, dtype)


@contextmanager
def shared_folder(root: str) -> Iterator[Folder]:
    """A temporary folder below a folder or URI, which all machines of a run reach."""
    uri = f"{root}/{TEMPORARY}/{uuid.uuid4().hex}"
    folder = Folder(uri if is_remote(root) else str(whole.draft_of(Path(root) / "run")))
    try:
        yield folder
    finally:
        folder.remove_all()


@contextmanager
def named(uri: str) -> Iterator[None]:
    """Raise errors of an object store as a StoreError that names the URI."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{uri} can't be reached: {first_line(error)}") from error
