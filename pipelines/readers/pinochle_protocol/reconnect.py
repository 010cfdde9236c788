"""What a server of 2014 says again to a client that comes back in the middle of a hand.

A client that connects anew, or asks for the tables, is shown its table and then told where the hand
stands: the deal and the request for a bid or for trump, or the cards of the trick that lie and the request
for a card. None of that is new, so the lines are passed over; the request that follows is one that comes
again without an answer, which `pinochle_talk` knows.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.readers.pinochle_protocol import lines as said

_REQUESTS: Final = (said.ASK_BID, said.ASK_TRUMP, said.ASK_PLAY)
_PLAYED: Final = ("seat", "card")
_DEALT: Final = ("seat", "dealer", "count", "cards")


def pass_over_again(lines: NDArray[np.void]) -> None:
    """Make what is said again, from the table that is shown to what comes before the request, blank.

    lines
        `said.LINE`, all lines of a section.
    """
    tables = np.flatnonzero(lines["fields"] >> said.MY_TABLE & 1)
    for table in tables.tolist():
        if lines["kind"][table] == said.MENU:
            begins, ends = _around(lines, table)
            if _is_said_again(lines, begins, table, ends):
                lines["kind"][begins + 1 : ends] = said.BLANK


def _around(lines: NDArray[np.void], table: int) -> tuple[int, int]:
    """The last line before a table that is not of the menu, and the first request after it."""
    kinds = lines["kind"]
    begins = table - 1
    while begins >= 0 and kinds[begins] in (said.BLANK, said.MENU):
        begins -= 1
    ends = table + 1
    while ends < len(lines) and kinds[ends] in (said.BLANK, said.MENU, said.DEAL, said.SAY_PLAY):
        ends += 1
    return begins, ends


def _is_said_again(lines: NDArray[np.void], begins: int, table: int, ends: int) -> bool:
    """Whether all that stands between a request and the next one has been said before."""
    kinds = lines["kind"]
    if begins < 0 or ends == len(lines) or kinds[begins] not in _REQUESTS or kinds[ends] != kinds[begins]:
        return False
    repeated = [place for place in range(table + 1, ends) if kinds[place] in (said.DEAL, said.SAY_PLAY)]
    if kinds[ends] != said.ASK_PLAY:
        deals = np.flatnonzero(kinds[:begins] == said.DEAL)
        return len(deals) > 0 and len(repeated) == 1 and _same(lines, int(deals[-1]), repeated[0], _DEALT)
    before: list[int] = []
    for place in range(begins - 1, -1, -1):
        if len(before) == len(repeated) or kinds[place] == said.DEAL:
            break
        if kinds[place] == said.SAY_PLAY:
            before.insert(0, place)
    return len(before) == len(repeated) and all(
        _same(lines, first, again, _PLAYED) for first, again in zip(before, repeated, strict=True)
    )


def _same(lines: NDArray[np.void], first: int, again: int, names: tuple[str, ...]) -> bool:
    return all(np.array_equal(lines[name][first], lines[name][again]) for name in ("kind", *names))
