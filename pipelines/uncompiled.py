"""Small runs with the rules as plain Python: compiling those of a game takes up to twenty seconds on its
first use, and loading them about as long as a few hundred hands take without.

Only the standard library is imported here, since the choice must be made before numba is.
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
"""How often the text of a packed log is as large as its file."""
_DENSE: Final = 8
"""How many hands a row of a dump says in the space in which other formats say one."""


def run_uncompiled() -> None:
    """Have the rules run as plain Python, if they are not loaded yet and the environment does not say how.

    Compiled code counts in 64 bits where NumPy's numbers stay as small as they are stored. So one that
    becomes too large is an error, for `restart_compiled`.
    """
    if "numba" not in sys.modules and "NUMBA_DISABLE_JIT" not in os.environ:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        warnings.filterwarnings("error", "overflow encountered", RuntimeWarning)


def restart_compiled(error: BaseException) -> None:
    """Begin the program again, with compiled rules, if this is such an error; else do nothing."""
    if isinstance(error, RuntimeWarning) and "overflow" in str(error):
        os.execve(sys.executable, sys.orig_argv, os.environ | {"NUMBA_DISABLE_JIT": "0"})


def run_small_uncompiled(store: str, logs: Iterable[str] = (), beam_options: Sequence[str] = ()) -> None:
    """Have the rules run as plain Python if a store has few events, logs are short, and Beam has no part.

    logs
        Files, folders and globs. What is read from elsewhere, such as a pipe, may be of any length.
    """
    if not beam_options and all(path != "-" and "://" not in path for path in (store, *logs)):
        with suppress(OSError):  # whoever reads the file says so
            events = sum(file.stat().st_size for file in Path(store, "events").rglob("*.parquet"))
            if events <= MOST_BYTES and sum(map(_text_bytes, logs)) <= MOST_BYTES:
                run_uncompiled()


def _text_bytes(path: str) -> int:
    """Approximately how much text the logs at a path are, measured by the hands that it can hold."""
    size = 0
    for found in map(Path, glob(path, recursive=True) if has_magic(path) else [path]):  # noqa: PTH207
        for file in found.rglob("*") if found.is_dir() else [found]:
            factor = _PACKED if file.name.endswith(".gz") else 1
            size += file.stat().st_size * factor * (_DENSE if ".csv" in file.name else 1)
    return size
