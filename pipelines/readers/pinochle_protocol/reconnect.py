"""What a server of 2014 repeats to a client that reconnects in the middle of a hand.

A client that reconnects, or asks for the tables, is shown its table and then the state of the hand: the deal
and the request for a bid or for trump, or the cards on the table and the request for a card. None of that is
new, so these lines are ignored, except for the request, which the parser accepts again if it has no answer
yet."""

from typing import Any

from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.readers.pinochle_protocol.lines import Field, Kind


@compiled
def pass_over_repeats(lines: NDArray[Any]) -> None:
    """Turn repeated lines into blank ones: from the table to the line before the request. lines:
    `lines.LINE`, all of a section."""
    for table in range(1, len(lines)):
        if lines[table].kind != Kind.MENU or not lines[table].fields >> Field.MyTable & 1:
            continue
        request = table - 1
        while request > 0 and lines[request].kind in (Kind.BLANK, Kind.MENU):
            request -= 1
        again = table + 1
        while again < len(lines) and lines[again].kind in (Kind.BLANK, Kind.MENU, Kind.DEAL, Kind.SAY_PLAY):
            again += 1
        if again == len(lines) or lines[again].kind != lines[request].kind:
            continue
        if lines[request].kind in (Kind.ASK_BID, Kind.ASK_TRUMP):
            repeats = _repeats_deal(lines, request, table, again)
        else:
            repeats = lines[request].kind == Kind.ASK_PLAY and _repeats_trick(lines, request, table, again)
        for index in range(request + 1, again if repeats else 0):
            lines[index].kind = Kind.BLANK


@compiled
def _repeats_deal(lines: NDArray[Any], request: int, table: int, again: int) -> bool:
    """Whether the only line of the hand after a table is the deal before a request."""
    deal = request
    while deal >= 0 and lines[deal].kind != Kind.DEAL:
        deal -= 1
    count = 0
    for index in range(table + 1, again):
        line = lines[index]
        if line.kind == Kind.SAY_PLAY or (line.kind == Kind.DEAL and not _same_deal(lines, deal, index)):
            return False
        count += line.kind == Kind.DEAL
    return count == 1


@compiled
def _same_deal(lines: NDArray[Any], deal: int, other: int) -> bool:
    if deal < 0:
        return False
    one, two = lines[deal], lines[other]
    same = one.seat == two.seat and one.dealer == two.dealer and one.count == two.count
    for card in range(one.count):
        same &= one.cards[card] == two.cards[card]
    return bool(same)


@compiled
def _repeats_trick(lines: NDArray[Any], request: int, table: int, again: int) -> bool:
    """Whether the other seats' cards after a table are the last ones before a request."""
    before = request
    for index in range(again - 1, table, -1):
        if lines[index].kind == Kind.DEAL:
            return False
        if lines[index].kind != Kind.SAY_PLAY:
            continue
        before -= 1
        while before >= 0 and lines[before].kind not in (Kind.SAY_PLAY, Kind.DEAL):
            before -= 1
        if before < 0 or lines[before].kind == Kind.DEAL:
            return False
        if lines[before].seat != lines[index].seat or lines[before].card != lines[index].card:
            return False
    return True
