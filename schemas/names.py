"""How a match is named: by the source's own name of it, and by where that name was given.

Two servers may both have a match 7. What keeps them apart is the format and the data set their logs
are read as, of which a digest stands behind the name: ``7~3f9a2c1d4b5e6f70``.
"""

import hashlib
import re
from typing import Final

MADE_END: Final = "~[0-9a-f]{16}"
"""How a name ends that was made here, as a regular expression."""
_END_SIZE: Final = 17
EVENTS_FORMAT: Final = "cardlog-jsonl"
"""The format whose logs may hold names that were made here: those that were exported."""


def match_suffix(format_name: str, dataset: str) -> str:
    """What stands behind the names of the matches of a format and data set."""
    digest = hashlib.blake2b(f"{format_name}\0{dataset}".encode(), digest_size=8)
    return f"~{digest.hexdigest()}"


def match_id(own: str, format_name: str, dataset: str) -> str:
    """The name of a match that a source calls `own`.

    In our own format a name that was made here stays as it is, so that what was exported has the same
    names wherever it is ingested; as with `hand_id`.
    """
    if format_name == EVENTS_FORMAT and re.fullmatch(MADE_END, own[-_END_SIZE:]):
        return own
    return own + match_suffix(format_name, dataset)
