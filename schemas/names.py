"""How a match is named: by the source's own name, and by where that name comes from; and a hand's own key.

Two servers may both have a match 7. To keep them apart, a digest of the format and the data set that their
logs are read as follows the name: ``7~3f9a2c1d4b5e6f70``.
"""

import hashlib
import re
from typing import Final

MADE_END: Final = "~[0-9a-f]{16}"
"""The end of a name that was made here, as a regular expression."""
_END_SIZE: Final = 17
EVENTS_FORMAT: Final = "cardlog-jsonl"
"""The format whose logs may hold names that were made here, having been exported."""


def match_suffix(format_name: str, dataset: str) -> str:
    """The end of the names of a format and data set's matches."""
    digest = hashlib.blake2b(f"{format_name}\0{dataset}".encode(), digest_size=8)
    return f"~{digest.hexdigest()}"


def match_id(own: str, format_name: str, dataset: str) -> str:
    """The name of a match that a source calls `own`.

    In our own format a name that was made here is kept, so that exported hands have the same names
    wherever they are ingested; as with `hand_id`.
    """
    if format_name == EVENTS_FORMAT and re.fullmatch(MADE_END, own[-_END_SIZE:]):
        return own
    return own + match_suffix(format_name, dataset)


def own_match(name: str) -> str:
    """What a source calls a match, of its own name or the one that was made of it."""
    return re.sub(f"{MADE_END}$", "", name)


def source_key(own_match: str | None, hand_no: int | None, number: int | None) -> str | None:
    """The key by which a source knows a hand to which it gives no name: the match and the hand's position in
    it, or the source's own number of the hand."""
    if own_match is not None and hand_no is not None:
        return f"{own_match}/{hand_no}"
    return None if number is None else str(number)
