"""Limits for DuckDB: memory, and disk for what does not fit into it.

Shared by queries, exports and dbt, so that one setting means the same everywhere.
"""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardlog.schemas.errors import CardlogError

MEMORY_VARIABLE: Final = "CARDLOG_MEMORY"
MORE: Final = f"; --memory or {MEMORY_VARIABLE}, as 2GB, allows more"
"""The advice that ends a message about memory."""
MEMORY_SHARE: Final = 4
MOST_MEMORY: Final = 4 * 2**30
"""The default limit is 1/4 of the machine's memory, but at most this many bytes."""
LEAST_MEMORY: Final = 64 * 2**20
"""DuckDB can't run with fewer bytes."""
SPILL_TIMES: Final = 4
FREE_SHARE: Final = 2
"""Up to 4 times the memory limit may be written to disk, but at most 1/2 of the free space."""

_UNITS: Final = {"k": 1, "m": 2, "g": 3, "t": 4}
_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(i?)b?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Limits:
    """Limits of one query.

    memory
        In bytes; if None, that of the environment, or `default_memory`.
    seconds
        From its start to its last row; unlimited if None.
    """

    memory: int | None = None
    seconds: float | None = None

    def memory_or_default(self) -> int:
        """The memory limit in bytes: requested, from the environment, or default. Raises LimitError."""
        if self.memory is not None:
            return self.memory
        configured = os.environ.get(MEMORY_VARIABLE)
        return bytes_of(configured) if configured else default_memory()


class LimitError(CardlogError):
    """An invalid limit; the text is for the user."""


def default_memory() -> int:
    """A quarter of the machine's memory, at most 4 GiB, in bytes."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(LEAST_MEMORY, min(MOST_MEMORY, machine // MEMORY_SHARE))


def bytes_of(size: str) -> int:
    """The number of bytes of a size such as ``2GB``, ``512MiB`` or ``1.5G``. Raises LimitError.

    As in DuckDB, MB is a million bytes and MiB 1,048,576.
    """
    found = _SIZE.fullmatch(size)
    if found is None:
        raise LimitError(f"{size!r} is not a size; write it as 2GB or 512MB")
    number, unit, binary = found.groups()
    most = int(float(number) * (1024 if binary else 1000) ** _UNITS[unit.lower()])
    if most < LEAST_MEMORY:
        raise LimitError(f"{size!r} is too small; DuckDB needs {shown(LEAST_MEMORY)}")
    return most


def shown(size: int) -> str:
    """A size for people and for DuckDB, in whole GiB if possible, otherwise in MiB."""
    return f"{size // 2**30}GiB" if size % 2**30 == 0 else f"{size // 2**20}MiB"


def spill_limit(memory: int, folder: Path | str) -> int:
    """How many temporary bytes a query with that memory limit may write to a folder's disk."""
    absolute = Path(folder).absolute()
    existing = next(path for path in (absolute, *absolute.parents) if path.exists())
    return min(SPILL_TIMES * memory, shutil.disk_usage(existing).free // FREE_SHARE)


def duckdb_config(memory: int, spill_to: Path | str | None = None) -> dict[str, str]:
    """Settings of a DuckDB connection: its memory in bytes, and where to spill.

    spill_to
        A folder of its own, which DuckDB makes when needed and removes with its files; its parent must
        exist. If None, nothing is written and a query that needs more memory fails.
    """
    if spill_to is None:
        return {"memory_limit": shown(memory), "temp_directory": ""}
    most = shown(spill_limit(memory, spill_to))
    return {
        "memory_limit": shown(memory),
        "temp_directory": str(spill_to),
        "max_temp_directory_size": most,
    }
