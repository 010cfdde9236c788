"""Finds where hands begin and end in the lines of Pinochle's protocol, and what a server of 2014 repeats to a
client that reconnects.

A hand runs from its deal to its score. Lines outside of any hand that can't be ignored are found like hands,
since they may be the rest of one.
"""

from cardlog.pipelines.readers.pinochle_protocol.lines import (
    ASK_BID,
    ASK_PLAY,
    ASK_TRUMP,
    BLANK,
    BLANK_LINE,
    DEAL,
    MENU,
    NOTE,
    SAY_PLAY,
    SAY_SCORE,
    Line,
)
from cardlog.pipelines.readers.pinochle_protocol.match import Hand


def find(lines: list[Line], first: int = 0) -> list[Hand]:
    """The hands in a section's lines, with nothing but their lines filled in.

    first
        Index of the first line in the text.
    """
    hands: list[Hand] = []
    inside = menu = False
    table = None
    for index, line in enumerate(lines, first):
        kind = line.kind
        if kind == BLANK:
            continue
        if kind == MENU:
            inside, menu = False, True
            if "MyTable" in line.fields or "Option" in line.fields:
                table = index
            continue
        if kind == DEAL or not inside:
            if kind == NOTE:
                continue
            hands.append(Hand(None, 0, index, index, is_hand=False, menu=menu, table=table))
            menu = False
        hands[-1].last = index
        inside = kind != SAY_SCORE
    if inside:
        hands[-1].cut = True
    return hands


# ---------------------------------------------------------------- a client that reconnects


def pass_over_repeats(lines: list[Line]) -> None:
    """Replace repeated lines by blank ones.

    A client that reconnects, or asks for the tables, is shown its table and then the state of the hand: the
    deal and the request for a bid or for trump, or the cards on the table and the request for a card. None of
    that is new, from the table to the line before the request; the parser accepts the request again.
    """
    for table in range(1, len(lines)):
        if lines[table].kind != MENU or "MyTable" not in lines[table].fields:
            continue
        request = table - 1
        while request > 0 and lines[request].kind in (BLANK, MENU):
            request -= 1
        again = table + 1
        while again < len(lines) and lines[again].kind in (BLANK, MENU, DEAL, SAY_PLAY):
            again += 1
        if again < len(lines) and lines[again].kind == lines[request].kind:
            shown = [line for line in lines[table + 1 : again] if line.kind in (DEAL, SAY_PLAY)]
            if _repeats(lines, request, shown):
                lines[request + 1 : again] = [BLANK_LINE] * (again - request - 1)


def _repeats(lines: list[Line], request: int, shown: list[Line]) -> bool:
    """Whether what is shown after a table repeats what came before a request: the deal, or the last cards of
    other seats."""
    deal = request
    while deal >= 0 and lines[deal].kind != DEAL:
        deal -= 1
    if lines[request].kind in (ASK_BID, ASK_TRUMP):
        return deal >= 0 and shown == [lines[deal]]
    plays = [line for line in lines[deal + 1 : request] if line.kind == SAY_PLAY]
    return lines[request].kind == ASK_PLAY and shown == plays[max(len(plays) - len(shown), 0) :]
