"""Data files: none is read that is not what was written.

A file that cardlog wrote is named by the digest of its content, so a flipped bit anywhere in it, be it
in a page, a page's header or the footer, is found by digesting it. That runs at more than 1 GB/s, a
few hundredths of what folding its hands takes. Programs that read a whole file digest it each time; those
that look for a few rows rely on an earlier reading if the file has not been touched since.

Its pages carry checksums as well. Arrow verifies them; DuckDB does not, so code that lets DuckDB read
data files asks `check_all` first. Files of other Delta clients have other names: of them only the page
checksums can be verified, if they have any.
"""

import hashlib
import json
import os
import re
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.pipelines import whole
from cardlog.pipelines.storage.errors import Damaged, mend_file, naming

NAME_DIGITS: Final = 40
"""Hex digits of the sha256 of its content that a data file is named by."""
_NAMED: Final = re.compile(rf"(?:.*/)?([0-9a-f]{{{NAME_DIGITS}}})\.parquet", re.DOTALL)
_THREADS: Final = 2

Stamp = tuple[int, int, int, int]
"""Size, times of the last change of content and of anything, in nanoseconds, and inode: another one if
the file was touched."""

_lock: Final = threading.Lock()
_verified: Final[dict[str, Stamp]] = {}
"""Files that this process has digested, by their absolute paths."""
_remembered: Final[dict[str, dict[str, Stamp]]] = {}
"""Files that earlier processes have digested, by store."""


class DataFile(pq.ParquetFile):  # type: ignore[misc]
    """A data file that verifies the checksums of its pages and whose errors name it.

    labels
        Columns to read as dictionaries, if the file has them: a projection that was not rebuilt yet may not.
    """

    def __init__(self, source: Any, name: str, table: str, labels: list[str], **options: Any) -> None:
        self._name, self._table = name, table
        options["page_checksum_verification"] = True
        with naming(name, table):
            try:
                super().__init__(source, read_dictionary=labels, **options)
            except KeyError:
                present = set(pq.read_schema(source).names)
                super().__init__(source, read_dictionary=[*filter(present.__contains__, labels)], **options)

    def read_row_group(self, *arguments: Any, **options: Any) -> pa.Table:
        """As `ParquetFile` does. Raises Damaged."""
        with naming(self._name, self._table):
            return super().read_row_group(*arguments, **options)

    def read(self, *arguments: Any, **options: Any) -> pa.Table:
        """As `ParquetFile` does. Raises Damaged."""
        with naming(self._name, self._table):
            return super().read(*arguments, **options)

    def iter_batches(self, *arguments: Any, **options: Any) -> Iterator[pa.RecordBatch]:
        """As `ParquetFile` does. Raises Damaged."""
        with naming(self._name, self._table):
            yield from super().iter_batches(*arguments, **options)


def name_of(content: bytes | pa.Buffer) -> str:
    """What a data file with this content is called."""
    return f"{hashlib.sha256(content).hexdigest()[:NAME_DIGITS]}.parquet"


def named_digest(path: str) -> str | None:
    """The digest in a data file's name; None if another program named it."""
    match = _NAMED.fullmatch(path)
    return match.group(1) if match else None


def check(root: str, table: str, path: str, *, rely: bool = False) -> None:
    """See that a data file of a store in a folder is what was written. Raises Damaged.

    rely
        On an earlier process that digested it, if it has not been touched since.
    """
    name = f"{root}/{table}/{path}"
    with naming(name, table):
        stamp = _stamp(name)
        known = _verified.get(name) or (_recall(root).get(f"{table}/{path}") if rely else None)
        if stamp == known:
            return
        wanted = named_digest(path)
        if wanted is not None and _digest(name)[:NAME_DIGITS] != wanted:
            raise Damaged(f"{name} is damaged: its content is not what was written; {mend_file(table)}")
    with _lock:
        _verified[name] = stamp


def check_all(root: str, files: Iterable[tuple[str, str]]) -> None:
    """See that data files, each given by its table and path, are what was written, and remember it for
    the processes to come. Raises Damaged for the first that is not."""
    recalled = _recall(root)
    todo = [(table, path) for table, path in files if not _is_known(root, table, path, recalled)]
    if not todo:
        return
    with ThreadPoolExecutor(_THREADS) as pool:
        for done in [pool.submit(check, root, table, path, rely=True) for table, path in todo]:
            done.result()
    fresh = {f"{table}/{path}": _verified[f"{root}/{table}/{path}"] for table, path in todo}
    _remember(root, recalled | fresh)


def _is_known(root: str, table: str, path: str, recalled: dict[str, Stamp]) -> bool:
    name = f"{root}/{table}/{path}"
    with naming(name, table):
        return _stamp(name) == recalled.get(f"{table}/{path}")


def _stamp(path: str) -> Stamp:
    stat = os.stat(path)  # noqa: PTH116 - of many files
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino


def _digest(path: str) -> str:
    with open(path, "rb", buffering=0) as stream:  # noqa: PTH123
        return hashlib.file_digest(stream, "sha256").hexdigest()


# ---------------------------------------------------------------- what earlier processes have seen


def memory_of(root: str) -> Path:
    """Where it is kept which files of a store were digested: with the user's caches, since to ask a
    store must not write into it."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "cardlog-files" / f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:32]}.json"


def _recall(root: str) -> dict[str, Stamp]:
    with _lock:
        if root not in _remembered:
            _remembered[root] = _read_memory(root)
        return _remembered[root]


def _read_memory(root: str) -> dict[str, Stamp]:
    try:
        found = json.loads(memory_of(root).read_bytes())
        return {str(path): (a, b, c, d) for path, (a, b, c, d) in found.items()}
    except (OSError, RuntimeError, ValueError, TypeError, AttributeError):
        return {}  # nothing is remembered, so everything is digested


def _remember(root: str, stamps: dict[str, Stamp]) -> None:
    with _lock:
        _remembered[root] = stamps
    try:
        path = memory_of(root)
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole.replaced(path) as draft:
            draft.write_text(json.dumps(stamps))
    except (OSError, RuntimeError):
        pass  # a home that can't be written, or none: the next process digests them again
