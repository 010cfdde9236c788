"""The hands in the lines of Pinochle's protocol: where they begin and end, and the lines that a server of
2014 repeats for a client that reconnects."""

from bisect import bisect
from itertools import islice, takewhile
from typing import Final

from cardlog.pipelines.readers.pinochle_protocol.lines import BLANK_LINE, Kind, Line
from cardlog.pipelines.readers.pinochle_protocol.parser import Hand, Match

_REQUESTS: Final = (Kind.ASK_BID, Kind.ASK_TRUMP, Kind.ASK_PLAY)


def find(lines: list[Line], first: int, match: Match) -> list[Hand]:
    """The hands in a section's lines, not parsed yet.

    first
        Index of the first line in the text.
    match
        The match before the first hand.
    """
    hands: list[Hand] = []
    is_in_hand = menu = False
    table: Line | None = None
    for index, line in enumerate(lines, first):
        kind = line.kind
        if kind == Kind.BLANK:
            continue
        if kind == Kind.MENU:
            is_in_hand, menu = False, True
            if "MyTable" in line.fields or "Option" in line.fields:
                table = line
            continue
        if kind == Kind.DEAL or not is_in_hand:
            if kind == Kind.NOTE:
                continue
            hands.append(Hand(match, 0, index, index - 1, is_hand=False, menu=menu, table=table))
            menu = False
        hand = hands[-1]
        hand.lines += lines[hand.last + 1 - first : index + 1 - first]
        hand.last = index
        is_in_hand = kind != Kind.SAY_SCORE
    if is_in_hand:
        hands[-1].cut = True
    return hands


# ---------------------------------------------------------------- a client that reconnects


def blank_repeats(lines: list[Line]) -> None:
    """Replace repeated lines by blank ones.

    A client that reconnects, or asks for the tables, is shown its table and then the state of the hand: the
    deal and the request for a bid or for trump, or the cards on the table and the request for a card. None of
    that is new, from the table to the line before the request; the parser accepts the request again.
    """
    played = [index for index, line in enumerate(lines) if line.kind not in (Kind.BLANK, Kind.MENU)]
    tables = [
        index for index, line in enumerate(lines) if line.kind == Kind.MENU and "MyTable" in line.fields
    ]
    for start in (bisect(played, table) for table in tables):
        shown = [*takewhile(_may_be_repeated, (lines[index] for index in islice(played, start, None)))]
        if not 0 < start < len(played) - len(shown):
            continue
        request, repeated = played[start - 1], played[start + len(shown)]
        deals = (number for number in reversed(range(start)) if lines[played[number]].kind == Kind.DEAL)
        hand = [*filter(_may_be_repeated, (lines[index] for index in played[next(deals, 0) : start]))]
        is_play = lines[request].kind == Kind.ASK_PLAY
        expected = hand[max(1, len(hand) - len(shown)) :] if is_play else hand[:1]
        if lines[repeated].kind == lines[request].kind in _REQUESTS and shown == expected:
            lines[request + 1 : repeated] = [BLANK_LINE] * (repeated - request - 1)


def _may_be_repeated(line: Line) -> bool:
    return line.kind in (Kind.DEAL, Kind.SAY_PLAY)
