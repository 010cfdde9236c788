"""What DuckDB may take of the machine: memory, and disk for what does not fit into it.

Shared by queries, exports and dbt, so that one setting means the same everywhere.
"""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardlog.schemas.errors import CardlogError

MEMORY_SHARE: Final = 4
"""One part in so many of the machine's memory is the default limit …"""
MOST_MEMORY: Final = 4 * 2**30
"""… but never more bytes than this."""
LEAST_MEMORY: Final = 64 * 2**20
"""With fewer bytes DuckDB can't run."""
SPILL_TIMES: Final = 4
"""As many times the memory limit may be written to disk …"""
FREE_SHARE: Final = 2
"""… but never more than one part in so many of what is free there."""

_UNITS: Final = {"k": 1, "m": 2, "g": 3, "t": 4}
_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(i?)b?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Limits:
    """What one query may take.

    memory
        In bytes; `default_memory` if None.
    seconds
        From its start to its last row; as long as it takes if None.
    """

    memory: int | None = None
    seconds: float | None = None


class LimitError(CardlogError):
    """A limit that can't be one; the text is for the user."""


def default_memory() -> int:
    """A quarter of the machine's memory, at most 4 GiB, in bytes."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(LEAST_MEMORY, min(MOST_MEMORY, machine // MEMORY_SHARE))


def bytes_of(size: str) -> int:
    """How many bytes a size as ``2GB``, ``512MiB`` or ``1.5G`` is. Raises LimitError.

    As in DuckDB, MB is a million bytes and MiB 1,048,576.
    """
    found = _SIZE.fullmatch(size)
    if found is None:
        raise LimitError(f"{size!r} is no size; write it as 2GB or 512MB")
    number, unit, binary = found.groups()
    most = int(float(number) * (1024 if binary else 1000) ** _UNITS[unit.lower()])
    if most < LEAST_MEMORY:
        raise LimitError(f"{size!r} is too little; DuckDB needs {shown(LEAST_MEMORY)}")
    return most


def shown(size: int) -> str:
    """A number of bytes for a person and for DuckDB, in whole MiB, or GiB if it comes out even."""
    return f"{size // 2**30}GiB" if size % 2**30 == 0 else f"{size // 2**20}MiB"


def spill_limit(memory: int, folder: Path | str) -> int:
    """How many bytes a query with that memory may write for a while to a folder's disk."""
    existing = Path(folder).absolute()
    while not existing.exists():
        existing = existing.parent
    return min(SPILL_TIMES * memory, shutil.disk_usage(existing).free // FREE_SHARE)


def duckdb_config(
    memory: int | None = None, threads: int | None = None, spill_to: Path | str | None = None
) -> dict[str, str]:
    """Settings of a DuckDB connection: memory, threads, and where to put what does not fit.

    memory
        In bytes; `default_memory` if left out.
    threads
        As many as there are cores if left out.
    spill_to
        A folder of its own, which DuckDB makes when it needs it and removes with its files; its
        parent must be there. Without one nothing is written: a query that needs more memory fails.
    """
    memory = default_memory() if memory is None else memory
    config = {"memory_limit": shown(memory), "temp_directory": "" if spill_to is None else str(spill_to)}
    if spill_to is not None:
        config["max_temp_directory_size"] = shown(spill_limit(memory, spill_to))
    if threads is not None:
        config["threads"] = str(threads)
    return config
