"""Open Delta tables: without the panics of Delta's library, and each version once."""

import json
import os
import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from cardlog.pipelines.storage.errors import StoreError
from cardlog.pipelines.storage.layout import check_table
from cardlog.pipelines.storage.remote import Folder

_ENTRY: Final = re.compile(r"\d{20}\.json")


def entry_of(version: int) -> str:
    """Where in a table's folder the entry of its log is that makes a version."""
    return f"_delta_log/{version:020d}.json"


def open_table(uri: str, version: int | None) -> DeltaTable:
    """A table as it is now or was at a version; not to be changed, since others may get the same one.

    Raises DeltaError also where the library panics, which no ``except Exception`` catches: at a damaged
    checkpoint. StoreError if it is not the right table.
    """
    at = _newest(uri) if version is None else version
    try:  # another entry may be in its place, as in a store that was restored
        entry = os.stat(f"{uri}/{entry_of(at)}")  # noqa: PTH116 - as quick as can be
    except OSError:  # behind a URI, where nothing is kept, or not there
        return _read(uri, version)
    return _opened(uri, at, (entry.st_ino, entry.st_mtime_ns, entry.st_size))


def _newest(uri: str) -> int:
    """The last version of a table in a folder; -1 if that can't be told, as behind a URI."""
    with suppress(OSError):
        names = os.listdir(f"{uri}/_delta_log")  # noqa: PTH208 - as quick as can be
        return max((int(name[:20]) for name in names if _ENTRY.fullmatch(name)), default=-1)
    return -1


@lru_cache(maxsize=64)
def _opened(uri: str, version: int, stamp: tuple[int, ...]) -> DeltaTable:
    return _read(uri, version)


def _read(uri: str, version: int | None) -> DeltaTable:
    try:
        table = DeltaTable(uri, version=version)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise DeltaError(f"its checkpoint is damaged; remove all checkpoints of its log: {error}") from error
    check_table(uri, uri.rpartition("/")[2], table)
    return table


def local_folder(root: str) -> str:
    """A store's folder as an absolute path, links resolved.

    Raises StoreError if Delta's own library would take it for another one: it takes percent signs before
    two hex digits for characters, and backslashes for slashes, and knows only names in UTF-8.
    """
    path = Path(root)
    with suppress(RuntimeError):  # no user of that name: a folder that begins with a tilde
        path = path.expanduser()
    found = str(path.resolve())
    bad = re.search(r"%[0-9A-Fa-f]{2}|[\\\x00-\x1f\x7f\ud800-\udfff]", found)
    if bad:
        raise StoreError(
            f"no store can be made at {found!r}: the library that writes the tables can't open a folder with "
            f"{bad[0]!r} in its path; choose another one"
        )
    return found


def transactions_at(log: Folder, version: int) -> dict[str, int]:
    """What the log of a table carries at a version, by application. Delta's library looks them up one by one,
    which takes seconds for two thousand ingests; so its last checkpoint is read for them, and the few entries
    after it. Raises OSError, ValueError, KeyError or ArrowException if it is not as cardlog writes it."""
    names = [name for name in log.files() if name.endswith(".checkpoint.parquet")]
    last = max((at for at in (int(name.split(".")[0]) for name in names) if at <= version), default=-1)
    found: dict[str, int] = {}
    if last >= 0:
        with log.open(f"{last:020d}.checkpoint.parquet") as stream:
            rows = pq.ParquetFile(stream).read(["txn"]).column("txn").drop_null()
        found = {row["appId"]: row["version"] for row in rows.to_pylist()}
    for later in range(last + 1, version + 1):
        with log.open(f"{later:020d}.json") as stream:
            actions = [json.loads(line) for line in stream.read().splitlines()]
        found |= {action["txn"]["appId"]: action["txn"]["version"] for action in actions if "txn" in action}
    return found
