"""Limits for DuckDB: memory, and disk for what does not fit into it.

Shared by queries, exports and dbt, so that one setting means the same everywhere.
"""

import os
import re
import resource
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardlog.schemas.errors import CardlogError

MEMORY_VARIABLE: Final = "CARDLOG_MEMORY"
MORE: Final = f"; --memory or {MEMORY_VARIABLE}, as 2GB, allows more"
"""The advice that ends a message about memory."""
MEMORY_SHARE: Final = 4
"""The default limit is 1/4 of the machine's memory …"""
MOST_MEMORY: Final = 4 * 2**30
"""… but at most this many bytes."""
LEAST_MEMORY: Final = 64 * 2**20
"""DuckDB can't run with fewer bytes."""
SPILL_TIMES: Final = 4
"""Up to this multiple of the memory limit may be written to disk …"""
FREE_SHARE: Final = 2
"""… but at most 1/2 of the free space."""

UNCOUNTED: Final = 384 * 2**20
"""What a process needs beside the memory that DuckDB counts: its heap's fragments, rows of Arrow …"""
UNCOUNTED_A_CORE: Final = 128 * 2**20
"""… and for each thread a stack and a heap of its own."""

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


def limit_process(memory: int) -> None:
    """Have the system give this process no more than it has, the memory limit of a query and a quarter of it,
    and what is uncounted. DuckDB then reports a lack of memory, or the process dies.

    The limit is of what a process can write (RLIMIT_DATA). One of its address space (RLIMIT_AS) would count
    gigabytes that are only reserved. Without /proc, as on macOS, there is none.
    """
    sizes = Path("/proc/self/statm")
    if sizes.exists():
        used = int(sizes.read_text().split()[5]) * os.sysconf("SC_PAGE_SIZE")
        most = used + memory + memory // 4 + UNCOUNTED + UNCOUNTED_A_CORE * (os.cpu_count() or 1)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def spill_limit(memory: int, folder: Path | str) -> int:
    """How many temporary bytes a query with that memory limit may write to a folder's disk."""
    existing = Path(folder).absolute()
    while not existing.exists():
        existing = existing.parent
    return min(SPILL_TIMES * memory, shutil.disk_usage(existing).free // FREE_SHARE)


def duckdb_config(
    memory: int | None = None, threads: int | None = None, spill_to: Path | str | None = None
) -> dict[str, str]:
    """Settings of a DuckDB connection: memory, threads, and where to spill.

    memory
        In bytes (default: `default_memory`).
    threads
        Default: one per core.
    spill_to
        A folder of its own, which DuckDB makes when needed and removes with its files; its parent must
        exist. If None, nothing is written and a query that needs more memory fails.
    """
    memory = default_memory() if memory is None else memory
    config = {"memory_limit": shown(memory), "temp_directory": "" if spill_to is None else str(spill_to)}
    if spill_to is not None:
        config["max_temp_directory_size"] = shown(spill_limit(memory, spill_to))
    if threads is not None:
        config["threads"] = str(threads)
    return config
