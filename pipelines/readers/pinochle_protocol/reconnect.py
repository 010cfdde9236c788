"""What a server of 2014 says again to a client that comes back in the middle of a hand.

A client that connects anew, or asks for the tables, is shown its table and then told where the hand
stands: the deal and the request for a bid or for trump, or the cards on the table and the request for a
card. None of that is new, so the lines are passed over; the request that follows is one that comes again
without an answer, which the parser knows.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.readers.pinochle_protocol.lines import Field, Kind

_REQUESTS: Final = (Kind.ASK_BID, Kind.ASK_TRUMP, Kind.ASK_PLAY)
_OF_A_CARD: Final = ("kind", "seat", "card")
_OF_A_DEAL: Final = ("kind", "seat", "dealer", "count", "cards")


def pass_over_repeats(lines: NDArray[np.void]) -> None:
    """Make lines that repeat what was said blank: from the table that is shown to the one before the
    request. lines: `lines.LINE`, all of a section."""
    for table in np.flatnonzero(lines["fields"] >> Field.MyTable & 1).tolist():
        if lines["kind"][table] == Kind.MENU:
            request, request_again = _around(lines, table)
            if _is_repeated(lines, request, table, request_again):
                lines["kind"][request + 1 : request_again] = Kind.BLANK


def _around(lines: NDArray[np.void], table: int) -> tuple[int, int]:
    """The last line before a table that is not of the menu, and the first after it that a server does
    not repeat."""
    kinds = lines["kind"]
    first = table - 1
    while first >= 0 and kinds[first] in (Kind.BLANK, Kind.MENU):
        first -= 1
    last = table + 1
    while last < len(lines) and kinds[last] in (Kind.BLANK, Kind.MENU, Kind.DEAL, Kind.SAY_PLAY):
        last += 1
    return first, last


def _is_repeated(lines: NDArray[np.void], request: int, table: int, request_again: int) -> bool:
    """Whether two lines are the same request, and all between them has been said before."""
    kinds = lines["kind"]
    if request < 0 or request_again == len(lines):
        return False
    if kinds[request] not in _REQUESTS or kinds[request_again] != kinds[request]:
        return False
    again = [index for index in range(table + 1, request_again) if kinds[index] in (Kind.DEAL, Kind.SAY_PLAY)]
    if kinds[request] != Kind.ASK_PLAY:
        deals = np.flatnonzero(kinds[:request] == Kind.DEAL)
        return len(deals) > 0 and len(again) == 1 and _same(lines, int(deals[-1]), again[0], _OF_A_DEAL)
    before: list[int] = []
    for index in range(request - 1, -1, -1):
        if len(before) == len(again) or kinds[index] == Kind.DEAL:
            break
        if kinds[index] == Kind.SAY_PLAY:
            before.insert(0, index)
    pairs = zip(before, again, strict=False)
    return len(before) == len(again) and all(_same(lines, one, other, _OF_A_CARD) for one, other in pairs)


def _same(lines: NDArray[np.void], one: int, other: int, names: tuple[str, ...]) -> bool:
    return all(np.array_equal(lines[name][one], lines[name][other]) for name in names)
