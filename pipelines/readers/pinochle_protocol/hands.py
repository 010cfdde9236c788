"""The hands in the lines of Pinochle's protocol: where they begin and end, and what a server of 2014 repeats
to a client that reconnects."""

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
        The one before the first hand.
    """
    hands: list[Hand] = []
    inside = menu = False
    table: Line | None = None
    for index, line in enumerate(lines, first):
        kind = line.kind
        if kind == Kind.BLANK:
            continue
        if kind == Kind.MENU:
            inside, menu = False, True
            if "MyTable" in line.fields or "Option" in line.fields:
                table = line
            continue
        if kind == Kind.DEAL or not inside:
            if kind == Kind.NOTE:
                continue
            hands.append(Hand(match, 0, index, index - 1, is_hand=False, menu=menu, table=table))
            menu = False
        hand = hands[-1]
        hand.lines += lines[hand.last + 1 - first : index + 1 - first]
        hand.last = index
        inside = kind != Kind.SAY_SCORE
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
    said = [index for index, line in enumerate(lines) if line.kind not in (Kind.BLANK, Kind.MENU)]
    tables = [
        index for index, line in enumerate(lines) if line.kind == Kind.MENU and "MyTable" in line.fields
    ]
    for at in (bisect(said, table) for table in tables):
        shown = [*takewhile(_is_shown_again, (lines[index] for index in islice(said, at, None)))]
        if not 0 < at < len(said) - len(shown):
            continue
        asked, again = said[at - 1], said[at + len(shown)]
        deal = next((number for number in reversed(range(at)) if lines[said[number]].kind == Kind.DEAL), 0)
        hand = [*filter(_is_shown_again, (lines[index] for index in said[deal:at]))]
        is_play = lines[asked].kind == Kind.ASK_PLAY
        same = hand[max(1, len(hand) - len(shown)) :] if is_play else hand[:1]
        if lines[again].kind == lines[asked].kind in _REQUESTS and shown == same:
            lines[asked + 1 : again] = [BLANK_LINE] * (again - asked - 1)


def _is_shown_again(line: Line) -> bool:
    return line.kind in (Kind.DEAL, Kind.SAY_PLAY)
