"""Everything that moves data: readers, Beam transforms, the store, export and the command line."""

import logging
import os

# By default Arrow's allocator returns freed memory to the system at once and allocates it again for the next
# row group, which makes a rebuild 5 % slower. It reads this variable when pyarrow is imported.
os.environ.setdefault("MIMALLOC_PURGE_DELAY", "-1")


def _is_wanted(record: logging.LogRecord) -> bool:
    """False for Beam's warning, at every import, that it can't use Google Cloud."""
    return not record.getMessage().startswith("apitools not found")


logging.getLogger().addFilter(_is_wanted)
