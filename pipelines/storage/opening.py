"""Open Delta tables: each version once, and with exceptions instead of the panics of Delta's library."""

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
    """The path, in a table's folder, of the log entry that makes a version."""
    return f"_delta_log/{version:020d}.json"


def open_table(uri: str, version: int | None) -> DeltaTable:
    """A table as it is now or was at a version; not to be changed, since it is cached.

    Raises DeltaError also where the library panics, at a damaged checkpoint, which no ``except Exception``
    would catch; StoreError if it is not the right table.
    """
    number = _newest(uri) if version is None else version
    stamp = stamp_of(uri, number)
    return _opened(uri, number, stamp) if stamp else _read(uri, version)


def stamp_of(uri: str, version: int) -> tuple[int, ...] | None:
    """What tells a table's version from one of the same number, as in a store that was restored or made anew;
    None if its log entry is missing, or at a URI."""
    try:
        entry = os.stat(f"{uri}/{entry_of(version)}")  # noqa: PTH116 - faster than pathlib
    except OSError:
        return None
    return entry.st_ino, entry.st_mtime_ns, entry.st_size


def _newest(uri: str) -> int:
    """The last version of a table in a folder; -1 if there is none, as at a URI."""
    with suppress(OSError):
        names = os.listdir(f"{uri}/_delta_log")  # noqa: PTH208 - faster than pathlib
        return max((int(name[:20]) for name in names if _ENTRY.fullmatch(name)), default=-1)
    return -1


@lru_cache(maxsize=64)
def _opened(uri: str, version: int, stamp: tuple[int, ...]) -> DeltaTable:
    return _read(uri, version)


def forget_opened() -> None:
    """Open every table anew: the cache knows damage to its last log entry, but not to older ones."""
    _opened.cache_clear()


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

    Raises StoreError if Delta's library would open another one: it decodes percent signs before two hex
    digits, reads backslashes as slashes, and supports only names in UTF-8.
    """
    path = Path(root)
    with suppress(RuntimeError):  # there is no such user, so it is a folder that begins with a tilde
        path = path.expanduser()
    folder = str(path.resolve())
    bad = re.search(r"%[0-9A-Fa-f]{2}|[\\\x00-\x1f\x7f\ud800-\udfff]", folder)
    if bad:
        raise StoreError(
            f"no store can be made at {folder!r}: the library that writes the tables can't open a folder "
            f"with {bad[0]!r} in its path; choose another one"
        )
    return folder


def transactions_at(log: Folder, version: int) -> dict[str, int]:
    """All transactions in a table's log at a version, by application. Delta's library looks them up one by
    one, which takes seconds for two thousand ingests; so they are read from the last checkpoint and the few
    entries after it. Raises OSError, ValueError, KeyError or ArrowException if another program wrote them."""
    suffix = ".checkpoint.parquet"
    checkpoints = [int(name.removesuffix(suffix)) for name in log.files() if name.endswith(suffix)]
    last = max((number for number in checkpoints if number <= version), default=-1)
    transactions = []
    if last >= 0:
        with log.open(f"{last:020d}{suffix}") as stream:
            transactions = pq.ParquetFile(stream).read(["txn"]).column("txn").drop_null().to_pylist()
    for number in range(last + 1, version + 1):
        with log.open(f"{number:020d}.json") as stream:
            actions = map(json.loads, stream.read().splitlines())
            transactions += [action["txn"] for action in actions if "txn" in action]
    return {transaction["appId"]: transaction["version"] for transaction in transactions}
