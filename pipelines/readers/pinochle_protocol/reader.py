"""Pinochle's protocol: the JSON messages between a client at seat 0 and its server.

`messages` parses the lines, and `parser` turns those of a hand into events. Here hands begin and end, and get
their openings and contexts.
docs/formats/pinochle-protocol.md describes the format and its two dialects."""

from bisect import bisect
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final

from cardlog.models.engine.trick import SEATS
from cardlog.models.pinochle import state
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.pinochle_protocol.messages import (
    BLANK_LINE,
    TO_CLIENT,
    TO_SERVER,
    Kind,
    Line,
    parse_line,
)
from cardlog.pipelines.readers.pinochle_protocol.parser import Hand, Match
from cardlog.pipelines.readers.transcript import SPLIT_AT, Section, Text, is_mark, read_of_hands

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SPLIT_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "pinochle-protocol"
GAMES: Final = (state.GAME,)
LINE_PER_HAND: Final = False
SUMMARY: Final = "Pinochle's JSON protocol as a client sees it, of 2013 and of 2014"

_ARROWS: Final = (TO_CLIENT + b"{", TO_SERVER + b"{")
_KINDS_AT_OPTION: Final[dict[int, tuple[str, ...]]] = {
    1: ("computer", "computer", "computer"),
    2: ("computer", "human", "computer"),
    4: ("human", "human", "human"),
}
"""The kinds of players at seats 1 to 3, by the client's choice in the menu; other choices leave them open."""
_COMPUTER: Final = "AI"
"""The name of a computer player."""


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    lines = [line for line in head.splitlines()[:3] if line.strip() and not is_mark(line)]
    return bool(lines) and all(line.startswith(_ARROWS) and b'"Type"' in line for line in lines[:1])


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text, whose last line may be incomplete."""
    lines = Text(text, first_line, source.context)
    hands = (hand for part in lines.sections for hand in _hands(lines, part, source))
    return [read_of_hands(state.GAME, FORMAT, source, lines, hands)]


def _hands(text: Text, part: Section, source: Source) -> Iterator[Hand]:
    """The hands in a section of a text."""
    lines = [*map(parse_line, text.lines[part.first : part.stop])]
    is_at_end = part.stop == len(text)
    is_open = is_at_end and bool(lines) and not text.text.endswith(b"\n")
    if is_open and lines[-1].kind == Kind.BAD and json_lines.is_torn(text.lines[-1][len(TO_CLIENT) :]):
        lines[-1] = BLANK_LINE
    _blank_repeats(lines)
    match = _match_of(part)
    hands = _find(lines, part.first, match)
    for hand in hands:
        hand.match = match
        hand.parse()
        match = hand.match
        hand.cut = hand.cut and is_at_end and not part.context.get("ended")
        players = part.context.get("players") or _players_at(hand.table)
        if hand.is_hand:
            known = {"score": None, "hands_played": None, "players": players, **hand.before}
            known["ended"] = source.final or not hand.cut
            hand.context = {"settings": part.settings, "dealer": hand.dealer, **known}
        if not hand.fault:
            hand.events[0].detail = state.opening(hand.dialect, hand.dealer, players, hand.before or None)
    if part.match_id:
        for number, match in enumerate(dict.fromkeys(hand.match for hand in hands)):
            match.name = part.match_id if part.context else f"{part.match_id}/{number}"
    yield from hands


def _players_at(line: Line | None) -> list[dict[str, str]]:
    """The players, by the line with the table or the choice in the menu. The client is a person."""
    fields = line.fields if line else {}
    names = fields.get("MyTable", {}).get("Players")
    if isinstance(names, list) and len(names) == SEATS and all(isinstance(name, str) for name in names):
        return [
            {"kind": "computer"} if name == _COMPUTER else {"kind": "human", "name": name} if name else {}
            for name in names
        ]
    others = _KINDS_AT_OPTION.get(fields.get("Option", 0), ())
    return [{"kind": "human"}, *([{"kind": kind} for kind in others] or [{}, {}, {}])]


def _match_of(part: Section) -> Match:
    """The match before the first hand, of which something is known only if a hand is read by itself."""
    context = part.context
    if not context:
        return Match(begins=part.begins)
    known = {name: context[name] for name in ("score", "hands_played") if context[name] is not None}
    known |= {"trump": context["trump"]} if "trump" in context else {}
    return Match(hands=context["hand_no"], before=known, next_dealer=context["dealer"])


# ---------------------------------------------------------------- where hands begin and end


def _find(lines: list[Line], first: int, match: Match) -> list[Hand]:
    """The hands in a section's lines, not parsed yet; the index of the first line in the text, and the match
    before the first hand."""
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

_REQUESTS: Final = (Kind.ASK_BID, Kind.ASK_TRUMP, Kind.ASK_PLAY)


def _blank_repeats(lines: list[Line]) -> None:
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
