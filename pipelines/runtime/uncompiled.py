"""Small runs with the rules as plain Python: compiling the rules of a game takes up to twenty seconds on
first use, and loading them takes about as long as a few hundred hands without them.

Only the standard library is imported here, since the choice must be made before numba is imported.
"""

import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from glob import glob, has_magic
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 2**20
"""Bytes of logs, and of the events of a store, up to which a run is small."""
_PACKED: Final = 10
"""How many times larger the text of a compressed log is than its file."""
_DENSE: Final = 8
"""How many hands a dump has in the space that other formats need for one."""


def run_uncompiled() -> None:
    """Have the rules run as plain Python, unless they are loaded already or the environment says how to run.

    Compiled code computes in 64 bits, NumPy in the width in which a number is stored. So an overflow is made
    an error, for `restart_compiled`.
    """
    if "numba" not in sys.modules and "NUMBA_DISABLE_JIT" not in os.environ:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        warnings.filterwarnings("error", "overflow encountered", RuntimeWarning)


def restart_compiled(error: BaseException) -> None:
    """Restart the program with compiled rules if an error is an overflow; otherwise do nothing."""
    if isinstance(error, RuntimeWarning) and "overflow" in str(error):
        os.execve(sys.executable, sys.orig_argv, os.environ | {"NUMBA_DISABLE_JIT": "0"})


def run_small_uncompiled(store: str, logs: Iterable[str] = (), beam_options: Sequence[str] = ()) -> None:
    """Have the rules run as plain Python if a store has few events, logs are short, and Beam is not used.

    logs
        Files, folders and globs. Other sources, such as pipes, may have any length.
    """
    logs = [*logs]
    if not beam_options and all(path != "-" and "://" not in path for path in (store, *logs)):
        with suppress(OSError):  # reading the file will report it
            events = sum(file.stat().st_size for file in Path(store, "events").rglob("*.parquet"))
            if events <= MOST_BYTES and sum(map(_text_bytes, logs)) <= MOST_BYTES:
                run_uncompiled()


def _text_bytes(path: str) -> int:
    """The approximate size of the text of the logs at a path, weighted by the hands that it may have."""
    size = 0
    for match in map(Path, glob(path, recursive=True) if has_magic(path) else [path]):  # noqa: PTH207
        for file in match.rglob("*") if match.is_dir() else [match]:
            factor = _PACKED if file.name.endswith(".gz") else 1
            size += file.stat().st_size * factor * (_DENSE if ".csv" in file.name else 1)
    return size
