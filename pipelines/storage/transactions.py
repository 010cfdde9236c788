"""All application transactions of a table at once. Delta's library looks them up one by one, which takes a
second for two thousand ingests; so its last checkpoint is read for them, and the few entries after it.
"""

import json
import re
from typing import Final

import pyarrow.fs
import pyarrow.parquet as pq

from cardlog.pipelines.storage.opening import entry_of

_CHECKPOINT: Final = re.compile(r"(\d{20})\.checkpoint\.parquet")


def transactions_at(files: pyarrow.fs.FileSystem, folder: str, version: int) -> dict[str, int]:
    """What the log of the table in a folder carries at a version, by application. Raises OSError, ValueError,
    KeyError or ArrowException if the log is not as cardlog writes it."""
    listed = files.get_file_info(pyarrow.fs.FileSelector(f"{folder}/_delta_log"))
    names = (_CHECKPOINT.fullmatch(info.base_name) for info in listed)
    last = max((int(name[1]) for name in names if name and int(name[1]) <= version), default=-1)
    found: dict[str, int] = {}
    if last >= 0:
        with files.open_input_file(f"{folder}/_delta_log/{last:020d}.checkpoint.parquet") as stream:
            rows = pq.ParquetFile(stream).read(["txn"]).column("txn").drop_null()
        found = {row["appId"]: row["version"] for row in rows.to_pylist()}
    for later in range(last + 1, version + 1):
        with files.open_input_stream(f"{folder}/{entry_of(later)}") as stream:
            actions = map(json.loads, stream.read().splitlines())
        found |= {action["txn"]["appId"]: action["txn"]["version"] for action in actions if "txn" in action}
    return found
