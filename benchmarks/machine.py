"""The machine that the measurements ran on."""

import os
import platform
from pathlib import Path
from typing import Any, Final

import duckdb
import numba
import numpy as np
import pyarrow as pa

BUSY: Final = 0.25
"""Share of the cores that others may use before times mean little."""


def describe() -> dict[str, Any]:
    """Cores, CPU, memory, versions, and how busy it is."""
    return {
        "cores": cores(),
        "cpu": _cpu_model(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
        "versions": {
            "pyarrow": pa.__version__,
            "numpy": np.__version__,
            "numba": numba.__version__,
            "duckdb": duckdb.__version__,
        },
        "load": load(),
    }


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load() -> float:
    """Processes that wanted a core in the last minute, on average."""
    return round(os.getloadavg()[0], 2)


def is_busy(before: float) -> bool:
    """Whether a load means that others use the machine too."""
    return before > BUSY * cores()


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
