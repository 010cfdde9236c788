"""Names of matches, unique across sources, and the keys by which sources know their hands.

Two servers may both have a match 7. To keep them apart, the source's name is followed by a digest of the
format and the data set that its logs are read as: ``7~3f9a2c1d4b5e6f70``.
"""

import hashlib
import re
from typing import Final

_SUFFIX: Final = re.compile(r"~[0-9a-f]{16}\Z")
"""What `match_suffix` returns, at the end of a name."""
EVENTS_FORMAT: Final = "cardlog-jsonl"
"""Our own format, whose logs may have names with a suffix, since they were exported from a store."""


def match_suffix(format_name: str, dataset: str) -> str:
    """The end of the names of all matches of a format and data set."""
    digest = hashlib.blake2b(f"{format_name}\0{dataset}".encode(), digest_size=8)
    return f"~{digest.hexdigest()}"


def match_id(own: str, format_name: str, dataset: str) -> str:
    """The name of a match that a source calls `own`.

    In our own format a name with a suffix is kept, so that exported hands have the same names
    wherever they are ingested, as they have the same `hand_id`.
    """
    if format_name == EVENTS_FORMAT and _SUFFIX.search(own):
        return own
    return own + match_suffix(format_name, dataset)


def own_match(name: str) -> str:
    """What the source calls a match, from its name with or without a suffix."""
    return _SUFFIX.sub("", name)


def source_key(own_match: str | None, hand_no: int | None, number: int | None) -> str | None:
    """The key by which a source knows a hand to which it gives no name: the match and the hand's position in
    it, or the source's own number of the hand."""
    if own_match is not None and hand_no is not None:
        return f"{own_match}/{hand_no}"
    return None if number is None else str(number)
