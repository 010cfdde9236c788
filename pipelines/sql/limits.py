"""Limits of a query, and of DuckDB while dbt runs."""

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from cardlog.schemas.errors import CardlogError

MEMORY_VARIABLE: Final = "CARDLOG_MEMORY"
MORE_MEMORY: Final = f"; --memory or {MEMORY_VARIABLE}, such as 2GB, allows more"
"""The advice that ends a message about memory."""
_MAX_DEFAULT: Final = 4 * 2**30
MIN_MEMORY: Final = 64 * 2**20
"""DuckDB can't run with fewer bytes."""
MAX_MEMORY: Final = 2**50
MAX_SECONDS: Final = 10**6
"""More is no limit; the system's calls have room for it."""

_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(i?)b?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Limits:
    """Limits of one query.

    memory
        Bytes; if None, the limit in the environment, or `default_memory`.
    seconds
        Time from the start to the last row; unlimited if None or above `MAX_SECONDS`.
    """

    memory: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, memory: str | None, seconds: float | None) -> "Limits":
        """Limits with the memory as a size such as ``2GB``. Raises LimitError."""
        if seconds is not None and not seconds > 0:
            raise LimitError(f"the time limit is {seconds:g} s; it must be more than nothing")
        if seconds is not None and seconds > MAX_SECONDS:
            seconds = None
        return cls(None if memory is None else bytes_of(memory), seconds)

    def memory_or_default(self) -> int:
        """The memory limit in bytes. Raises LimitError."""
        return self.memory or memory_in(MEMORY_VARIABLE)


class LimitError(CardlogError):
    """An invalid limit; the text is for the user."""


def memory_in(variable: str, most: int = _MAX_DEFAULT) -> int:
    """The limit in bytes that an environment variable holds, or the default. Raises LimitError."""
    configured = os.environ.get(variable)
    return bytes_of(configured) if configured else default_memory(most)


def default_memory(most: int = _MAX_DEFAULT) -> int:
    """A quarter of the memory that this process may use, at most `most`, in bytes."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(MIN_MEMORY, min(most, min(machine, *cgroup_limits()) // 4))


def cgroup_limits(root: Path = Path("/")) -> list[int]:
    """The memory limits in bytes of this process's control groups and of those around them, version 1 and 2.

    In a container, the groups may be named as the host sees them; its own group is then the one at the top.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return [MAX_MEMORY]
    found = [MAX_MEMORY]
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        folder, name = ("memory", "memory.limit_in_bytes") if controllers else ("", "memory.max")
        path = PurePosixPath(group.lstrip("/"))
        for part in (path, *path.parents):
            try:
                found.append(int((root / "sys/fs/cgroup" / folder / part / name).read_text()))
            except (OSError, ValueError):  # no such group here, or no limit: "max"
                continue
    return found


def bytes_of(size: str) -> int:
    """The number of bytes of a size such as ``2GB``, ``512MiB`` or ``1.5G``. Raises LimitError.

    As in DuckDB, MB is a million bytes and MiB 1,048,576.
    """
    match = _SIZE.fullmatch(size)
    if match is None:
        raise LimitError(f"the memory limit {size!r} is not a size; write it as 2GB or 512MB")
    number, unit, binary = match.groups()
    count = int(float(number) * (1024 if binary else 1000) ** ("kmgt".index(unit.lower()) + 1))
    if count < MIN_MEMORY:
        raise LimitError(f"the memory limit {size!r} is too small; DuckDB needs {shown(MIN_MEMORY)}")
    if count > MAX_MEMORY:
        raise LimitError(f"the memory limit {size!r} is too large; at most {shown(MAX_MEMORY)}")
    return count


def shown(size: int) -> str:
    """A size for people and for DuckDB, in whole GiB if possible, otherwise in MiB."""
    return f"{size // 2**30}GiB" if size % 2**30 == 0 else f"{size // 2**20}MiB"
