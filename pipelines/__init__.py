"""What moves data: readers, Beam transforms, the store, export and the command line."""

import logging


def _is_wanted(record: logging.LogRecord) -> bool:
    """Not Beam's remark, at each import, that it can't use Google's cloud."""
    return not record.getMessage().startswith("apitools not found")


logging.getLogger().addFilter(_is_wanted)
