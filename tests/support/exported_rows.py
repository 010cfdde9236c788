"""A digest of the training rows in an exported folder, whatever their order and the files' encoding."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def digests(folder: Path) -> dict[str, list[int | str]]:
    """For each kind and split how many rows there are, and the sha256 of all they say."""
    found: dict[str, list[int | str]] = {}
    for kind in sorted(path for path in folder.iterdir() if path.is_dir()):
        for split in ("train", "validation", "test"):
            paths = sorted(kind.glob(f"{split}-*.parquet"))
            if paths:
                rows = pa.concat_tables([pq.read_table(path) for path in paths])
                rows = rows.sort_by([("hand_id", "ascending"), ("step", "ascending")])
                text = "\n".join(repr(sorted(row.items())) for row in rows.to_pylist())
                found[f"{kind.name}/{split}"] = [len(rows), hashlib.sha256(text.encode()).hexdigest()]
    return found
