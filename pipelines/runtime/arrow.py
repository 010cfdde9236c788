"""Arrow without pandas, which it loads for the first array that it makes: a fifth of a second."""

import sys
from contextlib import suppress
from typing import Any


def without_pandas() -> None:
    """Let Arrow take pandas for missing when it makes arrays in this process, so that a `NaT` or `NA` of
    pandas is no null to it; `to_pandas` still loads it."""
    import numpy as np
    import pyarrow as pa

    missing: dict[str, Any] = {"pandas": None, "pyarrow.pandas_compat": None}
    if sys.modules.keys().isdisjoint(missing):
        sys.modules.update(missing)
        with suppress(ImportError, AttributeError):  # it looks only once
            pa.array([])
        np.asarray(pa.array([0]))  # and once more for arrays of NumPy
        for name in missing:
            del sys.modules[name]
