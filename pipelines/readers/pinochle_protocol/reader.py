"""Pinochle's protocol: the JSON messages between a client at seat 0 and its server.

`lines` parses the lines, `hands` finds where hands begin and end, and `parser` turns them into events. Here
hands get their ids and openings, or a message on what is wrong.
docs/formats/pinochle-protocol.md describes the format and its two dialects."""

import json
from collections.abc import Iterator
from typing import Any, Final

from cardlog.models.pinochle import rules
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.pinochle_protocol.hands import Hand, Match, find, pass_over_repeats
from cardlog.pipelines.readers.pinochle_protocol.lines import (
    BLANK_LINE,
    TO_CLIENT,
    TO_SERVER,
    Kind,
    Line,
    parse_line,
)
from cardlog.pipelines.readers.pinochle_protocol.parser import parse
from cardlog.pipelines.readers.transcript import SPLIT_AT, Section, Text, is_mark, read_of_hands
from cardlog.schemas import cards
from cardlog.schemas.events import Action

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SPLIT_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "pinochle-protocol"
GAMES: Final = (rules.GAME,)
LINE_PER_HAND: Final = False
SUMMARY: Final = "Pinochle's JSON protocol as a client sees it, of 2013 and of 2014"

_ARROWS: Final = (TO_CLIENT + b"{", TO_SERVER + b"{")
_KINDS_AT_OPTION: Final[dict[int, tuple[str, ...]]] = {
    1: ("computer", "computer", "computer"),
    2: ("computer", "human", "computer"),
    4: ("human", "human", "human"),
}
"""The kinds of players at seats 1 to 3, by the client's choice in the menu. Other choices don't determine
them."""
_COMPUTER: Final = "AI"
"""The name of a computer player."""


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    lines = [line for line in head.splitlines()[:3] if line.strip() and not is_mark(line)]
    return bool(lines) and all(line.startswith(_ARROWS) and b'"Type"' in line for line in lines[:1])


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text.

    text
        Lines of the file, from line `first_line` on; the last one may be incomplete.
    """
    lines = _Lines(text, first_line, source.context)
    hands = (hand for part in lines.sections for hand in _hands(lines, part, source))
    return [read_of_hands(rules.GAME, FORMAT, source, lines, hands)]


class _Lines(Text):
    """The lines of a text, and what they say, as far as they have been parsed."""

    def __init__(self, text: bytes, first_line: int, context: str) -> None:
        super().__init__(text, first_line, context)
        self.said = [BLANK_LINE] * len(self.lines)

    def message(self, index: int, what: str) -> str:
        """A sentence on a line."""
        return f"Line {self.first_line + index}: {what}."

    def raw(self, first: int, last: int) -> bytes:
        """The text of some lines, without the last one's end."""
        return super().raw(first, last).removesuffix(b"\n").removesuffix(b"\r")


def _hands(text: _Lines, part: Section, source: Source) -> Iterator[Hand]:
    """The hands in a section of a text."""
    first, stop = part.first, part.stop
    said = [*map(parse_line, text.lines[first:stop])]
    is_at_end = stop == len(text)
    is_open = is_at_end and bool(said) and not text.text.endswith(b"\n")
    if is_open and said[-1].kind == Kind.BAD and json_lines.is_torn(text.lines[-1][len(TO_CLIENT) :]):
        said[-1] = BLANK_LINE
    pass_over_repeats(said)
    text.said[first:stop] = said
    match = _match_of(part.context)
    hands = find(said, first)
    for hand in hands:
        parse(text.said, hand, match)
        hand.cut = hand.cut and not (source.final or part.context.get("ended"))
        _complete(text, part, hand)
        hand.cut &= is_at_end
    name = part.match_id
    for number, played in enumerate(dict.fromkeys(hand.match for hand in hands)):
        if played and name:
            played.name = name if part.context else f"{name}/{number}"
    yield from hands


def _complete(text: _Lines, part: Section, hand: Hand) -> None:
    """Fill in what follows from the lines of a hand once they are parsed: details and context."""
    players = _players(text, part, hand)
    if hand.is_hand:
        known = {"score": None, "hands_played": None, "players": players, **hand.before}
        hand.context = {"settings": part.settings, "dealer": hand.dealer, "ended": not hand.cut, **known}
    if hand.fault:
        return
    hand.events[0].detail = rules.opening(hand.dialect, hand.dealer, players, hand.before or None)
    refused: dict[int, list[str]] = {}
    for index, card in hand.refused:
        if index < len(hand.events) and hand.events[index].action == Action.PLAY_CARD:
            refused.setdefault(index, []).append(cards.text(card))
    for index, texts in refused.items():
        hand.events[index].detail = json.dumps({"refused": texts}, separators=(",", ":"))


def _players(text: _Lines, part: Section, hand: Hand) -> list[dict[str, str]]:
    """The players of a hand: the client, at seat 0, is a person."""
    if "players" in part.context:
        return list(part.context["players"])
    if hand.table is None:
        return [{"kind": "human"}, {}, {}, {}]
    return _players_at(text.said[hand.table])


def _players_at(line: Line) -> list[dict[str, str]]:
    """The players, by the line with the table or the choice in the menu."""
    names = line.fields.get("MyTable", {}).get("Players")
    if isinstance(names, list) and len(names) == SEATS and all(isinstance(name, str) for name in names):
        return [
            {"kind": "computer"} if name == _COMPUTER else {"kind": "human", "name": name} if name else {}
            for name in names
        ]
    others = _KINDS_AT_OPTION.get(line.fields.get("Option", 0))
    return [{"kind": "human"}, *([{"kind": kind} for kind in others] if others else [{}, {}, {}])]


def _match_of(context: dict[str, Any]) -> Match:
    """The match before the first hand: nothing is known of it, unless a hand is read by itself."""
    if not context:
        return Match()
    known = {name: context[name] for name in ("score", "hands_played") if context[name] is not None}
    known |= {"trump": context["trump"]} if "trump" in context else {}
    return Match(next_number=context["hand_no"], next_dealer=context["dealer"], before=known)
