"""Arrow without pandas, which it loads for the first array that it makes: a fifth of a second."""

import sys
from contextlib import suppress
from typing import Any


def without_pandas() -> None:
    """Let Arrow take pandas for missing when it makes arrays in this process; `to_pandas` still loads it."""
    import pyarrow as pa

    missing: dict[str, Any] = {"pandas": None, "pyarrow.pandas_compat": None}
    if sys.modules.keys().isdisjoint(missing):
        sys.modules.update(missing)
        with suppress(ImportError, AttributeError):  # it looks only once
            pa.array([])
        for name in missing:
            del sys.modules[name]
