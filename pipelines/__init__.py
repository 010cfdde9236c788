"""What moves data: readers, Beam transforms, the store, export and the command line."""

import logging
import os

# Arrow's allocator gives memory back to the system as soon as it is free, to take it again for the
# next row group; that costs a rebuild a twentieth of its time. It reads this when pyarrow is imported.
os.environ.setdefault("MIMALLOC_PURGE_DELAY", "-1")


def _is_wanted(record: logging.LogRecord) -> bool:
    """Not Beam's remark, at each import, that it can't use Google's cloud."""
    return not record.getMessage().startswith("apitools not found")


logging.getLogger().addFilter(_is_wanted)
