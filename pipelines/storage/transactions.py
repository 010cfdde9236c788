"""All application transactions of a table at once. Delta's library looks them up one by one, which takes
seconds for two thousand ingests; so its last checkpoint is read for them, and the few entries after it.
"""

import json

import pyarrow.parquet as pq

from cardlog.pipelines.storage.remote import Folder


def transactions_at(log: Folder, version: int) -> dict[str, int]:
    """What the log of a table carries at a version, by application. Raises OSError, ValueError, KeyError or
    ArrowException if it is not as cardlog writes it."""
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
